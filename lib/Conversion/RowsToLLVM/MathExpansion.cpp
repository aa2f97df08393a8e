//===- MathExpansion.cpp - Functions of single precision ------------------===//
//
// Branch-free polynomials. Rounding to an integer is done by adding a large
// constant, so that no value is ever converted out of range (which would be
// poison). Fused multiply-add is written where it is meant.
//
//===----------------------------------------------------------------------===//

#include "MathExpansion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace trireme;

namespace {
/// Builds arithmetic on values of the shape of `like`.
struct Emitter {
  OpBuilder &builder;
  Location loc;
  Type type; // f32 or a vector of it

  Type integerType() const { return withElement(builder.getI32Type()); }
  Type withElement(Type element) const {
    if (auto vector = dyn_cast<VectorType>(type))
      return vector.clone(element);
    return element;
  }
  Value c(double x) {
    return constant(type, builder.getF32FloatAttr(float(x)));
  }
  Value i(int32_t x) {
    return constant(integerType(), builder.getI32IntegerAttr(x));
  }
  Value constant(Type constantType, TypedAttr value) {
    if (auto vector = dyn_cast<VectorType>(constantType))
      value = DenseElementsAttr::get(vector, Attribute(value));
    return arith::ConstantOp::create(builder, loc, value);
  }
  Value add(Value a, Value b) {
    return arith::AddFOp::create(builder, loc, a, b);
  }
  Value sub(Value a, Value b) {
    return arith::SubFOp::create(builder, loc, a, b);
  }
  Value mul(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value div(Value a, Value b) {
    return arith::DivFOp::create(builder, loc, a, b);
  }
  Value fma(Value a, Value b, Value c) {
    return math::FmaOp::create(builder, loc, a, b, c);
  }
  Value addi(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value subi(Value a, Value b) {
    return arith::SubIOp::create(builder, loc, a, b);
  }
  Value shiftLeft(Value a, int32_t bits) {
    return arith::ShLIOp::create(builder, loc, a, i(bits));
  }
  Value shiftRight(Value a, int32_t bits) {
    return arith::ShRSIOp::create(builder, loc, a, i(bits));
  }
  Value toBits(Value a) {
    return arith::BitcastOp::create(builder, loc, integerType(), a);
  }
  Value fromBits(Value a) {
    return arith::BitcastOp::create(builder, loc, type, a);
  }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  Value negate(Value a) { return arith::NegFOp::create(builder, loc, a); }
  Value abs(Value a) { return math::AbsFOp::create(builder, loc, a); }
  Value copySign(Value a, Value b) {
    return math::CopySignOp::create(builder, loc, a, b);
  }
  /// The polynomial in `x` of these coefficients, highest power first.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = c(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = fma(sum, x, c(coefficient));
    return sum;
  }
};
} // namespace

using P = arith::CmpFPredicate;
constexpr double kLn2High = 0.693145751953125, kLn2Low = 1.42860682030941723e-6;

/// exp(x) = 2^n exp(r) with |r| <= ln 2 / 2; 2^n in two factors, so that
/// results that overflow or are denormal come out right.
static Value expandExp(Emitter &e, Value x) {
  x = e.select(e.compare(P::OGT, x, e.c(89.0)), e.c(89.0), x);
  x = e.select(e.compare(P::OLT, x, e.c(-104.0)), e.c(-104.0), x);
  Value magic = e.c(12582912.0); // 1.5 * 2^23
  Value shifted = e.fma(x, e.c(1.4426950408889634), magic);
  Value n = e.sub(shifted, magic);
  Value r = e.fma(n, e.c(-kLn2High), x);
  r = e.fma(n, e.c(-kLn2Low), r);
  Value p = e.polynomial(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                             4.1665795894e-2, 1.6666665459e-1, 0.5});
  p = e.add(e.fma(e.mul(r, r), p, r), e.c(1.0));
  Value integer = e.subi(e.toBits(shifted), e.toBits(magic));
  Value half = e.shiftRight(integer, 1), rest = e.subi(integer, half);
  auto power = [&](Value exponent) {
    return e.fromBits(e.shiftLeft(e.addi(exponent, e.i(127)), 23));
  };
  return e.mul(e.mul(p, power(half)), power(rest));
}

