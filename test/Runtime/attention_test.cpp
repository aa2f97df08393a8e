#include "test_support.h"

#include "cpu/attention.h"
#include "cpu/attention_tiles.h"
#include "cpu/parallel.h"

#include <cmath>
#include <numeric>

using namespace trireme::runtime;

namespace {
struct Problem {
  AttentionShape shape;
  std::vector<float> q, k, v, gradient;
  std::vector<int32_t> positions, keyPositions;

  /// Positions are `order` or count up; keys have those of the first queries
  /// unless `keyOrder` says others.
  Problem(AttentionShape s, std::vector<int32_t> order = {},
          std::vector<int32_t> keyOrder = {})
      : shape(s) {
    int64_t width = s.kvHeads * s.headDim;
    q = randomValues("q", s.batch * s.sequence * width * s.group);
    k = randomValues("k", s.batch * s.keys * width);
    v = randomValues("v", s.batch * s.keys * width);
    gradient = randomValues("gradient", s.batch * s.sequence * width * s.group);
    if (keyOrder.empty())
      keyOrder = order;
    for (int64_t b = 0; b < s.batch; ++b) {
      for (int64_t i = 0; i < s.sequence; ++i)
        positions.push_back(order.empty() ? int32_t(i) : order[i]);
      for (int64_t i = 0; i < s.keys; ++i)
        keyPositions.push_back(keyOrder.empty() ? int32_t(i) : keyOrder[i]);
    }
  }
  AttentionInputs inputs() const {
    return {q.data(), k.data(), v.data(), positions.data(),
            keyPositions.data()};
  }
};

struct Result {
  std::vector<float> output, logSum, q, k, v;
};
} // namespace

static Result compute(const Problem &problem) {
  const AttentionShape &s = problem.shape;
  Attention attention(s);
  size_t stride = attention.scratchBytes();
  AlignedBuffer scratch = alignedBuffer(stride * threadCount());
  Result result;
  result.output.resize(problem.q.size());
  result.logSum.resize(problem.q.size() / s.headDim);
  // The backward pass overwrites.
  result.q.assign(problem.q.size(), 7);
  result.k.assign(problem.k.size(), 7);
  result.v.assign(problem.v.size(), 7);
  attention.forward(0, problem.inputs(), result.output.data(),
                    result.logSum.data(), scratch.get(), stride);
  attention.backward(
      0, problem.inputs(),
      {result.output.data(), result.logSum.data(), problem.gradient.data()},
      {result.q.data(), result.k.data(), result.v.data()}, scratch.get(),
      stride);
  return result;
}

namespace {
/// Attention in double, straight from the definition.
struct Reference {
  std::vector<double> output, logSum, q, k, v;

  explicit Reference(const Problem &p)
      : output(p.q.size()), logSum(p.q.size() / p.shape.headDim), q(p.q.size()),
        k(p.k.size()), v(p.v.size()) {
    const AttentionShape &s = p.shape;
    for (int64_t b = 0; b < s.batch; ++b)
      for (int64_t h = 0; h < s.kvHeads; ++h)
        for (int64_t g = 0; g < s.group; ++g)
          for (int64_t i = 0; i < s.sequence; ++i)
            query(p, b, h, g, i);
  }

