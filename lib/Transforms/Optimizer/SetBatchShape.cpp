//===- SetBatchShape.cpp - Another batch for the forward loss -------------===//
//
// Sets the types of the batch's arguments, then walks the body in order and
// infers every result again; a loop's body starts from its operands.
//
//===----------------------------------------------------------------------===//

#include "trireme/Dialect/Train/IR/Train.h"
#include "trireme/Transforms/Optimizer/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace trireme::train {
#define GEN_PASS_DEF_SETBATCHSHAPE
#include "trireme/Transforms/Optimizer/Passes.h.inc"
} // namespace trireme::train

using namespace mlir;
using namespace trireme::train;

static LogicalResult inferBlock(Block &block);

static LogicalResult inferLoop(LoopOp loop) {
  for (auto [argument, operand] :
       llvm::zip_equal(loop.getCarryArguments(), loop.getCarries()))
    argument.setType(operand.getType());
  for (auto [argument, operand] :
       llvm::zip_equal(loop.getEachArguments(), loop.getEaches()))
    argument.setType(LoopOp::getSliceType(operand.getType()));
  for (auto [argument, operand] :
       llvm::zip_equal(loop.getWithArguments(), loop.getWiths()))
    argument.setType(operand.getType());
  if (failed(inferBlock(*loop.getLoopBody())))
    return failure();
  for (auto [argument, next] : llvm::zip_equal(loop.getCarryArguments(),
                                               loop.getYield().getCarries()))
    if (argument.getType() != next.getType())
      return loop.emitOpError()
             << "cannot take this batch: a carry of type " << argument.getType()
             << " becomes " << next.getType();
  loop.inferResultTypes();
  return success();
}

/// Infers the result types of all ops of a block, in order.
static LogicalResult inferBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (auto loop = dyn_cast<LoopOp>(op)) {
      if (failed(inferLoop(loop)))
        return failure();
      continue;
    }
    if (op.hasTrait<OpTrait::SameOperandsAndResultType>()) {
      op.getResult(0).setType(op.getOperand(0).getType());
      continue;
    }
    auto infer = dyn_cast<InferTypeOpInterface>(op);
    if (!infer)
      continue; // A constant: its type does not depend on the batch.
    SmallVector<Type> types;
    if (failed(infer.inferReturnTypes(
            op.getContext(), op.getLoc(), op.getOperands(),
            op.getAttrDictionary(), op.getPropertiesStorage(), op.getRegions(),
            types)))
      return op.emitOpError() << "cannot take this batch";
    for (auto [result, type] : llvm::zip_equal(op.getResults(), types))
      result.setType(type);
  }
  return success();
}

/// Whether an argument holds something for each token of the batch.
static bool isBatch(func::FuncOp function, unsigned index) {
  auto role = function.getArgAttrOfType<RoleAttr>(index, kRoleName);
  return role && (role.getValue() == Role::Tokens ||
                  role.getValue() == Role::Targets ||
                  role.getValue() == Role::Positions);
}

namespace {
struct SetBatchShape
    : public trireme::train::impl::SetBatchShapeBase<SetBatchShape> {
  using SetBatchShapeBase::SetBatchShapeBase;
  void runOnOperation() override {
    auto forward = getOperation().lookupSymbol<func::FuncOp>("forward");
    if (!forward || forward.isExternal()) {
      getOperation().emitError() << "has no function @forward";
      return signalPassFailure();
    }
    Block &body = forward.getBody().front();
    for (BlockArgument argument : body.getArguments())
      if (isBatch(forward, argument.getArgNumber()))
        argument.setType(RankedTensorType::get(
            {rows, sequence},
            cast<RankedTensorType>(argument.getType()).getElementType()));
    if (failed(inferBlock(body)))
      return signalPassFailure();
    forward.setType(FunctionType::get(
        &getContext(), body.getArgumentTypes(),
        body.getTerminator()->getOperandTypes()));
  }
};
} // namespace
