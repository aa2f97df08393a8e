//===- InferTypes.cpp - Types that follow from arguments ------------------===//

#include "InferTypes.h"

using namespace mlir;
using namespace trireme::train;

/// The shape that the batch has now, as the leading dims of a reshape show.
using OldShape = ArrayRef<int64_t>;

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
  if (failed(inferTypes(*loop.getLoopBody(), old)))
    return failure();
  for (auto [argument, next] :
       llvm::zip_equal(loop.getCarryArguments(), loop.getYield().getCarries()))
    if (argument.getType() != next.getType())
      return loop.emitOpError()
             << "cannot take these types: a carry of type "
             << argument.getType() << " becomes " << next.getType();
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
           << "cannot take these types: it makes " << type << " of " << source;
  reshape.getResult().setType(type);
  return success();
}

LogicalResult trireme::train::inferTypes(Block &block, OldShape old) {
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
      continue; // A constant: its type does not depend on arguments.
    SmallVector<Type> types;
    if (failed(infer.inferReturnTypes(op.getContext(), op.getLoc(),
                                      op.getOperands(), op.getAttrDictionary(),
                                      op.getPropertiesStorage(),
                                      op.getRegions(), types)))
      return op.emitOpError() << "cannot take these types";
    if (types.size() != op.getNumResults())
      return op.emitOpError()
             << "cannot take these types: it has " << op.getNumResults()
             << " results, but would have " << types.size();
    for (auto [result, type] : llvm::zip_equal(op.getResults(), types))
      result.setType(type);
  }
  return success();
}
