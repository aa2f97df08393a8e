//===- Evaluation.h - Shared by the evaluate methods ------------*- C++ -*-===//
//
// Private to this folder: the types of `evaluate` and a matrix product.
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_LIB_DIALECT_TRAIN_IR_EVALUATION_EVALUATION_H
#define TRIREME_LIB_DIALECT_TRAIN_IR_EVALUATION_EVALUATION_H

#include "trireme/Dialect/Train/IR/Train.h"

namespace trireme::train {

using Operands = llvm::ArrayRef<const HostTensor *>;
using Results = llvm::MutableArrayRef<HostTensor>;

/// c += a b with row-major a [m, k], b [k, n], c [m, n].
void multiplyMatrices(const double *a, const double *b, double *c, int64_t m,
                      int64_t k, int64_t n);

/// The transpose of a row-major [rows, columns] matrix.
std::vector<double> transposeMatrix(const double *source, int64_t rows,
                                    int64_t columns);

/// The number of elements in a row of the last `dims` dims.
inline int64_t countTrailing(llvm::ArrayRef<int64_t> shape, int64_t dims) {
  return HostTensor::count(shape.take_back(dims));
}

} // namespace trireme::train

#endif // TRIREME_LIB_DIALECT_TRAIN_IR_EVALUATION_EVALUATION_H
