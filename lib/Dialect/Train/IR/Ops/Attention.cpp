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

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> q = shapeOf(adaptor.getQ()), k = shapeOf(adaptor.getK());
  ArrayRef<int64_t> queries = shapeOf(adaptor.getQPositions());
  ArrayRef<int64_t> keys = shapeOf(adaptor.getKPositions());
  // C1
  bool fits = q.size() == 5 && k.size() == 4 && q[0] == k[0] && q[2] == k[2] &&
              q[4] == k[3] && queries == q.take_front(2) &&
              keys == k.take_front(2);
  if (!fits)
    return emitOptionalError(
        location, "has q of shape [", q, "], k and v of shape [", k,
        "] and positions of shapes [", queries, "], [", keys, "]");
  types.assign({adaptor.getQ().getType(),
                withShape(adaptor.getQ(), {q[0], q[2], q[3], q[1]})});
  return success();
}

LogicalResult AttentionOp::verify() {
  // C2
  auto negative = [](int64_t window) { return window < 0; };
  bool wrong = false;
  if (auto integer = dyn_cast<IntegerAttr>(getWindow()))
    wrong = negative(integer.getInt());
  else
    wrong = llvm::any_of(cast<PerLayerAttr>(getWindow()).getValues(), negative);
  if (wrong)
    return emitOpError() << "has the window " << getWindow()
                         << ", expected values from 0 on";
  return success();
}

LogicalResult AttentionOp::buildDerivative(OpBuilder &builder,
                                           ArrayRef<Value> cotangents,
                                           SmallVectorImpl<Value> &operands) {
  if (cotangents[1])
    return emitOpError() << "has no derivative of its statistic";
  auto grad = AttentionGradOp::create(
      builder, getLoc(), getQ(), getK(), getV(), getQPositions(),
      getKPositions(), getResult(), getLogSum(), cotangents[0], getScaleAttr(),
      getSoftcapAttr(), getWindow());
  operands.assign({grad.getQGradient(), grad.getKGradient(),
                   grad.getVGradient(), Value(), Value()});
  return success();
}

LogicalResult AttentionGradOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location>,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  types.assign({adaptor.getQ().getType(), adaptor.getK().getType(),
                adaptor.getV().getType()});
  return success();
}
