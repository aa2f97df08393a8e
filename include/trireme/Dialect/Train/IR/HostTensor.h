//===- HostTensor.h - A tensor of doubles for the evaluator -----*- C++ -*-===//
//
// The value that the evaluator computes with: row-major doubles whatever the
// element type in the IR (integers and truth values are exact in a double).
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_DIALECT_TRAIN_IR_HOSTTENSOR_H
#define TRIREME_DIALECT_TRAIN_IR_HOSTTENSOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <vector>

namespace trireme::train {

struct HostTensor {
  llvm::SmallVector<int64_t> shape; ///< Empty for a scalar.
  std::vector<double> values;       ///< Row-major, product of `shape`.

  HostTensor() = default;
  /// A tensor of zeros.
  explicit HostTensor(llvm::ArrayRef<int64_t> shape)
      : shape(shape.begin(), shape.end()), values(count(shape), 0.0) {}

  /// Elements of a tensor of this shape.
  static int64_t count(llvm::ArrayRef<int64_t> shape) {
    int64_t n = 1;
    for (int64_t d : shape)
      n *= d;
    return n;
  }
  int64_t size() const { return values.size(); }
  double *data() { return values.data(); }
  const double *data() const { return values.data(); }
};

} // namespace trireme::train

#endif // TRIREME_DIALECT_TRAIN_IR_HOSTTENSOR_H
