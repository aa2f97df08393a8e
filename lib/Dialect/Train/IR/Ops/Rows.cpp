//===- Rows.cpp - Kernels on rows -----------------------------------------===//

#include "Common.h"

using namespace mlir;
using namespace trireme::train;

/// Elements that a tensor of this kind has.
static int64_t sizeOf(RowKind kind, int64_t rows, int64_t columns) {
  switch (kind) {
  case RowKind::Full:
    return rows * columns;
  case RowKind::Row:
    return rows;
  case RowKind::Column:
  case RowKind::ColumnSum:
    return columns;
  case RowKind::Scalar:
  case RowKind::Sum:
    return 1;
  }
  llvm_unreachable("unknown row kind");
}

/// Checks one operand or result against its kind.
static LogicalResult checkKind(RowsOp op, Value value, Attribute attribute,
                               StringRef what, unsigned index) {
  RowKind kind = cast<RowKindAttr>(attribute).getValue();
  int64_t rows = op.getRows(), columns = op.getColumns();
  int64_t size = tensorType(value).getNumElements();
  // C2
  if (size != sizeOf(kind, rows, columns))
    return op.emitOpError()
           << what << " " << index << " has " << size << " elements, but is "
           << stringifyRowKind(kind) << " of " << rows << " rows and "
           << columns << " columns";
  // C3
  if (what == "operand" && (kind == RowKind::ColumnSum || kind == RowKind::Sum))
    return op.emitOpError()
           << "operand " << index << " cannot be " << stringifyRowKind(kind);
  return success();
}

LogicalResult trireme::train::checkKernelBody(Block &body) {
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  for (Operation &op : body.without_terminator()) {
    bool isKnown = isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
                       op.getDialect()) ||
                   isa<ReduceOp, ColumnOp>(op);
    if (!isKnown || !llvm::all_of(op.getResultTypes(), isScalar))
      return op.emitOpError() << "cannot stand in the body of a kernel, "
                                 "expected arith and math on scalars, "
                                 "train.reduce or train.column";
  }
  return success();
}

LogicalResult RowsOp::verify() {
  // C1
  if (getOperandKinds().size() != getInputs().size() ||
      getResultKinds().size() != getOutputs().size() ||
      getUpdated().size() != getOutputs().size())
    return emitOpError() << "has " << getOperandKinds().size()
                         << " operand kinds for " << getInputs().size()
                         << " operands, and " << getResultKinds().size()
                         << " result kinds and " << getUpdated().size()
                         << " updated operands for " << getOutputs().size()
                         << " results";
  // C4
  int64_t rows = getRows(), columns = getColumns();
  if (rows < 1 || columns < 1 || !isCountable({rows, columns}))
    return emitOpError() << "has " << rows << " rows and " << columns
                         << " columns, expected at least 1 and fewer than 2^48 "
                            "elements";
  for (auto [index, value] : llvm::enumerate(getInputs()))
    if (failed(checkKind(*this, value, getOperandKinds()[index], "operand",
                         index)))
      return failure();
  for (auto [index, value] : llvm::enumerate(getOutputs()))
    if (failed(
            checkKind(*this, value, getResultKinds()[index], "result", index)))
      return failure();
  // C5
  for (auto [result, operand] : llvm::zip_equal(getOutputs(), getUpdated()))
    if (operand != -1 &&
        (operand < 0 || operand >= int64_t(getInputs().size()) ||
         getInputs()[operand].getType() != result.getType()))
      return emitOpError() << "updates operand " << operand
                           << " by a result of "
                           << "type " << result.getType()
                           << ", expected -1 or an operand of that type";
  return success();
}

LogicalResult RowsOp::verifyRegions() {
  Block &body = getBody().front();
  // C6
  if (body.getNumArguments() != getInputs().size())
    return emitOpError() << "has a body of " << body.getNumArguments()
                         << " arguments for " << getInputs().size()
                         << " operands";
  for (auto [value, argument] :
       llvm::zip_equal(getInputs(), body.getArguments()))
    if (argument.getType() != tensorType(value).getElementType())
      return emitOpError() << "has a body argument of type "
                           << argument.getType() << " for an operand of type "
                           << value.getType();
  auto yield = dyn_cast<RowsYieldOp>(body.getTerminator());
  if (!yield || yield.getValues().size() != getOutputs().size())
    return emitOpError() << "must yield one scalar a result";
  for (auto [scalar, result] : llvm::zip_equal(yield.getValues(), getOutputs()))
    if (scalar.getType() != tensorType(result).getElementType())
      return emitOpError() << "yields " << scalar.getType()
                           << " for a result of type " << result.getType();
  // C7
  if (failed(checkKernelBody(body)))
    return failure();
  // C8
  for (Operation &op : body)
    if (getFlat() && isa<ReduceOp, ColumnOp>(op))
      return op.emitOpError() << "needs rows, but the kernel is flat";
  return success();
}