  void query(const Problem &p, int64_t b, int64_t h, int64_t g, int64_t i) {
    const AttentionShape &s = p.shape;
    int64_t d = s.headDim;
    int64_t row = (((b * s.sequence + i) * s.kvHeads + h) * s.group + g) * d;
    auto key = [&](int64_t j) {
      return ((b * s.keys + j) * s.kvHeads + h) * d;
    };
    std::vector<double> weight(s.keys), slope(s.keys);
    double sum = 0, largest = -INFINITY;
    for (int64_t j = 0; j < s.keys; ++j) {
      double score = 0;
      for (int64_t c = 0; c < d; ++c)
        score += double(p.q[row + c]) * double(p.k[key(j) + c]);
      score *= s.scale;
      slope[j] = 1;
      if (s.softcap > 0) {
        double bent = std::tanh(score / s.softcap);
        score = s.softcap * bent;
        slope[j] = 1 - bent * bent;
      }
      int64_t behind =
          p.positions[b * s.sequence + i] - p.keyPositions[b * s.keys + j];
      bool seen = behind >= 0 && (!s.windows[0] || behind < s.windows[0]);
      weight[j] = seen ? score : -INFINITY;
      largest = std::max(largest, weight[j]);
    }
    // A query that sees no key has output 0 and no part in gradients.
    if (largest == -INFINITY) {
      logSum[((b * s.kvHeads + h) * s.group + g) * s.sequence + i] = largest;
      return;
    }
    for (double &w : weight)
      sum += w = std::exp(w - largest);
    logSum[((b * s.kvHeads + h) * s.group + g) * s.sequence + i] =
        largest + std::log(sum);
    double delta = 0;
    std::vector<double> gradient(s.keys);
    for (int64_t j = 0; j < s.keys; ++j) {
      weight[j] /= sum;
      for (int64_t c = 0; c < d; ++c) {
        output[row + c] += weight[j] * p.v[key(j) + c];
        gradient[j] += double(p.gradient[row + c]) * p.v[key(j) + c];
        v[key(j) + c] += weight[j] * p.gradient[row + c];
      }
      delta += weight[j] * gradient[j];
    }
    for (int64_t j = 0; j < s.keys; ++j) {
      double score = weight[j] * (gradient[j] - delta) * slope[j] * s.scale;
      for (int64_t c = 0; c < d; ++c) {
        q[row + c] += score * p.k[key(j) + c];
        k[key(j) + c] += score * p.q[row + c];
      }
    }
  }
};
} // namespace

static void near(const std::vector<float> &got, const std::vector<double> &want,
                 const std::string &what) {
  double worst = 0, largest = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    if (double(got[i]) == want[i]) // infinities
      continue;
    worst = std::max(worst, std::abs(got[i] - want[i]));
    largest = std::max(largest, std::abs(want[i]));
  }
  // Operands are of size 1: where a gradient is exactly 0 (one visible key),
  // what is left is the rounding of terms of that size.
  EXPECT_LT(worst, 3e-6 * std::max(largest, 0.5)) << what;
  EXPECT_FALSE(std::isnan(worst)) << what;
}

static void check(const Problem &problem) {
  Result got = compute(problem);
  Reference want(problem);
  const AttentionShape &s = problem.shape;
  std::string what = fmt::format("batch {} sequence {} keys {} kv heads {} "
                                 "group {} head dim {} softcap {} "
                                 "window {}: ",
                                 s.batch, s.sequence, s.keys, s.kvHeads,
                                 s.group, s.headDim, s.softcap, s.windows[0]);
  near(got.output, want.output, what + "output");
  near(got.logSum, want.logSum, what + "log-sum");
  near(got.q, want.q, what + "q gradient");
  near(got.k, want.k, what + "k gradient");
  near(got.v, want.v, what + "v gradient");
}

// Lengths around the tiles' borders, and one position.
TEST(Attention, SequenceLengths) {
  for (int64_t length : {1, 2, 63, 64, 65, 130, 257})
    check(Problem({2, length, length, 2, 1, 16, 0.25, 0, {0}}));
}

// Groups that fill, do not fill and exceed a tile; head dims that are no
// multiple of a vector.
TEST(Attention, GroupsAndHeadDims) {
  for (int64_t group : {1, 2, 3, 4, 8, 71})
    for (int64_t dim : {1, 8, 24, 64})
      check(Problem({1, 70, 70, 2, group, dim, 0.3, 0, {0}}));
  check(Problem({1, 33, 33, 1, 1, 128, 0.1, 0, {0}}));
}

// Windows smaller than a tile, of several tiles and longer than the sequence.
TEST(Attention, Windows) {
  for (int64_t window : {1, 2, 16, 64, 100, 1000})
    check(Problem({1, 200, 200, 1, 2, 16, 0.25, 0, {window}}));
}

