//===- Passes.td - From gradients to steps -----------------*- tablegen -*-===//

#ifndef TRIREME_TRANSFORMS_OPTIMIZER_PASSES
#define TRIREME_TRANSFORMS_OPTIMIZER_PASSES

include "mlir/Pass/PassBase.td"

def SetBatchShape : Pass<"train-set-batch-shape", "::mlir::ModuleOp"> {
  let summary = "types the forward loss for another batch";
  let description = [{
    Gives tokens, targets and positions of `@forward` the shape
    [rows, sequence] and infers all types that follow.

    Expects: `@forward` of operations whose result types follow from their
    operands. Ensures: valid types, or an error that names the operation for
    which the shape is impossible.

    Runs: `--train-set-batch-shape="rows=2 sequence=4"`

    Before:
    ```mlir
    func.func @forward(%ids: tensor<1x1xi32> {train.role = #train.role<tokens>},
                       %w: tensor<50x8xf32>) -> tensor<1x1x8xf32> {
      %0 = train.fill 0.0 : tensor<i32>
      %1 = train.embedding %w, %ids start %0
          : tensor<50x8xf32>, tensor<1x1xi32>, tensor<i32>
      return %1 : tensor<1x1x8xf32>
    }
    ```
    After:
    ```mlir
    func.func @forward(%ids: tensor<2x4xi32> {train.role = #train.role<tokens>},
                       %w: tensor<50x8xf32>) -> tensor<2x4x8xf32> {
      %0 = train.fill 0.0 : tensor<i32>
      %1 = train.embedding %w, %ids start %0
          : tensor<50x8xf32>, tensor<2x4xi32>, tensor<i32>
      return %1 : tensor<2x4x8xf32>
    }
    ```
  }];
  let options = [
    Option<"rows", "rows", "int64_t", "1", "sequences of a micro-batch">,
    Option<"sequence", "sequence", "int64_t", "1", "tokens of a sequence">];
}

def PadVocabulary : Pass<"train-pad-vocabulary", "::mlir::ModuleOp"> {
  let summary = "gives vocabularies a size that splits evenly";
  let description = [{
    Pads every parameter of `@forward` that tokens look up rows of, or that a
    head multiplies, to a multiple of `multiple` rows, and tells the heads how
    many of them are valid. Pad rows are zero and stay zero: no token looks them
    up, and their logits have no probability. `train.param` keeps the shape in
    files.

    Expects: `@forward` as imported. Ensures: the same loss, and the same
    gradients and updates of what is not pad.

    Runs: `--train-pad-vocabulary="multiple=8"`

    Before:
    ```mlir
    func.func @forward(
        %h: tensor<4x8xf32>, %t: tensor<4xi32>,
        %w: tensor<50x8xf32> {train.role = #train.role<parameter>,
          train.param = #train.param<"w", [50, 8], normal 2.0e-02>})
        -> (tensor<f32>, tensor<f32>) {
      %0 = train.fill 0.0 : tensor<i32>
      %sum, %count = train.cross_entropy_head %h, %w targets %t start %0
          : tensor<4x8xf32>, tensor<50x8xf32>, tensor<4xi32>, tensor<i32>
      return %sum, %count : tensor<f32>, tensor<f32>
    }
    ```
    After:
    ```mlir
    func.func @forward(
        %h: tensor<4x8xf32>, %t: tensor<4xi32>,
        %w: tensor<56x8xf32> {train.role = #train.role<parameter>,
          train.param = #train.param<"w", [50, 8], normal 2.0e-02>})
        -> (tensor<f32>, tensor<f32>) {
      %0 = train.fill 0.0 : tensor<i32>
      %sum, %count = train.cross_entropy_head %h, %w targets %t start %0
          {valid = 50 : i64}
          : tensor<4x8xf32>, tensor<56x8xf32>, tensor<4xi32>, tensor<i32>
      return %sum, %count : tensor<f32>, tensor<f32>
    }
    ```
  }];
  let options = [Option<"multiple", "multiple", "int64_t", "1",
                        "what the number of rows is to be a multiple of">];
  let statistics = [Statistic<"numPadded", "parameters-padded",
                              "parameters that got rows of pad">];
}

