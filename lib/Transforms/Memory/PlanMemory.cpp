//===- PlanMemory.cpp - A place in the arena for every tensor -------------===//
//
// A StoragePlanner a function decides which values share storage and packs the
// storages of each block by their lives; here the fixed part is laid out,
// frames get their base, and the bytes of each kind are counted.
//
//===----------------------------------------------------------------------===//

#include "StoragePlanner.h"
#include "trireme/Transforms/Memory/Passes.h"

namespace trireme::train {
#define GEN_PASS_DEF_PLANMEMORY
#include "trireme/Transforms/Memory/Passes.h.inc"
} // namespace trireme::train

using namespace mlir;
using namespace trireme::train;

/// Gives every use of a fill a fill of its own, just before it, so that each
/// can be made where it is wanted.
static void duplicateFills(func::FuncOp function) {
  SmallVector<FillOp> fills;
  function.walk([&](FillOp fill) { fills.push_back(fill); });
  for (FillOp fill : fills) {
    for (OpOperand &use : llvm::make_early_inc_range(fill->getUses())) {
      OpBuilder builder(use.getOwner());
      use.set(builder.clone(*fill)->getResult(0));
    }
    fill.erase();
  }
}

/// Whether `type` is a tensor whose bytes can be counted.
static bool hasPlace(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isCountable(tensor.getShape()) &&
         tensor.getElementType().isIntOrFloat();
}

/// Whether every value of the function is a tensor, in the function's one block
/// or in loops; emits an error if not.
static LogicalResult checkFunction(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError() << "must be one block to be planned";
  for (Type type : function.getArgumentTypes())
    if (!hasPlace(type))
      return function.emitOpError()
             << "takes " << type << ", expected static tensors";
  WalkResult result = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function || isa<RowsOp>(op->getParentOp()))
      return WalkResult::advance();
    if (op->getNumRegions() && !isa<LoopOp, RowsOp>(op)) {
      op->emitOpError() << "has a region, but only train.loop and train.rows "
                           "can be planned";
      return WalkResult::interrupt();
    }
    if (op->hasTrait<OpTrait::IsTerminator>() &&
        !isa<func::ReturnOp, YieldOp, RowsYieldOp>(op)) {
      op->emitOpError() << "ends a block, expected func.return or train.yield";
      return WalkResult::interrupt();
    }
    for (Type type : op->getResultTypes())
      if (!hasPlace(type)) {
        op->emitOpError() << "makes " << type << ", expected static tensors";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct PlanMemory : public trireme::train::impl::PlanMemoryBase<PlanMemory> {
  using PlanMemoryBase::PlanMemoryBase;
  void runOnOperation() override {
    if (sumGrain < 1) {
      getOperation().emitError()
          << "option sum-grain is " << sumGrain.getValue()
          << ", expected at least 1";
      return signalPassFailure();
    }
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(checkFunction(function)))
        return signalPassFailure();
    Frame fixed;
    llvm::StringMap<Buffer *> shared;
    std::deque<StoragePlanner> planners;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      duplicateFills(function);
      planners.emplace_back(function, fixed, shared, sumGrain, sumRows);
      planners.back().plan();
    }
    // The fixed part lives always: one after the other, in order.
    SmallVector<int64_t> canaries;
    for (Buffer &buffer : fixed.buffers) {
      buffer.offset = fixed.bytes;
      canaries.push_back(fixed.bytes + alignUp(buffer.bytes));
      fixed.bytes = canaries.back() + kGap;
    }
    int64_t bytes = 0;
    Totals totals;
    for (StoragePlanner &planner : planners) {
      planner.top.base = fixed.bytes;
      bytes = std::max(bytes, planner.top.bytes);
      totals.parameters =
          std::max(totals.parameters, planner.totals.parameters);
      totals.optimizer = std::max(totals.optimizer, planner.totals.optimizer);
      totals.gradients = std::max(totals.gradients, planner.totals.gradients);
      totals.activations =
          std::max(totals.activations, planner.totals.activations);
    }
    for (StoragePlanner &planner : planners)
      planner.attach();
    // The kinds add up to the arena: what is no state, gradient or stack is
    // work space (inputs and scalars are counted there too).
    int64_t total = fixed.bytes + bytes;
    int64_t rest = total - totals.parameters - totals.optimizer;
    totals.gradients = std::min(totals.gradients, rest);
    totals.activations = std::min(totals.activations, rest - totals.gradients);
    OpBuilder builder(&getContext());
    auto entry = [&](StringRef name, int64_t value) {
      return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
    };
    getOperation()->setAttr(
        kArenaName,
        builder.getDictionaryAttr(
            {entry("bytes", total), entry("fixed", fixed.bytes),
             builder.getNamedAttr("canaries",
                                  builder.getDenseI64ArrayAttr(canaries)),
             entry("parameters", totals.parameters),
             entry("optimizer", totals.optimizer),
             entry("gradients", totals.gradients),
             entry("activations", totals.activations),
             entry("workspace",
                   rest - totals.gradients - totals.activations)}));
  }
};
} // namespace
