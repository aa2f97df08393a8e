//===- MathTest.cpp - exp, log, tanh and erf in kernels -------------------===//

#include "CompiledKernels.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace trireme::test;

/// Floats spread over all bit patterns, special ones included.
static std::vector<float> makeAllKinds() {
  std::vector<float> numbers = {0.0f,      -0.0f,    INFINITY, -INFINITY,
                                NAN,       1.0f,     -1.0f,    88.72283f,
                                88.72284f, -103.97f, -87.4f,   1e-45f};
  for (uint64_t bits = 0; bits < 0x100000000; bits += 4099) {
    uint32_t narrow = bits;
    float number;
    std::memcpy(&number, &narrow, sizeof number);
    numbers.push_back(number);
  }
  return numbers;
}

/// The difference in units in the last place of `exact` rounded.
static double ulps(float value, double exact) {
  float rounded = float(exact);
  if (std::isnan(value) || std::isnan(rounded))
    return std::isnan(value) == std::isnan(rounded) ? 0 : INFINITY;
  if (value == rounded)
    return 0;
  if (std::isinf(value) || std::isinf(rounded))
    return INFINITY;
  double unit = std::ldexp(1.0, std::max(std::ilogb(exact), -126) - 23);
  return std::fabs(value - exact) / unit;
}

struct Function {
  const char *name;
  double (*exact)(double);
  double allowedUlps;
  double allowedError; // or absolute
};

class Math : public testing::TestWithParam<Function> {};

TEST_P(Math, IsAccurate) {
  Function function = GetParam();
  std::vector<float> numbers = makeAllKinds();
  std::string text = withNumbers(R"(
    runtime.kernel @f rows $n columns 1 grain $n flat
        in [#full] [f32] out [#full] [f32] {
    ^bb0(%x: f32):
      %0 = math.)" + std::string(function.name) +
                                     R"( %x : f32
      train.rows_yield %0 : f32
    }
    runtime.kernel @g rows $n columns 1 grain $n
        in [#row] [f32] out [#row] [f32] {
    ^bb0(%x: f32):
      %0 = math.)" + std::string(function.name) +
                                     R"( %x : f32
      train.rows_yield %0 : f32
    })",
                                 {{"n", int64_t(numbers.size())}});
  std::vector<float> first;
  for (const KernelTarget &target : getRunnableTargets()) {
    CompiledKernels kernels(text, target);
    std::vector<float> result(numbers.size()), scalar(numbers.size());
    run(kernels.get("f"), 0, numbers.size(), numbers, result);
    run(kernels.get("g"), 0, numbers.size(), numbers, scalar);
    double worst = 0, worstError = 0;
    for (size_t i = 0; i < numbers.size(); ++i) {
      double exact = function.exact(numbers[i]);
      double error = ulps(result[i], exact);
      worst = std::max(worst, error);
      if (std::isfinite(exact))
        worstError = std::max(worstError, std::fabs(result[i] - exact));
      ASSERT_TRUE(error <= function.allowedUlps ||
                  std::fabs(result[i] - exact) <= function.allowedError)
          << function.name << "(" << numbers[i] << ") = " << result[i]
          << ", expected " << exact;
      ASSERT_TRUE(result[i] == scalar[i] || std::isnan(result[i]))
          << "scalar and vector code differ at " << numbers[i];
    }
    RecordProperty("ulps_" + target.cpu, std::to_string(worst));

    if (first.empty())
      first = result;
    EXPECT_EQ(0, std::memcmp(first.data(), result.data(),
                             result.size() * sizeof(float)));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Math,
                         testing::Values(Function{"exp", std::exp, 1.2, 0},
                                         Function{"log", std::log, 1.2, 0},
                                         Function{"tanh", std::tanh, 3, 0},
                                         Function{"erf", std::erf, 3, 0}),
                         [](const testing::TestParamInfo<Function> &info) {
                           return std::string(info.param.name);
                         });
