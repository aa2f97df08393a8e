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
      %0 = train.relu %x : tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def Fuse : Pass<"train-fuse", "::mlir::ModuleOp"> {
  let summary = "merges kernels on the same rows";
  let description = [{
    Merges a kernel into one that uses its results (producer into consumer), or
    that reads a tensor it reads too (siblings), where both run over the same
    rows and columns, so that a tensor moves through memory once. A kernel's
    values are rounded to their types as before, so no bit changes.

    Expects: `train.rows`. Ensures: the same values.
  }];
  let options = [Option<"maxOperands", "max-operands", "int64_t", "16",
                        "operands and results of a kernel, at most">];
  let statistics = [Statistic<"numFused", "kernels-fused",
                              "kernels merged into another">];
}

#endif // TRIREME_TRANSFORMS_FUSION_PASSES
