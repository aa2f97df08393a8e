//===- CompiledKernels.h - Kernels of MLIR text, ready to call --*- C++ -*-===//

#ifndef TRIREME_TEST_UNIT_CONVERSION_COMPILEDKERNELS_H
#define TRIREME_TEST_UNIT_CONVERSION_COMPILEDKERNELS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace trireme::test {

/// A `trireme_kernel` of program.h.
using Kernel = void (*)(char *const *buffers, int64_t begin, int64_t end);

/// A target that this machine can run.
struct KernelTarget {
  std::string cpu;
  unsigned vectorBytes;
};
std::vector<KernelTarget> getRunnableTargets();

/// Kernels of one module, compiled into this process.
class CompiledKernels {
public:
  /// `text` is `runtime.kernel` operations; #full, #row, #column, #scalar,
  /// #column_sum and #sum stand for the row kinds. Aborts if it is wrong.
  CompiledKernels(llvm::StringRef text, const KernelTarget &target);
  ~CompiledKernels();

  Kernel get(llvm::StringRef name) const;

  /// Seconds of the passes and of code generation.
  double passSeconds = 0, codeSeconds = 0;

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

/// Replaces `$name` in `text` by the number, for each pair.
std::string
withNumbers(llvm::StringRef text,
            llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>> numbers);

/// Runs `kernel` on buffers of any element type.
template <typename... Vectors>
void run(Kernel kernel, int64_t begin, int64_t end, Vectors &...vectors) {
  char *buffers[] = {reinterpret_cast<char *>(vectors.data())...};
  kernel(buffers, begin, end);
}

/// `count` numbers in [low, high), the same for the same arguments.
std::vector<float> makeNumbers(int64_t count, float low, float high,
                               unsigned seed = 1);

} // namespace trireme::test

#endif // TRIREME_TEST_UNIT_CONVERSION_COMPILEDKERNELS_H
