//===- OperationTest.cpp - Meanings that can be worked out by hand --------===//

#include "Harness.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "trireme/Dialect/Train/IR/Train.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace trireme;
using namespace trireme::test;
using train::HostTensor;

namespace {

/// Numbers that count up from `first`.
HostTensor ramp(llvm::ArrayRef<int64_t> shape, double first = 0) {
  HostTensor result(shape);
  for (int64_t i = 0; i < result.size(); ++i)
    result.values[i] = first + double(i);
  return result;
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

TEST(Operation, LinearContractsSeveralDimsAndAccumulates) {
  // [2, (2, 3)] times [(2, 3), 2], onto an accumulator.
  auto results = evaluate(
      R"(
    func.func @f(%a: tensor<2x2x3xf32>, %b: tensor<2x3x2xf32>,
                 %c: tensor<2x2xf32>) -> tensor<2x2xf32> {
      %0 = train.linear %a, %b contract 2 accumulate %c : tensor<2x2xf32>
          : tensor<2x2x3xf32>, tensor<2x3x2xf32>
      return %0 : tensor<2x2xf32>
    })",
      {ramp({2, 2, 3}), ramp({2, 3, 2}), tensor({2, 2}, {1000, 0, 0, 0})});
  ASSERT_EQ(results.size(), 1u);
  expectNear(results[0].values, {1110, 125, 290, 341});
}

TEST(Operation, LinearReadsTransposedOperands) {
  // The same product from both operands stored the other way round.
  auto results = evaluate(R"(
    func.func @f(%a: tensor<3x2xf32>, %b: tensor<2x3xf32>) -> tensor<2x2xf32> {
      %0 = train.linear %a, %b contract 1 lhs_transposed rhs_transposed
          : tensor<3x2xf32>, tensor<2x3xf32>
      return %0 : tensor<2x2xf32>
    })",
                          {tensor({3, 2}, {1, 4, 2, 5, 3, 6}),
                           tensor({2, 3}, {7, 9, 11, 8, 10, 12})});
  ASSERT_EQ(results.size(), 1u);
  expectNear(results[0].values, {58, 64, 139, 154});
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

TEST(Operation, Activations) {
  std::pair<const char *, double> cases[] = {
      {"gelu %a", 0.8413447460685429},
      {"gelu %a {tanh}", 0.8411919906082768},
      {"silu %a", 0.7310585786300049},
      {"softcap %a cap 2.0", 2 * std::tanh(0.5)},
      {"relu %a", 1}};
  for (auto [op, expected] : cases) {
    auto results = evaluate(llvm::formatv(R"(
      func.func @f(%a: tensor<1xf32>) -> tensor<1xf32> {{
        %0 = train.{0} : tensor<1xf32>
        return %0 : tensor<1xf32>
      })",
                                          op)
                                .str(),
                            tensor({1}, {1}));
    ASSERT_EQ(results.size(), 1u);
    EXPECT_NEAR(results[0].values[0], expected, 1e-15) << op;
  }
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

TEST(Operation, RMSNorm) {
  // The mean of squares is 4, with epsilon 6.25.
  auto results =
      evaluate(R"(
    func.func @f(%x: tensor<1x4xf32>, %g: tensor<4xf32>)
        -> (tensor<1x4xf32>, tensor<1xf32>) {
      %0, %1 = train.rms_norm %x, %g eps 2.25 {gain_offset = 1.0}
          : tensor<1x4xf32>, tensor<4xf32>
      return %0, %1 : tensor<1x4xf32>, tensor<1xf32>
    })",
               {tensor({1, 4}, {2, -2, 2, -2}), tensor({4}, {0, 1, -1, 0.5})});
  ASSERT_EQ(results.size(), 2u);
  expectNear(results[0].values, {0.8, -1.6, 0, -1.2});
  expectNear(results[1].values, {0.4});
}

TEST(Operation, LayerNorm) {
  // Mean 3 and biased variance 1, with epsilon 1.5625.
  auto results =
      evaluate(R"(
    func.func @f(%x: tensor<1x4xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>)
        -> (tensor<1x4xf32>, tensor<1xf32>, tensor<1xf32>) {
      %0, %1, %2 = train.layer_norm %x, %g, %b eps 0.5625
          : tensor<1x4xf32>, tensor<4xf32>
      return %0, %1, %2 : tensor<1x4xf32>, tensor<1xf32>, tensor<1xf32>
    })",
               {tensor({1, 4}, {2, 4, 2, 4}), tensor({4}, {1, 2, 1, 1}),
                tensor({4}, {0, 10, 0, 0})});
  ASSERT_EQ(results.size(), 3u);
  expectNear(results[0].values, {-0.8, 11.6, -0.8, 0.8});
  expectNear(results[1].values, {3});
  expectNear(results[2].values, {0.8});
}

