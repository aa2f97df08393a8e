//===- KernelEmitter.h - Vector code of one kernel --------------*- C++ -*-===//

#ifndef TRIREME_LIB_CONVERSION_ROWSTOLLVM_KERNELEMITTER_H
#define TRIREME_LIB_CONVERSION_ROWSTOLLVM_KERNELEMITTER_H

#include "mlir/IR/Builders.h"
#include "trireme/Dialect/Runtime/IR/Runtime.h"

namespace trireme {

/// Emits the function of `kernel` at the builder's place, for vector registers
/// of `vectorBytes`. The kernel stays.
mlir::LogicalResult emitKernel(mlir::OpBuilder &builder,
                               runtime::KernelOp kernel, unsigned vectorBytes);

} // namespace trireme

#endif // TRIREME_LIB_CONVERSION_ROWSTOLLVM_KERNELEMITTER_H
