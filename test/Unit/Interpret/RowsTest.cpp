//===- RowsTest.cpp - Kernels on rows in the evaluator --------------------===//
//
// What `train.rows` means, and the row form of every operation that has one
// against its own meaning.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "trireme/Dialect/Train/IR/Train.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace trireme;
using namespace trireme::test;
using namespace trireme::train;

namespace {

TEST(Rows, ReduceColumnAndAllKinds) {
  auto results =
      evaluate(R"(
    func.func @f(%x: tensor<2x3xf64>, %r: tensor<2xf64>, %c: tensor<3xf64>,
                 %s: tensor<f64>) -> (tensor<2x3xf64>, tensor<2xf64>,
                 tensor<f64>, tensor<3xf64>, tensor<f64>, tensor<2x3xi1>) {
      %0:6 = train.rows "test" rows 2 columns 3
          in(%x, %r, %c, %s : tensor<2x3xf64>, tensor<2xf64>, tensor<3xf64>,
             tensor<f64>)
          [#train<row_kind full>, #train<row_kind row>,
           #train<row_kind column>, #train<row_kind scalar>]
          out(tensor<2x3xf64>, tensor<2xf64>, tensor<f64>, tensor<3xf64>,
              tensor<f64>, tensor<2x3xi1>)
          [#train<row_kind full>, #train<row_kind row>,
           #train<row_kind scalar>, #train<row_kind column_sum>,
           #train<row_kind sum>, #train<row_kind full>]
          updated [-1, -1, -1, -1, -1, -1] {
      ^bb0(%a: f64, %b: f64, %d: f64, %e: f64):
        %1 = arith.mulf %a, %b : f64
        %2 = arith.addf %1, %d : f64
        %3 = arith.mulf %2, %e : f64
        %4 = train.reduce max %a : f64
        %i = train.column : i32
        %j = arith.constant 1 : i32
        %5 = arith.cmpi eq, %i, %j : i32
        train.rows_yield %3, %4, %e, %a, %a, %5 : f64, f64, f64, f64, f64, i1
      }
      return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5 : tensor<2x3xf64>,
          tensor<2xf64>, tensor<f64>, tensor<3xf64>, tensor<f64>,
          tensor<2x3xi1>
    })",
               {tensor({2, 3}, {1, 5, 2, 4, 3, 6}), tensor({2}, {1, 10}),
                tensor({3}, {7, 8, 9}), tensor({}, {2})});
  ASSERT_EQ(results.size(), 6u);
  expectNear(results[0].values, {16, 26, 22, 94, 76, 138});
  expectNear(results[1].values, {5, 6});
  expectNear(results[2].values, {2});
  expectNear(results[3].values, {5, 8, 8});
  expectNear(results[4].values, {21});
  expectNear(results[5].values, {0, 1, 0, 0, 1, 0});
}

TEST(Rows, FlatKernelLongerThanAStrip) {
  HostTensor x({10000});
  double sum = 0;
  for (int64_t i = 0; i < x.size(); ++i)
    sum += x.values[i] = double(i);
  auto results = evaluate(R"(
    func.func @f(%x: tensor<10000xf64>) -> (tensor<10000xf64>, tensor<f64>) {
      %0:2 = train.rows "test" rows 1 columns 10000 flat
          in(%x : tensor<10000xf64>) [#train<row_kind full>]
          out(tensor<10000xf64>, tensor<f64>)
          [#train<row_kind full>, #train<row_kind sum>] updated [0, -1] {
      ^bb0(%a: f64):
        %1 = arith.addf %a, %a : f64
        train.rows_yield %1, %a : f64, f64
      }
      return %0#0, %0#1 : tensor<10000xf64>, tensor<f64>
    })",
                          x);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].values[9999], 19998);
  EXPECT_EQ(results[1].values[0], sum);
}

//===----------------------------------------------------------------------===//
// Row forms
//===----------------------------------------------------------------------===//

RowKindAttr getKind(MLIRContext *context, RowKind kind) {
  return RowKindAttr::get(context, kind);
}

int64_t countElements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

