//===- FormRows.cpp - Memory-bound ops to kernels on rows -----------------===//
//
// Reads from the op's interface how its tensors meet [rows, columns] and lets
// the op emit its scalar form into the body.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "trireme/Dialect/Train/IR/Train.h"
#include "trireme/Transforms/Fusion/Passes.h"

namespace trireme::train {
#define GEN_PASS_DEF_FORMROWS
#include "trireme/Transforms/Fusion/Passes.h.inc"
} // namespace trireme::train

using namespace mlir;
using namespace trireme::train;

/// A `full` operand or result of `op`, null if it has none.
static Value getFullValue(RowOpInterface op) {
  for (OpOperand &operand : op->getOpOperands())
    if (op.getOperandRowKind(operand.getOperandNumber()) == RowKind::Full)
      return operand.get();
  for (OpResult result : op->getResults())
    if (op.getResultRowKind(result.getResultNumber()) == RowKind::Full)
      return result;
  return {};
}

static RowsOp formRows(RowOpInterface op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  int64_t rows = 1, columns = 1;
  bool flat = op.getColumnDims() < 0;
  if (Value full = getFullValue(op)) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(full.getType()).getShape();
    int64_t columnDims = flat ? 0 : op.getColumnDims();
    columns = HostTensor::count(shape.take_back(columnDims));
    rows = HostTensor::count(shape.drop_back(columnDims));
  }
  SmallVector<Attribute> operandKinds, resultKinds;
  SmallVector<int64_t> updated;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    operandKinds.push_back(
        RowKindAttr::get(op.getContext(), op.getOperandRowKind(i)));
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    resultKinds.push_back(
        RowKindAttr::get(op.getContext(), op.getResultRowKind(i)));
    updated.push_back(op.getUpdatedOperand(i));
  }
  auto kernel = RowsOp::create(
      builder, loc, op->getResultTypes(), op->getName().stripDialect(), rows,
      columns, flat, op->getOperands(), builder.getArrayAttr(operandKinds),
      builder.getArrayAttr(resultKinds), updated);
  Block &body = kernel.getBody().emplaceBlock();
  for (Value operand : op->getOperands())
    body.addArgument(cast<RankedTensorType>(operand.getType()).getElementType(),
                     loc);
  builder.setInsertionPointToStart(&body);
  SmallVector<Value> scalars = op.emitRow(builder, body.getArguments());
  RowsYieldOp::create(builder, loc, scalars);
  return kernel;
}

/// A fill with a value other than zero is a kernel too; zeros are the
/// runtime's.
static void formFill(FillOp fill) {
  OpBuilder builder(fill);
  Location loc = fill.getLoc();
  Type element = cast<RankedTensorType>(fill.getType()).getElementType();
  double value = fill.getValue().convertToDouble();
  auto kernel = RowsOp::create(
      builder, loc, fill->getResultTypes(), "fill",
      cast<RankedTensorType>(fill.getType()).getNumElements(), /*columns=*/1,
      /*flat=*/true, ValueRange{}, builder.getArrayAttr({}),
      builder.getArrayAttr(RowKindAttr::get(fill.getContext(), RowKind::Full)),
      ArrayRef<int64_t>{-1});
  builder.setInsertionPointToStart(&kernel.getBody().emplaceBlock());
  TypedAttr constant =
      isa<FloatType>(element)
          ? TypedAttr(builder.getFloatAttr(element, value))
          : TypedAttr(builder.getIntegerAttr(element, int64_t(value)));
  Value scalar = arith::ConstantOp::create(builder, loc, constant);
  RowsYieldOp::create(builder, loc, scalar);
  fill->replaceAllUsesWith(kernel.getResults());
  fill->erase();
}

namespace {
struct FormRows : public trireme::train::impl::FormRowsBase<FormRows> {
  void runOnOperation() override {
    SmallVector<FillOp> fills;
    getOperation().walk([&](FillOp fill) {
      if (!fill.getValue().isZero())
        fills.push_back(fill);
    });
    llvm::for_each(fills, formFill);
    SmallVector<RowOpInterface> ops;
    getOperation().walk([&](RowOpInterface op) { ops.push_back(op); });
    for (RowOpInterface op : ops) {
      op->replaceAllUsesWith(formRows(op).getResults());
      op->erase();
    }
  }
};
} // namespace
