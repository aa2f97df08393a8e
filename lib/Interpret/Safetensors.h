//===- Safetensors.h - Reading tensors of Hugging Face files ----*- C++ -*-===//

#ifndef TRIREME_LIB_INTERPRET_SAFETENSORS_H
#define TRIREME_LIB_INTERPRET_SAFETENSORS_H

#include "trireme/Dialect/Train/IR/HostTensor.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace trireme {

/// The tensors of a safetensors file, or of all files of a Hugging Face folder
/// (`model.safetensors`, or those of `model.safetensors.index.json`). Headers
/// are checked when opened; data is read on demand. Messages name the file.
class TensorFiles {
public:
  static llvm::Expected<TensorFiles> open(llvm::StringRef path);

  /// Whether there is a tensor of this name; GPT-2's names are the same with
  /// and without `transformer.`.
  bool contains(llvm::StringRef name) const { return find(name); }

  /// The name under which the file has a tensor that it contains.
  llvm::StringRef getStoredName(llvm::StringRef name) const;

  /// A tensor as doubles. Fails if it is missing (naming the nearest), has
  /// another shape, or elements that are no F64, F32, F16 or BF16.
  llvm::Expected<train::HostTensor> read(llvm::StringRef name,
                                         llvm::ArrayRef<int64_t> shape) const;

  /// The names, sorted.
  std::vector<std::string> getNames() const;

private:
  struct Entry {
    std::string file, type;
    llvm::SmallVector<int64_t> shape;
    llvm::StringRef data;
  };
  const llvm::StringMapEntry<Entry> *find(llvm::StringRef name) const;
  llvm::Error addFile(llvm::StringRef path);

  std::string source; ///< What was opened, for messages.
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> buffers;
  llvm::StringMap<Entry> entries;
};

} // namespace trireme

#endif // TRIREME_LIB_INTERPRET_SAFETENSORS_H
