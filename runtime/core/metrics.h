// The metrics file: a JSON object a line, written from a buffer of its own.
#ifndef TRIREME_RUNTIME_CORE_METRICS_H
#define TRIREME_RUNTIME_CORE_METRICS_H

#include <cstdint>
#include <string>
#include <string_view>

namespace trireme::runtime {

class Metrics {
public:
  /// Opens `path` (empty: every call does nothing). Starting at step 0 the
  /// file is emptied; at a later one, lines of later steps are cut. Fails with
  /// exit code 1 if it cannot be written.
  Metrics(const std::string &path, int64_t step);
  ~Metrics();
  Metrics(const Metrics &) = delete;
  Metrics &operator=(const Metrics &) = delete;

  /// Starts an object with "step".
  void begin(int64_t step);
  /// Adds a member; doubles read back to the same value, non-finite are null.
  void add(std::string_view key, double value);
  void add(std::string_view key, int64_t value);
  void add(std::string_view key, bool value);
  /// Writes the object. Fails with exit code 3 if that fails.
  void end();

private:
  void append(std::string_view text);
  void addKey(std::string_view key);

  std::string path;
  int file = -1;
  std::string line; // capacity is reserved once
};

/// Bytes of memory that the system counts for this process, by a file that
/// stays open.
class ResidentMemory {
public:
  ResidentMemory();
  ~ResidentMemory();
  int64_t bytes() const;

private:
  int file;
};

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CORE_METRICS_H
