// A Chrome trace (chrome://tracing, Perfetto) of what a rank did: one event a
// gemm, attention, kernel and data wait, in a buffer allocated at start.
#ifndef TRIREME_RUNTIME_CORE_TRACE_H
#define TRIREME_RUNTIME_CORE_TRACE_H

#include "core/manifest.h"

#include <cstdint>
#include <string>
#include <vector>

namespace trireme::runtime {

/// Nanoseconds of the monotonic clock.
int64_t nanoseconds();

struct TraceEvent {
  enum class Kind : uint8_t { Named, Kernel, Gemm, Attention };
  Kind kind;
  int32_t index;      // into the manifest's table of that kind
  const char *name;   // Named and Attention: a literal
  int64_t begin, end; // nanoseconds()
};

class Trace {
public:
  /// Keeps room for `capacity` events; later ones are counted and dropped.
  explicit Trace(size_t capacity) { events.reserve(capacity); }

  /// Starts or stops recording.
  void record(bool on) { recording = on; }
  bool isRecording() const { return recording; }

  void add(const TraceEvent &event) {
    if (events.size() < events.capacity())
      events.push_back(event);
    else
      ++dropped;
  }

  /// Writes all events as JSON to `path`; times are microseconds from the
  /// first event. Fails with exit code 1 if the file cannot be written.
  void write(const std::string &path, const Manifest &manifest) const;

private:
  std::vector<TraceEvent> events;
  uint64_t dropped = 0;
  bool recording = false;
};

/// Records the time from its making to its end; `trace` may be null.
class TraceScope {
public:
  TraceScope(Trace *trace, TraceEvent::Kind kind, int32_t index,
             const char *name)
      : trace(trace && trace->isRecording() ? trace : nullptr),
        event{kind, index, name, this->trace ? nanoseconds() : 0, 0} {}
  ~TraceScope() {
    if (!trace)
      return;
    event.end = nanoseconds();
    trace->add(event);
  }
  TraceScope(const TraceScope &) = delete;
  TraceScope &operator=(const TraceScope &) = delete;

private:
  Trace *trace;
  TraceEvent event;
};

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CORE_TRACE_H
