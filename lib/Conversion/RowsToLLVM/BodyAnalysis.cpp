//===- BodyAnalysis.cpp - What a kernel's values vary over ----------------===//

#include "BodyAnalysis.h"

using namespace mlir;
using namespace trireme;
using train::RowKind;

RowKind trireme::getCodeKind(runtime::KernelOp kernel, Attribute attribute) {
  RowKind kind = cast<train::RowKindAttr>(attribute).getValue();
  if (!kernel.getFlat())
    return kind;
  switch (kind) {
  case RowKind::Row:
    return RowKind::Full;
  case RowKind::Column:
    return RowKind::Scalar;
  case RowKind::ColumnSum:
    return RowKind::Sum;
  default:
    return kind;
  }
}

/// The extent of an operand of this kind.
static Extent getExtent(RowKind kind) {
  switch (kind) {
  case RowKind::Full:
  case RowKind::Column:
    return Extent::Element;
  case RowKind::Row:
    return Extent::Row;
  default:
    return Extent::Scalar;
  }
}

/// Adds to `ops` the operations that define `value` and all they need.
static void addSources(Value root, llvm::DenseSet<Operation *> &ops,
                       llvm::function_ref<bool(Value)> enters) {
  SmallVector<Value> work = {root};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !enters(value) || !ops.insert(op).second)
      continue;
    llvm::append_range(work, op->getOperands());
  }
}

BodyAnalysis::BodyAnalysis(runtime::KernelOp kernel)
    : body(&kernel.getBody().front()) {
  for (auto [argument, kind] :
       llvm::zip_equal(body->getArguments(), kernel.getOperandKinds()))
    extents[argument] = getExtent(getCodeKind(kernel, kind));
  for (Operation &op : body->without_terminator()) {
    Extent extent = Extent::Scalar;
    unsigned pass = 0;
    for (Value operand : op.getOperands()) {
      extent = std::max(extent, extentOf(operand));
      pass = std::max(pass, passOf(operand));
    }
    if (isa<train::ColumnOp>(op)) {
      extent = Extent::Element;
    } else if (isa<train::ReduceOp>(op)) {
      extent = Extent::Row;
      ++pass;
    }
    for (Value result : op.getResults()) {
      extents[result] = extent;
      passes[result] = pass;
    }
  }
  for (Value value : body->getTerminator()->getOperands())
    addSources(value, used, [](Value) { return true; });
  for (Operation *op : used)
    if (isa<train::ReduceOp>(op))
      reducingPasses = std::max(reducingPasses, passOf(op->getResult(0)));
}

SmallVector<train::ReduceOp> BodyAnalysis::reductionsIn(unsigned pass) const {
  SmallVector<train::ReduceOp> result;
  for (auto op : body->getOps<train::ReduceOp>())
    if (used.contains(op) && passOf(op.getValue()) == pass)
      result.push_back(op);
  return result;
}

SmallVector<Operation *> BodyAnalysis::uniformOps(Extent extent,
                                                  unsigned pass) const {
  SmallVector<Operation *> result;
  for (Operation &op : body->without_terminator())
    if (used.contains(&op) && !isa<train::ReduceOp>(op) &&
        extentOf(op.getResult(0)) == extent && passOf(op.getResult(0)) == pass)
      result.push_back(&op);
  return result;
}

SmallVector<Operation *>
BodyAnalysis::elementOps(ValueRange roots,
                         SmallVectorImpl<BlockArgument> &arguments) const {
  llvm::DenseSet<Operation *> needed;
  for (Value root : roots)
    addSources(root, needed, [&](Value value) { return isElement(value); });
  SmallVector<Operation *> result;
  for (Operation &op : body->without_terminator())
    if (needed.contains(&op))
      result.push_back(&op);
  for (BlockArgument argument : body->getArguments()) {
    auto isNeeded = [&](Operation *user) { return needed.contains(user); };
    if (isElement(argument) && (llvm::is_contained(roots, argument) ||
                                llvm::any_of(argument.getUsers(), isNeeded)))
      arguments.push_back(argument);
  }
  return result;
}
