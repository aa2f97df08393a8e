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

LogicalResult RowsOp::verify() {
  // C1
  if (getOperandKinds().size() != getInputs().size() ||
      getResultKinds().size() != getOutputs().size() ||
      getUpdated().size() != getOutputs().size())
    return emitOpError() << "has " << getOperandKinds().size()
                         << " operand kinds for " << getInputs().size()
                         << " operands and " << getResultKinds().size()
                         << " result kinds for " << getOutputs().size()
                         << " results";
  int64_t rows = getRows(), columns = getColumns();
  auto check = [&](Value value, Attribute kindAttr, StringRef what,
                   unsigned index) -> LogicalResult {
    RowKind kind = cast<RowKindAttr>(kindAttr).getValue();
    int64_t size = tensorType(value).getNumElements();
    // C2
    if (size != sizeOf(kind, rows, columns))
      return emitOpError() << what << " " << index << " has " << size
                           << " elements, but is " << stringifyRowKind(kind)
                           << " of " << rows << " rows and " << columns
                           << " columns";
    // C3
    if (what == "operand" &&
        (kind == RowKind::ColumnSum || kind == RowKind::Sum))
      return emitOpError() << "operand " << index << " cannot be "
                           << stringifyRowKind(kind);
    return success();
  };
  for (auto [index, value] : llvm::enumerate(getInputs()))
    if (failed(check(value, getOperandKinds()[index], "operand", index)))
      return failure();
  for (auto [index, value] : llvm::enumerate(getOutputs()))
    if (failed(check(value, getResultKinds()[index], "result", index)))
      return failure();
  Block &body = getBody().front();
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
  return success();
}