//===----------------------------------------------------------------------===//
// Positions and attention
//===----------------------------------------------------------------------===//

TEST(Operation, EmbeddingGradAddsToItsAccumulator) {
  auto results = evaluate(R"(
    func.func @f(%i: tensor<3xi32>, %g: tensor<3x2xf32>, %s: tensor<i32>,
                 %a: tensor<2x2xf32>) -> tensor<2x2xf32> {
      %0 = train.embedding_grad %i, %g start %s accumulate %a : tensor<2x2xf32>
          : tensor<3xi32>, tensor<3x2xf32>, tensor<i32> -> tensor<2x2xf32>
      return %0 : tensor<2x2xf32>
    })",
                          {tensor({3}, {5, 4, 5}), ramp({3, 2}),
                           tensor({}, {4}), tensor({2, 2}, {10, 0, 0, 0})});
  ASSERT_EQ(results.size(), 1u);
  expectNear(results[0].values, {12, 3, 4, 6});
}

TEST(Operation, RotaryPairsTheHalves) {
  // Two of three pairs' worth of a head rotate: elements 0 and 2, 1 and 3.
  auto results =
      evaluate(R"(
    func.func @f(%x: tensor<1x1x1x6xf32>, %p: tensor<1x1xi32>)
        -> (tensor<1x1x2x2xf32>, tensor<1x1x1x6xf32>) {
      %t = train.rotary_table %p rope <dims = 4, theta = 100.0 : f64,
          scaling = "none", factor = 1.0 : f64, low = 1.0 : f64,
          high = 4.0 : f64, original = 0> : tensor<1x1xi32>
      %0 = train.rotary %x, %t : tensor<1x1x1x6xf32>, tensor<1x1x2x2xf32>
      return %t, %0 : tensor<1x1x2x2xf32>, tensor<1x1x1x6xf32>
    })",
               {tensor({1, 1, 1, 6}, {1, 1, 0, 0, 5, 6}), tensor({1, 1}, {3})});
  ASSERT_EQ(results.size(), 2u);
  // The frequencies are 1 and 1 / 10.
  double c0 = std::cos(3.0), s0 = std::sin(3.0);
  double c1 = std::cos(0.3), s1 = std::sin(0.3);
  expectNear(results[0].values, {c0, c1, s0, s1});
  expectNear(results[1].values, {c0, c1, s0, s1, 5, 6});
}

/// Attention of one row of queries with head size 1.
llvm::SmallVector<HostTensor> attend(llvm::StringRef attributes,
                                     const HostTensor &q, const HostTensor &k,
                                     const HostTensor &v,
                                     const HostTensor &positions) {
  auto shape = [](const HostTensor &t) {
    std::string text;
    for (int64_t dim : t.shape)
      text += std::to_string(dim) + "x";
    return "tensor<" + text;
  };
  return evaluate(llvm::formatv(R"(
    func.func @f(%q: {0}f32>, %k: {1}f32>, %v: {1}f32>, %p: {2}i32>)
        -> {0}f32> {{
      %0, %1 = train.attention %q, %k, %v positions %p, %p {3}
          : {0}f32>, {1}f32>, {2}i32>
      return %0 : {0}f32>
    })",
                                shape(q), shape(k), shape(positions),
                                attributes)
                      .str(),
                  {q, k, v, positions});
}

TEST(Operation, AttentionSeesThePastWithinItsWindow) {
  // Queries of zero weigh what they see alike.
  HostTensor q({1, 4, 1, 1, 1}), k = ramp({1, 4, 1, 1});
  HostTensor v = tensor({1, 4, 1, 1}, {1, 3, 8, 4});
  HostTensor positions = ramp({1, 4});
  expectNear(
      attend("scale 1.0 {window = 0 : i64}", q, k, v, positions)[0].values,
      {1, 2, 4, 4});
  expectNear(
      attend("scale 1.0 {window = 2 : i64}", q, k, v, positions)[0].values,
      {1, 2, 5.5, 6});
  expectNear(
      attend("scale 1.0 {window = 1 : i64}", q, k, v, positions)[0].values,
      {1, 3, 8, 4});
  // Positions decide, not places: here the sequence stands backwards.
  expectNear(attend("scale 1.0 {window = 0 : i64}", q, k, v,
                    tensor({1, 4}, {3, 2, 1, 0}))[0]
                 .values,
             {4, 5, 6, 4});
}

