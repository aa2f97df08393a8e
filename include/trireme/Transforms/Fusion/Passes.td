//===- Passes.td - Kernels on rows -------------------------*- tablegen -*-===//

#ifndef TRIREME_TRANSFORMS_FUSION_PASSES
#define TRIREME_TRANSFORMS_FUSION_PASSES

include "mlir/Pass/PassBase.td"

def FormRows : Pass<"train-form-rows", "::mlir::ModuleOp"> {
  let summary = "makes memory-bound operations kernels on rows";
  let description = [{
    Every operation with a `RowOpInterface` becomes a `train.rows` with its
    scalar form as body.

    Expects: any stage. Ensures: the same values; one kernel an operation.

    Before:
    ```mlir
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = train.scale %x by 2.0 : tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = train.rows "scale" rows 32 columns 1 flat
          in(%x : tensor<4x8xf32>) [#train<row_kind full>]
          out(tensor<4x8xf32>) [#train<row_kind full>] updated [-1] {
      ^bb0(%e: f32):
        %two = arith.constant 2.0 : f32
        %1 = arith.mulf %e, %two : f32
        train.rows_yield %1 : f32
      }
      return %0 : tensor<4x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::trireme::train::TrainDialect"];
}

def Fuse : Pass<"train-fuse", "::mlir::ModuleOp"> {
  let summary = "merges kernels on the same rows";
  let description = [{
    Merges a kernel into one that uses its results (producer into consumer), or
    that reads a tensor it reads too (siblings), where both run over the same
    rows and columns, so that a tensor moves through memory once. A kernel's
    values are rounded to their types as before, so no bit changes.

    Expects: `train.rows`. Ensures: the same values.

    Before:
    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = train.rows "double" rows 8 columns 1 flat
          in(%x : tensor<8xf32>) [#train<row_kind full>]
          out(tensor<8xf32>) [#train<row_kind full>] updated [-1] {
      ^bb0(%e: f32):
        %2 = arith.addf %e, %e : f32
        train.rows_yield %2 : f32
      }
      %1 = train.rows "square" rows 8 columns 1 flat
          in(%0 : tensor<8xf32>) [#train<row_kind full>]
          out(tensor<8xf32>) [#train<row_kind full>] updated [-1] {
      ^bb0(%e: f32):
        %2 = arith.mulf %e, %e : f32
        train.rows_yield %2 : f32
      }
      return %1 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = train.rows "double_square" rows 8 columns 1 flat
          in(%x : tensor<8xf32>) [#train<row_kind full>]
          out(tensor<8xf32>) [#train<row_kind full>] updated [-1] {
      ^bb0(%e: f32):
        %1 = arith.addf %e, %e : f32
        %2 = arith.mulf %1, %1 : f32
        train.rows_yield %2 : f32
      }
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let options = [Option<"maxOperands", "max-operands", "int64_t", "16",
                        "operands and results of a kernel, at most">];
  let statistics = [Statistic<"numFused", "kernels-fused",
                              "kernels merged into another">];
}

#endif // TRIREME_TRANSFORMS_FUSION_PASSES
