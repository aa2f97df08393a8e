//===- RowsOps.td - Fused kernels on rows ------------------*- tablegen -*-===//

#ifndef TRIREME_DIALECT_TRAIN_IR_ROWSOPS
#define TRIREME_DIALECT_TRAIN_IR_ROWSOPS

include "trireme/Dialect/Train/IR/RowKinds.td"

def Train_RowsOp : Train_Op<"rows", [
    IsolatedFromAbove, SingleBlock, Pure, Evaluatable]> {
  let summary = "a kernel on the rows of tensors, in scalar form";
  let description = [{
    Its body runs for every element of a [rows, columns] iteration space. A
    body argument is the operand's scalar: of its row and column (`full`), its
    row (`row`), its column (`column`) or the only one (`scalar`). The body has
    arith and math ops, `train.reduce` along the row, and `train.column` (the
    index). It ends in `train.rows_yield` with one scalar a result: `full`,
    `row` (uniform along the row), `scalar` (uniform), `column_sum` (summed
    over rows), `sum` (summed over all).

    With `flat`, the operation is element-wise and rows have no meaning.
    `updated` gives for each result the operand whose buffer it overwrites, or
    -1.

    Created by `convert-train-to-rows`, merged by `train-fuse`, lowered by
    `convert-train-to-runtime`.

    - (C1) there is one kind an operand, and one kind and one `updated` a
      result.
    - (C2) sizes fit the kinds: full rows x columns, row rows, column and
      column_sum columns, scalar and sum 1.
    - (C3) operands are full, row, column or scalar.
    - (C4) `rows` and `columns` are at least 1.
    - (C5) `updated` is -1 or an operand of the result's type.
    - (C6) the body has one argument an operand, of its element type, and yields
      one scalar a result, of its element type.
    - (C7) the body has scalar `arith` and `math` operations, `train.reduce` and
      `train.column`.
    - (C8) with `flat` it has neither of the last two.
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$rows, I64Attr:$columns,
                       UnitAttr:$flat, Variadic<Train_Tensor>:$inputs,
                       Train_RowKindArrayAttr:$operand_kinds,
                       Train_RowKindArrayAttr:$result_kinds,
                       DenseI64ArrayAttr:$updated);
  let results = (outs Variadic<Train_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `rows` $rows `columns` $columns (`flat` $flat^)?
    `in` `(` ($inputs^ `:` type($inputs))? `)` $operand_kinds
    `out` (`(` type($outputs)^ `)`)? $result_kinds `updated` $updated $body
    attr-dict
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Train_RowsYieldOp : Train_Op<"rows_yield", [
    Pure, ReturnLike, Terminator]> {
  let summary = "the scalars of a kernel's results";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Train_Reduction : I32EnumAttr<"Reduction", "how a row is reduced", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">]> {
  let cppNamespace = "::trireme::train";
}

def Train_ReduceOp : Train_Op<"reduce", [
    Pure, SameOperandsAndResultType]> {
  let summary = "reduction of a scalar along the row";
  let arguments = (ins Train_Reduction:$kind, AnyFloat:$value);
  let results = (outs AnyFloat:$result);
  let assemblyFormat = "$kind $value attr-dict `:` type($result)";
}

def Train_ColumnOp : Train_Op<"column", [Pure]> {
  let summary = "the index of the element's column";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

#endif // TRIREME_DIALECT_TRAIN_IR_ROWSOPS
