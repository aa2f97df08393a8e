//===- Elementwise.cpp - add, mul, scale, activations ---------------------===//

#include "Common.h"
#include <cmath>
#include <numbers>

using namespace mlir;
using namespace trireme::train;

//===----------------------------------------------------------------------===//
// add, mul, scale
//===----------------------------------------------------------------------===//

LogicalResult AddOp::buildDerivative(OpBuilder &, ArrayRef<Value> cotangents,
                                     SmallVectorImpl<Value> &operands) {
  operands.assign({cotangents[0], cotangents[0]});
  return success();
}

SmallVector<Value> AddOp::emitRow(OpBuilder &builder, ValueRange e) {
  return {RowEmitter{builder, getLoc()}.add(e[0], e[1])};
}

/// x + 0 is x.
OpFoldResult AddOp::fold(FoldAdaptor) {
  if (isZero(getRhs()))
    return getLhs();
  if (isZero(getLhs()))
    return getRhs();
  return {};
}

LogicalResult MulOp::buildDerivative(OpBuilder &builder,
                                     ArrayRef<Value> cotangents,
                                     SmallVectorImpl<Value> &operands) {
  Value dy = cotangents[0];
  operands.push_back(MulOp::create(builder, getLoc(), dy, getRhs()));
  operands.push_back(MulOp::create(builder, getLoc(), dy, getLhs()));
  return success();
}

SmallVector<Value> MulOp::emitRow(OpBuilder &builder, ValueRange e) {
  return {RowEmitter{builder, getLoc()}.mul(e[0], e[1])};
}

LogicalResult ScaleOp::buildDerivative(OpBuilder &builder,
                                       ArrayRef<Value> cotangents,
                                       SmallVectorImpl<Value> &operands) {
  operands.push_back(
      ScaleOp::create(builder, getLoc(), cotangents[0], getFactorAttr()));
  return success();
}

SmallVector<Value> ScaleOp::emitRow(OpBuilder &builder, ValueRange e) {
  return {
      RowEmitter{builder, getLoc()}.mul(e[0], getFactor().convertToDouble())};
}

//===----------------------------------------------------------------------===//
// gelu
//===----------------------------------------------------------------------===//

/// tanh(u(x)) of the approximate form, and u'(x).
static std::pair<Value, Value> geluTanh(RowEmitter &emit, Value x) {
  double k = std::sqrt(2 / std::numbers::pi);
  Value square = emit.mul(x, x);
  Value inner =
      emit.mul(emit.mul(x, k), emit.add(emit.mul(square, 0.044715), 1.0));
  Value slope = emit.add(emit.mul(square, 3 * 0.044715 * k), k);
  return {emit.unary<math::TanhOp>(inner), slope};
}

/// Phi(x), the normal distribution function.
static Value normalCdf(RowEmitter &emit, Value x) {
  Value erf = emit.unary<math::ErfOp>(emit.mul(x, std::numbers::sqrt2 / 2));
  return emit.mul(emit.add(erf, 1.0), 0.5);
}

LogicalResult GeluOp::buildDerivative(OpBuilder &builder,
                                      ArrayRef<Value> cotangents,
                                      SmallVectorImpl<Value> &operands) {
  operands.push_back(GeluGradOp::create(
      builder, getLoc(), getType(), getSource(), cotangents[0], getTanhAttr()));
  return success();
}

SmallVector<Value> GeluOp::emitRow(OpBuilder &builder, ValueRange e) {
  RowEmitter emit{builder, getLoc()};
  if (!getTanh())
    return {emit.mul(e[0], normalCdf(emit, e[0]))};
  Value tanh = geluTanh(emit, e[0]).first;
  return {emit.mul(emit.mul(e[0], 0.5), emit.add(tanh, 1.0))};
}

