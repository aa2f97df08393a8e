//===- RuntimeDialect.cpp - The runtime dialect ---------------------------===//

#include "trireme/Dialect/Runtime/IR/Runtime.h"

using namespace mlir;
using namespace trireme::runtime;

#include "trireme/Dialect/Runtime/IR/RuntimeDialect.cpp.inc"

#define GET_OP_CLASSES
#include "trireme/Dialect/Runtime/IR/RuntimeOps.cpp.inc"

void RuntimeDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "trireme/Dialect/Runtime/IR/RuntimeOps.cpp.inc"
      >();
}

LogicalResult BufferOp::verify() {
  // C1
  if (getIndices().size() != getStrides().size())
    return emitOpError() << "has " << getStrides().size() << " strides for "
                         << getIndices().size() << " indices";
  return success();
}

LogicalResult LaunchOp::verify() {
  // C1
  if (int64_t(getCount()) < 1 || int64_t(getGrain()) < 1)
    return emitOpError() << "launches " << int64_t(getCount())
                         << " rows in blocks of " << int64_t(getGrain())
                         << ", expected at least 1";
  return success();
}

LogicalResult KernelOp::verify() {
  // C1
  if (getOperandKinds().size() != getOperandTypes().size() ||
      getResultKinds().size() != getResultTypes().size())
    return emitOpError() << "has " << getOperandKinds().size() << " kinds and "
                         << getOperandTypes().size() << " types of operands, "
                         << getResultKinds().size() << " kinds and "
                         << getResultTypes().size() << " types of results";
  // C2
  if (!train::isCountable({int64_t(getRows()), int64_t(getColumns())}) ||
      int64_t(getGrain()) < 1)
    return emitOpError() << "has " << int64_t(getRows()) << " rows, "
                         << int64_t(getColumns()) << " columns and grain "
                         << int64_t(getGrain()) << ", expected at least 1";
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  Block &body = getBody().front();
  // C3
  auto isOf = [](ValueRange values, ArrayAttr types) {
    return llvm::equal(values.getTypes(), types.getAsValueRange<TypeAttr>());
  };
  if (!isOf(body.getArguments(), getOperandTypes()))
    return emitOpError() << "has body arguments of types "
                         << ValueRange(body.getArguments()).getTypes()
                         << ", expected " << getOperandTypes();
  auto yield = dyn_cast<train::RowsYieldOp>(body.getTerminator());
  if (!yield || !isOf(yield.getValues(), getResultTypes()))
    return emitOpError() << "must end in train.rows_yield of types "
                         << getResultTypes();
  // C4
  return train::checkKernelBody(body);
}
