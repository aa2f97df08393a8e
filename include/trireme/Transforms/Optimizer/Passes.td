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
  }];
  let options = [
    Option<"rows", "rows", "int64_t", "1", "sequences of a micro-batch">,
    Option<"sequence", "sequence", "int64_t", "1", "tokens of a sequence">];
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
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
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
  }];
  let options = [
    Option<"maxLogits", "max-logits", "int64_t", "8388608",
           "elements of logits at a time">,
    Option<"minRows", "min-rows", "int64_t", "128",
           "rows of logits at a time, at least">];
  let statistics =
      [Statistic<"numHeads", "heads-expanded", "heads made loops">];
}

#endif // TRIREME_TRANSFORMS_OPTIMIZER_PASSES