/// Replaces `op` by a kernel with the body that its row form emits.
void replaceByRows(RowOpInterface op) {
  OpBuilder builder(op);
  SmallVector<Attribute> operandKinds, resultKinds;
  Value full;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    RowKind kind = op.getOperandRowKind(i);
    operandKinds.push_back(getKind(op.getContext(), kind));
    if (kind == RowKind::Full && !full)
      full = op->getOperand(i);
  }
  SmallVector<int64_t> updated;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    RowKind kind = op.getResultRowKind(i);
    resultKinds.push_back(getKind(op.getContext(), kind));
    if (kind == RowKind::Full && !full)
      full = op->getResult(i);
    updated.push_back(op.getUpdatedOperand(i));
  }
  int64_t dims = op.getColumnDims(), elements = full ? countElements(full) : 1;
  int64_t columns = elements;
  if (full && dims >= 0)
    columns = HostTensor::count(
        cast<RankedTensorType>(full.getType()).getShape().take_back(dims));
  auto rows =
      RowsOp::create(builder, op.getLoc(), op->getResultTypes(), "test",
                     elements / columns, columns, /*flat=*/dims < 0,
                     op->getOperands(), builder.getArrayAttr(operandKinds),
                     builder.getArrayAttr(resultKinds), updated);
  Block *body = builder.createBlock(&rows.getBody());
  for (Value operand : op->getOperands())
    body->addArgument(
        cast<RankedTensorType>(operand.getType()).getElementType(),
        op.getLoc());
  SmallVector<Value> scalars = op.emitRow(builder, body->getArguments());
  RowsYieldOp::create(builder, op.getLoc(), scalars);
  op->replaceAllUsesWith(rows);
  op->erase();
}

/// Checks the row forms of the operations of a function.
void checkRowForm(StringRef text, ArrayRef<HostTensor> given = {}) {
  SCOPED_TRACE(text.str());
  OwningOpRef<ModuleOp> module = parse(text);
  ASSERT_TRUE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  SmallVector<HostTensor> arguments(given);
  if (given.empty())
    arguments = makeRandomArguments(function, 3);
  SmallVector<HostTensor> direct, byRows;
  ASSERT_TRUE(succeeded(evaluateFunction(function, arguments, direct)));
  SmallVector<RowOpInterface> ops;
  function.walk([&](RowOpInterface op) { ops.push_back(op); });
  ASSERT_FALSE(ops.empty());
  llvm::for_each(ops, replaceByRows);
  ASSERT_TRUE(succeeded(verify(*module)));
  ASSERT_TRUE(succeeded(evaluateFunction(function, arguments, byRows)));
  ASSERT_EQ(direct.size(), byRows.size());
  for (auto [a, b] : llvm::zip_equal(direct, byRows))
    expectNear(b.values, a.values, 1e-12);
}

TEST(RowForm, Elementwise) {
  for (const char *op :
       {"add %a, %b", "mul %a, %b", "scale %a by 0.3", "gelu %a",
        "gelu %a {tanh}", "silu %a", "relu %a", "softcap %a cap 1.5",
        "gelu_grad %a, %b", "gelu_grad %a, %b {tanh}", "silu_grad %a, %b",
        "relu_grad %a, %b", "softcap_grad %a, %b cap 1.5"})
    checkRowForm(llvm::formatv(R"(
      func.func @f(%a: tensor<3x5xf64>, %b: tensor<3x5xf64>)
          -> tensor<3x5xf64> {{
        %0 = train.{0} : tensor<3x5xf64>
        return %0 : tensor<3x5xf64>
      })",
                               op)
                     .str());
}

TEST(RowForm, BiasAndSums) {
  checkRowForm(R"(
    func.func @f(%a: tensor<2x3x4xf64>, %b: tensor<3x4xf64>)
        -> tensor<2x3x4xf64> {
      %0 = train.add_bias %a, %b : tensor<2x3x4xf64>, tensor<3x4xf64>
      return %0 : tensor<2x3x4xf64>
    })");
  checkRowForm(R"(
    func.func @f(%a: tensor<2x3x4xf64>) -> tensor<4xf64> {
      %0 = train.sum_leading %a dims 2 : tensor<2x3x4xf64>
      return %0 : tensor<4xf64>
    })");
  for (const char *op : {"sum", "sum_squares"})
    checkRowForm(llvm::formatv(R"(
      func.func @f(%a: tensor<2x3x4xf64>) -> tensor<f64> {{
        %0 = train.{0} %a : tensor<2x3x4xf64>
        return %0 : tensor<f64>
      })",
                               op)
                     .str());
}

