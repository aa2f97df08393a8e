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
    func.func @forward(
        %x: tensor<f32>,
        %w: tensor<2xf32> {train.role = #train.role<parameter>,
            train.param = #train.param<"layers.{}.w", [1], normal 1.0>})
        -> tensor<f32> {
      %0 = train.loop "layers" count 2 carry(%c = %x : tensor<f32>)
          each(%s = %w : tensor<2xf32>) {
        %1 = train.mul %c, %s : tensor<f32>
        train.yield carry(%1 : tensor<f32>)
      }
      return %0 : tensor<f32>
    }
    ```
    After, the forward loop stacks its carry, which the derivative of the
    product reads; slices of the parameter are read again:
    ```mlir
    // ...
    func.func @gradient(
    // ...
      %0:2 = train.loop "layers" count 2 carry(%c = %x : tensor<f32>)
          each(%s = %w : tensor<2xf32>) stacked(tensor<2xf32>) {
        %1 = train.mul %c, %s : tensor<f32>
        train.yield carry(%1 : tensor<f32>) stacked(%c : tensor<f32>)
      }
      %2:2 = train.loop "layers" count 2 reverse carry(%dc = %seed : tensor<f32>)
          each(%s = %w : tensor<2xf32>, %c = %0#1 : tensor<2xf32>)
          stacked(tensor<2xf32>) {
        %3 = train.mul %dc, %s : tensor<f32>
        %4 = train.mul %dc, %c : tensor<f32>
        train.yield carry(%3 : tensor<f32>) stacked(%4 : tensor<f32>)
      }
      return %0#0, %2#1 : tensor<f32>, tensor<2xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::trireme::train::TrainDialect"];
}

#endif // TRIREME_TRANSFORMS_AUTODIFF_PASSES