/// log(x) = n ln 2 + log(m) with m in [sqrt(1/2), sqrt(2)).
static Value expandLog(Emitter &e, Value x) {
  Value tiny = e.compare(P::OLT, x, e.c(0x1p-126));
  Value scaled = e.select(tiny, e.mul(x, e.c(0x1p23)), x);
  Value bits = e.toBits(scaled);
  Value exponent = e.shiftRight(e.subi(bits, e.i(0x3f3504f3)), 23);
  Value f =
      e.sub(e.fromBits(e.subi(bits, e.shiftLeft(exponent, 23))), e.c(1.0));
  Value n = arith::SIToFPOp::create(e.builder, e.loc, e.type, exponent);
  n = e.sub(n, e.select(tiny, e.c(23.0), e.c(0.0)));
  Value square = e.mul(f, f);
  Value p =
      e.polynomial(f, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1,
                       -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
                       2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  Value low = e.fma(n, e.c(kLn2Low), e.mul(e.mul(p, square), f));
  low = e.fma(square, e.c(-0.5), low);
  Value result = e.fma(n, e.c(kLn2High), e.add(f, low));
  // Infinity and NaN are their own logarithms.
  Value infinity = e.c(std::numeric_limits<float>::infinity());
  result = e.select(e.compare(P::OLT, x, infinity), result, x);
  result = e.select(e.compare(P::OEQ, x, e.c(0.0)), e.c(-INFINITY), result);
  return e.select(e.compare(P::OLT, x, e.c(0.0)), e.c(NAN), result);
}

/// A polynomial near 0, 1 - 2 / (exp(2 |x|) + 1) elsewhere.
static Value expandTanh(Emitter &e, Value x) {
  Value magnitude = e.abs(x), square = e.mul(x, x);
  Value p = e.polynomial(square, {-5.70498872745e-3, 2.06390887954e-2,
                                  -5.37397155531e-2, 1.33314422036e-1,
                                  -3.33332819422e-1});
  Value near = e.fma(e.mul(p, square), x, x);
  Value exp = expandExp(e, e.add(magnitude, magnitude));
  Value far = e.sub(e.c(1.0), e.div(e.c(2.0), e.add(exp, e.c(1.0))));
  Value isNear = e.compare(P::OLT, magnitude, e.c(0.625));
  return e.select(isNear, near, e.copySign(far, x));
}

/// A polynomial near 0, 1 - exp of a polynomial elsewhere.
static Value expandErf(Emitter &e, Value x) {
  Value t = e.abs(x), square = e.mul(x, x);
  Value p = e.polynomial(t, {-1.72853470e-5, 3.83197126e-4, -3.88396438e-3,
                             2.42546219e-2, -1.06777877e-1, -6.34846687e-1,
                             -1.28717512e-1});
  Value far = e.sub(e.c(1.0), expandExp(e, e.fma(p, t, e.negate(t))));
  Value near =
      e.polynomial(square, {-5.96761703e-4, 4.99119423e-3, -2.67681349e-2,
                            1.12819925e-1, -3.76125336e-1, 1.28379166e-1});
  near = e.fma(near, x, x);
  Value isNear = e.compare(P::OLT, t, e.c(0.927734375));
  return e.select(isNear, near, e.copySign(far, x));
}

Value trireme::expandMath(OpBuilder &builder, Operation *op, Value operand) {
  if (!getElementTypeOrSelf(operand.getType()).isF32())
    return nullptr;
  Emitter emitter{builder, op->getLoc(), operand.getType()};
  if (isa<math::ExpOp>(op))
    return expandExp(emitter, operand);
  if (isa<math::LogOp>(op))
    return expandLog(emitter, operand);
  if (isa<math::TanhOp>(op))
    return expandTanh(emitter, operand);
  if (isa<math::ErfOp>(op))
    return expandErf(emitter, operand);
  return nullptr;
}
