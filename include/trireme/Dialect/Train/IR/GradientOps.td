//===- GradientOps.td - What derivatives are written in ----*- tablegen -*-===//
//
// Created by the derivative rules of ModelOps; each op here is the vector-
// Jacobian product of the op it is named after.
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_DIALECT_TRAIN_IR_GRADIENTOPS
#define TRIREME_DIALECT_TRAIN_IR_GRADIENTOPS

class Train_UnaryGrad<string mnemonic>
    : Train_Op<mnemonic, [Pure, SameOperandsAndResultType, Evaluatable, RowOp]> {
  let arguments = (ins Train_FloatTensor:$source, Train_FloatTensor:$gradient);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = "$source `,` $gradient attr-dict `:` type($result)";
}

def Train_GeluGradOp : Train_UnaryGrad<"gelu_grad"> {
  let summary = "gradient of gelu's source";
  let arguments = (ins Train_FloatTensor:$source, Train_FloatTensor:$gradient,
                       UnitAttr:$tanh);
}

def Train_SiluGradOp : Train_UnaryGrad<"silu_grad"> {
  let summary = "gradient of silu's source";
}

def Train_ReluGradOp : Train_UnaryGrad<"relu_grad"> {
  let summary = "gradient of relu's source (0 at 0)";
}

def Train_SoftcapGradOp : Train_Op<"softcap_grad", [
    Pure, SameOperandsAndResultType, Evaluatable, RowOp]> {
  let summary = "gradient of softcap's source, from its result";
  let arguments = (ins Train_FloatTensor:$result_value,
                       Train_FloatTensor:$gradient, F64Attr:$cap);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat =
      "$result_value `,` $gradient `cap` $cap attr-dict `:` type($result)";
}

def Train_SumLeadingOp : Train_Op<"sum_leading", [
    Pure, Evaluatable, Train_InferType,
    RowOpWith<["getColumnDims", "getResultRowKind"]>]> {
  let summary = "sum over the first dims";
  let description = [{
    The gradient of a bias: the first `dims` dims are summed.

    - (C1) `dims` is between 1 and the source's rank.
  }];
  let arguments = (ins Train_FloatTensor:$source, I64Attr:$dims);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = "$source `dims` $dims attr-dict `:` type($source)";
}

def Train_RMSNormGradOp : Train_Op<"rms_norm_grad", [
    Pure, Evaluatable, Train_InferType, AllTypesMatch<["source", "gradient"]>,
    RowOpWith<["getColumnDims", "getOperandRowKind", "getResultRowKind"]>]> {
  let summary = "gradients of rms_norm's source and gain";
  let description = [{
    - (C1) the gain is 1-D of the size of the last dim.
    - (C2) rstd has the source's dims but the last.
  }];
  let arguments = (ins Train_FloatTensor:$source, Train_FloatTensor:$gain,
                       Train_FloatTensor:$rstd, Train_FloatTensor:$gradient,
                       DefaultValuedAttr<F64Attr, "0.0">:$gain_offset);
  let results = (outs Train_FloatTensor:$source_gradient,
                      Train_FloatTensor:$gain_gradient);
  let assemblyFormat = [{
    $source `,` $gain `,` $rstd `,` $gradient attr-dict `:` type($source) `,`
    type($gain) `,` type($rstd)
  }];
}

def Train_LayerNormGradOp : Train_Op<"layer_norm_grad", [
    Pure, Evaluatable, Train_InferType, AllTypesMatch<["source", "gradient"]>,
    AllTypesMatch<["mean", "rstd"]>,
    RowOpWith<["getColumnDims", "getOperandRowKind", "getResultRowKind"]>]> {
  let summary = "gradients of layer_norm's source, gain and bias";
  let description = [{
    - (C1) the gain is 1-D of the size of the last dim.
    - (C2) mean and rstd have the source's dims but the last.
  }];
  let arguments = (ins Train_FloatTensor:$source, Train_FloatTensor:$gain,
                       Train_FloatTensor:$mean, Train_FloatTensor:$rstd,
                       Train_FloatTensor:$gradient);
  let results = (outs Train_FloatTensor:$source_gradient,
                      Train_FloatTensor:$gain_gradient,
                      Train_FloatTensor:$bias_gradient);
  let assemblyFormat = [{
    $source `,` $gain `,` $mean `,` $rstd `,` $gradient attr-dict `:`
    type($source) `,` type($gain) `,` type($rstd)
  }];
}

