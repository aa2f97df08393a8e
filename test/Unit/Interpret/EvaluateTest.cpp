//===- EvaluateTest.cpp - Functions, loops and constants ------------------===//

#include "Harness.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace trireme;
using namespace trireme::test;
using train::HostTensor;

namespace {

TEST(Evaluate, LoopCarriesAndStacks) {
  // c <- 2 c + s: the order of iterations shows; stacks keep the index.
  for (bool reverse : {false, true}) {
    auto results = evaluate(
        llvm::formatv(R"(
      func.func @f(%x: tensor<3x1xf32>, %z: tensor<1xf32>, %w: tensor<1xf32>)
          -> (tensor<1xf32>, tensor<3x1xf32>) {{
        %0:2 = train.loop "layers" count 3 {0}carry(%c = %z : tensor<1xf32>)
            each(%s = %x : tensor<3x1xf32>) with(%v = %w : tensor<1xf32>)
            stacked(tensor<3x1xf32>) {{
          %1 = train.mul %c, %v : tensor<1xf32>
          %2 = train.add %1, %s : tensor<1xf32>
          train.yield carry(%2 : tensor<1xf32>) stacked(%2 : tensor<1xf32>)
        }
        return %0#0, %0#1 : tensor<1xf32>, tensor<3x1xf32>
      })",
                      reverse ? "reverse " : "")
            .str(),
        {tensor({3, 1}, {1, 2, 4}), tensor({1}, {0}), tensor({1}, {2})});
    ASSERT_EQ(results.size(), 2u);
    if (reverse) {
      expectNear(results[0].values, {21});
      expectNear(results[1].values, {21, 10, 4});
    } else {
      expectNear(results[0].values, {12});
      expectNear(results[1].values, {1, 4, 12});
    }
  }
}

TEST(Evaluate, CarriesSwap) {
  auto results = evaluate(R"(
    func.func @f(%x: tensor<1xf32>, %y: tensor<1xf32>)
        -> (tensor<1xf32>, tensor<1xf32>) {
      %0:2 = train.loop "chunks" count 3
          carry(%a = %x : tensor<1xf32>, %b = %y : tensor<1xf32>) {
        train.yield carry(%b, %a : tensor<1xf32>, tensor<1xf32>)
      }
      return %0#0, %0#1 : tensor<1xf32>, tensor<1xf32>
    })",
                          {tensor({1}, {1}), tensor({1}, {2})});
  ASSERT_EQ(results.size(), 2u);
  expectNear(results[0].values, {2});
  expectNear(results[1].values, {1});
}

TEST(Evaluate, LayerIsThatOfTheInnermostLayersLoop) {
  // Zero queries: the mean of what the window sees. Layers 1 and 2 of the list
  // run, each around a loop over chunks, which is no loop over layers.
  auto results =
      evaluate(R"(
    func.func @f(%q: tensor<1x3x1x1x1xf32>, %k: tensor<1x3x1x1xf32>,
                 %p: tensor<1x3xi32>) -> tensor<2x1x3x1x1x1xf32> {
      %0 = train.loop "layers" count 2 first 1
          with(%a = %q : tensor<1x3x1x1x1xf32>, %b = %k : tensor<1x3x1x1xf32>,
               %c = %p : tensor<1x3xi32>)
          stacked(tensor<2x1x3x1x1x1xf32>) {
        %1 = train.loop "chunks" count 2
            carry(%o = %a : tensor<1x3x1x1x1xf32>)
            with(%d = %a : tensor<1x3x1x1x1xf32>,
                 %e = %b : tensor<1x3x1x1xf32>, %f = %c : tensor<1x3xi32>) {
          %2, %3 = train.attention %d, %e, %e positions %f, %f scale 1.0
              {window = #train.per_layer<[3, 1, 2]>}
              : tensor<1x3x1x1x1xf32>, tensor<1x3x1x1xf32>, tensor<1x3xi32>
          train.yield carry(%2 : tensor<1x3x1x1x1xf32>)
        }
        train.yield stacked(%1 : tensor<1x3x1x1x1xf32>)
      }
      return %0 : tensor<2x1x3x1x1x1xf32>
    })",
               {HostTensor({1, 3, 1, 1, 1}), tensor({1, 3, 1, 1}, {1, 3, 8}),
                tensor({1, 3}, {0, 1, 2})});
  ASSERT_EQ(results.size(), 1u);
  expectNear(results[0].values, {1, 3, 8, 1, 2, 5.5});
}

TEST(Evaluate, Constants) {
  auto results = evaluate(R"(
    func.func @f() -> (tensor<2xf32>, tensor<2xi32>, tensor<i1>,
                       tensor<2x2xf32>) {
      %0 = arith.constant dense<[1.5, -2.0]> : tensor<2xf32>
      %1 = arith.constant dense<-100> : tensor<2xi32>
      %2 = arith.constant dense<true> : tensor<i1>
      %3 = train.fill 0.25 : tensor<2x2xf32>
      return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xi32>, tensor<i1>,
          tensor<2x2xf32>
    })",
                          {});
  ASSERT_EQ(results.size(), 4u);
  expectNear(results[0].values, {1.5, -2});
  expectNear(results[1].values, {-100, -100});
  expectNear(results[2].values, {1});
  expectNear(results[3].values, {0.25, 0.25, 0.25, 0.25});
}

TEST(Evaluate, ArgumentReturnedTwice) {
  auto results = evaluate(R"(
    func.func @f(%a: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
      return %a, %a : tensor<1xf32>, tensor<1xf32>
    })",
                          tensor({1}, {3}));
  ASSERT_EQ(results.size(), 2u);
  expectNear(results[0].values, {3});
  expectNear(results[1].values, {3});
}

TEST(Evaluate, Errors) {
  const char *text = R"(
    func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
      %0 = arith.addf %a, %a : tensor<2xf32>
      return %0 : tensor<2xf32>
    })";
  EXPECT_NE(
      evaluateError(text, tensor({2}, {1, 2})).find("cannot be evaluated"),
      std::string::npos);
  EXPECT_NE(evaluateError(text, tensor({3}, {1, 2, 3})).find("argument 0"),
            std::string::npos);
  EXPECT_NE(evaluateError(text, {}).find("is given 0 arguments, expected 1"),
            std::string::npos);
}

} // namespace