// The cap bends scores; both signs and large scores.
TEST(Attention, Softcap) {
  for (double cap : {0.5, 5.0, 50.0})
    for (double scale : {0.25, 2.0})
      check(Problem({1, 100, 100, 2, 2, 24, scale, cap, {0}}));
  check(Problem({2, 90, 90, 1, 4, 32, 0.2, 5.0, {16}}));
}

// Positions in any order, with repetitions.
TEST(Attention, PositionsInAnyOrder) {
  std::vector<int32_t> reversed(150), zigzag(150), equal(150, 3);
  for (int32_t i = 0; i < 150; ++i) {
    reversed[i] = 149 - i;
    zigzag[i] = i * 67 % 150 / 2;
  }
  for (const auto &order : {reversed, zigzag, equal})
    for (int64_t window : {0, 20})
      check(Problem({1, 150, 150, 2, 2, 16, 0.25, 0, {window}}, order));
}

// Fewer and more keys than queries, at positions of their own: queries that see
// none, in tiles that see some and in tiles that see none.
TEST(Attention, KeysOfAnotherPart) {
  auto count = [](int32_t first, int32_t length) {
    std::vector<int32_t> positions(length);
    std::iota(positions.begin(), positions.end(), first);
    return positions;
  };
  for (int64_t window : {0, 30})
    for (double cap : {0.0, 4.0})
      for (int32_t first : {0, 40, 100, 1000}) {
        check(Problem({2, 150, 70, 2, 2, 16, 0.25, cap, {window}},
                      count(30, 150), count(first, 70)));
        check(Problem({1, 70, 150, 1, 3, 24, 0.25, cap, {window}},
                      count(60, 70), count(first, 150)));
      }
}

// The result does not depend on which threads run which tiles.
TEST(Attention, RunsAreEqual) {
  Problem problem({2, 300, 300, 2, 2, 32, 0.2, 0, {0}});
  Result first = compute(problem);
  for (int i = 0; i < 3; ++i) {
    Result again = compute(problem);
    EXPECT_EQ(again.output, first.output);
    EXPECT_EQ(again.q, first.q);
    EXPECT_EQ(again.k, first.k);
    EXPECT_EQ(again.v, first.v);
  }
}

// The AVX2 tiles are as exact as those that this machine would choose.
TEST(Attention, EveryLevelOfTheProcessor) {
  for (const AttentionTiles *tiles : {&attentionTilesV3, &attentionTilesV4}) {
    if (tiles == &attentionTilesV4 && !__builtin_cpu_supports("x86-64-v4"))
      continue;
    Problem p({1, 130, 130, 1, 2, 24, 0.3, 4.0, {0}});
    Reference want(p);
    AttentionHead head = {};
    head.sequence = head.keys = 130;
    head.group = 2;
    head.headDim = 24;
    head.qStride = 48;
    head.kStride = 24;
    head.scale = 0.3f;
    head.softcap = 4.0f;
    head.q = p.q.data();
    head.k = p.k.data();
    head.v = p.v.data();
    head.qPositions = head.kPositions = p.positions.data();
    std::vector<float> output(p.q.size()), logSum(260), q(p.q.size()),
        k(p.k.size()), v(p.v.size());
    AlignedBuffer scratch = alignedBuffer(
        4 * (forwardScratch(2, 24) + backwardScratch(130, 2, 24) + 64));
    auto *floats = reinterpret_cast<float *>(scratch.get());
    for (int64_t i = 0; i < 130; i += tilePositions(2))
      tiles->forward(head, i, output.data(), logSum.data(), floats);
    head.output = output.data();
    head.logSum = logSum.data();
    head.outputGradient = p.gradient.data();
    tiles->backward(head, q.data(), k.data(), v.data(), floats);
    near(output, want.output, "output");
    near(q, want.q, "q gradient");
    near(k, want.k, "k gradient");
    near(v, want.v, "v gradient");
  }
}
