//===- TokenFiles.h - Samples of flat token files ---------------*- C++ -*-===//

#ifndef TRIREME_LIB_INTERPRET_TOKENFILES_H
#define TRIREME_LIB_INTERPRET_TOKENFILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace trireme {

/// Flat files of little-endian token ids, cut into samples. Sample i of a file
/// of n tokens is its tokens [i S, i S + S + 1): S inputs and their next
/// tokens. Samples of several files follow each other and never cross files. A
/// file NAME.mask.bin beside NAME.bin has a byte a token, 0 for a token that
/// counts for no loss as a target.
class TokenFiles {
public:
  static llvm::Expected<TokenFiles> open(llvm::ArrayRef<std::string> paths,
                                         unsigned tokenBytes,
                                         int64_t sequenceLength);

  /// Puts the inputs and targets of sample `index` (wrapping after the last)
  /// into arrays of `sequenceLength` numbers. Fails at a token that is not
  /// below `vocabulary` (0: not checked).
  llvm::Error getSample(int64_t index, int64_t vocabulary, double *tokens,
                        double *targets) const;

private:
  struct File {
    std::string path;
    std::unique_ptr<llvm::MemoryBuffer> tokens, mask; ///< mask may be null.
    int64_t samples;
  };
  std::vector<File> files;
  int64_t sampleCount = 0;
  int64_t sequenceLength = 0;
  unsigned tokenBytes = 2;
};

} // namespace trireme

#endif // TRIREME_LIB_INTERPRET_TOKENFILES_H
