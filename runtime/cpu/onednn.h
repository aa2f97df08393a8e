// Thin ownership over oneDNN's C interface. The C interface is used because
// its execution takes a plain array of arguments, where the C++ one builds a
// map in every call.
#ifndef TRIREME_RUNTIME_CPU_ONEDNN_H
#define TRIREME_RUNTIME_CPU_ONEDNN_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <vector>

namespace trireme::runtime {

/// The engine of this process.
dnnl::engine &cpuEngine();

/// A matrix of m x n floats in memory; one of the strides is 1.
struct MatrixLayout {
  int64_t rows, columns, rowStride, columnStride;
};

/// result = lhs * rhs [+ bias] [+ result] of one fixed shape on one thread.
/// Made at start; run() is safe on several threads with different `thread`.
class Matmul {
public:
  /// Bias, where wanted, is one value a column of the result.
  Matmul(const MatrixLayout &lhs, const MatrixLayout &rhs,
         const MatrixLayout &result, bool accumulate, bool bias);

  /// Bytes of scratch that run() needs.
  size_t scratchBytes() const { return scratchSize; }
  /// oneDNN's name of the implementation it chose.
  const std::string &implementation() const { return implementationName; }

  /// `scratch` has scratchBytes() bytes, 64-byte aligned; `thread` is below
  /// threadCount().
  void run(int thread, const float *lhs, const float *rhs, const float *bias,
           float *result, void *scratch) const;

private:
  friend void prepareProducts();
  void execute(int thread, const float *lhs, const float *rhs,
               const float *bias, float *result, void *scratch) const;

  struct Handles {
    dnnl::memory lhs, rhs, bias, result, scratch;
    dnnl::stream stream;
  };
  dnnl::matmul primitive;
  size_t scratchSize = 0;
  bool hasBias;
  std::string implementationName;
  std::vector<Handles> threads;
};

/// Runs small products, so that what oneDNN makes when it is first used, and
/// keeps, is there before the first step.
void prepareProducts();

/// Owned memory, aligned to 64 bytes and zero at start.
using AlignedBuffer = std::unique_ptr<char, void (*)(void *)>;
AlignedBuffer alignedBuffer(size_t bytes);

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CPU_ONEDNN_H