TEST(RowForm, RMSNorm) {
  for (const char *offset : {"", "{gain_offset = 1.0}"}) {
    checkRowForm(llvm::formatv(R"(
      func.func @f(%x: tensor<2x3x6xf64>, %g: tensor<6xf64>)
          -> (tensor<2x3x6xf64>, tensor<2x3xf64>) {{
        %0, %1 = train.rms_norm %x, %g eps 0.1 {0}
            : tensor<2x3x6xf64>, tensor<6xf64>
        return %0, %1 : tensor<2x3x6xf64>, tensor<2x3xf64>
      })",
                               offset)
                     .str());
    checkRowForm(llvm::formatv(R"(
      func.func @f(%x: tensor<2x3x6xf64>, %g: tensor<6xf64>,
                   %r: tensor<2x3xf64>, %d: tensor<2x3x6xf64>)
          -> (tensor<2x3x6xf64>, tensor<6xf64>) {{
        %0, %1 = train.rms_norm_grad %x, %g, %r, %d {0}
            : tensor<2x3x6xf64>, tensor<6xf64>, tensor<2x3xf64>
        return %0, %1 : tensor<2x3x6xf64>, tensor<6xf64>
      })",
                               offset)
                     .str());
  }
}

TEST(RowForm, LayerNorm) {
  checkRowForm(R"(
    func.func @f(%x: tensor<2x3x6xf64>, %g: tensor<6xf64>, %b: tensor<6xf64>)
        -> (tensor<2x3x6xf64>, tensor<2x3xf64>, tensor<2x3xf64>) {
      %0, %1, %2 = train.layer_norm %x, %g, %b eps 0.1
          : tensor<2x3x6xf64>, tensor<6xf64>
      return %0, %1, %2 : tensor<2x3x6xf64>, tensor<2x3xf64>, tensor<2x3xf64>
    })");
  checkRowForm(R"(
    func.func @f(%x: tensor<2x3x6xf64>, %g: tensor<6xf64>, %m: tensor<2x3xf64>,
                 %r: tensor<2x3xf64>, %d: tensor<2x3x6xf64>)
        -> (tensor<2x3x6xf64>, tensor<6xf64>, tensor<6xf64>) {
      %0, %1, %2 = train.layer_norm_grad %x, %g, %m, %r, %d
          : tensor<2x3x6xf64>, tensor<6xf64>, tensor<2x3xf64>
      return %0, %1, %2 : tensor<2x3x6xf64>, tensor<6xf64>, tensor<6xf64>
    })");
}

TEST(RowForm, CrossEntropy) {
  HostTensor logits = tensor({3, 4}, {0.5, -1, 2, 0, 3, 1, 0, 1, -2, 0, 0, 1});
  HostTensor targets = tensor({3}, {12, -100, 10}), start = tensor({}, {10});
  checkRowForm(R"(
    func.func @f(%x: tensor<3x4xf64>, %t: tensor<3xi32>, %s: tensor<i32>)
        -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>,
            tensor<3xf64>) {
      %0 = train.row_max %x start %s {valid = 13 : i64}
          : tensor<3x4xf64>, tensor<i32>
      %1 = train.row_exp_sum %x, %0 start %s {valid = 13 : i64}
          : tensor<3x4xf64>, tensor<3xf64>, tensor<i32>
      %2 = train.pick %x, %t start %s
          : tensor<3x4xf64>, tensor<3xi32>, tensor<i32>
      %3, %4 = train.row_loss %0, %1, %2, %t : tensor<3xf64>, tensor<3xi32>
      return %0, %1, %2, %3, %4 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>,
          tensor<3xf64>, tensor<3xf64>
    })",
               {logits, targets, start});
  checkRowForm(R"(
    func.func @f(%x: tensor<3x4xf64>, %t: tensor<3xi32>, %s: tensor<i32>,
                 %l: tensor<3xf64>, %d: tensor<f64>) -> tensor<3x4xf64> {
      %0 = train.cross_entropy_grad %x, %t start %s, %l seed %d
          {valid = 13 : i64}
          : tensor<3x4xf64>, tensor<3xi32>, tensor<i32>, tensor<3xf64>,
            tensor<f64>
      return %0 : tensor<3x4xf64>
    })",
               {logits, targets, start, tensor({3}, {2.5, 3.2, 1.1}),
                tensor({}, {0.25})});
}

