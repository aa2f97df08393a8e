//===- StepOps.td - Loss, norm and update of a step --------*- tablegen -*-===//

#ifndef TRIREME_DIALECT_TRAIN_IR_STEPOPS
#define TRIREME_DIALECT_TRAIN_IR_STEPOPS

//===----------------------------------------------------------------------===//
// Tokens in chunks
//===----------------------------------------------------------------------===//

def Train_ChunkOp : Train_Op<"chunk", [
    Pure, Evaluatable, Train_InferType]> {
  let summary = "the tokens of a tensor in chunks, each of all its blocks";
  let description = [{
    The first `leading` dims are dims of tokens; each is seen as [block, rest]
    with `blocks` blocks. The rests, flattened in order, are cut into `chunks`
    chunks. The result is [chunks, tokens of a chunk, other dims...], the tokens
    of a chunk in the order (block of dim 0, block of dim 1, ..., place in the
    chunk): where blocks are those of ranks, each rank takes part in each chunk
    with tokens of its own. With one block a dim it is a reshape.

    On one rank's block of the tensor, `blocks` counts the blocks that it has.

    - (C1) `leading` is between 1 and the rank of the source, with one number of
      blocks for each of these dims.
    - (C2) blocks divide their dims, and chunks the tokens of a block.
  }];
  let arguments = (ins Train_Tensor:$source, I64Attr:$leading, I64Attr:$chunks,
                       DenseI64ArrayAttr:$blocks);
  let results = (outs Train_Tensor:$result);
  let assemblyFormat = [{
    $source `leading` $leading `chunks` $chunks `blocks` $blocks attr-dict `:`
    type($source)
  }];
}

