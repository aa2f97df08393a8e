//===- InterpretTest.cpp - Random inputs, comparisons, training -----------===//

#include "Harness.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "trireme/Dialect/Train/IR/Train.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir;
using namespace trireme;
using namespace trireme::test;
using namespace trireme::train;

namespace {

/// A table looked up by the tokens and, tied, as the output layer, and a norm.
const char *kForward = R"(
func.func @forward(
    %ids: tensor<2x8xi32> {train.role = #train.role<tokens>},
    %t: tensor<2x8xi32> {train.role = #train.role<targets>},
    %w: tensor<7x4xf32> {train.role = #train.role<parameter>,
        train.param = #train.param<"embed.weight", [7, 4], normal 0.5>},
    %g: tensor<4xf32> {train.role = #train.role<parameter>,
        train.param = #train.param<"norm.weight", [4], constant 1.0>})
    -> (tensor<f32> {train.result = "loss_sum"}, tensor<f32>) {
  %s = train.fill 0.0 : tensor<i32>
  %h = train.embedding %w, %ids start %s
      : tensor<7x4xf32>, tensor<2x8xi32>, tensor<i32>
  %n, %r = train.rms_norm %h, %g eps 1.0e-05 : tensor<2x8x4xf32>, tensor<4xf32>
  %0, %1 = train.cross_entropy_head %n, %w targets %t start %s
      : tensor<2x8x4xf32>, tensor<7x4xf32>, tensor<2x8xi32>, tensor<i32>
  return %0, %1 : tensor<f32>, tensor<f32>
})";

std::string replace(std::string text, StringRef from, StringRef to) {
  size_t place = text.find(from.str());
  EXPECT_NE(place, std::string::npos);
  return text.replace(place, from.size(), to.str());
}

//===----------------------------------------------------------------------===//
// Random arguments
//===----------------------------------------------------------------------===//

TEST(RandomArguments, RespectRoles) {
  auto module = parse(R"(
    func.func @f(%a: tensor<9x5xi32> {train.role = #train.role<tokens>},
        %b: tensor<9x5xi32> {train.role = #train.role<targets>},
        %c: tensor<9x5xi32> {train.role = #train.role<positions>},
        %d: tensor<6x4xf32> {train.role = #train.role<parameter>,
            train.param = #train.param<"w", [6, 4], normal 0.02>},
        %e: tensor<6x4xf32> {train.role = #train.role<second_moment>,
            train.param = #train.param<"w", [6, 4], normal 0.02>},
        %f: tensor<f64> {train.role = #train.role<hyper>,
            train.hyper = "beta1"},
        %s: tensor<i32>) -> tensor<9x5x4xf32> {
      %x = train.loop "micro_batches" count 9 each(%y = %a : tensor<9x5xi32>)
          with(%w = %d : tensor<6x4xf32>, %t = %s : tensor<i32>)
          stacked(tensor<9x5x4xf32>) {
        %0 = train.embedding %w, %y start %t
            : tensor<6x4xf32>, tensor<5xi32>, tensor<i32>
        train.yield stacked(%0 : tensor<5x4xf32>)
      }
      return %x : tensor<9x5x4xf32>
    })");
  ASSERT_TRUE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  EXPECT_EQ(findLookupBound(function, 0), 6);
  EXPECT_EQ(findLookupBound(function, 2), 0);
  SmallVector<HostTensor> arguments = makeRandomArguments(function, 5);
  ASSERT_EQ(arguments.size(), 7u);
  std::set<double> tokens(arguments[0].values.begin(),
                          arguments[0].values.end());
  EXPECT_EQ(tokens, (std::set<double>{0, 1, 2, 3, 4, 5}));
  std::set<double> targets(arguments[1].values.begin(),
                           arguments[1].values.end());
  EXPECT_EQ(targets, (std::set<double>{-100, 0, 1, 2, 3, 4, 5}));
  for (int64_t i = 0; i < 45; ++i)
    EXPECT_EQ(arguments[2].values[i], double(i % 5));
  EXPECT_TRUE(
      llvm::all_of(arguments[4].values, [](double x) { return x >= 0; }));
  EXPECT_EQ(arguments[5].values[0], 0.9);
  EXPECT_EQ(arguments[6].values[0], 0);
}

TEST(RandomArguments, FollowTheSeedAndTheNameOnly) {
  const char *one = R"(
    func.func @f(
        %a: tensor<4xf32> {train.role = #train.role<parameter>,
            train.param = #train.param<"a", [4], normal 1.0>},
        %b: tensor<4xf32> {train.role = #train.role<parameter>,
            train.param = #train.param<"b", [4], normal 1.0>}) {
      return
    })";
  const char *two = R"(
    func.func @f(
        %b: tensor<2x2xf32> {train.role = #train.role<parameter>,
            train.param = #train.param<"b", [4], normal 1.0>}) {
      return
    })";
  auto moduleOne = parse(one), moduleTwo = parse(two);
  auto f = *moduleOne->getOps<func::FuncOp>().begin();
  auto g = *moduleTwo->getOps<func::FuncOp>().begin();
  EXPECT_EQ(makeRandomArguments(f, 1)[1].values,
            makeRandomArguments(g, 1)[0].values);
  EXPECT_NE(makeRandomArguments(f, 1)[0].values,
            makeRandomArguments(f, 1)[1].values);
  EXPECT_NE(makeRandomArguments(f, 1)[0].values,
            makeRandomArguments(f, 2)[0].values);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// Compares two programs; the exit code, and what was said in `errors`.
int compare(StringRef a, StringRef b, std::string &errors) {
  auto moduleA = parse(a), moduleB = parse(b);
  std::string output;
  llvm::raw_string_ostream out(output), err(errors);
  return interpretAgainst(*moduleA, *moduleB, {}, out, err);
}

TEST(Against, SameProgram) {
  std::string errors;
  EXPECT_EQ(compare(kForward, kForward, errors), 0);
  EXPECT_EQ(errors, "");
}

TEST(Against, OtherEpsilonNamesTheOutput) {
  std::string errors;
  EXPECT_EQ(compare(kForward, replace(kForward, "eps 1.0e-05", "eps 1.0e-02"),
                    errors),
            1);
  EXPECT_NE(errors.find("\"loss_sum\" of @forward differs"), std::string::npos)
      << errors;
}

TEST(Against, ResultsAreMatchedByName) {
  const char *a = R"(
    func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>)
        -> (tensor<2xf32> {train.result = "x"},
            tensor<2xf32> {train.result = "y"}) {
      return %x, %y : tensor<2xf32>, tensor<2xf32>
    })";
  const char *b = R"(
    func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>)
        -> (tensor<2xf32> {train.result = "y"},
            tensor<2xf32> {train.result = "x"}) {
      return %y, %x : tensor<2xf32>, tensor<2xf32>
    })";
  std::string errors;
  EXPECT_EQ(compare(a, b, errors), 0) << errors;
  EXPECT_EQ(compare(a, replace(b, "\"x\"", "\"z\""), errors), 1);
  EXPECT_NE(errors.find("has no result \"x\""), std::string::npos) << errors;
}

TEST(Against, NothingInCommon) {
  std::string errors;
  EXPECT_EQ(compare(kForward, "func.func @other() { return }", errors), 1);
  EXPECT_NE(errors.find("no public function in common"), std::string::npos);
}

TEST(Interpret, PrintsResults) {
  auto module = parse(kForward);
  std::string output, errors;
  llvm::raw_string_ostream out(output), err(errors);
  EXPECT_EQ(interpretProgram(*module, 1, out, err), 0);
  EXPECT_NE(output.find("@forward\n  loss_sum: [] norm"), std::string::npos)
      << output;
  EXPECT_EQ(errors, "");
}

} // namespace
