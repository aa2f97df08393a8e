//===- Head.cpp - Cross-entropy in float64 --------------------------------===//
//
// The output layer with its loss, whole and by rows of logits.
//
//===----------------------------------------------------------------------===//

#include "Evaluation.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace trireme::train;

/// The end of the columns that are not pad, of `columns` from `start` on.
static int64_t endOfValid(int64_t columns, int64_t start, int64_t valid) {
  return valid > 0 ? std::clamp<int64_t>(valid - start, 0, columns) : columns;
}

/// Checks that every target is kIgnoredTarget or one of the `vocabulary` rows
/// from `start` on.
static LogicalResult checkTargets(Operation *op, const HostTensor &targets,
                                  int64_t start, int64_t vocabulary) {
  for (int64_t i = 0; i < targets.size(); ++i) {
    int64_t target = int64_t(targets.values[i]);
    if (target != kIgnoredTarget &&
        (target < start || target >= start + vocabulary))
      return op->emitOpError()
             << "has target " << target << " at index " << i << ", expected "
             << kIgnoredTarget << " or an index from " << start << " to "
             << start + vocabulary - 1;
  }
  return success();
}

/// log(sum exp) of a row.
static double logSumExp(const double *row, int64_t count) {
  double largest = -HUGE_VAL, sum = 0;
  for (int64_t j = 0; j < count; ++j)
    largest = std::max(largest, row[j]);
  for (int64_t j = 0; j < count; ++j)
    sum += std::exp(row[j] - largest);
  return largest + std::log(sum);
}

//===----------------------------------------------------------------------===//
// The whole head
//===----------------------------------------------------------------------===//

namespace {
/// Logits of a head in pieces of a few tokens, so that they never exist whole.
struct HeadLogits {
  const HostTensor &hidden, &weight, &targets;
  int64_t start, tokens, vocabulary, features;
  int64_t end; ///< Of the columns that are not pad.
  double softcap;
  std::vector<double> transposed; ///< weight as [features, vocabulary].

  HeadLogits(Operands operands, double softcap, int64_t valid)
      : hidden(*operands[0]), weight(*operands[1]), targets(*operands[2]),
        start(int64_t(operands[3]->values[0])), tokens(targets.size()),
        vocabulary(weight.shape[0]), features(weight.shape[1]),
        end(endOfValid(vocabulary, start, valid)), softcap(softcap),
        transposed(transposeMatrix(weight.data(), vocabulary, features)) {}

  /// Calls `f(first token, tokens, capped logits)` for every piece.
  template <typename Function> void forEachPiece(Function f) const {
    constexpr int64_t kTokens = 64;
    for (int64_t first = 0; first < tokens; first += kTokens) {
      int64_t count = std::min(kTokens, tokens - first);
      std::vector<double> logits(count * vocabulary);
      multiplyMatrices(hidden.data() + first * features, transposed.data(),
                       logits.data(), count, features, vocabulary);
      if (softcap > 0)
        for (double &logit : logits)
          logit = softcap * std::tanh(logit / softcap);
      f(first, count, logits);
    }
  }

  /// The column of a token's target, -1 if it has none.
  int64_t getTargetColumn(int64_t token) const {
    int64_t target = int64_t(targets.values[token]);
    return target == kIgnoredTarget ? -1 : target - start;
  }
};
} // namespace

LogicalResult CrossEntropyHeadOp::evaluate(Operands operands, Results results,
                                           int64_t) {
  HeadLogits head(operands, getSoftcap().convertToDouble(), getValid());
  if (failed(checkTargets(*this, head.targets, head.start, head.end)))
    return failure();
  double &sum = results[0].values[0], &number = results[1].values[0];
  head.forEachPiece([&](int64_t first, int64_t count, ArrayRef<double> logits) {
    for (int64_t t = 0; t < count; ++t) {
      int64_t column = head.getTargetColumn(first + t);
      if (column < 0)
        continue;
      const double *row = logits.data() + t * head.vocabulary;
      sum += logSumExp(row, head.end) - row[column];
      number += 1;
    }
  });
  return success();
}

