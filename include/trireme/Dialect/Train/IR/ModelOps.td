//===- ModelOps.td - What a model is written in ------------*- tablegen -*-===//

#ifndef TRIREME_DIALECT_TRAIN_IR_MODELOPS
#define TRIREME_DIALECT_TRAIN_IR_MODELOPS

//===----------------------------------------------------------------------===//
// Element-wise
//===----------------------------------------------------------------------===//

class Train_Elementwise<string mnemonic, list<Trait> traits = []>
    : Train_Op<mnemonic, !listconcat([
        Pure, SameOperandsAndResultType, Differentiable, Evaluatable, RowOp],
        traits)> {
  let results = (outs Train_FloatTensor:$result);
}

class Train_Binary<string mnemonic, list<Trait> traits = []>
    : Train_Elementwise<mnemonic, traits> {
  let arguments = (ins Train_FloatTensor:$lhs, Train_FloatTensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

class Train_Unary<string mnemonic, list<Trait> traits = []>
    : Train_Elementwise<mnemonic, traits> {
  let arguments = (ins Train_FloatTensor:$source);
  let assemblyFormat = "$source attr-dict `:` type($result)";
}

def Train_AddOp : Train_Binary<"add", [Commutative]> {
  let summary = "element-wise sum";
  let hasFolder = 1;
}

def Train_MulOp : Train_Binary<"mul", [Commutative]> {
  let summary = "element-wise product";
}

def Train_ScaleOp : Train_Elementwise<"scale"> {
  let summary = "product with a number of the model's config";
  let arguments = (ins Train_FloatTensor:$source, F64Attr:$factor);
  let assemblyFormat = "$source `by` $factor attr-dict `:` type($result)";
}

def Train_GeluOp : Train_Unary<"gelu"> {
  let summary = "Gaussian error linear unit";
  let description = [{
    x Phi(x) with the normal distribution's Phi by erf, or, with `tanh`, its
    approximation x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
    (Hendrycks and Gimpel, 2016).
  }];
  let arguments = (ins Train_FloatTensor:$source, UnitAttr:$tanh);
}

def Train_SiluOp : Train_Unary<"silu"> {
  let summary = "x / (1 + exp(-x))";
}

def Train_ReluOp : Train_Unary<"relu"> {
  let summary = "max(x, 0)";
}

def Train_SoftcapOp : Train_Elementwise<"softcap"> {
  let summary = "cap tanh(x / cap) (Gemma 2)";
  let arguments = (ins Train_FloatTensor:$source, F64Attr:$cap);
  let assemblyFormat = "$source `cap` $cap attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Matrix products and biases
//===----------------------------------------------------------------------===//

def Train_LinearOp : Train_Op<"linear", [
    Pure, Differentiable, Evaluatable, Accumulating, Train_InferType]> {
  let summary = "contraction of the dims of two tensors";
  let description = [{
    Contracts `contract` dims of `lhs` with as many of `rhs`, in order. They
    are the last dims of `lhs` (the first with `lhs_transposed`) and the first
    dims of `rhs` (the last with `rhs_transposed`, as Hugging Face stores
    weights: [out, in]). The result has the other dims of `lhs`, then those of
    `rhs`. With collapsed dims it is op(lhs) * op(rhs) on row-major matrices.
    With an accumulator (step stage on) the product is added to it.

    - (C1) `contract` is between 1 and the rank of either operand.
    - (C2) contracted dims agree.
    - (C3) the accumulator has the result's type.

    ```mlir
    func.func @query(%x: tensor<8x64x32xf32>, %w: tensor<2x4x8x32xf32>)
        -> tensor<8x64x2x4x8xf32> {
      %q = train.linear %x, %w contract 1 rhs_transposed
          : tensor<8x64x32xf32>, tensor<2x4x8x32xf32>
      return %q : tensor<8x64x2x4x8xf32>
    }
    ```
  }];
  let arguments = (ins Train_FloatTensor:$lhs, Train_FloatTensor:$rhs,
                       Optional<Train_FloatTensor>:$accumulator,
                       I64Attr:$contract, UnitAttr:$lhs_transposed,
                       UnitAttr:$rhs_transposed);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `contract` $contract (`lhs_transposed` $lhs_transposed^)?
    (`rhs_transposed` $rhs_transposed^)?
    (`accumulate` $accumulator^ `:` type($accumulator))?
    attr-dict `:` type($lhs) `,` type($rhs)
  }];
  let hasVerifier = 1;
}

def Train_AddBiasOp : Train_Op<"add_bias", [
    Pure, Differentiable, Evaluatable, Train_InferType,
    RowOpWith<["getColumnDims", "getOperandRowKind"]>]> {
  let summary = "sum with a tensor that is the same for all rows";
  let description = [{
    - (C1) the bias has the last dims of the source.
  }];
  let arguments = (ins Train_FloatTensor:$source, Train_FloatTensor:$bias);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat =
      "$source `,` $bias attr-dict `:` type($source) `,` type($bias)";
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

def Train_RMSNormOp : Train_Op<"rms_norm", [
    Pure, Differentiable, Evaluatable, Train_InferType,
    RowOpWith<["getColumnDims", "getOperandRowKind", "getResultRowKind"]>]> {
  let summary = "root-mean-square norm of the last dim";
  let description = [{
    y = x rstd (gain + gain_offset), rstd = 1 / sqrt(mean(x^2) + eps)
    (Zhang and Sennrich, 2019). Gemma's gains are stored with 1 taken off
    (`gain_offset` 1). The second result is rstd, one a row.

    - (C1) the gain is 1-D of the size of the last dim.
  }];
  let arguments = (ins Train_FloatTensor:$source, Train_FloatTensor:$gain,
                       F64Attr:$eps,
                       DefaultValuedAttr<F64Attr, "0.0">:$gain_offset);
  let results = (outs Train_FloatTensor:$result, Train_FloatTensor:$rstd);
  let assemblyFormat = [{
    $source `,` $gain `eps` $eps attr-dict `:` type($source) `,` type($gain)
  }];
}

def Train_LayerNormOp : Train_Op<"layer_norm", [
    Pure, Differentiable, Evaluatable, Train_InferType,
    AllTypesMatch<["gain", "bias"]>,
    RowOpWith<["getColumnDims", "getOperandRowKind", "getResultRowKind"]>]> {
  let summary = "layer norm of the last dim";
  let description = [{
    y = (x - mean) rstd gain + bias, rstd = 1 / sqrt(var(x) + eps) with the
    biased variance (Ba, Kiros and Hinton, 2016). Further results: mean and
    rstd, one a row.

    - (C1) gain and bias are 1-D of the size of the last dim.
  }];
  let arguments = (ins Train_FloatTensor:$source, Train_FloatTensor:$gain,
                       Train_FloatTensor:$bias, F64Attr:$eps);
  let results = (outs Train_FloatTensor:$result, Train_FloatTensor:$mean,
                      Train_FloatTensor:$rstd);
  let assemblyFormat = [{
    $source `,` $gain `,` $bias `eps` $eps attr-dict `:` type($source) `,`
    type($gain)
  }];
}

//===----------------------------------------------------------------------===//
// Positions and attention
//===----------------------------------------------------------------------===//

def Train_EmbeddingOp : Train_Op<"embedding", [
    Pure, Differentiable, Evaluatable, Train_InferType,
    DeclareOpInterfaceMethods<LookupOpInterface>]> {
  let summary = "rows of a table";
  let description = [{
    result[i, ...] = table[ids[i] - start, ...]; an id outside the table's rows
    gives zeros (the row is on another rank).

    - (C1) the table has at least one dim besides its rows.
  }];
  let arguments = (ins Train_FloatTensor:$table, Train_IndexTensor:$ids,
                       Train_IndexScalar:$start);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = [{
    $table `,` $ids `start` $start attr-dict `:` type($table) `,` type($ids)
    `,` type($start)
  }];
}

def Train_RotaryTableOp : Train_Op<"rotary_table", [
    Pure, Evaluatable, Train_InferType]> {
  let summary = "cosines and sines of rotary position embedding";
  let description = [{
    result[b, s, 0, j] = cos(p f_j), result[b, s, 1, j] = sin(p f_j), with
    p = positions[b, s] and the frequencies f of `rope`.

    The result is f32, of positions' shape x 2 x rope.dims / 2.
  }];
  let arguments = (ins Train_IndexTensor:$positions, Train_RopeAttr:$rope);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat =
      "$positions `rope` $rope attr-dict `:` type($positions)";
}

def Train_RotaryOp : Train_Op<"rotary", [
    Pure, Differentiable, Evaluatable, Train_InferType]> {
  let summary = "rotary position embedding of heads";
  let description = [{
    Rotates the first n = 2 x (last dim of the table) elements of the last dim
    of source, pairing element j with j + n/2 (Su et al., 2021, in GPT-NeoX's
    half-split form); the others pass. `inverse` rotates back, which is the
    derivative.

    - (C1) the source is [batch, sequence, ..., head], the table [batch,
      sequence, 2, n/2] with n at most the head's size.
  }];
  let arguments = (ins Train_FloatTensor:$source, Train_FloatTensor:$table,
                       UnitAttr:$inverse);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat =
      "$source `,` $table (`inverse` $inverse^)? attr-dict `:` type($source) `,` type($table)";
}

def Train_AttentionOp : Train_Op<"attention", [
    Pure, Differentiable, Evaluatable, Train_InferType, AllTypesMatch<["k", "v"]>,
    Train_KeyPositions]> {
  let summary = "causal grouped-query attention";
  let description = [{
    q is [batch, sequence, kv heads, group, head], k and v [batch, keys,
    kv heads, head]. The query at position p sees the keys at positions p' <= p
    and, where the layer's `window` w is above 0, p - p' < w. Scores are
    s = scale q.k, with `softcap` c: c tanh(s / c). The second result is the
    log of the sum of exponentials of the scores, [batch, kv heads, group,
    sequence] (Dao et al., 2022). A query that sees no key has the output 0 and
    minus infinity as log.

    Queries and keys are each cut into `blocks` blocks along the sequence; the
    queries of a block see keys of the same block only. On one rank's block of
    the tensors, `blocks` counts the blocks that it has.

    - (C1) shapes are as said.
    - (C2) `window` is an integer or `#train.per_layer`, not negative.
    - (C3) a `#train.per_layer` has a value for every layer of the enclosing
      `layers` loop (for one layer where there is none).
    - (C4) `blocks` divides the numbers of queries and keys.
  }];
  let arguments = (ins Train_FloatTensor:$q, Train_FloatTensor:$k,
                       Train_FloatTensor:$v, Train_IndexTensor:$q_positions,
                       Train_IndexTensor:$k_positions, F64Attr:$scale,
                       DefaultValuedAttr<F64Attr, "0.0">:$softcap,
                       AnyAttrOf<[I64Attr, Train_PerLayerAttr]>:$window,
                       DefaultValuedAttr<I64Attr, "1">:$blocks);
  let results = (outs Train_FloatTensor:$result, Train_FloatTensor:$log_sum);
  let assemblyFormat = [{
    $q `,` $k `,` $v `positions` $q_positions `,` $k_positions
    `scale` $scale attr-dict `:` type($q) `,` type($k) `,`
    type($q_positions)
  }];
  let hasVerifier = 1;
}

def Train_MergeAttentionOp : Train_Op<"merge_attention", [
    Pure, Evaluatable, Train_InferType, AllTypesMatch<["lhs", "rhs"]>,
    AllTypesMatch<["lhs_log_sum", "rhs_log_sum"]>]> {
  let summary = "attention over the keys of two attentions";
  let description = [{
    From output and log-sum of the same queries over two sets of keys those
    over all: l = log(exp l1 + exp l2), o = o1 exp(l1 - l) + o2 exp(l2 - l).
    Where both logs are minus infinity, so is l, and o is 0.

    - (C1) outputs are [batch, sequence, kv heads, group, head], log-sums
      [batch, kv heads, group, sequence].
  }];
  let arguments = (ins Train_FloatTensor:$lhs, Train_FloatTensor:$lhs_log_sum,
                       Train_FloatTensor:$rhs, Train_FloatTensor:$rhs_log_sum);
  let results = (outs Train_FloatTensor:$result, Train_FloatTensor:$log_sum);
  let assemblyFormat = [{
    $lhs `,` $lhs_log_sum `,` $rhs `,` $rhs_log_sum attr-dict `:` type($lhs)
    `,` type($lhs_log_sum)
  }];
}

//===----------------------------------------------------------------------===//
// The loss
//===----------------------------------------------------------------------===//

def Train_CrossEntropyHeadOp : Train_Op<"cross_entropy_head", [
    Pure, Differentiable, Evaluatable, Train_InferType,
    DeclareOpInterfaceMethods<HeadOpInterface>]> {
  let summary = "output layer and cross-entropy in one";
  let description = [{
    logits = hidden weight^T (then cap tanh(logits / cap) with `softcap`);
    sum = sum of log(sum exp logits) - logits[target] over targets other than
    -100; count = their number. `start` is the index of the weight's first row.
    With `valid` v > 0, rows of index v and above are pad, of no probability.

    - (C1) hidden is [..., features], weight [vocabulary, features], targets
      have the other dims of hidden.
  }];
  let arguments = (ins Train_FloatTensor:$hidden, Train_FloatTensor:$weight,
                       Train_IndexTensor:$targets, Train_IndexScalar:$start,
                       DefaultValuedAttr<F64Attr, "0.0">:$softcap,
                       DefaultValuedAttr<I64Attr, "0">:$valid);
  let results = (outs Train_FloatScalar:$sum, Train_FloatScalar:$count);
  let assemblyFormat = [{
    $hidden `,` $weight `targets` $targets `start` $start attr-dict `:`
    type($hidden) `,` type($weight) `,` type($targets) `,` type($start)
  }];
}

#endif // TRIREME_DIALECT_TRAIN_IR_MODELOPS
