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