TEST(Operation, AttentionScaleCapAndGroups) {
  // One query of two kv heads with two query heads each, two keys.
  HostTensor q = tensor({1, 2, 2, 2, 1}, {0, 0, 0, 0, 1, 2, 3, 4});
  HostTensor k = tensor({1, 2, 2, 1}, {0, 0, 1, -1});
  HostTensor v = tensor({1, 2, 2, 1}, {0, 0, 1, 1});
  auto weight = [](double score) { return 1 / (1 + std::exp(-score)); };
  HostTensor positions = tensor({1, 2}, {0, 1});
  auto plain = attend("scale 0.5 {window = 0 : i64}", q, k, v, positions);
  expectNear(plain[0].values,
             {0, 0, 0, 0, weight(0.5), weight(1), weight(-1.5), weight(-2)});
  auto capped =
      attend("scale 0.5 {window = 0 : i64, softcap = 1.0}", q, k, v, positions);
  expectNear(capped[0].values,
             {0, 0, 0, 0, weight(std::tanh(0.5)), weight(std::tanh(1)),
              weight(std::tanh(-1.5)), weight(std::tanh(-2))});
}

// The keys in two parts give, merged, what all of them give; the first query
// sees none of the second part.
TEST(Operation, AttentionOfPartsOfTheKeysMerges) {
  auto results = evaluate(
      R"(
    func.func @f(%q: tensor<1x3x1x1x1xf32>, %k: tensor<1x4x1x1xf32>,
                 %k1: tensor<1x1x1x1xf32>, %k2: tensor<1x3x1x1xf32>,
                 %p: tensor<1x3xi32>, %s: tensor<1x4xi32>,
                 %s1: tensor<1x1xi32>, %s2: tensor<1x3xi32>)
        -> (tensor<1x3x1x1x1xf32>, tensor<1x1x1x3xf32>, tensor<1x3x1x1x1xf32>,
            tensor<1x1x1x3xf32>, tensor<1x3x1x1x1xf32>, tensor<1x1x1x3xf32>) {
      %o, %l = train.attention %q, %k, %k positions %p, %s scale 0.7
          {window = 0 : i64}
          : tensor<1x3x1x1x1xf32>, tensor<1x4x1x1xf32>, tensor<1x3xi32>
      %o1, %l1 = train.attention %q, %k1, %k1 positions %p, %s1 scale 0.7
          {window = 0 : i64}
          : tensor<1x3x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x3xi32>
      %o2, %l2 = train.attention %q, %k2, %k2 positions %p, %s2 scale 0.7
          {window = 0 : i64}
          : tensor<1x3x1x1x1xf32>, tensor<1x3x1x1xf32>, tensor<1x3xi32>
      %m, %n = train.merge_attention %o1, %l1, %o2, %l2
          : tensor<1x3x1x1x1xf32>, tensor<1x1x1x3xf32>
      return %o, %l, %m, %n, %o2, %l2 : tensor<1x3x1x1x1xf32>,
          tensor<1x1x1x3xf32>, tensor<1x3x1x1x1xf32>, tensor<1x1x1x3xf32>,
          tensor<1x3x1x1x1xf32>, tensor<1x1x1x3xf32>
    })",
      {tensor({1, 3, 1, 1, 1}, {1, -2, 3}), tensor({1, 4, 1, 1}, {5, 1, 2, 3}),
       tensor({1, 1, 1, 1}, {5}), tensor({1, 3, 1, 1}, {1, 2, 3}),
       tensor({1, 3}, {0, 1, 3}), tensor({1, 4}, {0, 1, 2, 3}),
       tensor({1, 1}, {0}), tensor({1, 3}, {1, 2, 3})});
  ASSERT_EQ(results.size(), 6u);
  expectNear(results[2].values, results[0].values);
  expectNear(results[3].values, results[1].values);
  EXPECT_EQ(results[4].values[0], 0);
  EXPECT_EQ(results[5].values[0], -HUGE_VAL);
}

