//===- SetBatchShape.cpp - Another batch for the forward loss -------------===//
//
// Sets the types of the batch's arguments and infers all others again.
//
//===----------------------------------------------------------------------===//

#include "InferTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "trireme/Transforms/Optimizer/Passes.h"

namespace trireme::train {
#define GEN_PASS_DEF_SETBATCHSHAPE
#include "trireme/Transforms/Optimizer/Passes.h.inc"
} // namespace trireme::train

using namespace mlir;
using namespace trireme::train;

namespace {
struct SetBatchShape
    : public trireme::train::impl::SetBatchShapeBase<SetBatchShape> {
  using SetBatchShapeBase::SetBatchShapeBase;
  void runOnOperation() override {
    auto forward = getOperation().lookupSymbol<func::FuncOp>("forward");
    if (!forward || !forward.getBody().hasOneBlock()) {
      getOperation().emitError() << "has no function @forward of one block";
      return signalPassFailure();
    }
    if (rows < 1 || sequence < 1) {
      getOperation().emitError()
          << "options rows and sequence are " << rows.getValue() << " and "
          << sequence.getValue() << ", expected at least 1";
      return signalPassFailure();
    }
    Block &body = forward.getBody().front();
    SmallVector<int64_t> old;
    for (BlockArgument argument : body.getArguments()) {
      std::optional<Role> role = getRole(forward, argument.getArgNumber());
      if (!role || !isBatch(*role))
        continue;
      auto type = cast<RankedTensorType>(argument.getType());
      if (type.getRank() != 2) {
        forward.emitOpError()
            << "argument " << argument.getArgNumber() << " has type " << type
            << ", expected [rows, sequence]";
        return signalPassFailure();
      }
      old = llvm::to_vector(type.getShape());
      argument.setType(
          RankedTensorType::get({rows, sequence}, type.getElementType()));
    }
    if (failed(inferTypes(body, old)))
      return signalPassFailure();
    forward.setType(FunctionType::get(&getContext(), body.getArgumentTypes(),
                                      body.getTerminator()->getOperandTypes()));
  }
};
} // namespace
