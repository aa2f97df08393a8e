#include "core/trace.h"

#include "core/error.h"

#include <cstdio>
#include <ctime>
#include <memory>

using namespace trireme::runtime;

int64_t trireme::runtime::nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

/// `, "at": "model.layers.{}.mlp.up_proj"` where the table's entry says which
/// module of the model it comes from.
static std::string placeOf(const Manifest &manifest, const char *table,
                           int32_t index) {
  const json &entry = manifest.document.at(table).at(index);
  auto at = entry.find("at");
  return at == entry.end() ? "" : ", \"at\": " + at->dump();
}

/// The event's name and arguments as two JSON members.
static std::string describe(const TraceEvent &event, const Manifest &manifest) {
  switch (event.kind) {
  case TraceEvent::Kind::Named:
    return fmt::format(R"("name": "{}", "cat": "runtime")", event.name);
  case TraceEvent::Kind::Kernel:
    return fmt::format(
        R"("name": {}, "cat": "kernel", "args": {{"kernel": {}{}}})",
        json(manifest.kernels.at(event.index)).dump(), event.index,
        placeOf(manifest, "kernels", event.index));
  case TraceEvent::Kind::Gemm: {
    const GemmShape &gemm = manifest.gemms.at(event.index);
    return fmt::format(
        R"("name": "gemm", "cat": "gemm", "args": {{"gemm": {}, "m": {}, "n": {}, "k": {}{}}})",
        event.index, gemm.m, gemm.n, gemm.k,
        placeOf(manifest, "gemms", event.index));
  }
  case TraceEvent::Kind::Attention: {
    const AttentionShape &shape = manifest.attentions.at(event.index);
    return fmt::format(
        R"("name": "{}", "cat": "attention", "args": {{"attention": {}, "batch": {}, "sequence": {}, "kv_heads": {}, "group": {}, "head_dim": {}{}}})",
        event.name, event.index, shape.batch, shape.sequence, shape.kvHeads,
        shape.group, shape.headDim,
        placeOf(manifest, "attentions", event.index));
  }
  }
  return {};
}

void Trace::write(const std::string &path, const Manifest &manifest) const {
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(
      std::fopen(path.c_str(), "w"), std::fclose);
  if (!file)
    fail(Exit::Input, "{}: the trace cannot be written", path);
  int64_t origin = events.empty() ? 0 : events.front().begin;
  for (const TraceEvent &event : events)
    origin = std::min(origin, event.begin);
  fmt::print(file.get(), "{{\"traceEvents\": [\n");
  fmt::print(
      file.get(),
      R"({{"name": "process_name", "ph": "M", "pid": 0, "args": {{"name": "rank 0"}}}})");
  for (const TraceEvent &event : events)
    fmt::print(file.get(),
               ",\n{{{}, \"ph\": \"X\", \"pid\": 0, \"tid\": 0, \"ts\": "
               "{:.3f}, \"dur\": {:.3f}}}",
               describe(event, manifest), (event.begin - origin) / 1000.0,
               (event.end - event.begin) / 1000.0);
  fmt::print(file.get(), "\n], \"otherData\": {{\"dropped_events\": {}}}}}\n",
             dropped);
}
