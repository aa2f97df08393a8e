//===- Passes.td - Memory planning -------------------------*- tablegen -*-===//

#ifndef TRIREME_TRANSFORMS_MEMORY_PASSES
#define TRIREME_TRANSFORMS_MEMORY_PASSES

include "mlir/Pass/PassBase.td"

def PlanMemory : Pass<"train-plan-memory", "::mlir::ModuleOp"> {
  let summary = "gives every tensor a place in the arena";
  let description = [{
    State, inputs, scalars and outputs get fixed places at the arena's start,
    the same in @train and @evaluate; what lives inside a function is packed
    behind them by liveness, body frames of loops included. Places are affine:
    offset + sum of stride x iteration of the enclosing loops, so a slice of a
    stack is a place like any other.

    In place where the value is dead afterwards: optimizer updates (always),
    accumulators, loop carries, element-wise results. A value that a loop
    yields to a stacked result is made in its slice.

    Expects: @train and @evaluate as functions of `train` ops and loops, each
    `train.fill` used once. Ensures: `train.places` on every op with results,
    `train.carry_places` on loops, `train.place` on arguments and (for
    outputs) results, `train.workspace` where a kernel needs partial sums;
    `train.arena` on the module, with the bytes of each kind of memory.

    Before:
    ```mlir
    func.func @train(%x: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
      %0 = train.loop "layers" count 2 each(%s = %x : tensor<2x4x4xf32>)
          stacked(tensor<2x4x4xf32>) {
        %1 = train.linear %s, %s contract 1 : tensor<4x4xf32>, tensor<4x4xf32>
        train.yield stacked(%1 : tensor<4x4xf32>)
      }
      return %0 : tensor<2x4x4xf32>
    }
    ```
    After, the product is made in its slice of the output:
    ```mlir
    // ...
    func.func @train(
        %x: tensor<2x4x4xf32> {train.place = #train.place<0, []>})
        -> (tensor<2x4x4xf32> {train.place = #train.place<192, []>}) {
      %0 = train.loop "layers" count 2 each(%s = %x : tensor<2x4x4xf32>)
          stacked(tensor<2x4x4xf32>)
          attributes {train.places = [#train.place<192, []>]} {
        %1 = train.linear %s, %s contract 1
            {train.places = [#train.place<192, [64]>]}
            : tensor<4x4xf32>, tensor<4x4xf32>
        train.yield stacked(%1 : tensor<4x4xf32>)
    // ...
    ```
  }];
  let dependentDialects = ["::trireme::train::TrainDialect"];
  let options = [
    Option<"sumGrain", "sum-grain", "int64_t", "16384",
           "elements that a partial sum covers, at least">,
    Option<"sumRows", "sum-rows", "int64_t", "64",
           "rows that a partial sum over rows covers, at least (partial sums "
           "are traffic: 2 / rows of reading)">];
}

#endif // TRIREME_TRANSFORMS_MEMORY_PASSES
