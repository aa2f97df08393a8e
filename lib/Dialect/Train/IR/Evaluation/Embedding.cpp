//===- Embedding.cpp - Lookups and rotary positions in float64 ------------===//

#include "Evaluation.h"
#include <cmath>

using namespace mlir;
using namespace trireme::train;

LogicalResult EmbeddingOp::evaluate(Operands operands, Results results,
                                    int64_t) {
  const HostTensor &table = *operands[0], &ids = *operands[1];
  int64_t rows = table.shape[0], start = int64_t(operands[2]->values[0]);
  int64_t columns = countTrailing(table.shape, table.shape.size() - 1);
  for (int64_t i = 0; i < ids.size(); ++i) {
    int64_t row = int64_t(ids.values[i]) - start;
    if (row < 0 || row >= rows)
      continue;
    const double *from = table.data() + row * columns;
    std::copy(from, from + columns, results[0].data() + i * columns);
  }
  return success();
}

LogicalResult EmbeddingGradOp::evaluate(Operands operands, Results results,
                                        int64_t) {
  const HostTensor &ids = *operands[0], &gradient = *operands[1];
  HostTensor &result = results[0];
  int64_t rows = result.shape[0], start = int64_t(operands[2]->values[0]);
  int64_t columns = countTrailing(result.shape, result.shape.size() - 1);
  if (operands.size() > 3)
    result.values = operands[3]->values;
  for (int64_t i = 0; i < ids.size(); ++i) {
    int64_t row = int64_t(ids.values[i]) - start;
    if (row < 0 || row >= rows)
      continue;
    for (int64_t j = 0; j < columns; ++j)
      result.values[row * columns + j] += gradient.values[i * columns + j];
  }
  return success();
}

LogicalResult RotaryTableOp::evaluate(Operands operands, Results results,
                                      int64_t) {
  const HostTensor &positions = *operands[0];
  SmallVector<double> frequencies = getRope().getFrequencies();
  int64_t pairs = frequencies.size();
  for (int64_t i = 0; i < positions.size(); ++i) {
    double *row = results[0].data() + i * 2 * pairs;
    for (int64_t j = 0; j < pairs; ++j) {
      row[j] = std::cos(positions.values[i] * frequencies[j]);
      row[pairs + j] = std::sin(positions.values[i] * frequencies[j]);
    }
  }
  return success();
}

LogicalResult RotaryOp::evaluate(Operands operands, Results results, int64_t) {
  const HostTensor &source = *operands[0], &table = *operands[1];
  int64_t pairs = table.shape.back(), head = source.shape.back();
  int64_t places = source.shape[0] * source.shape[1];
  int64_t heads = places ? source.size() / (places * head) : 0;
  double direction = getInverse() ? -1 : 1;
  results[0].values = source.values;
  for (int64_t p = 0; p < places; ++p) {
    const double *cosine = table.data() + p * 2 * pairs;
    const double *sine = cosine + pairs;
    for (int64_t h = 0; h < heads; ++h) {
      double *x = results[0].data() + (p * heads + h) * head;
      for (int64_t j = 0; j < pairs; ++j) {
        double a = x[j], b = x[pairs + j], s = direction * sine[j];
        x[j] = a * cosine[j] - b * s;
        x[pairs + j] = b * cosine[j] + a * s;
      }
    }
  }
  return success();
}
