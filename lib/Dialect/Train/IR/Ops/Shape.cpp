//===- Shape.cpp - reshape, unstack, stack --------------------------------===//

#include "Common.h"

using namespace mlir;
using namespace trireme::train;

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  // C1
  auto from = tensorType(getSource());
  auto to = cast<RankedTensorType>(getType());
  if (from.getElementType() != to.getElementType() ||
      from.getNumElements() != to.getNumElements())
    return emitOpError() << "makes " << to << " of " << from;
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return {};
}

LogicalResult ReshapeOp::buildDerivative(OpBuilder &builder,
                                         ArrayRef<Value> cotangents,
                                         SmallVectorImpl<Value> &operands) {
  operands.push_back(ReshapeOp::create(builder, getLoc(), getSource().getType(),
                                       cotangents[0]));
  return success();
}

Value trireme::train::getViewSource(Value value) {
  auto isOne = [](int64_t blocks) { return blocks == 1; };
  if (auto reshape = value.getDefiningOp<ReshapeOp>())
    return reshape.getSource();
  if (auto chunk = value.getDefiningOp<ChunkOp>())
    return llvm::all_of(chunk.getBlocks(), isOne) ? chunk.getSource() : Value();
  if (auto unchunk = value.getDefiningOp<UnchunkOp>())
    return llvm::all_of(unchunk.getBlocks(), isOne) ? unchunk.getSource()
                                                    : Value();
  return {};
}

//===----------------------------------------------------------------------===//
// unstack, stack
//===----------------------------------------------------------------------===//

LogicalResult UnstackOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> shape(shapeOf(adaptor.getSource()));
  int64_t dim = adaptor.getDim();
  // C1
  if (dim < 0 || dim >= int64_t(shape.size()))
    return emitOptionalError(location, "unstacks dim ", dim,
                             " of a tensor of rank ", shape.size());
  int64_t count = shape[dim];
  // C2
  constexpr int64_t mostSlices = 4096;
  if (count > mostSlices)
    return emitOptionalError(location, "unstacks ", count,
                             " slices, expected at most ", mostSlices);
  shape.erase(shape.begin() + dim);
  types.assign(count, withShape(adaptor.getSource(), shape));
  return success();
}

LogicalResult UnstackOp::buildDerivative(OpBuilder &builder,
                                         ArrayRef<Value> cotangents,
                                         SmallVectorImpl<Value> &operands) {
  SmallVector<Value> slices(cotangents);
  for (auto [slice, result] : llvm::zip_equal(slices, getResults()))
    if (!slice)
      slice = FillOp::create(builder, getLoc(), result.getType(),
                             builder.getF64FloatAttr(0.0));
  operands.push_back(StackOp::create(builder, getLoc(), slices, getDimAttr()));
  return success();
}

LogicalResult StackOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  ValueRange slices = adaptor.getSlices();
  int64_t dim = adaptor.getDim();
  // C1
  if (slices.empty() || !llvm::all_equal(slices.getTypes()))
    return emitOptionalError(location, "needs slices of one type");
  SmallVector<int64_t> shape(shapeOf(slices[0]));
  // C2
  if (dim < 0 || dim > int64_t(shape.size()))
    return emitOptionalError(location, "stacks along dim ", dim,
                             " of tensors of rank ", shape.size());
  shape.insert(shape.begin() + dim, slices.size());
  types.push_back(withShape(slices[0], shape));
  return success();
}

LogicalResult StackOp::buildDerivative(OpBuilder &builder,
                                       ArrayRef<Value> cotangents,
                                       SmallVectorImpl<Value> &operands) {
  auto slices =
      UnstackOp::create(builder, getLoc(), cotangents[0], getDimAttr());
  llvm::append_range(operands, slices.getResults());
  return success();
}
