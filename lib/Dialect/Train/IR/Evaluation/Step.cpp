//===- Step.cpp - Loss seed, norm and update in float64 -------------------===//

#include "Evaluation.h"
#include <cmath>

using namespace mlir;
using namespace trireme::train;

LogicalResult SumOp::evaluate(Operands operands, Results results, int64_t) {
  for (double x : operands[0]->values)
    results[0].values[0] += x;
  return success();
}

LogicalResult SumSquaresOp::evaluate(Operands operands, Results results,
                                     int64_t) {
  for (double x : operands[0]->values)
    results[0].values[0] += x * x;
  return success();
}

LogicalResult CountTargetsOp::evaluate(Operands operands, Results results,
                                       int64_t) {
  for (double target : operands[0]->values)
    results[0].values[0] += target != kIgnoredTarget;
  return success();
}

LogicalResult LossSeedOp::evaluate(Operands operands, Results results,
                                   int64_t) {
  double count = operands[0]->values[0];
  results[0].values[0] = count > 0 ? 1 / count : 0;
  results[1].values[0] = count > 0;
  return success();
}

LogicalResult ClipFactorOp::evaluate(Operands operands, Results results,
                                     int64_t) {
  double norm = std::sqrt(operands[0]->values[0]);
  double maxNorm = operands[1]->values[0];
  results[0].values[0] = norm;
  // A norm that is no number stays one in the factor.
  double factor = maxNorm / (norm + 1e-6);
  results[1].values[0] = maxNorm <= 0 || factor > 1 ? 1 : factor;
  double loss = operands[2]->values[0];
  bool apply = operands[3]->values[0] != 0;
  bool always = operands[4]->values[0] > 0;
  results[2].values[0] =
      apply && (always || (std::isfinite(norm) && std::isfinite(loss)));
  return success();
}

LogicalResult AdamWOp::evaluate(Operands operands, Results results, int64_t) {
  enum {
    Param,
    Gradient,
    First,
    Second,
    Factor,
    Apply,
    Lr,
    Beta1,
    Beta2,
    Eps,
    WeightDecay,
    StepNumber
  };
  const HostTensor &parameter = *operands[Param],
                   &gradient = *operands[Gradient], &first = *operands[First],
                   &second = *operands[Second];
  auto scalar = [&](unsigned index) { return operands[index]->values[0]; };
  results[0].values = parameter.values;
  results[1].values = first.values;
  results[2].values = second.values;
  if (scalar(Apply) == 0)
    return success();

  double beta1 = scalar(Beta1), beta2 = scalar(Beta2), lr = scalar(Lr);
  double correction1 = 1 - std::pow(beta1, scalar(StepNumber));
  double correction2 = 1 - std::pow(beta2, scalar(StepNumber));
  double keep = getDecay() ? 1 - lr * scalar(WeightDecay) : 1;
  for (int64_t i = 0; i < parameter.size(); ++i) {
    double g = scalar(Factor) * gradient.values[i];
    double &p = results[0].values[i], &m = results[1].values[i],
           &v = results[2].values[i];
    m = beta1 * m + (1 - beta1) * g;
    v = beta2 * v + (1 - beta2) * g * g;
    p = p * keep -
        lr * (m / correction1) / (std::sqrt(v / correction2) + scalar(Eps));
  }
  return success();
}