def AddOptimizer : Pass<"train-add-optimizer", "::mlir::ModuleOp"> {
  let summary = "makes the whole step and the evaluation entry";
  let description = [{
    `@train`: counts the targets of the global batch, runs the gradient over
    the micro-batches with accumulators, clips by the global norm, updates
    every parameter with AdamW. `@evaluate`: loss sum and count over the
    micro-batches. With one micro-batch there is no loop and there are no
    accumulators.

    Expects: `@forward` and `@gradient` as `train-differentiate` leaves them.
    Ensures: `@train` and `@evaluate` in their place; tokens, targets and
    positions are [micro-batches, rows, sequence]; results carry
    `train.result`.

    Runs: `--train-add-optimizer="micro-batches=2"`

    Before, with a gradient that is no real one:
    ```mlir
    func.func @forward(
        %t: tensor<1x4xi32> {train.role = #train.role<targets>},
        %w: tensor<f32> {train.role = #train.role<parameter>,
            train.param = #train.param<"w", [1], normal 1.0>})
        -> (tensor<f32>, tensor<f32>) {
      return %w, %w : tensor<f32>, tensor<f32>
    }
    func.func @gradient(
        %t: tensor<1x4xi32> {train.role = #train.role<targets>},
        %w: tensor<f32> {train.role = #train.role<parameter>,
            train.param = #train.param<"w", [1], normal 1.0>},
        %seed: tensor<f32> {train.role = #train.role<seed>})
        -> (tensor<f32>, tensor<f32>) {
      return %w, %seed : tensor<f32>, tensor<f32>
    }
    ```
    After:
    ```mlir
    // ...
    func.func @train(
    // ...
      %count = train.count_targets %t : tensor<2x1x4xi32> -> tensor<f32>
      %seed, %apply = train.loss_seed %count
          : tensor<f32> -> tensor<f32>, tensor<i1>
      %a = train.fill 0.000000e+00 : tensor<f32>
      %b = train.fill 0.000000e+00 : tensor<f32>
      %sums:2 = train.loop "micro_batches" count 2
          carry(%c = %a : tensor<f32>, %d = %b : tensor<f32>)
          each(%e = %t : tensor<2x1x4xi32>)
          with(%p = %w : tensor<f32>, %s = %seed : tensor<f32>) {
        %0 = train.add %c, %p : tensor<f32>
        %1 = train.add %d, %s : tensor<f32>
        train.yield carry(%0, %1 : tensor<f32>, tensor<f32>)
      }
      %squares = train.sum_squares %sums#1 : tensor<f32>
      %loss = train.mul %sums#0, %seed : tensor<f32>
      %norm, %factor, %update = train.clip_factor %squares, %max
          loss %loss apply %apply update_nonfinite %always
          : tensor<f32>, tensor<f64>, tensor<f32>, tensor<i1>, tensor<f64>
          -> tensor<f32>, tensor<f32>, tensor<i1>
      %new, %first, %second = train.adamw
    // ...
    func.func @evaluate(
    // ...
      train.loop "micro_batches" count 2
    // ...
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::trireme::train::TrainDialect"];
  let options = [Option<"microBatches", "micro-batches", "int64_t", "1",
                        "micro-batches of a step">];
}

def AccumulateInPlace : Pass<"train-accumulate-in-place", "::mlir::ModuleOp"> {
  let summary = "sinks accumulators into the operations that make gradients";
  let description = [{
    `add(acc, gradient)` becomes an accumulator operand of the operation that
    makes the gradient, through reshapes, sums and loops: an accumulator enters
    a reverse loop as `each` and leaves it as a stacked result, or takes the
    place of a zero carry. Else every gradient would exist twice.

    Expects: the step stage. Ensures: the same values; what cannot be sunk
    stays an addition.

    Before:
    ```mlir
    func.func @train(%x: tensor<2x4x8xf32>, %zero: tensor<8x8xf32>)
        -> tensor<8x8xf32> {
      %0 = train.loop "micro_batches" count 2
          carry(%sum = %zero : tensor<8x8xf32>)
          each(%s = %x : tensor<2x4x8xf32>) {
        %1 = train.linear %s, %s contract 1 lhs_transposed
            : tensor<4x8xf32>, tensor<4x8xf32>
        %2 = train.add %sum, %1 : tensor<8x8xf32>
        train.yield carry(%2 : tensor<8x8xf32>)
      }
      return %0 : tensor<8x8xf32>
    }
    ```
    After:
    ```mlir
    func.func @train(%x: tensor<2x4x8xf32>, %zero: tensor<8x8xf32>)
        -> tensor<8x8xf32> {
      %0 = train.loop "micro_batches" count 2
          carry(%sum = %zero : tensor<8x8xf32>)
          each(%s = %x : tensor<2x4x8xf32>) {
        %1 = train.linear %s, %s contract 1 lhs_transposed
            accumulate %sum : tensor<8x8xf32>
            : tensor<4x8xf32>, tensor<4x8xf32>
        train.yield carry(%1 : tensor<8x8xf32>)
      }
      return %0 : tensor<8x8xf32>
    }
    ```
  }];
  let statistics = [Statistic<"numSunk", "accumulators-sunk",
                              "additions that became accumulator operands">];
}

def ExpandHeads : Pass<"train-expand-heads", "::mlir::ModuleOp"> {
  let summary = "expands loss heads to loops over chunks of tokens";
  let description = [{
    A head (`HeadOpInterface`) becomes a `chunks` loop whose logits have at
    most `max-logits` elements, but at least `min-rows` rows where tokens
    allow. The number of chunks divides the number of tokens.

    Expects: any stage with heads. Ensures: the same values; no head is left.

    Runs: `--train-expand-heads="max-logits=100 min-rows=1"`

    Before:
    ```mlir
    func.func @loss(%h: tensor<4x8xf32>, %w: tensor<50x8xf32>,
                    %t: tensor<4xi32>, %start: tensor<i32>)
        -> (tensor<f32>, tensor<f32>) {
      %sum, %count = train.cross_entropy_head %h, %w targets %t start %start
          : tensor<4x8xf32>, tensor<50x8xf32>, tensor<4xi32>, tensor<i32>
      return %sum, %count : tensor<f32>, tensor<f32>
    }
    ```
    After:
    ```mlir
    func.func @loss(%h: tensor<4x8xf32>, %w: tensor<50x8xf32>,
                    %t: tensor<4xi32>, %start: tensor<i32>)
        -> (tensor<f32>, tensor<f32>) {
      %0 = train.chunk %h leading 1 chunks 2 blocks [1] : tensor<4x8xf32>
      %1 = train.chunk %t leading 1 chunks 2 blocks [1] : tensor<4xi32>
      %zero = train.fill 0.0 : tensor<f32>
      %sum = train.loop "chunks" count 2 carry(%c = %zero : tensor<f32>)
          each(%hs = %0 : tensor<2x2x8xf32>, %ts = %1 : tensor<2x2xi32>)
          with(%ws = %w : tensor<50x8xf32>, %s = %start : tensor<i32>) {
        %logits = train.linear %hs, %ws contract 1 rhs_transposed
            : tensor<2x8xf32>, tensor<50x8xf32>
        %max = train.row_max %logits start %s : tensor<2x50xf32>, tensor<i32>
        %exp_sum = train.row_exp_sum %logits, %max start %s
            : tensor<2x50xf32>, tensor<2xf32>, tensor<i32>
        %picked = train.pick %logits, %ts start %s
            : tensor<2x50xf32>, tensor<2xi32>, tensor<i32>
        %loss, %log_sum = train.row_loss %max, %exp_sum, %picked, %ts
            : tensor<2xf32>, tensor<2xi32>
        %2 = train.sum %loss : tensor<2xf32>
        %3 = train.add %c, %2 : tensor<f32>
        train.yield carry(%3 : tensor<f32>)
      }
      %count = train.count_targets %t : tensor<4xi32> -> tensor<f32>
      return %sum, %count : tensor<f32>, tensor<f32>
    }
    ```
  }];
  let options = [
    Option<"maxLogits", "max-logits", "int64_t", "8388608",
           "elements of logits at a time">,
    Option<"minRows", "min-rows", "int64_t", "512",
           "rows of logits at a time, at least">];
  let statistics =
      [Statistic<"numHeads", "heads-expanded", "heads made loops">];
}

#endif // TRIREME_TRANSFORMS_OPTIMIZER_PASSES
