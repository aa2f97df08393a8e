//===- Fuse.cpp - Kernels that share rows ---------------------------------===//
//
// Walks each block once. For every kernel it looks for an earlier one in the
// block that makes one of its operands or reads one of them, over the same
// rows and columns, and merges the two at the later place (or, for siblings,
// at the earlier one) if no use or definition stands in between. An
// element-wise kernel over one element a row runs along with the rows of
// another.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "trireme/Dialect/Train/IR/Train.h"
#include "trireme/Transforms/Fusion/Passes.h"

namespace trireme::train {
#define GEN_PASS_DEF_FUSE
#include "trireme/Transforms/Fusion/Passes.h.inc"
} // namespace trireme::train

using namespace mlir;
using namespace trireme::train;

/// Whether `flat` is element-wise with one element for each row of `rows`.
static bool isPerRow(RowsOp flat, RowsOp rows) {
  return flat.getFlat() && !rows.getFlat() && rows.getColumns() > 1 &&
         flat.getRows() * flat.getColumns() == rows.getRows() &&
         llvm::none_of(flat.getResultKinds(), [](Attribute kind) {
           return isSum(cast<RowKindAttr>(kind).getValue());
         });
}

/// A kind of `op` in a kernel that it shares with `other`.
static Attribute sharedKind(RowsOp op, RowsOp other, Attribute kind) {
  bool full = cast<RowKindAttr>(kind).getValue() == RowKind::Full;
  return full && isPerRow(op, other)
             ? RowKindAttr::get(op.getContext(), RowKind::Row)
             : kind;
}

static RowKind sharedKindAt(RowsOp op, RowsOp other, ArrayAttr kinds,
                            unsigned index) {
  return cast<RowKindAttr>(sharedKind(op, other, kinds[index])).getValue();
}

/// Whether both run over the same rows and columns; a flat kernel adapts to
/// any shape of as many elements or rows.
static bool sameSpace(RowsOp a, RowsOp b) {
  if (isPerRow(a, b) || isPerRow(b, a))
    return true;
  if (a.getFlat() || b.getFlat())
    return a.getRows() * a.getColumns() == b.getRows() * b.getColumns();
  return a.getRows() == b.getRows() && a.getColumns() == b.getColumns();
}

/// Whether every result of `producer` that `consumer` reads is there row by
/// row (sums over rows are not), and is read as it was made.
static bool feedsRowByRow(RowsOp producer, RowsOp consumer) {
  for (auto [index, operand] : llvm::enumerate(consumer.getInputs())) {
    if (operand.getDefiningOp() != producer)
      continue;
    RowKind made = sharedKindAt(producer, consumer, producer.getResultKinds(),
                                cast<OpResult>(operand).getResultNumber());
    RowKind read =
        sharedKindAt(consumer, producer, consumer.getOperandKinds(), index);
    bool same = made == read && (made == RowKind::Full || made == RowKind::Row);
    if (!same)
      return false;
  }
  return true;
}

/// Whether merging saves memory traffic: scalars do not move, and would hold
/// up the tensors.
static bool isWorthwhile(RowsOp a, RowsOp b) {
  return a.getRows() * a.getColumns() > 1 && b.getRows() * b.getColumns() > 1;
}

/// Whether all uses of `op`'s results but those in `except` come after `place`.
static bool usedOnlyAfter(RowsOp op, Operation *place, Operation *except) {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    return user == except || ancestor == place ||
           place->isBeforeInBlock(ancestor);
  });
}

/// Whether all operands of `op` are there at `place` (before it in the block).
static bool definedBefore(RowsOp op, Operation *place) {
  return llvm::all_of(op.getInputs(), [&](Value operand) {
    Operation *maker = operand.getDefiningOp();
    return !maker || maker->getBlock() != place->getBlock() ||
           maker->isBeforeInBlock(place);
  });
}

/// Whether the kernel updates operands in place: it stays where it is, the last
/// use of what it updates.
static bool updatesInPlace(RowsOp op) {
  return llvm::any_of(op.getUpdated(), [](int64_t u) { return u >= 0; });
}

namespace {

/// Collects the operands and results of the merged kernel.
struct Merger {
  RowsOp first, second;
  SmallVector<Value> inputs;
  SmallVector<Attribute> operandKinds;
  SmallVector<Type> resultTypes;
  SmallVector<Attribute> resultKinds;
  SmallVector<int64_t> updated;
  SmallVector<Value> replaced; ///< The old result of each new one.

  unsigned addInput(Value value, Attribute kind) {
    for (unsigned i = 0; i < inputs.size(); ++i)
      if (inputs[i] == value && operandKinds[i] == kind)
        return i;
    inputs.push_back(value);
    operandKinds.push_back(kind);
    return inputs.size() - 1;
  }

  RowsOp run(Operation *place);
};

} // namespace

