// Matrix products: a result is cut into blocks that depend on its shape only,
// and each block is one oneDNN primitive on one thread.
#ifndef TRIREME_RUNTIME_CPU_GEMM_H
#define TRIREME_RUNTIME_CPU_GEMM_H

#include "core/manifest.h"
#include "cpu/onednn.h"

#include <memory>

namespace trireme::runtime {

/// Rows and columns of the blocks of a result.
struct GemmBlocking {
  int64_t rows, columns;
};

/// The blocking that was measured best for `shape`; the same on every machine.
GemmBlocking chooseBlocking(const GemmShape &shape);

class Gemm {
public:
  /// Creates the primitives of all blocks.
  explicit Gemm(const GemmShape &shape) : Gemm(shape, chooseBlocking(shape)) {}
  Gemm(const GemmShape &shape, GemmBlocking blocking);

  const GemmShape &shape() const { return gemm; }
  /// Scratch bytes that one thread needs, a multiple of 64.
  size_t scratchBytes() const;
  /// oneDNN's name of what runs the inner blocks.
  const std::string &implementation() const;

  /// `scratch` holds `stride` >= scratchBytes() bytes a thread, 64-byte
  /// aligned. Called by the main thread only.
  void run(const float *lhs, const float *rhs, const float *bias, float *result,
           char *scratch, size_t stride) const;

private:
  GemmShape gemm;
  GemmBlocking blocking;
  int64_t rowBlocks, columnBlocks;
  // [last row block?][last column block?]; equal ones are shared.
  std::shared_ptr<Matmul> products[2][2];
};

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CPU_GEMM_H
