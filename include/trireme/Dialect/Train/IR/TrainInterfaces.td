//===- TrainInterfaces.td - What passes ask operations -----*- tablegen -*-===//

#ifndef TRIREME_DIALECT_TRAIN_IR_TRAININTERFACES
#define TRIREME_DIALECT_TRAIN_IR_TRAININTERFACES

include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::trireme::train";
  let description = [{
    The vector-Jacobian product of an operation, by `train-differentiate`.
    An operation without this interface stops gradients if no operand that
    reaches it depends on a trained parameter, and is an error otherwise.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the cotangents of the operands at the builder's place.
      `cotangents` has one value a result, null where none arrives. Puts one
      value an operand into `operandCotangents`, null where the operand needs
      none. The rule may use the operation's own operands and results; what it
      uses decides what is kept from forward to backward. Example: for
      `%y = train.mul %a, %b` it builds `train.mul %dy, %b` and
      `train.mul %dy, %a`.
      }],
      "::mlir::LogicalResult", "buildDerivative",
      (ins "::mlir::OpBuilder &":$builder,
           "::llvm::ArrayRef<::mlir::Value>":$cotangents,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$operandCotangents)>
  ];
}

def EvaluatableOpInterface : OpInterface<"EvaluatableOpInterface"> {
  let cppNamespace = "::trireme::train";
  let description = [{
    The meaning of an operation in float64, for the evaluator. It shares no
    code with derivative rules or lowerings.
  }];
  let methods = [
    InterfaceMethod<[{
      Computes `results` (shaped already, zero) from `operands`. `layer` is the
      iteration of the innermost enclosing `layers` loop plus its `first`, or 0.
      }],
      "::mlir::LogicalResult", "evaluate",
      (ins "::llvm::ArrayRef<const ::trireme::train::HostTensor *>":$operands,
           "::llvm::MutableArrayRef<::trireme::train::HostTensor>":$results,
           "int64_t":$layer)>
  ];
}

def AccumulatingOpInterface : OpInterface<"AccumulatingOpInterface"> {
  let cppNamespace = "::trireme::train";
  let description = [{
    An operation that can add its result to a tensor it is given, in place:
    `add(acc, op(x))` becomes `op(x) acc`.
  }];
  let methods = [
    InterfaceMethod<"The accumulator, null if there is none.",
      "::mlir::Value", "getAccumulatorValue", (ins)>,
    InterfaceMethod<"Makes the (single) result start from `accumulator`.",
      "void", "setAccumulator", (ins "::mlir::Value":$accumulator)>
  ];
}

def RowOpInterface : OpInterface<"RowOpInterface"> {
  let cppNamespace = "::trireme::train";
  let description = [{
    A memory-bound operation as a computation on rows: element-wise maths,
    reductions along a row, broadcasts. `convert-train-to-rows` wraps it into
    `train.rows`, from which kernels are generated. Operands and results are
    seen as [rows, columns] with `getColumnDims()` trailing dims (of the first
    full operand or result) as columns; each has a `RowKind`.
  }];
  let methods = [
    InterfaceMethod<[{
      How many trailing dims make a row; -1 if any will do (purely
      element-wise).
      }],
      "int64_t", "getColumnDims", (ins), "", "return -1;">,
    InterfaceMethod<"The kind of an operand; `Full` unless said otherwise.",
      "::trireme::train::RowKind", "getOperandRowKind", (ins "unsigned":$index),
      "", "return ::trireme::train::RowKind::Full;">,
    InterfaceMethod<"The kind of a result; `Full` unless said otherwise.",
      "::trireme::train::RowKind", "getResultRowKind", (ins "unsigned":$index),
      "", "return ::trireme::train::RowKind::Full;">,
    InterfaceMethod<[{
      Emits the scalar form with arith, math and `train.reduce` operations:
      one scalar an operand comes in, one scalar a result goes out. Example:
      `train.silu` emits x / (1 + exp(-x)).
      }],
      "::llvm::SmallVector<::mlir::Value>", "emitRow",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$elements)>,
    InterfaceMethod<[{
      The operand whose buffer the result overwrites, or -1. Such an operand is
      updated in place (optimizer state).
      }],
      "int64_t", "getUpdatedOperand", (ins "unsigned":$result),
      "", "return -1;">
  ];
}

def HeadOpInterface : OpInterface<"HeadOpInterface"> {
  let cppNamespace = "::trireme::train";
  let description = [{
    A loss head that is one operation until the split of tokens is known, then
    expanded to a `chunks` loop so that logits never exist whole.
  }];
  let methods = [
    InterfaceMethod<"Rows of logits (tokens) and their width (vocabulary).",
      "::std::pair<int64_t, int64_t>", "getLogitsShape", (ins)>,
    InterfaceMethod<[{
      Builds the equivalent loop of `chunks` iterations at the builder's place
      and returns its replacement values. The dims of tokens are cut into
      `blocks` blocks (empty: one each), of whose every one a chunk has a part,
      as `train.chunk` says; `chunks` divides the tokens of a block.
      }],
      "::llvm::SmallVector<::mlir::Value>", "expand",
      (ins "::mlir::OpBuilder &":$builder, "int64_t":$chunks,
           "::llvm::ArrayRef<int64_t>":$blocks)>,
    InterfaceMethod<"The weight that makes logits of hidden.",
      "::mlir::Value", "getHeadWeight", (ins)>,
    InterfaceMethod<"The dim of the weight that is the vocabulary.",
      "int64_t", "getVocabularyDim", (ins)>,
    InterfaceMethod<[{
      Says that the vocabulary has `rows` entries and the weight's others are
      pad, of no probability; 0 if none is.
      }],
      "void", "setValidRows", (ins "int64_t":$rows)>
  ];
}

def LookupOpInterface : OpInterface<"LookupOpInterface"> {
  let cppNamespace = "::trireme::train";
  let description = [{
    An operation that takes slices of a table by index, so that slices behind
    the largest index may be pad.
  }];
  let methods = [
    InterfaceMethod<"The table.", "::mlir::Value", "getLookupTable", (ins)>,
    InterfaceMethod<"The dim of the table that indices are of.",
      "int64_t", "getLookupRowsDim", (ins)>,
    InterfaceMethod<"The indices.", "::mlir::Value", "getLookupIds", (ins)>
  ];
}

#endif // TRIREME_DIALECT_TRAIN_IR_TRAININTERFACES
