//===- Attention.cpp - Positions and attention ----------------------------===//

#include "Common.h"

using namespace mlir;
using namespace trireme::train;

//===----------------------------------------------------------------------===//
// rotary_table, rotary
//===----------------------------------------------------------------------===//

LogicalResult RotaryTableOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location>,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> shape(shapeOf(adaptor.getPositions()));
  shape.append({2, adaptor.getRope().getDims() / 2});
  types.push_back(RankedTensorType::get(shape, Float32Type::get(context)));
  return success();
}

LogicalResult RotaryOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> source = shapeOf(adaptor.getSource());
  ArrayRef<int64_t> table = shapeOf(adaptor.getTable());
  // C1
  bool fits = source.size() >= 3 && table.size() == 4 && table[2] == 2 &&
              source.take_front(2) == table.take_front(2) &&
              2 * table[3] <= source.back();
  if (!fits)
    return emitOptionalError(location, "rotates a source of shape [", source,
                             "] by a table of shape [", table, "]");
  types.push_back(adaptor.getSource().getType());
  return success();
}

LogicalResult RotaryOp::buildDerivative(OpBuilder &builder,
                                        ArrayRef<Value> cotangents,
                                        SmallVectorImpl<Value> &operands) {
  Value back = RotaryOp::create(builder, getLoc(), cotangents[0], getTable(),
                                !getInverse());
  operands.assign({back, Value()});
  return success();
}

//===----------------------------------------------------------------------===//
// attention
//===----------------------------------------------------------------------===//

/// Checks the shapes that attention and its gradient share.
static LogicalResult checkShapes(std::optional<Location> location, Value qValue,
                                 Value kValue, Value qPositions,
                                 Value kPositions) {
  ArrayRef<int64_t> q = shapeOf(qValue), k = shapeOf(kValue);
  ArrayRef<int64_t> queries = shapeOf(qPositions), keys = shapeOf(kPositions);
  // C1
  bool fits = q.size() == 5 && k.size() == 4 && q[0] == k[0] && q[2] == k[2] &&
              q[4] == k[3] && queries == q.take_front(2) &&
              keys == k.take_front(2);
  if (!fits)
    return emitOptionalError(
        location, "has q of shape [", q, "], k and v of shape [", k,
        "] and positions of shapes [", queries, "], [", keys, "]");
  return success();
}

/// The type of the statistic: one value a query and head.
static RankedTensorType logSumType(Value q) {
  ArrayRef<int64_t> shape = shapeOf(q);
  return withShape(q, {shape[0], shape[2], shape[3], shape[1]});
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  if (failed(checkShapes(location, adaptor.getQ(), adaptor.getK(),
                         adaptor.getQPositions(), adaptor.getKPositions())))
    return failure();
  types.assign({adaptor.getQ().getType(), logSumType(adaptor.getQ())});
  return success();
}

/// The layers that an operation is run for, as indices of per-layer values:
/// those of the innermost enclosing loop over layers, or one.
static int64_t countLayers(Operation *op) {
  for (auto loop = op->getParentOfType<LoopOp>(); loop;
       loop = loop->getParentOfType<LoopOp>())
    if (loop.getLabel() == "layers")
      return int64_t(loop.getFirst()) + int64_t(loop.getCount());
  return 1;
}

static LogicalResult checkWindow(Operation *op, Attribute window) {
  SmallVector<int64_t> values;
  auto perLayer = dyn_cast<PerLayerAttr>(window);
  if (perLayer)
    llvm::append_range(values, perLayer.getValues());
  else
    values.push_back(cast<IntegerAttr>(window).getInt());
  // C2
  if (llvm::any_of(values, [](int64_t value) { return value < 0; }))
    return op->emitOpError()
           << "has the window " << window << ", expected values from 0 on";
  // C3
  int64_t layers = countLayers(op);
  if (perLayer && int64_t(values.size()) < layers)
    return op->emitOpError() << "has windows for " << values.size()
                             << " layers, but is run for " << layers;
  return success();
}

/// Checks that `blocks` cuts queries and keys.
static LogicalResult checkBlocks(Operation *op, Value q, Value k,
                                 int64_t blocks) {
  int64_t queries = shapeOf(q)[1], keys = shapeOf(k)[1];
  // C4
  if (blocks < 1 || queries % blocks || keys % blocks)
    return op->emitOpError() << "cuts " << queries << " queries and " << keys
                             << " keys into " << blocks << " blocks";
  return success();
}

LogicalResult AttentionOp::verify() {
  if (failed(checkWindow(*this, getWindow())))
    return failure();
  return checkBlocks(*this, getQ(), getK(), getBlocks());
}

LogicalResult AttentionOp::buildDerivative(OpBuilder &builder,
                                           ArrayRef<Value> cotangents,
                                           SmallVectorImpl<Value> &operands) {
  if (cotangents[1])
    return emitOpError() << "has no derivative of its statistic";
  auto grad = AttentionGradOp::create(
      builder, getLoc(), getQ(), getK(), getV(), getQPositions(),
      getKPositions(), getResult(), getLogSum(), cotangents[0], getScaleAttr(),
      getSoftcapAttr(), getWindow(), getBlocksAttr());
  operands.assign({grad.getQGradient(), grad.getKGradient(),
                   grad.getVGradient(), Value(), Value()});
  return success();
}

LogicalResult AttentionGradOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(checkShapes(location, adaptor.getQ(), adaptor.getK(),
                         adaptor.getQPositions(), adaptor.getKPositions())))
    return failure();
  // C1
  Type logSum = adaptor.getLogSum().getType();
  if (logSum != logSumType(adaptor.getQ()))
    return emitOptionalError(location, "has log_sum of type ", logSum,
                             ", expected ", logSumType(adaptor.getQ()));
  types.assign({adaptor.getQ().getType(), adaptor.getK().getType(),
                adaptor.getV().getType()});
  return success();
}

LogicalResult AttentionGradOp::verify() {
  if (failed(checkWindow(*this, getWindow())))
    return failure();
  return checkBlocks(*this, getQ(), getK(), getBlocks());
}

LogicalResult MergeAttentionOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> output = shapeOf(adaptor.getLhs());
  Type logSum = adaptor.getLhsLogSum().getType();
  // C1
  if (output.size() != 5 || logSum != logSumType(adaptor.getLhs()))
    return emitOptionalError(location, "has outputs of shape [", output,
                             "] and log-sums of type ", logSum);
  types.assign({adaptor.getLhs().getType(), logSum});
  return success();
}
