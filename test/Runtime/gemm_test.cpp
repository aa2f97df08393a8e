#include "test_support.h"

#include "cpu/gemm.h"
#include "cpu/library_memory.h"
#include "cpu/parallel.h"

#include <algorithm>
#include <cmath>

using namespace trireme::runtime;

static std::vector<float> run(const GemmShape &shape,
                              const std::vector<float> &lhs,
                              const std::vector<float> &rhs,
                              const std::vector<float> &bias,
                              std::vector<float> result) {
  Gemm gemm(shape);
  size_t stride = gemm.scratchBytes();
  AlignedBuffer scratch = alignedBuffer(stride * threadCount());
  gemm.run(lhs.data(), rhs.data(), shape.bias ? bias.data() : nullptr,
           result.data(), scratch.get(), stride);
  return result;
}

/// Compares a product with one in double; the bound is that of fp32 sums.
static void check(const GemmShape &s) {
  auto lhs = randomValues("lhs", s.m * s.k);
  auto rhs = randomValues("rhs", s.k * s.n);
  auto bias = randomValues("bias", s.n);
  auto before = randomValues("before", s.m * s.n);
  auto result = run(s, lhs, rhs, bias, before);
  double worst = 0;
  for (int64_t i = 0; i < s.m; ++i)
    for (int64_t j = 0; j < s.n; ++j) {
      double sum = s.bias ? bias[j] : 0, size = std::abs(sum);
      if (s.accumulate)
        sum += before[i * s.n + j];
      for (int64_t k = 0; k < s.k; ++k) {
        double product =
            double(lhs[s.lhsTransposed ? k * s.m + i : i * s.k + k]) *
            double(rhs[s.rhsTransposed ? j * s.k + k : k * s.n + j]);
        sum += product;
        size += std::abs(product);
      }
      worst = std::max(worst, std::abs(result[i * s.n + j] - sum) / (size + 1));
    }
  EXPECT_LT(worst, 1e-6) << s.m << "x" << s.n << "x" << s.k
                         << (s.lhsTransposed ? " T" : " N")
                         << (s.rhsTransposed ? "T" : "N")
                         << (s.accumulate ? " accumulate" : "")
                         << (s.bias ? " bias" : "");
}

// Every combination of transposes, accumulation and bias.
TEST(Gemm, EveryVariant) {
  for (int flags = 0; flags < 16; ++flags)
    for (auto [m, n, k] : {std::array<int64_t, 3>{64, 48, 32}, {37, 257, 19}})
      check({m, n, k, bool(flags & 1), bool(flags & 2), bool(flags & 4),
             bool(flags & 8)});
}

// Sizes of one, odd sizes, and a long inner dim with a remainder.
TEST(Gemm, DegenerateSizes) {
  for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                         {1, 257, 64},
                         {257, 1, 64},
                         {3, 5, 1},
                         {1, 1, 4099},
                         {16, 16, 8},
                         {257, 257, 257}})
    for (int flags = 0; flags < 4; ++flags)
      check({m, n, k, bool(flags & 1), bool(flags & 2), false, false});
}

// More than one block in both dims, with smaller blocks at the end.
TEST(Gemm, ManyBlocks) {
  for (int flags = 0; flags < 4; ++flags) {
    GemmShape shape{517,  1031, 129, bool(flags & 1), bool(flags & 2),
                    true, false};
    GemmBlocking blocking = chooseBlocking(shape);
    EXPECT_GT(shape.m, blocking.rows);
    EXPECT_GT(shape.n, blocking.columns);
    check(shape);
  }
}

// Two runs give the same bits: no block depends on which thread takes it.
TEST(Gemm, RunsAreEqual) {
  GemmShape shape{300, 700, 333, false, true, false, false};
  auto lhs = randomValues("lhs", shape.m * shape.k);
  auto rhs = randomValues("rhs", shape.k * shape.n);
  std::vector<float> zero(shape.m * shape.n);
  auto first = run(shape, lhs, rhs, {}, zero);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(run(shape, lhs, rhs, {}, zero), first);
}

// What the library allocates in a product it gives back, so that the slots
// that are reserved never run out.
TEST(Gemm, SlotsAreGivenBack) {
  prepareProducts();
  std::vector<int> before;
  for (int thread = 0; thread < threadCount(); ++thread)
    before.push_back(takenLibrarySlots(thread));
  for (int flags = 0; flags < 8; ++flags)
    check({300, 520, 70, bool(flags & 1), bool(flags & 2), bool(flags & 4),
           false});
  for (int thread = 0; thread < threadCount(); ++thread)
    EXPECT_EQ(takenLibrarySlots(thread), before[thread]) << thread;
}

// Borders depend on the grain only; every iteration is done once.
TEST(Parallel, BlocksCoverTheRange) {
  for (auto assignment : {Assignment::Static, Assignment::Dynamic})
    for (int64_t count : {0, 1, 7, 64, 1000})
      for (int64_t grain : {1, 3, 64, 5000}) {
        std::vector<int> times(count);
        parallelFor(count, grain, assignment,
                    [&](int64_t begin, int64_t end, int thread) {
                      EXPECT_EQ(begin % grain, 0);
                      EXPECT_EQ(end, std::min(begin + grain, count));
                      EXPECT_LT(thread, threadCount());
                      for (int64_t i = begin; i < end; ++i)
                        ++times[i];
                    });
        EXPECT_EQ(times, std::vector<int>(count, 1));
      }
}

// Regions of changing size follow each other at once: no block is lost, done
// twice or done for another region.
TEST(Parallel, ManyRegions) {
  std::vector<int> done(500);
  for (int64_t region = 0; region < 5000; ++region) {
    int64_t count = 1 + region * 37 % 500, grain = 1 + region % 13;
    std::fill(done.begin(), done.end(), 0);
    parallelFor(count, grain,
                region % 3 ? Assignment::Static : Assignment::Dynamic,
                [&](int64_t begin, int64_t end, int) {
                  for (; begin < end; ++begin)
                    ++done[begin];
                });
    ASSERT_EQ(std::count(done.begin(), done.begin() + count, 1), count);
    ASSERT_EQ(std::count(done.begin() + count, done.end(), 0), 500 - count);
  }
}