LogicalResult CrossEntropyHeadGradOp::evaluate(Operands operands,
                                               Results results, int64_t) {
  HeadLogits head(operands, getSoftcap().convertToDouble(), getValid());
  double seed = operands[4]->values[0];
  if (failed(checkTargets(*this, head.targets, head.start, head.end)))
    return failure();
  int64_t vocabulary = head.vocabulary, features = head.features;
  head.forEachPiece(
      [&](int64_t first, int64_t count, MutableArrayRef<double> logits) {
        for (int64_t t = 0; t < count; ++t) {
          double *row = logits.data() + t * vocabulary;
          int64_t column = head.getTargetColumn(first + t);
          if (column < 0) {
            std::fill_n(row, vocabulary, 0.0);
            continue;
          }
          double logSum = logSumExp(row, head.end);
          results[0].values[0] += logSum - row[column];
          std::fill(row + head.end, row + vocabulary, 0.0);
          for (int64_t j = 0; j < head.end; ++j) {
            double capped = row[j];
            row[j] = (std::exp(capped - logSum) - (j == column)) * seed;
            if (head.softcap > 0)
              row[j] *= 1 - (capped / head.softcap) * (capped / head.softcap);
          }
        }
        multiplyMatrices(logits.data(), head.weight.data(),
                         results[1].data() + first * features, count,
                         vocabulary, features);
        std::vector<double> columns =
            transposeMatrix(logits.data(), count, vocabulary);
        multiplyMatrices(columns.data(), head.hidden.data() + first * features,
                         results[2].data(), vocabulary, count, features);
      });
  return success();
}

//===----------------------------------------------------------------------===//
// Rows of logits
//===----------------------------------------------------------------------===//

LogicalResult RowMaxOp::evaluate(Operands operands, Results results, int64_t) {
  const HostTensor &logits = *operands[0];
  int64_t start = int64_t(operands[1]->values[0]), columns = logits.shape[1];
  int64_t end = endOfValid(columns, start, getValid());
  for (int64_t r = 0; r < results[0].size(); ++r) {
    const double *row = logits.data() + r * columns;
    results[0].values[r] = -HUGE_VAL;
    for (int64_t j = 0; j < end; ++j)
      results[0].values[r] = std::max(results[0].values[r], row[j]);
  }
  return success();
}

LogicalResult RowExpSumOp::evaluate(Operands operands, Results results,
                                    int64_t) {
  const HostTensor &logits = *operands[0], &max = *operands[1];
  int64_t start = int64_t(operands[2]->values[0]), columns = logits.shape[1];
  int64_t end = endOfValid(columns, start, getValid());
  for (int64_t r = 0; r < max.size(); ++r)
    for (int64_t j = 0; j < end; ++j)
      results[0].values[r] +=
          std::exp(logits.values[r * columns + j] - max.values[r]);
  return success();
}

LogicalResult PickOp::evaluate(Operands operands, Results results, int64_t) {
  const HostTensor &logits = *operands[0], &targets = *operands[1];
  int64_t start = int64_t(operands[2]->values[0]), columns = logits.shape[1];
  for (int64_t r = 0; r < targets.size(); ++r) {
    int64_t target = int64_t(targets.values[r]), column = target - start;
    if (target != kIgnoredTarget && column >= 0 && column < columns)
      results[0].values[r] = logits.values[r * columns + column];
  }
  return success();
}

LogicalResult RowLossOp::evaluate(Operands operands, Results results, int64_t) {
  const HostTensor &max = *operands[0], &expSum = *operands[1],
                   &picked = *operands[2], &targets = *operands[3];
  for (int64_t r = 0; r < targets.size(); ++r) {
    double logSum = max.values[r] + std::log(expSum.values[r]);
    bool ignored = targets.values[r] == kIgnoredTarget;
    results[0].values[r] = ignored ? 0 : logSum - picked.values[r];
    results[1].values[r] = logSum;
  }
  return success();
}

LogicalResult CrossEntropyGradOp::evaluate(Operands operands, Results results,
                                           int64_t) {
  const HostTensor &logits = *operands[0], &targets = *operands[1],
                   &logSums = *operands[3];
  int64_t start = int64_t(operands[2]->values[0]), columns = logits.shape[1];
  int64_t end = endOfValid(columns, start, getValid());
  double seed = operands[4]->values[0];
  for (int64_t r = 0; r < targets.size(); ++r) {
    int64_t target = int64_t(targets.values[r]);
    if (target == kIgnoredTarget)
      continue;
    for (int64_t j = 0; j < end; ++j) {
      double probability =
          std::exp(logits.values[r * columns + j] - logSums.values[r]);
      results[0].values[r * columns + j] =
          (probability - (j == target - start)) * seed;
    }
  }
  return success();
}
