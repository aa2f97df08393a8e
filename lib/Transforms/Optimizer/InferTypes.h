//===- InferTypes.h - Types that follow from arguments ----------*- C++ -*-===//
//
// Private to this folder: for passes that give arguments of a function other
// types.
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_LIB_TRANSFORMS_OPTIMIZER_INFERTYPES_H
#define TRIREME_LIB_TRANSFORMS_OPTIMIZER_INFERTYPES_H

#include "trireme/Dialect/Train/IR/Train.h"

namespace trireme::train {

/// Infers the result types of all ops of a block, in order; a loop's body
/// starts from its operands. A reshape that leaves the dims `batch` in front
/// gets those that its source has now. Fails with an error at the operation for
/// which the types are impossible.
llvm::LogicalResult inferTypes(mlir::Block &block,
                               llvm::ArrayRef<int64_t> batch);

} // namespace trireme::train

#endif // TRIREME_LIB_TRANSFORMS_OPTIMIZER_INFERTYPES_H