// Queries of a block see the keys of the same block; a rank's half of the
// sequence is one block.
TEST(Operation, AttentionInBlocks) {
  const char *text = R"(
    func.func @f(%q: tensor<1x4x1x1x1xf32>, %k: tensor<1x4x1x1xf32>,
                 %p: tensor<1x4xi32>) -> tensor<1x4x1x1x1xf32> {
      %0, %1 = train.attention %q, %k, %k positions %p, %p scale 1.0
          {window = 0 : i64, blocks = 2 : i64}
          : tensor<1x4x1x1x1xf32>, tensor<1x4x1x1xf32>, tensor<1x4xi32>
      return %0 : tensor<1x4x1x1x1xf32>
    })";
  HostTensor k = tensor({1, 4, 1, 1}, {1, 3, 8, 4});
  auto results = evaluate(text, {HostTensor({1, 4, 1, 1, 1}), k, ramp({1, 4})});
  ASSERT_EQ(results.size(), 1u);
  expectNear(results[0].values, {1, 2, 8, 6});

  mlir::OwningOpRef<mlir::ModuleOp> module = parse(text);
  ASSERT_TRUE(module);
  const HostTensor q({1, 2, 1, 1, 1}), half = tensor({1, 2, 1, 1}, {8, 4}),
                                       positions = ramp({1, 2}, 2);
  HostTensor outputs[] = {HostTensor({1, 2, 1, 1, 1}),
                          HostTensor({1, 1, 1, 2})};
  module->walk([&](train::AttentionOp op) {
    EXPECT_TRUE(succeeded(op.evaluate(
        {&q, &half, &half, &positions, &positions}, outputs, /*layer=*/0)));
  });
  expectNear(outputs[0].values, {8, 6});
}

//===----------------------------------------------------------------------===//
// The loss
//===----------------------------------------------------------------------===//

TEST(Operation, HeadSumsOverTargets) {
  // Logits 0 and 2 for both tokens; the second has no target.
  auto results = evaluate(R"(
    func.func @f(%h: tensor<2x1xf32>, %w: tensor<2x1xf32>, %t: tensor<2xi32>,
                 %s: tensor<i32>) -> (tensor<f32>, tensor<f32>) {
      %0, %1 = train.cross_entropy_head %h, %w targets %t start %s
          : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2xi32>, tensor<i32>
      return %0, %1 : tensor<f32>, tensor<f32>
    })",
                          {tensor({2, 1}, {1, 1}), tensor({2, 1}, {0, 2}),
                           tensor({2}, {0, -100}), tensor({}, {0})});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_NEAR(results[0].values[0], std::log(1 + std::exp(2.0)), 1e-15);
  EXPECT_EQ(results[1].values[0], 1);
}

TEST(Operation, TargetOutsideTheVocabulary) {
  std::string message = evaluateError(
      R"(
    func.func @f(%h: tensor<2x1xf32>, %w: tensor<5x1xf32>, %t: tensor<2xi32>,
                 %s: tensor<i32>) -> tensor<f32> {
      %0, %1 = train.cross_entropy_head %h, %w targets %t start %s
          {valid = 4 : i64}
          : tensor<2x1xf32>, tensor<5x1xf32>, tensor<2xi32>, tensor<i32>
      return %0 : tensor<f32>
    })",
      {ramp({2, 1}), ramp({5, 1}), tensor({2}, {3, 4}), tensor({}, {0})});
  EXPECT_NE(message.find("has target 4 at index 1"), std::string::npos)
      << message;
}

