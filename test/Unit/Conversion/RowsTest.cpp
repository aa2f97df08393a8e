//===- RowsTest.cpp - Kernels on rows against plain C++ -------------------===//

#include "CompiledKernels.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace trireme::test;

constexpr int64_t kColumns[] = {1, 7, 16, 17, 31, 32, 33, 64, 71, 200, 50257};

/// Calls `body` for each number of columns and each target.
static void forAll(
    llvm::StringRef text, int64_t rows, int64_t grain,
    llvm::function_ref<void(const CompiledKernels &, int64_t columns)> body) {
  for (int64_t columns : kColumns)
    for (const KernelTarget &target : getRunnableTargets()) {
      SCOPED_TRACE(target.cpu + ", " + std::to_string(columns) + " columns");
      CompiledKernels kernels(
          withNumbers(text,
                      {{"rows", rows}, {"columns", columns}, {"grain", grain}}),
          target);
      body(kernels, columns);
    }
}

static void expectNear(const std::vector<float> &actual,
                       const std::vector<double> &expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i],
                tolerance * std::max(1.0, std::fabs(expected[i])))
        << "element " << i;
}

template <typename T>
static bool sameBits(const std::vector<T> &a, const std::vector<T> &b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// Two levels of reductions; full and row results; the result overwrites the
// operand.
TEST(Rows, LayerNormInPlace) {
  constexpr int64_t rows = 5;
  forAll(R"(
    runtime.kernel @k rows $rows columns $columns grain $grain
        in [#full, #column, #scalar] [f32, f32, f32]
        out [#full, #row, #row] [f32, f32, f32] {
    ^bb0(%x: f32, %g: f32, %inverse: f32):
      %0 = train.reduce sum %x : f32
      %mean = arith.mulf %0, %inverse : f32
      %c = arith.subf %x, %mean : f32
      %1 = arith.mulf %c, %c : f32
      %2 = train.reduce sum %1 : f32
      %3 = arith.mulf %2, %inverse : f32
      %eps = arith.constant 1.0e-5 : f32
      %4 = arith.addf %3, %eps : f32
      %rstd = math.rsqrt %4 : f32
      %5 = arith.mulf %c, %rstd : f32
      %6 = arith.mulf %5, %g : f32
      train.rows_yield %6, %mean, %rstd : f32, f32, f32
    })",
         rows, 2, [](const CompiledKernels &kernels, int64_t n) {
           std::vector<float> x = makeNumbers(rows * n + 1, -1, 2);
           std::vector<float> g = makeNumbers(n, 0, 1), inverse = {1.0f / n};
           std::vector<float> mean(rows + 1, 9), rstd(rows + 1, 9);
           std::vector<double> expected(x.begin(), x.end());
           for (int64_t r = 0; r < rows; ++r) {
             double m = 0, v = 0;
             for (int64_t c = 0; c < n; ++c)
               m += x[r * n + c] / double(n);
             for (int64_t c = 0; c < n; ++c)
               v += (x[r * n + c] - m) * (x[r * n + c] - m) / double(n);
             for (int64_t c = 0; c < n; ++c)
               expected[r * n + c] =
                   (x[r * n + c] - m) / std::sqrt(v + 1e-5) * g[c];
           }
           float guard = x.back();
           run(kernels.get("k"), 0, 2, x, g, inverse, x, mean, rstd);
           run(kernels.get("k"), 2, rows, x, g, inverse, x, mean, rstd);
           EXPECT_EQ(x.back(), guard);
           EXPECT_EQ(mean.back(), 9);
           expectNear(x, expected, 2e-5);
         });
}

// A maximum, exponentials, integers, the column's index; row results only.
TEST(Rows, CrossEntropy) {
  constexpr int64_t rows = 4;
  forAll(
      R"(
    runtime.kernel @k rows $rows columns $columns grain $grain
        in [#full, #row] [f32, i32] out [#row, #row] [f32, f32] {
    ^bb0(%x: f32, %target: i32):
      %zero = arith.constant 0.0 : f32
      %max = train.reduce max %x : f32
      %0 = arith.subf %x, %max : f32
      %1 = math.exp %0 : f32
      %2 = train.reduce sum %1 : f32
      %3 = math.log %2 : f32
      %lse = arith.addf %max, %3 : f32
      %column = train.column : i32
      %is = arith.cmpi eq, %column, %target : i32
      %4 = arith.select %is, %x, %zero : f32
      %chosen = train.reduce sum %4 : f32
      %ignored = arith.constant -100 : i32
      %none = arith.cmpi eq, %target, %ignored : i32
      %5 = arith.subf %lse, %chosen : f32
      %loss = arith.select %none, %zero, %5 : f32
      train.rows_yield %loss, %lse : f32, f32
    })",
      rows, 1, [](const CompiledKernels &kernels, int64_t n) {
        // Below zero only: pads must not win the maximum.
        std::vector<float> x = makeNumbers(rows * n, -9, -3), loss(rows),
                           lse(rows);
        std::vector<int32_t> target = {0, int32_t(n - 1), -100, int32_t(n / 2)};
        std::vector<double> losses, sums;
        for (int64_t r = 0; r < rows; ++r) {
          double sum = 0;
          for (int64_t c = 0; c < n; ++c)
            sum += std::exp(double(x[r * n + c]));
          sums.push_back(std::log(sum));
          losses.push_back(target[r] < 0 ? 0 : sums[r] - x[r * n + target[r]]);
        }
        run(kernels.get("k"), 0, rows, x, target, loss, lse);
        expectNear(loss, losses, 2e-6);
        expectNear(lse, sums, 2e-6);
      });
}

