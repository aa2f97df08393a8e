// Token files: flat, with llm.c's header, or Megatron's .bin with an .idx;
// mapped, never read as a whole.
#ifndef TRIREME_RUNTIME_CORE_TOKEN_FILE_H
#define TRIREME_RUNTIME_CORE_TOKEN_FILE_H

#include <cstdint>
#include <optional>
#include <string>

namespace trireme::runtime {

/// A read-only mapping of a whole file; movable, owns the mapping.
class MappedFile {
public:
  /// Fails with exit code 1 if `path` cannot be read.
  explicit MappedFile(const std::string &path);
  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&) = delete;
  ~MappedFile();

  const uint8_t *data() const { return memory; }
  uint64_t bytes() const { return size; }

private:
  const uint8_t *memory = nullptr;
  uint64_t size = 0;
};

class TokenFile {
public:
  /// Opens `path` with tokens of `tokenBytes` (2 or 4; a header's width wins)
  /// and `path`'s mask where there is one. Files up to 256 MiB are checked
  /// against `vocabulary` as a whole, larger ones as they are read. Fails with
  /// exit code 1 naming file and token.
  TokenFile(const std::string &path, int tokenBytes, int64_t vocabulary);

  const std::string &path() const { return name; }
  int64_t tokens() const { return count; }

  /// Token `index`, checked against the vocabulary.
  int32_t token(int64_t index) const {
    uint32_t value = raw(index);
    if (int64_t(value) >= vocabulary)
      reject(index, value);
    return int32_t(value);
  }
  /// Whether token `index` counts as a target.
  bool isTarget(int64_t index) const { return !mask || mask[index] != 0; }

private:
  uint32_t raw(int64_t index) const {
    if (width == 2)
      return uint32_t(first[2 * index]) | uint32_t(first[2 * index + 1]) << 8;
    const uint8_t *byte = first + 4 * index;
    return uint32_t(byte[0]) | uint32_t(byte[1]) << 8 |
           uint32_t(byte[2]) << 16 | uint32_t(byte[3]) << 24;
  }
  [[noreturn]] void reject(int64_t index, uint32_t value) const;
  void readHeader();
  void readIndex(const std::string &path);
  void openMask();

  std::string name;
  MappedFile file;
  std::optional<MappedFile> maskFile;
  const uint8_t *first = nullptr, *mask = nullptr;
  int width;
  int64_t vocabulary, count = 0;
};

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CORE_TOKEN_FILE_H
