//===- DerivativeTest.cpp - Derivative rules against finite differences ---===//
//
// Rule and evaluation could be wrong together; the differences depend on the
// evaluation of the forward operation alone.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace trireme::test;
using llvm::formatv;

namespace {

//===----------------------------------------------------------------------===//
// Element-wise
//===----------------------------------------------------------------------===//

TEST(Derivative, AddAndMul) {
  for (const char *op : {"add", "mul"})
    checkDerivative(formatv(R"(
      func.func @f(%a: tensor<3x4xf32>, %b: tensor<3x4xf32>)
          -> tensor<3x4xf32> {{
        %0 = train.{0} %a, %b : tensor<3x4xf32>
        return %0 : tensor<3x4xf32>
      })",
                            op)
                        .str());
}

TEST(Derivative, OperandUsedTwice) {
  checkDerivative(R"(
    func.func @f(%a: tensor<5xf32>) -> tensor<5xf32> {
      %0 = train.mul %a, %a : tensor<5xf32>
      %1 = train.add %0, %a : tensor<5xf32>
      %2 = train.mul %1, %a : tensor<5xf32>
      return %2 : tensor<5xf32>
    })");
}

TEST(Derivative, Unary) {
  std::pair<const char *, const char *> cases[] = {
      {"gelu %a", "train.gelu_grad"},
      {"gelu %a {tanh}", "train.gelu_grad"},
      {"silu %a", "train.silu_grad"},
      {"relu %a", "train.relu_grad"},
      {"softcap %a cap 1.5", "train.softcap_grad"},
      {"scale %a by -0.75", "train.scale"}};
  for (auto [op, contains] : cases) {
    DerivativeOptions options;
    options.contains = contains;
    checkDerivative(formatv(R"(
      func.func @f(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {{
        %0 = train.{0} : tensor<4x5xf32>
        return %0 : tensor<4x5xf32>
      })",
                            op)
                        .str(),
                    options);
  }
}

//===----------------------------------------------------------------------===//
// Matrix products and biases
//===----------------------------------------------------------------------===//

TEST(Derivative, LinearOfAllForms) {
  // Shapes and flags of one contraction of 2 x 3 elements.
  struct Case {
    const char *lhs, *rhs, *result, *attributes;
  } cases[] = {
      {"4x5x2x3", "2x3x6x2", "4x5x6x2", "contract 2"},
      {"4x2x3", "6x2x3", "4x6", "contract 2 rhs_transposed"},
      {"2x3x4", "2x3x5", "4x5", "contract 2 lhs_transposed"},
      {"6x4", "2x5x6", "4x2x5", "contract 1 lhs_transposed rhs_transposed"},
  };
  for (const Case &c : cases)
    checkDerivative(formatv(R"(
      func.func @f(%a: tensor<{0}xf32>, %b: tensor<{1}xf32>)
          -> tensor<{2}xf32> {{
        %0 = train.linear %a, %b {3} : tensor<{0}xf32>, tensor<{1}xf32>
        return %0 : tensor<{2}xf32>
      })",
                            c.lhs, c.rhs, c.result, c.attributes)
                        .str());
}

TEST(Derivative, AddBias) {
  DerivativeOptions options;
  options.contains = "train.sum_leading";
  for (const char *bias : {"4", "3x4"})
    checkDerivative(formatv(R"(
      func.func @f(%a: tensor<2x3x4xf32>, %b: tensor<{0}xf32>)
          -> tensor<2x3x4xf32> {{
        %0 = train.add_bias %a, %b : tensor<2x3x4xf32>, tensor<{0}xf32>
        return %0 : tensor<2x3x4xf32>
      })",
                            bias)
                        .str(),
                    options);
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

TEST(Derivative, RMSNorm) {
  DerivativeOptions options;
  options.contains = "train.rms_norm_grad";
  // The large epsilon shows in every element.
  for (const char *attributes :
       {"eps 1.0e-06", "eps 0.3", "eps 0.01 {gain_offset = 1.0}"})
    checkDerivative(formatv(R"(
      func.func @f(%x: tensor<2x3x6xf32>, %g: tensor<6xf32>)
          -> tensor<2x3x6xf32> {{
        %0, %1 = train.rms_norm %x, %g {0} : tensor<2x3x6xf32>, tensor<6xf32>
        return %0 : tensor<2x3x6xf32>
      })",
                            attributes)
                        .str(),
                    options);
}

TEST(Derivative, LayerNorm) {
  DerivativeOptions options;
  options.contains = "train.layer_norm_grad";
  for (const char *eps : {"1.0e-05", "0.3"})
    checkDerivative(formatv(R"(
      func.func @f(%x: tensor<2x3x6xf32>, %g: tensor<6xf32>,
                   %b: tensor<6xf32>) -> tensor<2x3x6xf32> {{
        %0, %1, %2 = train.layer_norm %x, %g, %b eps {0}
            : tensor<2x3x6xf32>, tensor<6xf32>
        return %0 : tensor<2x3x6xf32>
      })",
                            eps)
                        .str(),
                    options);
}

//===----------------------------------------------------------------------===//
// Positions and attention
//===----------------------------------------------------------------------===//

TEST(Derivative, Embedding) {
  // A row looked up twice, one never, and an id of another rank's rows.
  DerivativeOptions options;
  options.contains = "train.embedding_grad";
  options.values = {{1, tensor({2, 3}, {10, 12, 12, 14, 10, 9})},
                    {2, tensor({}, {10})}};
  checkDerivative(R"(
    func.func @f(%t: tensor<5x2x3xf32>, %ids: tensor<2x3xi32>,
                 %start: tensor<i32>) -> tensor<2x3x2x3xf32> {
      %0 = train.embedding %t, %ids start %start
          : tensor<5x2x3xf32>, tensor<2x3xi32>, tensor<i32>
      return %0 : tensor<2x3x2x3xf32>
    })",
                  options);
}

TEST(Derivative, Rotary) {
  // All of a head rotates, or its first part.
  for (const char *pairs : {"3", "2"})
    for (const char *inverse : {"", "inverse"}) {
      DerivativeOptions options;
      unsigned table = 1;
      options.constants = table;
      checkDerivative(formatv(R"(
        func.func @f(%x: tensor<2x3x2x6xf32>, %t: tensor<2x3x2x{0}xf32>)
            -> tensor<2x3x2x6xf32> {{
          %0 = train.rotary %x, %t {1}
              : tensor<2x3x2x6xf32>, tensor<2x3x2x{0}xf32>
          return %0 : tensor<2x3x2x6xf32>
        })",
                              pairs, inverse)
                          .str(),
                      options);
    }
}

TEST(Derivative, Attention) {
  DerivativeOptions options;
  options.contains = "train.attention_grad";
  // One row in order, one whose positions are a permutation.
  options.values = {{3, tensor({2, 4}, {0, 1, 2, 3, 5, 2, 7, 4})}};
  for (const char *attributes :
       {"scale 0.6 {window = 0 : i64}", "scale 0.6 {window = 2 : i64}",
        "scale 1.3 {softcap = 0.9, window = 0 : i64}",
        "scale 1.3 {softcap = 0.9, window = 3 : i64}",
        "scale 0.6 {window = 0 : i64, blocks = 2 : i64}"})
    checkDerivative(formatv(R"(
      func.func @f(%q: tensor<2x4x2x2x3xf32>, %k: tensor<2x4x2x3xf32>,
                   %v: tensor<2x4x2x3xf32>, %p: tensor<2x4xi32>)
          -> tensor<2x4x2x2x3xf32> {{
        %0, %1 = train.attention %q, %k, %v positions %p, %p {0}
            : tensor<2x4x2x2x3xf32>, tensor<2x4x2x3xf32>, tensor<2x4xi32>
        return %0 : tensor<2x4x2x2x3xf32>
      })",
                            attributes)
                        .str(),
                    options);
  // Fewer keys than queries; the first query sees none.
  options.values = {{3, tensor({1, 3}, {0, 1, 2})},
                    {4, tensor({1, 2}, {1, 2})}};
  checkDerivative(R"(
    func.func @f(%q: tensor<1x3x2x2x3xf32>, %k: tensor<1x2x2x3xf32>,
                 %v: tensor<1x2x2x3xf32>, %p: tensor<1x3xi32>,
                 %s: tensor<1x2xi32>) -> tensor<1x3x2x2x3xf32> {
      %0, %1 = train.attention %q, %k, %v positions %p, %s scale 0.6
          {window = 0 : i64}
          : tensor<1x3x2x2x3xf32>, tensor<1x2x2x3xf32>, tensor<1x3xi32>
      return %0 : tensor<1x3x2x2x3xf32>
    })",
                  options);
}

//===----------------------------------------------------------------------===//
// The loss
//===----------------------------------------------------------------------===//

TEST(Derivative, CrossEntropyHead) {
  DerivativeOptions options;
  options.contains = "train.cross_entropy_head_grad";
  options.values = {{2, tensor({2, 3}, {0, 4, -100, 2, 2, -100})},
                    {3, tensor({}, {0})}};
  for (const char *softcap : {"", "{softcap = 1.2}"})
    checkDerivative(formatv(R"(
      func.func @f(%h: tensor<2x3x4xf32>, %w: tensor<5x4xf32>,
                   %t: tensor<2x3xi32>, %s: tensor<i32>) -> tensor<f32> {{
        %0, %1 = train.cross_entropy_head %h, %w targets %t start %s {0}
            : tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<2x3xi32>, tensor<i32>
        return %0 : tensor<f32>
      })",
                            softcap)
                        .str(),
                    options);
}

TEST(Derivative, TiedTable) {
  DerivativeOptions options;
  options.values = {{1, tensor({2, 3}, {0, 4, 1, 2, 2, 1})},
                    {2, tensor({2, 3}, {4, 1, -100, 2, 1, 0})},
                    {3, tensor({}, {0})}};
  checkDerivative(R"(
    func.func @f(%w: tensor<5x4xf32>, %ids: tensor<2x3xi32>,
                 %t: tensor<2x3xi32>, %s: tensor<i32>) -> tensor<f32> {
      %h = train.embedding %w, %ids start %s
          : tensor<5x4xf32>, tensor<2x3xi32>, tensor<i32>
      %g = train.silu %h : tensor<2x3x4xf32>
      %0, %1 = train.cross_entropy_head %g, %w targets %t start %s
          : tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<2x3xi32>, tensor<i32>
      return %0 : tensor<f32>
    })",
                  options);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

TEST(Derivative, Reshape) {
  checkDerivative(R"(
    func.func @f(%a: tensor<2x6xf32>) -> tensor<3x4xf32> {
      %0 = train.reshape %a : tensor<2x6xf32> -> tensor<3x4xf32>
      return %0 : tensor<3x4xf32>
    })");
}

TEST(Derivative, UnstackWithAnUnusedSlice) {
  for (int dim : {0, 1, 2}) {
    std::string shapes[] = {"3x2x2", "2x3x2", "2x2x3"};
    checkDerivative(formatv(R"(
      func.func @f(%a: tensor<{0}xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {{
        %0:3 = train.unstack %a dim {1} : tensor<{0}xf32>
        return %0#0, %0#2 : tensor<2x2xf32>, tensor<2x2xf32>
      })",
                            shapes[dim], dim)
                        .str());
  }
}

TEST(Derivative, Stack) {
  for (int dim : {0, 1, 2}) {
    std::string shapes[] = {"2x2x3", "2x2x3", "2x3x2"};
    checkDerivative(formatv(R"(
      func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>)
          -> tensor<{0}xf32> {{
        %0 = train.stack %a, %b dim {1} : tensor<2x3xf32>, tensor<2x3xf32>
        return %0 : tensor<{0}xf32>
      })",
                            shapes[dim], dim)
                        .str());
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

TEST(Derivative, LoopWithAllKindsOfOperands) {
  // A carry, a parameter a layer, an invariant used in each, a stacked result.
  for (const char *reverse : {"", "reverse "})
    checkDerivative(formatv(R"(
      func.func @f(%x: tensor<2x3xf32>, %w: tensor<4x3x3xf32>,
                   %b: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<4x2x3xf32>) {{
        %0:2 = train.loop "layers" count 4 {0}carry(%c = %x : tensor<2x3xf32>)
            each(%s = %w : tensor<4x3x3xf32>) with(%d = %b : tensor<3xf32>)
            stacked(tensor<4x2x3xf32>) {{
          %1 = train.linear %c, %s contract 1
              : tensor<2x3xf32>, tensor<3x3xf32>
          %2 = train.add_bias %1, %d : tensor<2x3xf32>, tensor<3xf32>
          %3 = train.gelu %2 : tensor<2x3xf32>
          %4 = train.add %3, %c : tensor<2x3xf32>
          train.yield carry(%4 : tensor<2x3xf32>) stacked(%3 : tensor<2x3xf32>)
        }
        return %0#0, %0#1 : tensor<2x3xf32>, tensor<4x2x3xf32>
      })",
                            reverse)
                        .str());
}

TEST(Derivative, LoopComputesFromParametersAgain) {
  checkDerivative(R"(
    func.func @f(%x: tensor<2x3xf32>, %w: tensor<2x9xf32>) -> tensor<2x3xf32> {
      %0 = train.loop "layers" count 2 carry(%c = %x : tensor<2x3xf32>)
          each(%s = %w : tensor<2x9xf32>) {
        %1 = train.scale %s by 0.5 : tensor<9xf32>
        %2 = train.reshape %1 : tensor<9xf32> -> tensor<3x3xf32>
        %3 = train.linear %c, %2 contract 1
            : tensor<2x3xf32>, tensor<3x3xf32>
        train.yield carry(%3 : tensor<2x3xf32>)
      }
      return %0 : tensor<2x3xf32>
    })");
}

TEST(Derivative, NestedLoops) {
  checkDerivative(R"(
    func.func @f(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> tensor<3xf32> {
      %z = train.fill 1.0 : tensor<3xf32>
      %0 = train.loop "micro_batches" count 2 carry(%a = %z : tensor<3xf32>)
          each(%s = %x : tensor<2x3xf32>) with(%v = %w : tensor<2x3xf32>) {
        %1 = train.loop "layers" count 2 carry(%c = %s : tensor<3xf32>)
            each(%u = %v : tensor<2x3xf32>) {
          %2 = train.mul %c, %u : tensor<3xf32>
          %3 = train.silu %2 : tensor<3xf32>
          train.yield carry(%3 : tensor<3xf32>)
        }
        %4 = train.mul %a, %1 : tensor<3xf32>
        train.yield carry(%4 : tensor<3xf32>)
      }
      return %0 : tensor<3xf32>
    })");
}

TEST(Derivative, WindowThatDiffersByLayer) {
  DerivativeOptions options;
  options.values = {{1, tensor({1, 4}, {0, 1, 2, 3})}};
  checkDerivative(R"(
    func.func @f(%x: tensor<1x4x1x1x2xf32>, %p: tensor<1x4xi32>)
        -> tensor<1x4x1x1x2xf32> {
      %0 = train.loop "layers" count 2 first 1
          carry(%q = %x : tensor<1x4x1x1x2xf32>) with(%r = %p : tensor<1x4xi32>) {
        %k = train.reshape %q
            : tensor<1x4x1x1x2xf32> -> tensor<1x4x1x2xf32>
        %v = train.gelu %k : tensor<1x4x1x2xf32>
        %1, %2 = train.attention %q, %k, %v positions %r, %r scale 0.7
            {window = #train.per_layer<[1, 2, 0]>}
            : tensor<1x4x1x1x2xf32>, tensor<1x4x1x2xf32>, tensor<1x4xi32>
        train.yield carry(%1 : tensor<1x4x1x1x2xf32>)
      }
      return %0 : tensor<1x4x1x1x2xf32>
    })",
                  options);
}

} // namespace