// Partial sums a block; the same bits however blocks are handed out.
TEST(Rows, SumsOverRows) {
  constexpr int64_t rows = 11, grain = 4, blocks = 3;
  forAll(R"(
    runtime.kernel @k rows $rows columns $columns grain $grain
        in [#full, #row] [f32, f32]
        out [#column_sum, #sum, #column_sum, #full] [f32, f32, f32, f32] {
    ^bb0(%x: f32, %y: f32):
      %0 = arith.mulf %x, %y : f32
      train.rows_yield %0, %0, %x, %0 : f32, f32, f32, f32
    })",
         rows, grain, [](const CompiledKernels &kernels, int64_t n) {
           std::vector<float> x = makeNumbers(rows * n, -1, 1);
           std::vector<float> y = makeNumbers(rows, 0, 2), unused;
           std::vector<float> full(rows * n), first(blocks * n), sum(blocks),
               second(blocks * n);
           std::vector<double> firsts(blocks * n), sums(blocks),
               seconds(blocks * n);
           for (int64_t r = 0; r < rows; ++r)
             for (int64_t c = 0; c < n; ++c) {
               float value = x[r * n + c] * y[r];
               firsts[r / grain * n + c] += value;
               sums[r / grain] += value;
               seconds[r / grain * n + c] += x[r * n + c];
             }
           Kernel kernel = kernels.get("k");
           run(kernel, 0, rows, x, y, unused, unused, unused, full, first, sum,
               second);
           expectNear(first, firsts, 1e-6);
           expectNear(second, seconds, 1e-6);
           expectNear(sum, sums, 1e-4);
           for (int64_t r = 0; r < rows; ++r)
             ASSERT_EQ(full[r * n], x[r * n] * y[r]);
           std::vector<float> again(rows * n), first2(blocks * n, 7),
               sum2(blocks, 7), second2(blocks * n, 7);
           run(kernel, 8, rows, x, y, unused, unused, unused, again, first2,
               sum2, second2);
           run(kernel, 0, 4, x, y, unused, unused, unused, again, first2, sum2,
               second2);
           run(kernel, 4, 8, x, y, unused, unused, unused, again, first2, sum2,
               second2);
           EXPECT_TRUE(sameBits(full, again) && sameBits(first, first2) &&
                       sameBits(sum, sum2) && sameBits(second, second2));
         });
}

// The update in place: scalars of f64 and i1, a flat kernel, any tail.
TEST(Rows, AdamW) {
  for (const KernelTarget &target : getRunnableTargets())
    for (int64_t count : {1, 31, 32, 100, 1000}) {
      SCOPED_TRACE(target.cpu + ", " + std::to_string(count));
      CompiledKernels kernels(withNumbers(R"(
        runtime.kernel @k rows $n columns 1 grain 64 flat
            in [#full, #full, #full, #full, #scalar, #scalar, #scalar, #scalar]
               [f32, f32, f32, f32, i1, f64, f64, f64]
            out [#full, #full, #full] [f32, f32, f32] {
        ^bb0(%p: f32, %g: f32, %m: f32, %v: f32, %apply: i1, %lr: f64,
             %beta: f64, %t: f64):
          %one = arith.constant 1.0 : f64
          %0 = math.powf %beta, %t : f64
          %1 = arith.subf %one, %0 : f64
          %2 = arith.divf %lr, %1 : f64
          %step = arith.truncf %2 : f64 to f32
          %3 = math.sqrt %1 : f64
          %4 = arith.divf %one, %3 : f64
          %root = arith.truncf %4 : f64 to f32
          %b = arith.truncf %beta : f64 to f32
          %5 = arith.subf %one, %beta : f64
          %rest = arith.truncf %5 : f64 to f32
          %6 = arith.mulf %m, %b : f32
          %7 = arith.mulf %g, %rest : f32
          %newM = arith.addf %6, %7 : f32
          %8 = arith.mulf %v, %b : f32
          %9 = arith.mulf %g, %g : f32
          %10 = arith.mulf %9, %rest : f32
          %newV = arith.addf %8, %10 : f32
          %11 = math.sqrt %newV : f32
          %12 = arith.mulf %11, %root : f32
          %eps = arith.constant 1.0e-8 : f32
          %13 = arith.addf %12, %eps : f32
          %14 = arith.mulf %newM, %step : f32
          %15 = arith.divf %14, %13 : f32
          %newP = arith.subf %p, %15 : f32
          %16 = arith.select %apply, %newP, %p : f32
          %17 = arith.select %apply, %newM, %m : f32
          %18 = arith.select %apply, %newV, %v : f32
          train.rows_yield %16, %17, %18 : f32, f32, f32
        })",
                                          {{"n", count}}),
                              target);
      for (int8_t apply : {0, 1}) {
        std::vector<float> p = makeNumbers(count, -1, 1),
                           g = makeNumbers(count, -1, 1, 2),
                           m = makeNumbers(count, -1, 1, 3),
                           v = makeNumbers(count, 0, 1, 4);
        std::vector<int8_t> flag = {apply};
        std::vector<double> lr = {1e-2}, beta = {0.9}, t = {3};
        std::vector<double> ps, ms, vs;
        for (int64_t i = 0; i < count; ++i) {
          double newM = m[i] * 0.9 + g[i] * 0.1;
          double newV = v[i] * 0.9 + double(g[i]) * g[i] * 0.1;
          double correction = 1 - std::pow(0.9, 3);
          double update =
              1e-2 / correction * newM / (std::sqrt(newV / correction) + 1e-8);
          ps.push_back(apply ? p[i] - update : p[i]);
          ms.push_back(apply ? newM : m[i]);
          vs.push_back(apply ? newV : v[i]);
        }
        for (int64_t from = 0; from < count; from += 64)
          run(kernels.get("k"), from, std::min(from + 64, count), p, g, m, v,
              flag, lr, beta, t, p, m, v);
        expectNear(p, ps, 1e-6);
        expectNear(m, ms, 1e-6);
        expectNear(v, vs, 1e-6);
      }
    }
}