def Train_UnchunkOp : Train_Op<"unchunk", [Pure, Evaluatable]> {
  let summary = "the tensor whose tokens are in chunks";
  let description = [{
    The inverse of `train.chunk`: `train.chunk` of the result with the same
    attributes is the source.

    - (C1) `train.chunk` of the result is legal.
    - (C2) it has the source's type.
  }];
  let arguments = (ins Train_Tensor:$source, I64Attr:$leading, I64Attr:$chunks,
                       DenseI64ArrayAttr:$blocks);
  let results = (outs Train_Tensor:$result);
  let assemblyFormat = [{
    $source `leading` $leading `chunks` $chunks `blocks` $blocks attr-dict `:`
    type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Cross-entropy of rows of logits
//===----------------------------------------------------------------------===//

// In parts, so that what each takes from the columns can be reduced between
// them where ranks hold parts of the vocabulary. `start` is the index of the
// first column. With `valid` v > 0, columns of index v and above are pad.

def Train_RowMaxOp : Train_Op<"row_max", [
    Pure, Evaluatable, Train_InferType,
    RowOpWith<["getColumnDims", "getOperandRowKind", "getResultRowKind"]>]> {
  let summary = "the largest logit of each row";
  let description = [{
    Pad columns count as minus infinity.

    - (C1) logits are [rows, vocabulary].
  }];
  let arguments = (ins Train_FloatTensor:$logits, Train_IndexScalar:$start,
                       DefaultValuedAttr<I64Attr, "0">:$valid);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat =
      "$logits `start` $start attr-dict `:` type($logits) `,` type($start)";
}

def Train_RowExpSumOp : Train_Op<"row_exp_sum", [
    Pure, Evaluatable, Train_InferType,
    RowOpWith<["getColumnDims", "getOperandRowKind", "getResultRowKind"]>]> {
  let summary = "sum of exp(logit - max) of each row";
  let description = [{
    Pad columns count as minus infinity.

    - (C1) logits are [rows, vocabulary], max [rows].
  }];
  let arguments = (ins Train_FloatTensor:$logits, Train_FloatTensor:$max,
                       Train_IndexScalar:$start,
                       DefaultValuedAttr<I64Attr, "0">:$valid);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = [{
    $logits `,` $max `start` $start attr-dict `:` type($logits) `,` type($max)
    `,` type($start)
  }];
}

def Train_PickOp : Train_Op<"pick", [
    Pure, Evaluatable, Train_InferType,
    RowOpWith<["getColumnDims", "getOperandRowKind", "getResultRowKind"]>]> {
  let summary = "the logit of each row's target";
  let description = [{
    logits[target - start], 0 where that is none of the columns.

    - (C1) logits are [rows, vocabulary], targets [rows].
  }];
  let arguments = (ins Train_FloatTensor:$logits, Train_IndexTensor:$targets,
                       Train_IndexScalar:$start);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = [{
    $logits `,` $targets `start` $start attr-dict `:` type($logits) `,`
    type($targets) `,` type($start)
  }];
}

def Train_RowLossOp : Train_Op<"row_loss", [
    Pure, Evaluatable, Train_InferType, RowOp,
    AllTypesMatch<["max", "exp_sum", "picked"]>]> {
  let summary = "cross-entropy of rows from what their columns gave";
  let description = [{
    log_sum = max + log(exp_sum); loss = log_sum - picked, 0 where the target is
    -100.

    - (C1) operands have one shape.
  }];
  let arguments = (ins Train_FloatTensor:$max, Train_FloatTensor:$exp_sum,
                       Train_FloatTensor:$picked, Train_IndexTensor:$targets);
  let results = (outs Train_FloatTensor:$loss, Train_FloatTensor:$log_sum);
  let assemblyFormat = [{
    $max `,` $exp_sum `,` $picked `,` $targets attr-dict `:` type($max) `,`
    type($targets)
  }];
}

def Train_CrossEntropyGradOp : Train_Op<"cross_entropy_grad", [
    Pure, Evaluatable, Train_InferType,
    RowOpWith<["getColumnDims", "getOperandRowKind"]>]> {
  let summary = "gradient of the logits of cross-entropy";
  let description = [{
    (exp(logits - log_sum) - [column = target - start]) seed, and 0 where the
    target is -100 or the column is pad.

    - (C1) logits are [rows, vocabulary], targets and log_sum [rows].
  }];
  let arguments = (ins Train_FloatTensor:$logits, Train_IndexTensor:$targets,
                       Train_IndexScalar:$start, Train_FloatTensor:$log_sum,
                       Train_FloatScalar:$seed,
                       DefaultValuedAttr<I64Attr, "0">:$valid);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = [{
    $logits `,` $targets `start` $start `,` $log_sum `seed` $seed attr-dict
    `:` type($logits) `,` type($targets) `,` type($start) `,` type($log_sum)
    `,` type($seed)
  }];
}

//===----------------------------------------------------------------------===//
// Sums, clipping, update
//===----------------------------------------------------------------------===//

def Train_SumOp : Train_Op<"sum", [
    Pure, Evaluatable, Train_InferType, RowOpWith<["getResultRowKind"]>]> {
  let summary = "sum of all elements";
  let arguments = (ins Train_FloatTensor:$source);
  let results = (outs Train_FloatScalar:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

def Train_SumSquaresOp : Train_Op<"sum_squares", [
    Pure, Evaluatable, Train_InferType, RowOpWith<["getResultRowKind"]>]> {
  let summary = "sum of the squares of all elements";
  let arguments = (ins Train_FloatTensor:$source);
  let results = (outs Train_FloatScalar:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

def Train_CountTargetsOp : Train_Op<"count_targets", [
    Pure, Evaluatable, RowOpWith<["getResultRowKind"]>]> {
  let summary = "the number of targets other than -100";
  let arguments = (ins Train_IndexTensor:$targets);
  let results = (outs Train_FloatScalar:$result);
  let assemblyFormat = "$targets attr-dict `:` type($targets) `->` type($result)";
}

def Train_LossSeedOp : Train_Op<"loss_seed", [
    Pure, Evaluatable,
    RowOpWith<["getOperandRowKind", "getResultRowKind", "getColumnDims"]>]> {
  let summary = "the cotangent of the loss sum";
  let description = [{
    seed = 1 / count and apply = true; with no target at all seed = 0 and
    apply = false, so that a step without targets changes nothing.
  }];
  let arguments = (ins Train_FloatScalar:$count);
  let results = (outs Train_FloatScalar:$seed, Train_BoolScalar:$apply);
  let assemblyFormat =
      "$count attr-dict `:` type($count) `->` type($seed) `,` type($apply)";
}

def Train_ClipFactorOp : Train_Op<"clip_factor", [
    Pure, Evaluatable,
    RowOpWith<["getOperandRowKind", "getResultRowKind", "getColumnDims"]>]> {
  let summary = "gradient norm, the factor that clips it, whether to update";
  let description = [{
    norm = sqrt(sum_squares); factor = min(1, max_norm / (norm + 1e-6)), 1 if
    max_norm is 0; not a number where the norm is none. update = apply and (loss
    and sum_squares are finite, or update_nonfinite > 0).
  }];
  let arguments = (ins Train_FloatScalar:$sum_squares,
                       Train_FloatScalar:$max_norm, Train_FloatScalar:$loss,
                       Train_BoolScalar:$apply,
                       Train_FloatScalar:$update_nonfinite);
  let results = (outs Train_FloatScalar:$norm, Train_FloatScalar:$factor,
                      Train_BoolScalar:$update);
  let assemblyFormat = [{
    $sum_squares `,` $max_norm `loss` $loss `apply` $apply `update_nonfinite`
    $update_nonfinite attr-dict `:` type($sum_squares) `,` type($max_norm) `,`
    type($loss) `,` type($apply) `,` type($update_nonfinite) `->` type($norm)
    `,` type($factor) `,` type($update)
  }];
}

def Train_AdamWOp : Train_Op<"adamw", [
    Pure, Evaluatable, Train_InferType,
    RowOpWith<["getOperandRowKind", "getUpdatedOperand"]>]> {
  let summary = "one AdamW update of a parameter and its moments";
  let description = [{
    With g = factor gradient and t = step (Loshchilov and Hutter, 2019):
    p <- p (1 - lr weight_decay) if `decay`; m <- beta1 m + (1 - beta1) g;
    v <- beta2 v + (1 - beta2) g^2;
    p <- p - lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps).
    Where `apply` is false all three results are the operands. In place.

    - (C1) parameter, gradient and moments have one shape.
  }];
  let arguments = (ins Train_FloatTensor:$parameter,
                       Train_FloatTensor:$gradient,
                       Train_FloatTensor:$first_moment,
                       Train_FloatTensor:$second_moment,
                       Train_FloatScalar:$factor, Train_BoolScalar:$apply,
                       Train_FloatScalar:$lr, Train_FloatScalar:$beta1,
                       Train_FloatScalar:$beta2, Train_FloatScalar:$eps,
                       Train_FloatScalar:$weight_decay,
                       Train_FloatScalar:$step, UnitAttr:$decay);
  let results = (outs Train_FloatTensor:$new_parameter,
                      Train_FloatTensor:$new_first_moment,
                      Train_FloatTensor:$new_second_moment);
  let assemblyFormat = [{
    $parameter `,` $gradient `,` $first_moment `,` $second_moment `factor`
    $factor `apply` $apply `lr` $lr `betas` $beta1 `,` $beta2 `eps` $eps
    `weight_decay` $weight_decay `step` $step attr-dict `:` type($parameter)
    `,` type($gradient) `,` type($first_moment) `,` type($second_moment) `,`
    type($factor) `,` type($apply) `,` type($lr) `,` type($beta1) `,`
    type($beta2) `,` type($eps) `,` type($weight_decay) `,` type($step)
  }];
}

#endif // TRIREME_DIALECT_TRAIN_IR_STEPOPS
