#include "test_support.h"

#include "cpu/context.h"
#include "cpu/vector_math.h"
#include "trireme/runtime/program.h"

#include <cmath>

using namespace trireme::runtime;

static Manifest emptyManifest() { return {}; }

struct Kernels : testing::Test {
  Manifest manifest = emptyManifest();
  trireme_context context{manifest, nullptr};
};

TEST_F(Kernels, Embedding) {
  auto table = randomValues("table", 10 * 37);
  // Rows 20 to 29 of a larger table; ids outside give zeros.
  std::vector<int32_t> ids{23, 20, 29, 19, 23, 30, -100};
  const int32_t start = 20;
  std::vector<float> result(7 * 37, 1.0f);
  trireme_embedding(&context, table.data(), ids.data(), &start, result.data(),
                    7, 37, 10);
  for (int64_t i = 0; i < 7; ++i)
    for (int64_t j = 0; j < 37; ++j) {
      bool inside = ids[i] >= 20 && ids[i] < 30;
      EXPECT_EQ(result[i * 37 + j], inside ? table[(ids[i] - 20) * 37 + j] : 0);
    }
}

// Rows that repeat are added in ascending order, onto what was there; those of
// other parts of the table are passed over.
TEST_F(Kernels, EmbeddingGradient) {
  constexpr int64_t Rows = 500, Width = 83, Table = 20;
  const int32_t start = 7;
  auto gradient = randomValues("gradient", Rows * Width);
  auto table = randomValues("table", Table * Width), want = table;
  std::vector<int32_t> ids(Rows);
  for (int64_t i = 0; i < Rows; ++i) {
    int64_t row = i * i % (Table + 2) - 1;
    ids[i] = start + int32_t(row);
    for (int64_t j = 0; j < Width && row >= 0 && row < Table; ++j)
      want[row * Width + j] += gradient[i * Width + j];
  }
  trireme_embedding_gradient(&context, ids.data(), gradient.data(), &start,
                             table.data(), Rows, Width, Table);
  EXPECT_EQ(table, want);
}

TEST_F(Kernels, RotaryTable) {
  std::vector<int32_t> positions{0, 1, 5, 100000};
  std::vector<double> frequencies{1.0, 0.1, 1e-4};
  std::vector<float> table(4 * 6);
  trireme_rotary_table(&context, positions.data(), frequencies.data(),
                       table.data(), 4, 3);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j) {
      double angle = positions[i] * frequencies[j];
      EXPECT_EQ(table[i * 6 + j], float(std::cos(angle)));
      EXPECT_EQ(table[i * 6 + 3 + j], float(std::sin(angle)));
    }
}

// Out of place and in place, with a part that is not rotated; and back.
TEST_F(Kernels, Rotary) {
  constexpr int64_t Tokens = 5, Heads = 3, HeadDim = 48, Count = 19;
  auto source = randomValues("source", Tokens * Heads * HeadDim);
  auto table = randomValues("angles", Tokens * 2 * Count);
  for (int64_t i = 0; i < Tokens; ++i)
    for (int64_t j = 0; j < Count; ++j) {
      float angle = table[i * 2 * Count + j];
      table[i * 2 * Count + j] = std::cos(angle);
      table[i * 2 * Count + Count + j] = std::sin(angle);
    }
  std::vector<float> result(source.size());
  trireme_rotary(&context, source.data(), table.data(), result.data(), Tokens,
                 Heads, HeadDim, Count, 0);
  for (int64_t i = 0; i < Tokens * Heads; ++i)
    for (int64_t j = 0; j < HeadDim; ++j) {
      const float *from = source.data() + i * HeadDim;
      const float *row = table.data() + i / Heads * 2 * Count;
      double want = from[j];
      if (j < Count)
        want =
            double(from[j]) * row[j] - double(from[j + Count]) * row[j + Count];
      else if (j < 2 * Count)
        want =
            double(from[j]) * row[j - Count] + double(from[j - Count]) * row[j];
      EXPECT_NEAR(result[i * HeadDim + j], want, 1e-6);
    }
  auto place = source;
  trireme_rotary(&context, place.data(), table.data(), place.data(), Tokens,
                 Heads, HeadDim, Count, 0);
  EXPECT_EQ(place, result);
  trireme_rotary(&context, place.data(), table.data(), place.data(), Tokens,
                 Heads, HeadDim, Count, 1);
  for (size_t i = 0; i < place.size(); ++i)
    EXPECT_NEAR(place[i], source[i], 1e-6);
}

