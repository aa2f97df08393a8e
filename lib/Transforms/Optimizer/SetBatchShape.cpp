//===- SetBatchShape.cpp - Another batch for the forward loss -------------===//
//
// Sets the types of the batch's arguments, then walks the body in order and
// infers every result again; a loop's body starts from its operands.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "trireme/Dialect/Train/IR/Train.h"
#include "trireme/Transforms/Optimizer/Passes.h"

namespace trireme::train {
#define GEN_PASS_DEF_SETBATCHSHAPE
#include "trireme/Transforms/Optimizer/Passes.h.inc"
} // namespace trireme::train

using namespace mlir;
using namespace trireme::train;

/// The shape that the batch has now, as the leading dims of a reshape show.
using OldShape = ArrayRef<int64_t>;

static LogicalResult inferBlock(Block &block, OldShape old);

static LogicalResult inferLoop(LoopOp loop, OldShape old) {
  for (auto [argument, operand] :
       llvm::zip_equal(loop.getCarryArguments(), loop.getCarries()))
    argument.setType(operand.getType());
  for (auto [argument, operand] :
       llvm::zip_equal(loop.getEachArguments(), loop.getEaches()))
    argument.setType(LoopOp::getSliceType(operand.getType()));
  for (auto [argument, operand] :
       llvm::zip_equal(loop.getWithArguments(), loop.getWiths()))
    argument.setType(operand.getType());
  if (failed(inferBlock(*loop.getLoopBody(), old)))
    return failure();
  for (auto [argument, next] :
       llvm::zip_equal(loop.getCarryArguments(), loop.getYield().getCarries()))
    if (argument.getType() != next.getType())
      return loop.emitOpError()
             << "cannot take this batch: a carry of type " << argument.getType()
             << " becomes " << next.getType();
  loop.inferResultTypes();
  return success();
}

/// A reshape's type is not inferred: one that leaves the batch's dims in front
/// gets them from its source.
static LogicalResult inferReshape(ReshapeOp reshape, OldShape old) {
  auto source = cast<RankedTensorType>(reshape.getSource().getType());
  auto result = cast<RankedTensorType>(reshape.getType());
  SmallVector<int64_t> shape(result.getShape());
  if (ArrayRef(shape).take_front(old.size()) == old &&
      source.getRank() >= int64_t(old.size()))
    llvm::copy(source.getShape().take_front(old.size()), shape.begin());
  auto type = RankedTensorType::get(shape, result.getElementType());
  if (type.getNumElements() != source.getNumElements())
    return reshape.emitOpError()
           << "cannot take this batch: it makes " << type << " of " << source;
  reshape.getResult().setType(type);
  return success();
}

/// Infers the result types of all ops of a block, in order.
static LogicalResult inferBlock(Block &block, OldShape old) {
  for (Operation &op : block.without_terminator()) {
    if (auto loop = dyn_cast<LoopOp>(op)) {
      if (failed(inferLoop(loop, old)))
        return failure();
      continue;
    }
    if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      if (failed(inferReshape(reshape, old)))
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
    if (failed(infer.inferReturnTypes(op.getContext(), op.getLoc(),
                                      op.getOperands(), op.getAttrDictionary(),
                                      op.getPropertiesStorage(),
                                      op.getRegions(), types)))
      return op.emitOpError() << "cannot take this batch";
    if (types.size() != op.getNumResults())
      return op.emitOpError()
             << "cannot take this batch: it has " << op.getNumResults()
             << " results, but would have " << types.size();
    for (auto [result, type] : llvm::zip_equal(op.getResults(), types))
      result.setType(type);
  }
  return success();
}

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
    if (failed(inferBlock(body, old)))
      return signalPassFailure();
    forward.setType(FunctionType::get(&getContext(), body.getArgumentTypes(),
                                      body.getTerminator()->getOperandTypes()));
  }
};
} // namespace