SmallVector<Value> GeluGradOp::emitRow(OpBuilder &builder, ValueRange e) {
  RowEmitter emit{builder, getLoc()};
  Value x = e[0], derivative;
  if (getTanh()) {
    auto [tanh, slope] = geluTanh(emit, x);
    Value sech = emit.sub(emit.c(1.0, x), emit.mul(tanh, tanh));
    derivative = emit.add(emit.mul(emit.add(tanh, 1.0), 0.5),
                          emit.mul(emit.mul(emit.mul(x, 0.5), sech), slope));
  } else {
    Value density =
        emit.mul(emit.unary<math::ExpOp>(emit.mul(emit.mul(x, x), -0.5)),
                 1 / std::sqrt(2 * std::numbers::pi));
    derivative = emit.add(normalCdf(emit, x), emit.mul(x, density));
  }
  return {emit.mul(e[1], derivative)};
}

//===----------------------------------------------------------------------===//
// silu, relu
//===----------------------------------------------------------------------===//

/// 1 / (1 + exp(-x)).
static Value sigmoid(RowEmitter &emit, Value x) {
  Value exp = emit.unary<math::ExpOp>(emit.mul(x, -1.0));
  return emit.div(emit.c(1.0, x), emit.add(exp, 1.0));
}

LogicalResult SiluOp::buildDerivative(OpBuilder &builder,
                                      ArrayRef<Value> cotangents,
                                      SmallVectorImpl<Value> &operands) {
  operands.push_back(
      SiluGradOp::create(builder, getLoc(), getSource(), cotangents[0]));
  return success();
}

SmallVector<Value> SiluOp::emitRow(OpBuilder &builder, ValueRange e) {
  RowEmitter emit{builder, getLoc()};
  return {emit.mul(e[0], sigmoid(emit, e[0]))};
}

SmallVector<Value> SiluGradOp::emitRow(OpBuilder &builder, ValueRange e) {
  // s (1 + x (1 - s)) with s = sigmoid(x).
  RowEmitter emit{builder, getLoc()};
  Value s = sigmoid(emit, e[0]);
  Value rest = emit.mul(e[0], emit.sub(emit.c(1.0, s), s));
  return {emit.mul(e[1], emit.mul(s, emit.add(rest, 1.0)))};
}

LogicalResult ReluOp::buildDerivative(OpBuilder &builder,
                                      ArrayRef<Value> cotangents,
                                      SmallVectorImpl<Value> &operands) {
  operands.push_back(
      ReluGradOp::create(builder, getLoc(), getSource(), cotangents[0]));
  return success();
}

SmallVector<Value> ReluOp::emitRow(OpBuilder &builder, ValueRange e) {
  RowEmitter emit{builder, getLoc()};
  Value zero = emit.c(0.0, e[0]);
  return {emit.select(emit.greater(e[0], zero), e[0], zero)};
}

SmallVector<Value> ReluGradOp::emitRow(OpBuilder &builder, ValueRange e) {
  RowEmitter emit{builder, getLoc()};
  Value zero = emit.c(0.0, e[0]);
  return {emit.select(emit.greater(e[0], zero), e[1], zero)};
}

//===----------------------------------------------------------------------===//
// softcap
//===----------------------------------------------------------------------===//

LogicalResult SoftcapOp::buildDerivative(OpBuilder &builder,
                                         ArrayRef<Value> cotangents,
                                         SmallVectorImpl<Value> &operands) {
  operands.push_back(SoftcapGradOp::create(builder, getLoc(), getResult(),
                                           cotangents[0], getCapAttr()));
  return success();
}

SmallVector<Value> SoftcapOp::emitRow(OpBuilder &builder, ValueRange e) {
  RowEmitter emit{builder, getLoc()};
  double cap = getCap().convertToDouble();
  return {emit.mul(emit.unary<math::TanhOp>(emit.mul(e[0], 1 / cap)), cap)};
}

SmallVector<Value> SoftcapGradOp::emitRow(OpBuilder &builder, ValueRange e) {
  // 1 - tanh^2 with tanh = y / cap.
  RowEmitter emit{builder, getLoc()};
  Value tanh = emit.mul(e[0], 1 / getCap().convertToDouble());
  Value slope = emit.sub(emit.c(1.0, tanh), emit.mul(tanh, tanh));
  return {emit.mul(e[1], slope)};
}
