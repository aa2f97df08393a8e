//===- Elementwise.cpp - Element-wise operations in float64 ---------------===//
//
// Activations, sums and products, and the gradients of activations.
//
//===----------------------------------------------------------------------===//

#include "Evaluation.h"
#include <cmath>
#include <numbers>

using namespace mlir;
using namespace trireme::train;

template <typename Function>
static LogicalResult mapUnary(Operands operands, Results results, Function f) {
  const HostTensor &source = *operands[0];
  for (int64_t i = 0, e = source.size(); i < e; ++i)
    results[0].values[i] = f(source.values[i]);
  return success();
}

template <typename Function>
static LogicalResult mapBinary(Operands operands, Results results, Function f) {
  const HostTensor &lhs = *operands[0], &rhs = *operands[1];
  for (int64_t i = 0, e = lhs.size(); i < e; ++i)
    results[0].values[i] = f(lhs.values[i], rhs.values[i]);
  return success();
}

LogicalResult AddOp::evaluate(Operands operands, Results results, int64_t) {
  return mapBinary(operands, results, std::plus<double>());
}

LogicalResult MulOp::evaluate(Operands operands, Results results, int64_t) {
  return mapBinary(operands, results, std::multiplies<double>());
}

LogicalResult ScaleOp::evaluate(Operands operands, Results results, int64_t) {
  double factor = getFactor().convertToDouble();
  return mapUnary(operands, results, [=](double x) { return x * factor; });
}

//===----------------------------------------------------------------------===//
// gelu
//===----------------------------------------------------------------------===//

/// The argument of tanh in gelu's approximation is a (x + b x^3).
static const double kTanhScale = std::sqrt(2 / std::numbers::pi);
static constexpr double kTanhCubic = 0.044715;

/// The standard normal distribution function; erfc keeps the left tail exact.
static double normalDistribution(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}

static double geluTanh(double x) {
  return x / 2 * (1 + std::tanh(kTanhScale * (x + kTanhCubic * x * x * x)));
}

static double geluTanhDerivative(double x) {
  double t = std::tanh(kTanhScale * (x + kTanhCubic * x * x * x));
  double inner = kTanhScale * (1 + 3 * kTanhCubic * x * x);
  return (1 + t) / 2 + x / 2 * (1 - t * t) * inner;
}

static double geluErf(double x) { return x * normalDistribution(x); }

static double geluErfDerivative(double x) {
  double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
  return normalDistribution(x) + x * density;
}

LogicalResult GeluOp::evaluate(Operands operands, Results results, int64_t) {
  return mapUnary(operands, results, getTanh() ? geluTanh : geluErf);
}

LogicalResult GeluGradOp::evaluate(Operands operands, Results results,
                                   int64_t) {
  auto *derivative = getTanh() ? geluTanhDerivative : geluErfDerivative;
  return mapBinary(operands, results,
                   [=](double x, double g) { return derivative(x) * g; });
}

//===----------------------------------------------------------------------===//
// silu, relu, softcap
//===----------------------------------------------------------------------===//

static double logistic(double x) { return 1 / (1 + std::exp(-x)); }

LogicalResult SiluOp::evaluate(Operands operands, Results results, int64_t) {
  return mapUnary(operands, results, [](double x) { return x * logistic(x); });
}

LogicalResult SiluGradOp::evaluate(Operands operands, Results results,
                                   int64_t) {
  return mapBinary(operands, results, [](double x, double g) {
    double s = logistic(x);
    return g * (s + x * s * (1 - s));
  });
}

LogicalResult ReluOp::evaluate(Operands operands, Results results, int64_t) {
  // A NaN stays one.
  return mapUnary(operands, results, [](double x) { return x < 0 ? 0 : x; });
}

LogicalResult ReluGradOp::evaluate(Operands operands, Results results,
                                   int64_t) {
  return mapBinary(operands, results,
                   [](double x, double g) { return x > 0 ? g : 0; });
}

LogicalResult SoftcapOp::evaluate(Operands operands, Results results, int64_t) {
  double cap = getCap().convertToDouble();
  return mapUnary(operands, results,
                  [=](double x) { return cap * std::tanh(x / cap); });
}

LogicalResult SoftcapGradOp::evaluate(Operands operands, Results results,
                                      int64_t) {
  double cap = getCap().convertToDouble();
  return mapBinary(operands, results, [=](double y, double g) {
    return g * (1 - (y / cap) * (y / cap));
  });
}
