//===- Step.cpp - Sums, clipping and AdamW --------------------------------===//

#include "Common.h"
#include <limits>

using namespace mlir;
using namespace trireme::train;

//===----------------------------------------------------------------------===//
// sums
//===----------------------------------------------------------------------===//

LogicalResult SumOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  types.push_back(withShape(adaptor.getSource(), {}));
  return success();
}

RowKind SumOp::getResultRowKind(unsigned) { return RowKind::Sum; }

SmallVector<Value> SumOp::emitRow(OpBuilder &, ValueRange e) { return {e[0]}; }

LogicalResult SumSquaresOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location>,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  types.push_back(withShape(adaptor.getSource(), {}));
  return success();
}

RowKind SumSquaresOp::getResultRowKind(unsigned) { return RowKind::Sum; }

SmallVector<Value> SumSquaresOp::emitRow(OpBuilder &builder, ValueRange e) {
  return {RowEmitter{builder, getLoc()}.mul(e[0], e[0])};
}

RowKind CountTargetsOp::getResultRowKind(unsigned) { return RowKind::Sum; }

SmallVector<Value> CountTargetsOp::emitRow(OpBuilder &builder, ValueRange e) {
  RowEmitter emit{builder, getLoc()};
  Value ignored = emit.equal(e[0], emit.integer(kIgnoredTarget, e[0]));
  Type type = cast<RankedTensorType>(getType()).getElementType();
  Value zero = arith::ConstantOp::create(builder, getLoc(),
                                         builder.getFloatAttr(type, 0.0));
  return {emit.select(ignored, zero, emit.c(1.0, zero))};
}

//===----------------------------------------------------------------------===//
// loss_seed, clip_factor
//===----------------------------------------------------------------------===//

static Type elementType(Value value) {
  return tensorType(value).getElementType();
}

int64_t LossSeedOp::getColumnDims() { return 0; }
RowKind LossSeedOp::getOperandRowKind(unsigned) { return RowKind::Scalar; }
RowKind LossSeedOp::getResultRowKind(unsigned) { return RowKind::Scalar; }

SmallVector<Value> LossSeedOp::emitRow(OpBuilder &builder, ValueRange e) {
  RowEmitter emit{builder, getLoc()};
  Value zero = emit.c(0.0, e[0]);
  Value apply = emit.greater(e[0], zero);
  Value seed = emit.select(apply, emit.div(emit.c(1.0, e[0]), e[0]), zero);
  return {emit.cast(seed, elementType(getSeed())), apply};
}

int64_t ClipFactorOp::getColumnDims() { return 0; }
RowKind ClipFactorOp::getOperandRowKind(unsigned) { return RowKind::Scalar; }
RowKind ClipFactorOp::getResultRowKind(unsigned) { return RowKind::Scalar; }

/// Whether `value` is neither infinite nor no number.
static Value emitFinite(RowEmitter emit, Value value) {
  Value infinity = emit.c(std::numeric_limits<double>::infinity(), value);
  Value minus = emit.c(-std::numeric_limits<double>::infinity(), value);
  return arith::AndIOp::create(emit.builder, emit.loc,
                               emit.greater(infinity, value),
                               emit.greater(value, minus));
}

SmallVector<Value> ClipFactorOp::emitRow(OpBuilder &builder, ValueRange e) {
  RowEmitter emit{builder, getLoc()};
  Value max = e[1];
  Value norm = emit.unary<math::SqrtOp>(emit.cast(e[0], max.getType()));
  Value ratio = emit.div(max, emit.add(norm, 1e-6));
  Value one = emit.c(1.0, max);
  // A ratio that is no number stays one: it is not greater than one.
  Value factor = emit.select(emit.greater(ratio, one), one, ratio);
  Value clips = emit.greater(max, emit.c(0.0, max));
  factor = emit.select(clips, factor, one);
  Value finite = arith::AndIOp::create(
      builder, getLoc(), emitFinite(emit, e[0]), emitFinite(emit, e[2]));
  Value always = emit.greater(e[4], emit.c(0.0, e[4]));
  Value may = arith::OrIOp::create(builder, getLoc(), finite, always);
  Value update = arith::AndIOp::create(builder, getLoc(), e[3], may);
  return {emit.cast(norm, elementType(getNorm())),
          emit.cast(factor, elementType(getFactor())), update};
}

//===----------------------------------------------------------------------===//
// adamw
//===----------------------------------------------------------------------===//

LogicalResult AdamWOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> shape = shapeOf(adaptor.getParameter());
  for (Value value : {adaptor.getGradient(), adaptor.getFirstMoment(),
                      adaptor.getSecondMoment()})
    // C1
    if (shapeOf(value) != shape)
      return emitOptionalError(location, "updates a parameter of shape [",
                               shape, "] with an operand of shape [",
                               shapeOf(value), "]");
  types.assign({adaptor.getParameter().getType(),
                adaptor.getFirstMoment().getType(),
                adaptor.getSecondMoment().getType()});
  return success();
}

RowKind AdamWOp::getOperandRowKind(unsigned index) {
  return index < 4 ? RowKind::Full : RowKind::Scalar;
}

int64_t AdamWOp::getUpdatedOperand(unsigned result) {
  constexpr int64_t operands[] = {0, 2, 3};
  return operands[result];
}

SmallVector<Value> AdamWOp::emitRow(OpBuilder &builder, ValueRange e) {
  RowEmitter emit{builder, getLoc()};
  Value p = e[0], m = e[2], v = e[3], apply = e[5];
  Type type = p.getType();
  Value lr = e[6], beta1 = e[7], beta2 = e[8], t = e[11];
  Value one = emit.c(1.0, lr);
  // Scalars of the step, in double: 1 - beta^t and what is made of them.
  auto correction = [&](Value beta) {
    Value power = math::PowFOp::create(builder, getLoc(), beta, t);
    return emit.sub(one, power);
  };
  Value stepSize = emit.cast(emit.div(lr, correction(beta1)), type);
  Value rootCorrection = emit.cast(
      emit.div(one, emit.unary<math::SqrtOp>(correction(beta2))), type);
  Value eps = emit.cast(e[9], type);
  Value keep = emit.cast(emit.sub(one, emit.mul(lr, e[10])), type);
  Value b1 = emit.cast(beta1, type), b2 = emit.cast(beta2, type);
  Value rest1 = emit.cast(emit.sub(one, beta1), type);
  Value rest2 = emit.cast(emit.sub(one, beta2), type);
  // The element.
  Value g = emit.mul(e[1], e[4]);
  Value decayed = getDecay() ? emit.mul(p, keep) : p;
  Value newM = emit.add(emit.mul(m, b1), emit.mul(g, rest1));
  Value newV = emit.add(emit.mul(v, b2), emit.mul(emit.mul(g, g), rest2));
  Value root = emit.mul(emit.unary<math::SqrtOp>(newV), rootCorrection);
  Value update = emit.div(emit.mul(newM, stepSize), emit.add(root, eps));
  Value newP = emit.sub(decayed, update);
  return {emit.select(apply, newP, p), emit.select(apply, newM, m),
          emit.select(apply, newV, v)};
}
