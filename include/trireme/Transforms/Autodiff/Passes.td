//===- Passes.td - Differentiation -------------------------*- tablegen -*-===//

#ifndef TRIREME_TRANSFORMS_AUTODIFF_PASSES
#define TRIREME_TRANSFORMS_AUTODIFF_PASSES

include "mlir/Pass/PassBase.td"

def Differentiate : Pass<"train-differentiate", "::mlir::ModuleOp"> {
  let summary = "adds the gradient of the forward loss";
  let description = [{
    Reverse mode over operations (`DifferentiableOpInterface`) and loops.

    A loop's derivative is a loop that runs in reverse: cotangents of carries
    are carried, those of `each` operands come out stacked, those of `with`
    operands add up in extra carries. What the backward body uses of the
    forward body and is an `each` or `with` argument, or computed from these
    alone, is read or computed again; the rest becomes a stacked result of the
    forward loop. So parameters are never saved.

    Expects: a function `@forward` whose first result is the loss sum.
    Ensures: `@forward` is as before; `@gradient` has the same arguments and
    the seed (the cotangent of the loss sum), and returns the loss sum and one
    gradient a parameter, in order.

    Before:
    ```mlir
    func.func @forward(%w: tensor<4xf32> {train.role = #train.role<parameter>,
        train.param = #train.param<"w", [4], normal 1.0>})
        -> tensor<f32> {
      %0 = train.mul %w, %w : tensor<4xf32>
      %1 = train.sum %0 : tensor<4xf32>
      return %1 : tensor<f32>
    }
    ```
    is an error, since `train.sum` has no derivative: losses end in a head.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

#endif // TRIREME_TRANSFORMS_AUTODIFF_PASSES
