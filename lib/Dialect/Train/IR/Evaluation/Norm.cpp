//===- Norm.cpp - Norms and their gradients in float64 --------------------===//

#include "Evaluation.h"
#include <cmath>

using namespace mlir;
using namespace trireme::train;

LogicalResult RMSNormOp::evaluate(Operands operands, Results results, int64_t) {
  const HostTensor &source = *operands[0], &gain = *operands[1];
  double eps = getEps().convertToDouble();
  double offset = getGainOffset().convertToDouble();
  int64_t columns = gain.size(), rows = results[1].size();
  for (int64_t r = 0; r < rows; ++r) {
    const double *x = source.data() + r * columns;
    double squares = 0;
    for (int64_t j = 0; j < columns; ++j)
      squares += x[j] * x[j];
    double rstd = 1 / std::sqrt(squares / double(columns) + eps);
    for (int64_t j = 0; j < columns; ++j)
      results[0].values[r * columns + j] =
          x[j] * rstd * (gain.values[j] + offset);
    results[1].values[r] = rstd;
  }
  return success();
}

LogicalResult RMSNormGradOp::evaluate(Operands operands, Results results,
                                      int64_t) {
  const HostTensor &source = *operands[0], &gain = *operands[1],
                   &rstd = *operands[2], &gradient = *operands[3];
  double offset = getGainOffset().convertToDouble();
  int64_t columns = gain.size(), rows = rstd.size();
  for (int64_t r = 0; r < rows; ++r) {
    const double *x = source.data() + r * columns;
    const double *g = gradient.data() + r * columns;
    double *dx = results[0].data() + r * columns;
    double s = rstd.values[r], dot = 0;
    for (int64_t j = 0; j < columns; ++j)
      dot += g[j] * (gain.values[j] + offset) * x[j];
    // d rstd / d x_j = -rstd^3 x_j / columns.
    double pull = s * s * s * dot / double(columns);
    for (int64_t j = 0; j < columns; ++j) {
      dx[j] = s * g[j] * (gain.values[j] + offset) - pull * x[j];
      results[1].values[j] += g[j] * x[j] * s;
    }
  }
  return success();
}

LogicalResult LayerNormOp::evaluate(Operands operands, Results results,
                                    int64_t) {
  const HostTensor &source = *operands[0], &gain = *operands[1],
                   &bias = *operands[2];
  double eps = getEps().convertToDouble();
  int64_t columns = gain.size(), rows = results[1].size();
  for (int64_t r = 0; r < rows; ++r) {
    const double *x = source.data() + r * columns;
    double mean = 0, variance = 0;
    for (int64_t j = 0; j < columns; ++j)
      mean += x[j];
    mean /= double(columns);
    for (int64_t j = 0; j < columns; ++j)
      variance += (x[j] - mean) * (x[j] - mean);
    variance /= double(columns);
    double rstd = 1 / std::sqrt(variance + eps);
    for (int64_t j = 0; j < columns; ++j)
      results[0].values[r * columns + j] =
          (x[j] - mean) * rstd * gain.values[j] + bias.values[j];
    results[1].values[r] = mean;
    results[2].values[r] = rstd;
  }
  return success();
}

LogicalResult LayerNormGradOp::evaluate(Operands operands, Results results,
                                        int64_t) {
  const HostTensor &source = *operands[0], &gain = *operands[1],
                   &mean = *operands[2], &rstd = *operands[3],
                   &gradient = *operands[4];
  int64_t columns = gain.size(), rows = rstd.size();
  for (int64_t r = 0; r < rows; ++r) {
    const double *x = source.data() + r * columns;
    const double *g = gradient.data() + r * columns;
    double *dx = results[0].data() + r * columns;
    double s = rstd.values[r], m = mean.values[r];
    // The gradient at the normalized x, less its mean and its part along it.
    double sum = 0, dot = 0;
    for (int64_t j = 0; j < columns; ++j) {
      double inner = g[j] * gain.values[j], normalized = (x[j] - m) * s;
      sum += inner;
      dot += inner * normalized;
      results[1].values[j] += g[j] * normalized;
      results[2].values[j] += g[j];
    }
    for (int64_t j = 0; j < columns; ++j)
      dx[j] = s * (g[j] * gain.values[j] - sum / double(columns) -
                   (x[j] - m) * s * dot / double(columns));
  }
  return success();
}
