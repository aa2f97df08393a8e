//===- Norm.cpp - rms_norm and layer_norm ---------------------------------===//

#include "Common.h"

using namespace mlir;
using namespace trireme::train;

/// Checks that `gain` is 1-D of the size of `source`'s last dim (C1).
static LogicalResult checkGain(std::optional<Location> location, Value source,
                               Value gain) {
  ArrayRef<int64_t> shape = shapeOf(source), gains = shapeOf(gain);
  if (shape.empty() || gains.size() != 1 || gains[0] != shape.back())
    return emitOptionalError(location, "has a gain of shape [", gains,
                             "] for rows of a source of shape [", shape, "]");
  return success();
}

/// Checks that a statistic has one value a row of `source` (C2).
static LogicalResult checkStatistic(std::optional<Location> location,
                                    Value source, Value statistic) {
  ArrayRef<int64_t> shape = shapeOf(source), found = shapeOf(statistic);
  if (shape.drop_back() != found)
    return emitOptionalError(location, "has a statistic of shape [", found,
                             "] for rows of a source of shape [", shape, "]");
  return success();
}

/// The type of one value a row of `source`.
static RankedTensorType rowType(Value source) {
  return withShape(source, shapeOf(source).drop_back());
}

/// Mean of `value` along a row of `columns`.
static Value mean(RowEmitter &emit, Value value, int64_t columns) {
  return emit.mul(emit.sum(value), 1.0 / double(columns));
}

//===----------------------------------------------------------------------===//
// rms_norm
//===----------------------------------------------------------------------===//

LogicalResult RMSNormOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  if (failed(checkGain(location, adaptor.getSource(), adaptor.getGain())))
    return failure();
  types.assign({adaptor.getSource().getType(), rowType(adaptor.getSource())});
  return success();
}

LogicalResult RMSNormOp::buildDerivative(OpBuilder &builder,
                                         ArrayRef<Value> cotangents,
                                         SmallVectorImpl<Value> &operands) {
  if (cotangents[1])
    return emitOpError() << "has no derivative of its statistic";
  auto grad =
      RMSNormGradOp::create(builder, getLoc(), getSource(), getGain(),
                            getRstd(), cotangents[0], getGainOffsetAttr());
  operands.assign({grad.getSourceGradient(), grad.getGainGradient()});
  return success();
}

int64_t RMSNormOp::getColumnDims() { return 1; }

RowKind RMSNormOp::getOperandRowKind(unsigned index) {
  return index == 0 ? RowKind::Full : RowKind::Column;
}

RowKind RMSNormOp::getResultRowKind(unsigned index) {
  return index == 0 ? RowKind::Full : RowKind::Row;
}

SmallVector<Value> RMSNormOp::emitRow(OpBuilder &builder, ValueRange e) {
  RowEmitter emit{builder, getLoc()};
  Value square = mean(emit, emit.mul(e[0], e[0]), shapeOf(getSource()).back());
  Value rstd =
      emit.unary<math::RsqrtOp>(emit.add(square, getEps().convertToDouble()));
  Value gain = e[1];
  if (double offset = getGainOffset().convertToDouble())
    gain = emit.add(gain, offset);
  return {emit.mul(emit.mul(e[0], rstd), gain), rstd};
}

LogicalResult RMSNormGradOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  if (failed(checkGain(location, adaptor.getSource(), adaptor.getGain())) ||
      failed(checkStatistic(location, adaptor.getSource(), adaptor.getRstd())))
    return failure();
  types.assign({adaptor.getSource().getType(), adaptor.getGain().getType()});
  return success();
}

int64_t RMSNormGradOp::getColumnDims() { return 1; }

RowKind RMSNormGradOp::getOperandRowKind(unsigned index) {
  constexpr RowKind kinds[] = {RowKind::Full, RowKind::Column, RowKind::Row,
                               RowKind::Full};
  return kinds[index];
}

RowKind RMSNormGradOp::getResultRowKind(unsigned index) {
  return index == 0 ? RowKind::Full : RowKind::ColumnSum;
}

