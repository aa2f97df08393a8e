//===- Attention.cpp - Attention and its gradient in float64 --------------===//
//
// One query at a time over all keys. What a query of a block sees is decided by
// positions only, so operands may be any part or order of a sequence.
//
//===----------------------------------------------------------------------===//

#include "Evaluation.h"
#include <cmath>

using namespace mlir;
using namespace trireme::train;

/// Of the blocks of the whole sequence those that `queries` queries are.
static int64_t countBlocks(int64_t blocks, Value q, int64_t queries) {
  int64_t parts = cast<RankedTensorType>(q.getType()).getDimSize(1) / queries;
  return std::max<int64_t>(1, blocks / parts);
}

namespace {
/// The sizes and attributes that attention and its gradient share.
struct Attention {
  int64_t batch, queries, keys, kvHeads, group, head;
  double scale, softcap;
  int64_t window, blocks;
  const HostTensor &q, &k, &v, &qPositions, &kPositions;

  template <typename Op>
  Attention(Op op, Operands operands, int64_t layer)
      : batch(operands[0]->shape[0]), queries(operands[0]->shape[1]),
        keys(operands[1]->shape[1]), kvHeads(operands[0]->shape[2]),
        group(operands[0]->shape[3]), head(operands[0]->shape[4]),
        scale(op.getScale().convertToDouble()),
        softcap(op.getSoftcap().convertToDouble()),
        window(getLayerValue(op.getWindow(), layer)),
        blocks(countBlocks(op.getBlocks(), op.getQ(), queries)),
        q(*operands[0]), k(*operands[1]), v(*operands[2]),
        qPositions(*operands[3]), kPositions(*operands[4]) {}

  /// Places of vectors of `head` elements in q, k (and v), and of a scalar in
  /// the log-sums.
  int64_t atQuery(int64_t b, int64_t i, int64_t h, int64_t g) const {
    return (((b * queries + i) * kvHeads + h) * group + g) * head;
  }
  int64_t atKey(int64_t b, int64_t i, int64_t h) const {
    return ((b * keys + i) * kvHeads + h) * head;
  }
  int64_t atLogSum(int64_t b, int64_t i, int64_t h, int64_t g) const {
    return ((b * kvHeads + h) * group + g) * queries + i;
  }

  bool sees(int64_t b, int64_t query, int64_t key) const {
    if (query / (queries / blocks) != key / (keys / blocks))
      return false;
    int64_t distance = int64_t(qPositions.values[b * queries + query]) -
                       int64_t(kPositions.values[b * keys + key]);
    return distance >= 0 && (window <= 0 || distance < window);
  }

  /// The score before the mask, after the cap.
  double score(const double *query, const double *key) const {
    double dot = 0;
    for (int64_t d = 0; d < head; ++d)
      dot += query[d] * key[d];
    double s = scale * dot;
    return softcap > 0 ? softcap * std::tanh(s / softcap) : s;
  }

  /// Calls `f` for every query of every head.
  template <typename Function> void forEachQuery(Function f) const {
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t h = 0; h < kvHeads; ++h)
        for (int64_t g = 0; g < group; ++g)
          for (int64_t i = 0; i < queries; ++i)
            f(b, i, h, g);
  }
};
} // namespace

static double dotProduct(const double *a, const double *b, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += a[i] * b[i];
  return sum;
}

static void addScaled(double factor, const double *source, double *target,
                      int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    target[i] += factor * source[i];
}

LogicalResult AttentionOp::evaluate(Operands operands, Results results,
                                    int64_t layer) {
  Attention a(*this, operands, layer);
  std::vector<double> scores(a.keys);
  a.forEachQuery([&](int64_t b, int64_t i, int64_t h, int64_t g) {
    const double *query = a.q.data() + a.atQuery(b, i, h, g);
    double largest = -HUGE_VAL, sum = 0;
    for (int64_t j = 0; j < a.keys; ++j) {
      scores[j] = a.sees(b, i, j)
                      ? a.score(query, a.k.data() + a.atKey(b, j, h))
                      : -HUGE_VAL;
      largest = std::max(largest, scores[j]);
    }
    double &logSum = results[1].values[a.atLogSum(b, i, h, g)];
    // A query that sees no key gets zeros.
    logSum = -HUGE_VAL;
    if (largest == -HUGE_VAL)
      return;
    for (double &score : scores)
      sum += score = std::exp(score - largest);
    logSum = largest + std::log(sum);
    double *output = results[0].data() + a.atQuery(b, i, h, g);
    for (int64_t j = 0; j < a.keys; ++j)
      if (scores[j] != 0)
        addScaled(scores[j] / sum, a.v.data() + a.atKey(b, j, h), output,
                  a.head);
  });
  return success();
}

LogicalResult AttentionGradOp::evaluate(Operands operands, Results results,
                                        int64_t layer) {
  Attention a(*this, operands, layer);
  const HostTensor &output = *operands[5], &logSums = *operands[6],
                   &gradient = *operands[7];
  double *dq = results[0].data(), *dk = results[1].data(),
         *dv = results[2].data();
  a.forEachQuery([&](int64_t b, int64_t i, int64_t h, int64_t g) {
    int64_t at = a.atQuery(b, i, h, g);
    const double *query = a.q.data() + at, *dOutput = gradient.data() + at;
    double logSum = logSums.values[a.atLogSum(b, i, h, g)];
    // The probabilities' gradient less its mean under them.
    double mean = dotProduct(output.data() + at, dOutput, a.head);
    for (int64_t j = 0; j < a.keys; ++j) {
      if (!a.sees(b, i, j))
        continue;
      int64_t key = a.atKey(b, j, h);
      double score = a.score(query, a.k.data() + key);
      double probability = logSum == -HUGE_VAL ? 0 : std::exp(score - logSum);
      addScaled(probability, dOutput, dv + key, a.head);
      double dScore =
          probability * (dotProduct(dOutput, a.v.data() + key, a.head) - mean);
      if (a.softcap > 0)
        dScore *= 1 - (score / a.softcap) * (score / a.softcap);
      addScaled(dScore * a.scale, a.k.data() + key, dq + at, a.head);
      addScaled(dScore * a.scale, query, dk + key, a.head);
    }
  });
  return success();
}

LogicalResult MergeAttentionOp::evaluate(Operands operands, Results results,
                                         int64_t) {
  const HostTensor &lhs = *operands[0], &lhsLogSum = *operands[1],
                   &rhs = *operands[2], &rhsLogSum = *operands[3];
  int64_t sequence = lhs.shape[1], heads = lhs.shape[2] * lhs.shape[3];
  int64_t head = lhs.shape[4];
  for (int64_t row = 0; row < lhsLogSum.size(); ++row) {
    // Rows of outputs are [batch, sequence, heads], log-sums [batch, heads,
    // sequence].
    int64_t b = row / (heads * sequence), i = row / heads % sequence;
    int64_t place = (b * heads + row % heads) * sequence + i;
    double l1 = lhsLogSum.values[place], l2 = rhsLogSum.values[place];
    double largest = std::max(l1, l2), &logSum = results[1].values[place];
    logSum = largest;
    if (largest == -HUGE_VAL)
      continue;
    logSum += std::log(std::exp(l1 - largest) + std::exp(l2 - largest));
    double *output = results[0].data() + row * head;
    addScaled(std::exp(l1 - logSum), lhs.data() + row * head, output, head);
    addScaled(std::exp(l2 - logSum), rhs.data() + row * head, output, head);
  }
  return success();
}