TEST(RowForm, LossSeedAndClipFactor) {
  for (double count : {0.0, 8.0})
    checkRowForm(R"(
      func.func @f(%c: tensor<f64>) -> (tensor<f64>, tensor<i1>) {
        %0, %1 = train.loss_seed %c : tensor<f64> -> tensor<f64>, tensor<i1>
        return %0, %1 : tensor<f64>, tensor<i1>
      })",
                 tensor({}, {count}));
  constexpr double Infinity = std::numeric_limits<double>::infinity();
  constexpr double NaN = std::numeric_limits<double>::quiet_NaN();
  for (double squares : {4.0, Infinity, NaN})
    for (double limit : {1.0, 3.0, 0.0})
      for (double loss : {2.0, -Infinity, NaN})
        for (int flags = 0; flags < 4; ++flags)
          checkRowForm(R"(
            func.func @f(%s: tensor<f64>, %m: tensor<f64>, %l: tensor<f64>,
                         %a: tensor<i1>, %u: tensor<f64>)
                -> (tensor<f64>, tensor<f64>, tensor<i1>) {
              %0, %1, %2 = train.clip_factor %s, %m loss %l apply %a
                  update_nonfinite %u
                  : tensor<f64>, tensor<f64>, tensor<f64>, tensor<i1>,
                    tensor<f64> -> tensor<f64>, tensor<f64>, tensor<i1>
              return %0, %1, %2 : tensor<f64>, tensor<f64>, tensor<i1>
            })",
                       {tensor({}, {squares}), tensor({}, {limit}),
                        tensor({}, {loss}), tensor({}, {double(flags & 1)}),
                        tensor({}, {double(flags >> 1)})});
  checkRowForm(R"(
    func.func @f(%t: tensor<2x3xi32>) -> tensor<f64> {
      %0 = train.count_targets %t : tensor<2x3xi32> -> tensor<f64>
      return %0 : tensor<f64>
    })",
               tensor({2, 3}, {0, 4, -100, 1, -100, 7}));
}

TEST(RowForm, AdamW) {
  HostTensor p = tensor({3}, {1, -2, 0.5}), g = tensor({3}, {0.3, -0.1, 2});
  HostTensor m = tensor({3}, {0.1, 0.2, -0.3}), v = tensor({3}, {0.1, 0, 0.4});
  for (double apply : {0.0, 1.0})
    for (const char *decay : {"", "{decay}"})
      checkRowForm(llvm::formatv(R"(
        func.func @f(%p: tensor<3xf64>, %g: tensor<3xf64>, %m: tensor<3xf64>,
                     %v: tensor<3xf64>, %f: tensor<f64>, %a: tensor<i1>,
                     %lr: tensor<f64>, %b1: tensor<f64>, %b2: tensor<f64>,
                     %e: tensor<f64>, %w: tensor<f64>, %t: tensor<f64>)
            -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {{
          %0, %1, %2 = train.adamw %p, %g, %m, %v factor %f apply %a lr %lr
              betas %b1, %b2 eps %e weight_decay %w step %t {0}
              : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>,
                tensor<f64>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>,
                tensor<f64>, tensor<f64>, tensor<f64>
          return %0, %1, %2 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
        })",
                                 decay)
                       .str(),
                   {p, g, m, v, tensor({}, {0.5}), tensor({}, {apply}),
                    tensor({}, {0.01}), tensor({}, {0.9}), tensor({}, {0.95}),
                    tensor({}, {1e-8}), tensor({}, {0.1}), tensor({}, {3})});
}

} // namespace