RowsOp Merger::run(Operation *place) {
  // Operands: those of both but what the first hands to the second.
  SmallVector<unsigned> firstInputs, secondInputs;
  for (auto [value, kind] :
       llvm::zip_equal(first.getInputs(), first.getOperandKinds()))
    firstInputs.push_back(addInput(value, sharedKind(first, second, kind)));
  for (auto [value, kind] :
       llvm::zip_equal(second.getInputs(), second.getOperandKinds()))
    secondInputs.push_back(
        value.getDefiningOp() == first
            ? ~0u
            : addInput(value, sharedKind(second, first, kind)));

  OpBuilder builder(place);
  Location loc = builder.getFusedLoc({first.getLoc(), second.getLoc()});
  // Bodies, one after the other.
  Block *body = new Block;
  for (Value value : inputs)
    body->addArgument(cast<RankedTensorType>(value.getType()).getElementType(),
                      loc);
  OpBuilder inner(builder.getContext());
  inner.setInsertionPointToEnd(body);
  auto clone = [&](RowsOp op, IRMapping &mapping) {
    Block &old = op.getBody().front();
    for (Operation &nested : old.without_terminator())
      inner.clone(nested, mapping);
    return llvm::map_to_vector(
        old.getTerminator()->getOperands(),
        [&](Value v) { return mapping.lookupOrDefault(v); });
  };
  IRMapping firstMap, secondMap;
  for (auto [argument, input] :
       llvm::zip_equal(first.getBody().front().getArguments(), firstInputs))
    firstMap.map(argument, body->getArgument(input));
  SmallVector<Value> firstScalars = clone(first, firstMap);
  for (auto [argument, input, value] :
       llvm::zip_equal(second.getBody().front().getArguments(), secondInputs,
                       second.getInputs()))
    secondMap.map(argument,
                  input == ~0u
                      ? firstScalars[cast<OpResult>(value).getResultNumber()]
                      : Value(body->getArgument(input)));
  SmallVector<Value> secondScalars = clone(second, secondMap);

  // Results: of the first, those that others use; all of the second.
  SmallVector<Value> scalars;
  auto addResults = [&](RowsOp op, ArrayRef<Value> values,
                        ArrayRef<unsigned> operandMap, bool all) {
    for (OpResult result : op->getResults()) {
      bool needed = all || llvm::any_of(result.getUsers(), [&](Operation *u) {
                      return u != second;
                    });
      if (!needed)
        continue;
      unsigned index = result.getResultNumber();
      int64_t update = op.getUpdated()[index];
      resultTypes.push_back(result.getType());
      resultKinds.push_back(sharedKind(op, op == first ? second : first,
                                       op.getResultKinds()[index]));
      updated.push_back(update < 0 ? -1 : int64_t(operandMap[update]));
      scalars.push_back(values[index]);
      replaced.push_back(result);
    }
  };
  addResults(first, firstScalars, firstInputs, /*all=*/false);
  addResults(second, secondScalars, secondInputs, /*all=*/true);
  RowsYieldOp::create(inner, loc, scalars);

  RowsOp shape = first.getFlat() ? second : first;
  std::string name = (first.getName() + "_" + second.getName()).str();
  auto merged = RowsOp::create(builder, loc, resultTypes, name, shape.getRows(),
                               shape.getColumns(), shape.getFlat(), inputs,
                               builder.getArrayAttr(operandKinds),
                               builder.getArrayAttr(resultKinds), updated);
  merged.getBody().push_back(body);
  for (auto [old, fresh] : llvm::zip_equal(replaced, merged.getResults()))
    old.replaceAllUsesWith(fresh);
  second.erase();
  first.erase();
  return merged;
}

/// Where `first` (earlier in the block) and `second` can be merged; null if
/// nowhere.
static Operation *findPlace(RowsOp first, RowsOp second, int64_t maxOperands) {
  if (!sameSpace(first, second) || !isWorthwhile(first, second) ||
      !feedsRowByRow(first, second) || updatesInPlace(first) ||
      updatesInPlace(second))
    return nullptr;
  if (int64_t(first->getNumOperands() + first->getNumResults() +
              second->getNumOperands() + second->getNumResults()) > maxOperands)
    return nullptr;
  if (usedOnlyAfter(first, second, second))
    return second;
  bool feeds = llvm::is_contained(first->getUsers(), second.getOperation());
  if (!feeds && definedBefore(second, first))
    return first;
  return nullptr;
}

/// Whether the two have a reason to be one kernel: a value handed over, or one
/// that both read in full.
static bool shareRows(RowsOp first, RowsOp second) {
  for (auto [index, operand] : llvm::enumerate(second.getInputs())) {
    if (operand.getDefiningOp() == first)
      return true;
    if (sharedKindAt(second, first, second.getOperandKinds(), index) ==
            RowKind::Full &&
        llvm::is_contained(first.getInputs(), operand))
      return true;
  }
  return false;
}

/// Merges until nothing fits any more; how many merges.
static unsigned fuseBlock(Block &block, int64_t maxOperands) {
  unsigned fused = 0;
  bool changed = true;
  while (changed) {
    changed = false;
    SmallVector<RowsOp> kernels(block.getOps<RowsOp>());
    for (size_t j = 0; j < kernels.size() && !changed; ++j)
      for (size_t i = j; i-- > 0 && !changed;) {
        if (!shareRows(kernels[i], kernels[j]))
          continue;
        Operation *place = findPlace(kernels[i], kernels[j], maxOperands);
        if (!place)
          continue;
        Merger{kernels[i], kernels[j], {}, {}, {}, {}, {}, {}}.run(place);
        ++fused;
        changed = true;
      }
  }
  return fused;
}

namespace {
struct Fuse : public trireme::train::impl::FuseBase<Fuse> {
  using FuseBase::FuseBase;
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (!isa<RowsOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      numFused += fuseBlock(*block, maxOperands);
  }
};
} // namespace
