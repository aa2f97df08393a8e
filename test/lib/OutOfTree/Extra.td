//===- Extra.td - A dialect outside of the tree ------------*- tablegen -*-===//

#ifndef EXTRA
#define EXTRA

include "trireme/Dialect/Train/IR/TrainTypes.td"

def Extra_Dialect : Dialect {
  let name = "extra";
  let cppNamespace = "::extra";
  let summary = "Operations that Trireme does not know";
  let dependentDialects = ["::trireme::train::TrainDialect"];
}

def Extra_SquaredReluOp : Op<Extra_Dialect, "squared_relu", [
    Pure, SameOperandsAndResultType, Differentiable, Evaluatable, RowOp]> {
  let summary = "max(x, 0)^2 (So et al., 2021)";
  let arguments = (ins Train_FloatTensor:$source);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($result)";
}

def Extra_SwapHalvesOp : Op<Extra_Dialect, "swap_halves", [
    Pure, SameOperandsAndResultType, Differentiable, Evaluatable]> {
  let summary = "the halves of the last dim, the other way round";
  let description = [{
    - (C1) the last dim is even.
  }];
  let arguments = (ins Train_FloatTensor:$source);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // EXTRA