// Chunks of tokens of two blocks give what the head gives as one op.
TEST(Operation, HeadExpandsToChunksOfBlocks) {
  const char *text = R"(
    func.func @f(%h: tensor<4x6x3xf32>, %w: tensor<7x3xf32>,
                 %t: tensor<4x6xi32>, %s: tensor<i32>, %d: tensor<f32>)
        -> (tensor<f32>, tensor<f32>, tensor<4x6x3xf32>, tensor<7x3xf32>) {
      %0, %1 = train.cross_entropy_head %h, %w targets %t start %s
          {valid = 5 : i64}
          : tensor<4x6x3xf32>, tensor<7x3xf32>, tensor<4x6xi32>, tensor<i32>
      %2, %3, %4 = train.cross_entropy_head_grad %h, %w targets %t start %s
          seed %d {softcap = 2.0, valid = 5 : i64}
          : tensor<4x6x3xf32>, tensor<7x3xf32>, tensor<4x6xi32>, tensor<i32>,
            tensor<f32>
      return %0, %2, %3, %4 : tensor<f32>, tensor<f32>, tensor<4x6x3xf32>,
          tensor<7x3xf32>
    })";
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(text);
  ASSERT_TRUE(module);
  auto function = *module->getOps<mlir::FunctionOpInterface>().begin();
  llvm::SmallVector<HostTensor> arguments = makeRandomArguments(function, 5);
  for (int64_t i = 0; i < arguments[2].size(); ++i)
    arguments[2].values[i] = i % 5 == 3 ? -100 : double(i * i % 5);
  llvm::SmallVector<HostTensor> whole, chunked;
  ASSERT_TRUE(succeeded(evaluateFunction(function, arguments, whole)));
  llvm::SmallVector<train::HeadOpInterface> heads;
  module->walk([&](train::HeadOpInterface head) { heads.push_back(head); });
  for (train::HeadOpInterface head : heads) {
    mlir::OpBuilder builder(head);
    head->replaceAllUsesWith(head.expand(builder, /*chunks=*/2, {2, 3}));
    head->erase();
  }
  ASSERT_EQ(heads.size(), 2u);
  ASSERT_TRUE(succeeded(mlir::verify(*module)));
  ASSERT_TRUE(succeeded(evaluateFunction(function, arguments, chunked)));
  for (auto [a, b] : llvm::zip_equal(whole, chunked))
    expectNear(b.values, a.values, 1e-12);
}

// Tokens [4, 3] in 2 x 1 blocks and 3 chunks: a chunk has two tokens of each
// block. One rank's half of the rows is one block, chunked in order.
TEST(Operation, ChunksOfBlocks) {
  const char *text = R"(
    func.func @f(%x: tensor<4x3xf32>) -> (tensor<3x4xf32>, tensor<4x3xf32>) {
      %0 = train.chunk %x leading 2 chunks 3 blocks [2, 1] : tensor<4x3xf32>
      %1 = train.unchunk %0 leading 2 chunks 3 blocks [2, 1]
          : tensor<3x4xf32> -> tensor<4x3xf32>
      return %0, %1 : tensor<3x4xf32>, tensor<4x3xf32>
    })";
  auto results =
      evaluate(text, {tensor({4, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})});
  ASSERT_EQ(results.size(), 2u);
  expectNear(results[0].values, {0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11});
  expectNear(results[1].values, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});

  mlir::OwningOpRef<mlir::ModuleOp> module = parse(text);
  ASSERT_TRUE(module);
  const HostTensor half = tensor({2, 3}, {6, 7, 8, 9, 10, 11});
  HostTensor chunks({3, 2}), back({2, 3});
  module->walk([&](train::ChunkOp op) {
    EXPECT_TRUE(succeeded(op.evaluate({&half}, chunks, /*layer=*/0)));
  });
  module->walk([&](train::UnchunkOp op) {
    EXPECT_TRUE(succeeded(op.evaluate({&chunks}, back, /*layer=*/0)));
  });
  expectNear(chunks.values, half.values);
  expectNear(back.values, half.values);
  // A quarter is no block.
  mlir::ScopedDiagnosticHandler quiet(
      module->getContext(), [](mlir::Diagnostic &) { return llvm::success(); });
  const HostTensor row({1, 3});
  module->walk([&](train::ChunkOp op) {
    EXPECT_TRUE(failed(op.evaluate({&row}, chunks, /*layer=*/0)));
  });
}

// What two halves of the vocabulary give, reduced, is what the whole gives; the
// last column is pad.
TEST(Operation, CrossEntropyOfPartsOfTheVocabulary) {
  const char *text = R"(
    func.func @f(%x: tensor<2x2xf32>, %m: tensor<2xf32>, %t: tensor<2xi32>,
                 %s: tensor<i32>)
        -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
      %0 = train.row_max %x start %s {valid = 3 : i64}
          : tensor<2x2xf32>, tensor<i32>
      %1 = train.row_exp_sum %x, %m start %s {valid = 3 : i64}
          : tensor<2x2xf32>, tensor<2xf32>, tensor<i32>
      %2 = train.pick %x, %t start %s
          : tensor<2x2xf32>, tensor<2xi32>, tensor<i32>
      return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
    })";
  HostTensor targets = tensor({2}, {2, -100}), max = tensor({2}, {3, 1});
  auto low = evaluate(
      text, {tensor({2, 2}, {1, 2, 1, 0}), max, targets, tensor({}, {0})});
  auto high = evaluate(
      text, {tensor({2, 2}, {3, 9, -1, 9}), max, targets, tensor({}, {2})});
  ASSERT_EQ(high.size(), 3u);
  expectNear(low[0].values, {2, 1});
  expectNear(high[0].values, {3, -1});
  expectNear(low[1].values,
             {std::exp(-2.0) + std::exp(-1.0), 1 + std::exp(-1.0)});
  expectNear(high[1].values, {1, std::exp(-2.0)});
  expectNear(low[2].values, {0, 0});
  expectNear(high[2].values, {3, 0});
}

