//===- RowKinds.td - How tensors meet rows -----------------*- tablegen -*-===//

#ifndef TRIREME_DIALECT_TRAIN_IR_ROWKINDS
#define TRIREME_DIALECT_TRAIN_IR_ROWKINDS

include "trireme/Dialect/Train/IR/TrainBase.td"

def Train_RowKind : I32EnumAttr<"RowKind", "how a tensor meets [rows, columns]", [
    I32EnumAttrCase<"Full", 0, "full">,
    I32EnumAttrCase<"Row", 1, "row">,
    I32EnumAttrCase<"Column", 2, "column">,
    I32EnumAttrCase<"Scalar", 3, "scalar">,
    I32EnumAttrCase<"ColumnSum", 4, "column_sum">,
    I32EnumAttrCase<"Sum", 5, "sum">]> {
  let cppNamespace = "::trireme::train";
  let genSpecializedAttr = 0;
}
def Train_RowKindAttr : EnumAttr<Train_Dialect, Train_RowKind, "row_kind">;
def Train_RowKindArrayAttr : TypedArrayAttrBase<Train_RowKindAttr, "row kinds">;

#endif // TRIREME_DIALECT_TRAIN_IR_ROWKINDS