// A flat sum in blocks; truth values and integers as elements.
TEST(Rows, FlatSumAndOtherTypes) {
  constexpr int64_t count = 333, grain = 128, blocks = 3;
  std::vector<float> first;
  for (const KernelTarget &target : getRunnableTargets()) {
    SCOPED_TRACE(target.cpu);
    CompiledKernels kernels(withNumbers(R"(
      runtime.kernel @k rows $n columns 1 grain $grain flat
          in [#full, #full, #full, #row] [f32, i32, i1, f64]
          out [#sum, #full, #full, #full] [f32, i1, i32, f64] {
      ^bb0(%x: f32, %i: i32, %b: i1, %d: f64):
        %0 = arith.mulf %x, %x : f32
        %zero = arith.constant 0.0 : f32
        %1 = arith.cmpf ogt, %x, %zero : f32
        %2 = arith.xori %1, %b : i1
        %3 = arith.addi %i, %i : i32
        %4 = arith.extf %x : f32 to f64
        %5 = arith.addf %4, %d : f64
        train.rows_yield %0, %2, %3, %5 : f32, i1, i32, f64
      })",
                                        {{"n", count}, {"grain", grain}}),
                            target);
    std::vector<float> x = makeNumbers(count, -1, 1), unused, sum(blocks);
    std::vector<int32_t> i(count), twice(count + 1, 5);
    std::vector<int8_t> b(count), flags(count + 1, 5);
    std::vector<double> d(count), sums(blocks), added(count);
    for (int64_t e = 0; e < count; ++e) {
      i[e] = e * 3;
      b[e] = e % 3 == 0;
      d[e] = 0.25 * e;
      sums[e / grain] += double(x[e]) * x[e];
    }
    run(kernels.get("k"), 0, count, x, i, b, d, unused, flags, twice, added,
        sum);
    expectNear(sum, sums, 1e-6);
    for (int64_t e = 0; e < count; ++e) {
      ASSERT_EQ(flags[e], (x[e] > 0) != (b[e] != 0));
      ASSERT_EQ(twice[e], 6 * e);
      ASSERT_EQ(added[e], double(x[e]) + d[e]);
    }
    EXPECT_EQ(twice[count], 5);
    EXPECT_EQ(flags[count], 5);
    // Neither does the width of vectors change a sum.
    if (first.empty())
      first = sum;
    EXPECT_TRUE(sameBits(sum, first));
  }
}

// Scalars only: stored by the call that has the first row.
TEST(Rows, Scalars) {
  CompiledKernels kernels(R"(
    runtime.kernel @k rows 1 columns 1 grain 1
        in [#scalar, #scalar] [f32, f64]
        out [#scalar, #scalar] [f32, i1] {
    ^bb0(%square: f32, %max: f64):
      %0 = arith.extf %square : f32 to f64
      %1 = math.sqrt %0 : f64
      %2 = arith.divf %max, %1 : f64
      %3 = arith.cmpf ogt, %max, %1 : f64
      %4 = arith.truncf %2 : f64 to f32
      train.rows_yield %4, %3 : f32, i1
    })",
                          getRunnableTargets().back());
  std::vector<float> square = {16}, ratio = {0};
  std::vector<double> max = {2};
  std::vector<int8_t> flag = {7};
  run(kernels.get("k"), 0, 1, square, max, ratio, flag);
  EXPECT_EQ(ratio[0], 0.5f);
  EXPECT_EQ(flag[0], 0);
}