SmallVector<Value> RMSNormGradOp::emitRow(OpBuilder &builder, ValueRange e) {
  // With n = x rstd and h = dy gain: dx = rstd (h - n mean(h n)).
  RowEmitter emit{builder, getLoc()};
  Value gain = e[1], rstd = e[2], dy = e[3];
  if (double offset = getGainOffset().convertToDouble())
    gain = emit.add(gain, offset);
  Value normal = emit.mul(e[0], rstd);
  Value h = emit.mul(dy, gain);
  Value projection =
      mean(emit, emit.mul(h, normal), shapeOf(getSource()).back());
  Value dx = emit.mul(emit.sub(h, emit.mul(normal, projection)), rstd);
  return {dx, emit.mul(dy, normal)};
}

//===----------------------------------------------------------------------===//
// layer_norm
//===----------------------------------------------------------------------===//

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  if (failed(checkGain(location, adaptor.getSource(), adaptor.getGain())))
    return failure();
  Type row = rowType(adaptor.getSource());
  types.assign({adaptor.getSource().getType(), row, row});
  return success();
}

LogicalResult LayerNormOp::buildDerivative(OpBuilder &builder,
                                           ArrayRef<Value> cotangents,
                                           SmallVectorImpl<Value> &operands) {
  if (cotangents[1] || cotangents[2])
    return emitOpError() << "has no derivative of its statistics";
  auto grad = LayerNormGradOp::create(builder, getLoc(), getSource(), getGain(),
                                      getMean(), getRstd(), cotangents[0]);
  operands.assign({grad.getSourceGradient(), grad.getGainGradient(),
                   grad.getBiasGradient()});
  return success();
}

int64_t LayerNormOp::getColumnDims() { return 1; }

RowKind LayerNormOp::getOperandRowKind(unsigned index) {
  return index == 0 ? RowKind::Full : RowKind::Column;
}

RowKind LayerNormOp::getResultRowKind(unsigned index) {
  return index == 0 ? RowKind::Full : RowKind::Row;
}

SmallVector<Value> LayerNormOp::emitRow(OpBuilder &builder, ValueRange e) {
  RowEmitter emit{builder, getLoc()};
  int64_t columns = shapeOf(getSource()).back();
  Value average = mean(emit, e[0], columns);
  Value centred = emit.sub(e[0], average);
  Value variance = mean(emit, emit.mul(centred, centred), columns);
  Value rstd =
      emit.unary<math::RsqrtOp>(emit.add(variance, getEps().convertToDouble()));
  Value y = emit.add(emit.mul(emit.mul(centred, rstd), e[1]), e[2]);
  return {y, average, rstd};
}

LogicalResult LayerNormGradOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(checkGain(location, adaptor.getSource(), adaptor.getGain())) ||
      failed(checkStatistic(location, adaptor.getSource(), adaptor.getRstd())))
    return failure();
  Type gain = adaptor.getGain().getType();
  types.assign({adaptor.getSource().getType(), gain, gain});
  return success();
}

int64_t LayerNormGradOp::getColumnDims() { return 1; }

RowKind LayerNormGradOp::getOperandRowKind(unsigned index) {
  constexpr RowKind kinds[] = {RowKind::Full, RowKind::Column, RowKind::Row,
                               RowKind::Row, RowKind::Full};
  return kinds[index];
}

RowKind LayerNormGradOp::getResultRowKind(unsigned index) {
  return index == 0 ? RowKind::Full : RowKind::ColumnSum;
}

SmallVector<Value> LayerNormGradOp::emitRow(OpBuilder &builder, ValueRange e) {
  // With n = (x - mean) rstd and h = dy gain:
  // dx = rstd (h - mean(h) - n mean(h n)).
  RowEmitter emit{builder, getLoc()};
  int64_t columns = shapeOf(getSource()).back();
  Value rstd = e[3], dy = e[4];
  Value normal = emit.mul(emit.sub(e[0], e[2]), rstd);
  Value h = emit.mul(dy, e[1]);
  Value average = mean(emit, h, columns);
  Value projection = mean(emit, emit.mul(h, normal), columns);
  Value rest = emit.sub(emit.sub(h, average), emit.mul(normal, projection));
  return {emit.mul(rest, rstd), emit.mul(dy, normal), dy};
}