// In place; with logs of minus infinity on one side and on both.
TEST_F(Kernels, MergeAttention) {
  constexpr int64_t Batch = 2, Sequence = 5, Heads = 3, HeadDim = 19,
                    Rows = Batch * Sequence * Heads;
  auto lhs = randomValues("lhs", Rows * HeadDim),
       rhs = randomValues("rhs", Rows * HeadDim);
  auto lhsLog = randomValues("lhs log", Rows),
       rhsLog = randomValues("rhs log", Rows);
  lhsLog[3] = rhsLog[4] = lhsLog[5] = rhsLog[5] = -INFINITY;
  std::vector<double> want(Rows * HeadDim), wantLog(Rows);
  for (int64_t row = 0; row < Rows; ++row) {
    int64_t token = row / Heads;
    int64_t place =
        (token / Sequence * Heads + row % Heads) * Sequence + token % Sequence;
    double first = std::exp(double(lhsLog[place])),
           second = std::exp(double(rhsLog[place]));
    wantLog[place] = std::log(first + second);
    for (int64_t j = row * HeadDim; j < (row + 1) * HeadDim; ++j)
      want[j] = first + second == 0
                    ? 0
                    : (lhs[j] * first + rhs[j] * second) / (first + second);
  }
  trireme_merge_attention(&context, lhs.data(), lhsLog.data(), rhs.data(),
                          rhsLog.data(), lhs.data(), lhsLog.data(), Batch,
                          Sequence, Heads, HeadDim);
  for (int64_t i = 0; i < Rows * HeadDim; ++i)
    EXPECT_NEAR(lhs[i], want[i], 1e-6);
  for (int64_t i = 0; i < Rows; ++i)
    if (std::isinf(wantLog[i]))
      EXPECT_EQ(lhsLog[i], wantLog[i]);
    else
      EXPECT_NEAR(lhsLog[i], wantLog[i], 1e-6);
}

TEST_F(Kernels, SumPartials) {
  constexpr int64_t Blocks = 33, Columns = 131;
  auto partials = randomValues("partials", Blocks * Columns);
  std::vector<float> result(Columns);
  trireme_sum_partials(&context, partials.data(), result.data(), Blocks,
                       Columns);
  for (int64_t j = 0; j < Columns; ++j) {
    double sum = 0;
    for (int64_t b = 0; b < Blocks; ++b)
      sum += double(partials[b * Columns + j]);
    EXPECT_EQ(result[j], float(sum));
  }
}

TEST_F(Kernels, CopyAndZero) {
  std::vector<char> source(1000), target(1000, 'x');
  for (int i = 0; i < 1000; ++i)
    source[i] = char(i);
  trireme_copy(&context, source.data(), target.data(), 30, 20, 10, 15);
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(target[i],
              i < 200 && i % 20 < 15 ? source[i / 20 * 30 + i % 20] : 'x');
  std::vector<char> large(300001, 'y');
  trireme_zero(&context, large.data(), 300000);
  EXPECT_EQ(std::count(large.begin(), large.end(), 'y'), 1);
}

TEST_F(Kernels, LaunchCoversTheRange) {
  std::vector<int32_t> times(1000);
  char *buffers[] = {reinterpret_cast<char *>(times.data())};
  trireme_launch(
      &context, 0,
      [](char *const *buffers, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          ++reinterpret_cast<int32_t *>(buffers[0])[i];
      },
      buffers, 1000, 7);
  EXPECT_EQ(times, std::vector<int32_t>(1000, 1));
}

/// Largest error of `function` against `reference`, in units of the last
/// place of the exact result.
template <typename Function, typename Reference>
static double worstError(float low, float high, Function function,
                         Reference reference) {
  double worst = 0;
  for (int i = 0; i <= 100000; ++i) {
    float x = low + (high - low) * float(i) / 100000;
    float got = function(splat(x))[0];
    double want = reference(double(x));
    double unit = std::ldexp(1.0, std::ilogb(want) - 23);
    worst = std::max(worst, std::abs(double(got) - want) / unit);
  }
  return worst;
}

TEST(VectorMath, Exponential) {
  auto function = [](Vector x) { return exponential(x); };
  auto reference = [](double x) { return std::exp(x); };
  EXPECT_LT(worstError(-87, 88.7f, function, reference), 1.0);
  EXPECT_LT(worstError(-1, 1, function, reference), 1.0);
  EXPECT_EQ(exponential(splat(-INFINITY))[0], 0);
  EXPECT_EQ(exponential(splat(0))[0], 1);
  EXPECT_EQ(exponential(splat(89))[0], INFINITY);
  EXPECT_TRUE(std::isnan(exponential(splat(NAN))[0]));
}

TEST(VectorMath, Tangent) {
  auto function = [](Vector x) { return tangent(x); };
  auto reference = [](double x) { return std::tanh(x); };
  EXPECT_LT(worstError(0.0001f, 10, function, reference), 2.0);
  EXPECT_LT(worstError(-0.7f, -0.5f, function, reference), 2.0);
  EXPECT_EQ(tangent(splat(100))[0], 1);
  EXPECT_EQ(tangent(splat(-100))[0], -1);
}
