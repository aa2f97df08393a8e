#include "core/metrics.h"

#include "core/error.h"
#include "core/manifest.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

using namespace trireme::runtime;

/// The file's whole lines of steps up to `step`.
static std::string linesUpTo(const std::string &path, int64_t step) {
  std::ifstream file(path);
  std::string kept, line;
  while (std::getline(file, line)) {
    if (file.eof()) // no newline: half a line
      break;
    json object = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (object.is_object() && object.contains("step") &&
        object["step"].is_number() && object["step"].get<int64_t>() <= step)
      kept += line + "\n";
  }
  return kept;
}

Metrics::Metrics(const std::string &path, int64_t step) : path(path) {
  if (path.empty())
    return;
  std::string kept = step > 0 ? linesUpTo(path, step) : "";
  file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    fail(Exit::Input, "{}: the metrics cannot be written: {}", path,
         std::strerror(errno));
  line = kept;
  if (!line.empty())
    line.pop_back();
  end();
  line.reserve(std::max<size_t>(line.capacity(), 16384));
}

Metrics::~Metrics() {
  if (file >= 0)
    close(file);
}

void Metrics::append(std::string_view text) { line.append(text); }

void Metrics::begin(int64_t step) {
  line.clear();
  append("{");
  add("step", step);
}

void Metrics::addKey(std::string_view key) {
  append(line.size() > 1 ? ", \"" : "\"");
  append(key);
  append("\": ");
}

void Metrics::add(std::string_view key, double value) {
  addKey(key);
  if (!std::isfinite(value))
    return append("null");
  char digits[32];
  auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  append({digits, size_t(end - digits)});
}

void Metrics::add(std::string_view key, int64_t value) {
  addKey(key);
  char digits[24];
  auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  append({digits, size_t(end - digits)});
}

void Metrics::add(std::string_view key, bool value) {
  addKey(key);
  append(value ? "true" : "false");
}

void Metrics::end() {
  if (file < 0 || line.empty())
    return;
  if (line[0] == '{' && line.back() != '}')
    append("}");
  append("\n");
  std::string_view rest = line;
  while (!rest.empty()) {
    ssize_t written = write(file, rest.data(), rest.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      fail(Exit::Run, "{}: the metrics cannot be written: {}", path,
           std::strerror(errno));
    rest.remove_prefix(size_t(written));
  }
  line.clear();
}

ResidentMemory::ResidentMemory()
    : file(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) {}

ResidentMemory::~ResidentMemory() {
  if (file >= 0)
    close(file);
}

int64_t ResidentMemory::bytes() const {
  char text[128];
  ssize_t size = pread(file, text, sizeof text, 0);
  if (size <= 0)
    return 0;
  const char *end = text + size;
  const char *space = std::find<const char *>(text, end, ' ');
  int64_t pages = 0;
  if (space != end)
    std::from_chars(space + 1, end, pages);
  return pages * sysconf(_SC_PAGESIZE);
}
