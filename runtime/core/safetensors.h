// Safetensors files: an 8-byte header length, a JSON header, raw data. The
// reader trusts nothing in a file.
#ifndef TRIREME_RUNTIME_CORE_SAFETENSORS_H
#define TRIREME_RUNTIME_CORE_SAFETENSORS_H

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace trireme::runtime {

enum class ElementType { F32, BF16, F16 };

/// One tensor of a file; `data` points into the file's bytes.
struct StoredTensor {
  ElementType type;
  std::vector<int64_t> shape;
  int64_t elements;
  std::span<const uint8_t> data;
};

/// Reads the header of a file's `bytes`. Tensors of other element types are
/// put into `others` (name to type) if that is given, else they are an error.
/// Fails with exit code 1, naming `path` and what is wrong; accepts a file
/// only if every tensor lies inside it and has the bytes of its shape.
std::map<std::string, StoredTensor>
parseSafetensors(std::span<const uint8_t> bytes, const std::string &path,
                 std::map<std::string, std::string> *others = nullptr);

/// Converts all elements to fp32 into `target`.
void convertToFloat(const StoredTensor &tensor, float *target);

/// An fp32 tensor to write; `data` is borrowed.
struct TensorToWrite {
  std::string name;
  std::vector<int64_t> shape;
  int64_t elements;
  const float *data;
};

/// Writes `tensors` to a new file at `path` and syncs it to the disk. Fails
/// with exit code 1 (cannot be created) or 3 (the disk is full).
void writeSafetensors(const std::string &path,
                      const std::vector<TensorToWrite> &tensors);

/// Writes `text` to a new file at `path` and syncs it; fails alike.
void writeSynced(const std::string &path, const std::string &text);

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CORE_SAFETENSORS_H
