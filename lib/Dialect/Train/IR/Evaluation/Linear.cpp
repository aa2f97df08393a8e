//===- Linear.cpp - Matrix products and biases in float64 -----------------===//

#include "Evaluation.h"

using namespace mlir;
using namespace trireme::train;

void trireme::train::multiplyMatrices(const double *a, const double *b,
                                      double *c, int64_t m, int64_t k,
                                      int64_t n) {
  // Rows of b stream through the cache; four of them share a pass over c's row.
  for (int64_t i = 0; i < m; ++i) {
    double *__restrict row = c + i * n;
    const double *factors = a + i * k;
    int64_t p = 0;
    for (; p + 4 <= k; p += 4) {
      const double *b0 = b + p * n, *b1 = b0 + n, *b2 = b1 + n, *b3 = b2 + n;
      double a0 = factors[p], a1 = factors[p + 1], a2 = factors[p + 2],
             a3 = factors[p + 3];
      for (int64_t j = 0; j < n; ++j)
        row[j] += a0 * b0[j] + a1 * b1[j] + a2 * b2[j] + a3 * b3[j];
    }
    for (; p < k; ++p) {
      const double *b0 = b + p * n;
      double a0 = factors[p];
      for (int64_t j = 0; j < n; ++j)
        row[j] += a0 * b0[j];
    }
  }
}

std::vector<double> trireme::train::transposeMatrix(const double *source,
                                                    int64_t rows,
                                                    int64_t columns) {
  std::vector<double> result(rows * columns);
  constexpr int64_t kBlock = 16;
  for (int64_t i0 = 0; i0 < rows; i0 += kBlock)
    for (int64_t j0 = 0; j0 < columns; j0 += kBlock)
      for (int64_t i = i0; i < std::min(i0 + kBlock, rows); ++i)
        for (int64_t j = j0; j < std::min(j0 + kBlock, columns); ++j)
          result[j * rows + i] = source[i * columns + j];
  return result;
}

LogicalResult LinearOp::evaluate(Operands operands, Results results, int64_t) {
  const HostTensor &lhs = *operands[0], &rhs = *operands[1];
  int64_t contract = getContract();
  ArrayRef<int64_t> lhsShape = lhs.shape;
  int64_t k =
      HostTensor::count(getLhsTransposed() ? lhsShape.take_front(contract)
                                           : lhsShape.take_back(contract));
  int64_t m = lhs.size() / k, n = rhs.size() / k;

  // Both operands are brought to the order that the product reads.
  std::vector<double> lhsCopy, rhsCopy;
  const double *a = lhs.data(), *b = rhs.data();
  if (getLhsTransposed()) {
    lhsCopy = transposeMatrix(a, k, m);
    a = lhsCopy.data();
  }
  if (getRhsTransposed()) {
    rhsCopy = transposeMatrix(b, n, k);
    b = rhsCopy.data();
  }
  if (operands.size() > 2)
    results[0].values = operands[2]->values;
  multiplyMatrices(a, b, results[0].data(), m, k, n);
  return success();
}

LogicalResult AddBiasOp::evaluate(Operands operands, Results results, int64_t) {
  const HostTensor &source = *operands[0], &bias = *operands[1];
  int64_t columns = bias.size();
  for (int64_t i = 0; i < source.size(); i += columns)
    for (int64_t j = 0; j < columns; ++j)
      results[0].values[i + j] = source.values[i + j] + bias.values[j];
  return success();
}

LogicalResult SumLeadingOp::evaluate(Operands operands, Results results,
                                     int64_t) {
  const HostTensor &source = *operands[0];
  HostTensor &result = results[0];
  int64_t columns = result.size();
  for (int64_t i = 0; i < source.size(); i += columns)
    for (int64_t j = 0; j < columns; ++j)
      result.values[j] += source.values[i + j];
  return success();
}