def Train_EmbeddingGradOp : Train_Op<"embedding_grad", [
    Pure, Evaluatable, Accumulating]> {
  let summary = "gradient of embedding's table";
  let description = [{
    result[ids[i] - start, ...] = sum of gradient[i, ...], added to the
    accumulator if there is one; ids outside the table's rows are passed over.

    - (C1) the result is a table, and the gradient is ids' shape followed by the
      dims of a table's row.
    - (C2) the accumulator has the result's type.
  }];
  let arguments = (ins Train_IndexTensor:$ids, Train_FloatTensor:$gradient,
                       Train_IndexScalar:$start,
                       Optional<Train_FloatTensor>:$accumulator);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = [{
    $ids `,` $gradient `start` $start
    (`accumulate` $accumulator^ `:` type($accumulator))? attr-dict `:`
    type($ids) `,` type($gradient) `,` type($start) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Train_AttentionGradOp : Train_Op<"attention_grad", [
    Pure, Evaluatable, Train_InferType, AllTypesMatch<["k", "v"]>,
    AllTypesMatch<["q", "output", "gradient"]>,
    Train_KeyPositions]> {
  let summary = "gradients of attention's q, k and v";
  let description = [{
    Probabilities are exp(score - log_sum), so output and log-sum may be those
    over more keys than k and v have; where the log-sum is minus infinity they
    are 0.

    - (C1) shapes are as `train.attention` says, `log_sum`'s too.
    - (C2) `window` and `blocks` are as `train.attention` says.
  }];
  let arguments = (ins Train_FloatTensor:$q, Train_FloatTensor:$k,
                       Train_FloatTensor:$v, Train_IndexTensor:$q_positions,
                       Train_IndexTensor:$k_positions,
                       Train_FloatTensor:$output, Train_FloatTensor:$log_sum,
                       Train_FloatTensor:$gradient, F64Attr:$scale,
                       DefaultValuedAttr<F64Attr, "0.0">:$softcap,
                       AnyAttrOf<[I64Attr, Train_PerLayerAttr]>:$window,
                       DefaultValuedAttr<I64Attr, "1">:$blocks);
  let results = (outs Train_FloatTensor:$q_gradient,
                      Train_FloatTensor:$k_gradient,
                      Train_FloatTensor:$v_gradient);
  let assemblyFormat = [{
    $q `,` $k `,` $v `positions` $q_positions `,` $k_positions `output`
    $output `,` $log_sum `gradient` $gradient `scale` $scale
    attr-dict `:` type($q) `,` type($k) `,` type($q_positions) `,`
    type($log_sum)
  }];
  let hasVerifier = 1;
}

def Train_CrossEntropyHeadGradOp : Train_Op<"cross_entropy_head_grad", [
    Pure, Evaluatable, Train_InferType,
    DeclareOpInterfaceMethods<HeadOpInterface>]> {
  let summary = "loss sum and gradients of the head in one";
  let description = [{
    The loss's seed does not depend on the loss, so the head is evaluated and
    differentiated together: results are the loss sum, and the gradients of
    hidden and weight for the cotangent `seed` of the sum. Expanded by
    `train-expand-heads` to a `chunks` loop, so that logits never exist whole.

    - (C1) shapes are as `train.cross_entropy_head` says.
  }];
  let arguments = (ins Train_FloatTensor:$hidden, Train_FloatTensor:$weight,
                       Train_IndexTensor:$targets, Train_IndexScalar:$start,
                       Train_FloatScalar:$seed,
                       DefaultValuedAttr<F64Attr, "0.0">:$softcap,
                       DefaultValuedAttr<I64Attr, "0">:$valid);
  let results = (outs Train_FloatScalar:$sum,
                      Train_FloatTensor:$hidden_gradient,
                      Train_FloatTensor:$weight_gradient);
  let assemblyFormat = [{
    $hidden `,` $weight `targets` $targets `start` $start `seed` $seed
    attr-dict `:` type($hidden) `,` type($weight) `,` type($targets) `,`
    type($start) `,` type($seed)
  }];
}

#endif // TRIREME_DIALECT_TRAIN_IR_GRADIENTOPS