//===----------------------------------------------------------------------===//
// The step
//===----------------------------------------------------------------------===//

TEST(Operation, AdamWStepByStep) {
  // One element, two steps worked out from the definition.
  const char *text = R"(
    func.func @f(%p: tensor<1xf32>, %g: tensor<1xf32>, %m: tensor<1xf32>,
                 %v: tensor<1xf32>, %t: tensor<f64>)
        -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
      %f = train.fill 0.5 : tensor<f32>
      %a = train.fill 1.0 : tensor<i1>
      %lr = train.fill 0.1 : tensor<f64>
      %b1 = train.fill 0.5 : tensor<f64>
      %b2 = train.fill 0.75 : tensor<f64>
      %e = train.fill 1.0 : tensor<f64>
      %0, %1, %2 = train.adamw %p, %g, %m, %v factor %f apply %a lr %lr
          betas %b1, %b2 eps %e weight_decay %lr step %t {decay}
          : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>,
            tensor<f32>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>,
            tensor<f64>, tensor<f64>, tensor<f64>
      return %0, %1, %2 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    })";
  HostTensor p = tensor({1}, {2}), g = tensor({1}, {8});
  auto first = evaluate(
      text, {p, g, tensor({1}, {0}), tensor({1}, {0}), tensor({}, {1})});
  ASSERT_EQ(first.size(), 3u);
  // g 4, m 2, v 4; corrected 4 and 16: 2 * 0.99 - 0.1 * 4 / 5.
  expectNear(first[0].values, {1.9});
  expectNear(first[1].values, {2});
  expectNear(first[2].values, {4});
  auto second =
      evaluate(text, {first[0], g, first[1], first[2], tensor({}, {2})});
  // m 3, v 7; corrected by 3/4 and 7/16: the same 4 and 16.
  expectNear(second[0].values, {1.9 * 0.99 - 0.08});
  expectNear(second[1].values, {3});
  expectNear(second[2].values, {7});
}

TEST(Operation, ClipFactor) {
  constexpr double Infinity = std::numeric_limits<double>::infinity();
  constexpr double NaN = std::numeric_limits<double>::quiet_NaN();
  struct Case {
    double squares, limit, loss, apply, always;
    double factor, update;
  };
  for (auto [squares, limit, loss, apply, always, factor, update] :
       {Case{16, 1, 2, 1, 0, 1 / (4 + 1e-6), 1}, Case{16, 5, 2, 1, 0, 1, 1},
        Case{16, 0, 2, 1, 0, 1, 1}, Case{16, 0, 2, 0, 1, 1, 0},
        Case{16, 5, Infinity, 1, 0, 1, 0}, Case{16, 5, NaN, 1, 1, 1, 1},
        Case{NaN, 1, 2, 1, 0, NaN, 0}, Case{NaN, 1, 2, 1, 1, NaN, 1},
        Case{Infinity, 1, 2, 1, 0, 0, 0}}) {
    auto results = evaluate(R"(
      func.func @f(%s: tensor<f32>, %m: tensor<f64>, %l: tensor<f32>,
                   %a: tensor<i1>, %u: tensor<f64>)
          -> (tensor<f32>, tensor<f32>, tensor<i1>) {
        %0, %1, %2 = train.clip_factor %s, %m loss %l apply %a
            update_nonfinite %u
            : tensor<f32>, tensor<f64>, tensor<f32>, tensor<i1>, tensor<f64>
            -> tensor<f32>, tensor<f32>, tensor<i1>
        return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<i1>
      })",
                            {tensor({}, {squares}), tensor({}, {limit}),
                             tensor({}, {loss}), tensor({}, {apply}),
                             tensor({}, {always})});
    ASSERT_EQ(results.size(), 3u);
    EXPECT_TRUE(std::isnan(factor)
                    ? std::isnan(results[1].values[0])
                    : std::abs(results[1].values[0] - factor) < 1e-15)
        << results[1].values[0] << " against " << factor;
    EXPECT_EQ(results[2].values[0], update);
  }
}

} // namespace
