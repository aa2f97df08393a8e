//===- PlanMemory.cpp - A place in the arena for every tensor -------------===//
//
// First decides, walking each block in order, which values share storage: what
// is updated in place, what a loop carries, what is made in the slice of a
// stack, what may overwrite a dead operand. Then packs the storages of each
// block by their lives (ArenaLayout), bodies of loops inside their parents.
//
//===----------------------------------------------------------------------===//

#include "ArenaLayout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "trireme/Dialect/Train/IR/Train.h"
#include "trireme/Transforms/Memory/Passes.h"
#include "llvm/ADT/StringMap.h"

namespace trireme::train {
#define GEN_PASS_DEF_PLANMEMORY
#include "trireme/Transforms/Memory/Passes.h.inc"
} // namespace trireme::train

using namespace mlir;
using namespace trireme::train;

namespace {

/// An affine place in the arena whose root buffer has no offset yet.
struct Where {
  Buffer *root = nullptr;
  SmallVector<int64_t> strides; ///< By depth of the enclosing loops.

  bool operator==(const Where &other) const {
    return root == other.root && strides == other.strides;
  }
  Where slice(unsigned depth, int64_t stride) const {
    Where result = *this;
    if (result.strides.size() <= depth)
      result.strides.resize(depth + 1, 0);
    result.strides[depth] += stride;
    return result;
  }
};

/// What values of one block share: a location, how long it is in use in this
/// block, and whether a later value may overwrite it.
struct Storage {
  Where location;
  int64_t end = 0;
  bool writable = false;
  bool owned = false; ///< The location's root belongs to this block's frame.
};

/// Bytes of memory by what they hold.
struct Totals {
  int64_t parameters = 0, optimizer = 0, gradients = 0, activations = 0;
};

class Planner {
public:
  Planner(func::FuncOp function, Frame &fixed,
          llvm::StringMap<Buffer *> &shared, int64_t sumGrain, int64_t sumRows)
      : function(function), fixed(fixed), shared(shared), sumGrain(sumGrain),
        sumRows(sumRows) {}

  void plan();
  /// Writes places onto ops; call when all frames have their base.
  void attach();

  Frame top;
  Totals totals;

private:
  void planArguments(Block &block);
  void planOps(Block &block, unsigned depth, Frame &frame);
  void planLoop(LoopOp loop, int64_t time, unsigned depth, Frame &frame);
  void planResults(Operation &op, int64_t time, Frame &frame);
  void planSums(RowsOp op, int64_t time, Frame &frame);
  bool planForcedAlias(OpResult result, int64_t time);
  bool planTarget(OpResult result, int64_t time);
  bool planOverwrite(OpResult result, int64_t time);
  void setTarget(Value value, Where location);
  void attachReleases(Block &block, const Frame &frame);

  Storage *own(Type type, int64_t time, Frame &frame) {
    storages.push_back({});
    Storage &storage = storages.back();
    storage.location.root = frame.add(getByteSize(type), time, time);
    storage.owned = storage.writable = true;
    storage.end = time;
    return &storage;
  }
  Storage *borrow(Where location, int64_t end, bool writable) {
    storages.push_back({location, end, writable, false});
    return &storages.back();
  }
  void assign(Value value, Storage *storage) {
    storageOf[value] = storage;
    extend(storage, lastUse(value));
  }
  void extend(Storage *storage, int64_t time) {
    storage->end = std::max(storage->end, time);
    if (storage->owned)
      storage->location.root->end =
          std::max(storage->location.root->end, storage->end);
  }
  /// Position of the last op in the value's block that reads it.
  int64_t lastUse(Value value);
  PlaceAttr place(const Where &location) {
    return PlaceAttr::get(function.getContext(), getOffset(*location.root),
                          location.strides);
  }

  func::FuncOp function;
  Frame &fixed;
  llvm::StringMap<Buffer *> &shared;
  int64_t sumGrain, sumRows;
  std::deque<Storage> storages;
  std::deque<Frame> frames;
  DenseMap<Value, Storage *> storageOf;
  DenseMap<Value, Where> targets; ///< Where a value had best be made.
  DenseMap<Operation *, int64_t> positions;
  DenseMap<Value, BlockArgument> carryTargets;
  DenseMap<Operation *, SmallVector<Where>> workspaces;
  DenseMap<Operation *, SmallVector<Storage *>> carries;
  SmallVector<std::pair<unsigned, Where>> outputs;
  SmallVector<std::pair<Block *, Frame *>> bodies;
};

} // namespace

int64_t Planner::lastUse(Value value) {
  Block *block = value.getParentBlock();
  int64_t last = -1;
  for (Operation *user : value.getUsers())
    last =
        std::max(last, positions.lookup(block->findAncestorOpInBlock(*user)));
  return last;
}

//===----------------------------------------------------------------------===//
// Arguments and results of functions
//===----------------------------------------------------------------------===//

/// A name for what an argument holds, the same in all functions.
static std::string getArgumentKey(func::FuncOp function, unsigned index) {
  auto role = function.getArgAttrOfType<RoleAttr>(index, kRoleName);
  auto param = function.getArgAttrOfType<ParamAttr>(index, kParamName);
  auto hyper = function.getArgAttrOfType<StringAttr>(index, kHyperName);
  std::string key = role ? stringifyRole(role.getValue()).str() : "argument";
  if (param)
    key += ":" + param.getName().str();
  if (hyper)
    key += ":" + hyper.getValue().str();
  return key;
}

void Planner::planArguments(Block &block) {
  // State is writable where the function returns it anew.
  llvm::StringMap<bool> returned;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto name = function.getResultAttrOfType<StringAttr>(i, kResultName))
      returned[name.getValue()] = true;
  for (BlockArgument argument : block.getArguments()) {
    unsigned index = argument.getArgNumber();
    Buffer *&buffer = shared[getArgumentKey(function, index)];
    int64_t bytes = getByteSize(argument.getType());
    if (!buffer)
      buffer = fixed.add(bytes, 0, 0);
    auto role = function.getArgAttrOfType<RoleAttr>(index, kRoleName);
    bool isState = role && (role.getValue() == Role::Parameter ||
                            role.getValue() == Role::FirstMoment ||
                            role.getValue() == Role::SecondMoment);
    if (isState)
      (role.getValue() == Role::Parameter ? totals.parameters
                                          : totals.optimizer) += bytes;
    storageOf[argument] =
        borrow({buffer, {}}, lastUse(argument),
               /*writable=*/returned.contains(getArgumentKey(function, index)));
  }
  // Outputs: state goes back to where it came from, the rest has a place.
  Operation *terminator = block.getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    auto name = function.getResultAttrOfType<StringAttr>(index, kResultName);
    std::string key =
        name ? name.getValue().str()
             : function.getName().str() + ":" + std::to_string(index);
    Buffer *&buffer = shared[key];
    if (!buffer)
      buffer = fixed.add(getByteSize(value.getType()), 0, 0);
    outputs.push_back({unsigned(index), Where{buffer, {}}});
    setTarget(value, {buffer, {}});
  }
}

/// Wants `value` to be made at `location`, through reshapes.
void Planner::setTarget(Value value, Where location) {
  targets.try_emplace(value, location);
  while (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    value = reshape.getSource();
    targets.try_emplace(value, location);
  }
}

//===----------------------------------------------------------------------===//
// Results of ops
//===----------------------------------------------------------------------===//

/// The operand that a result updates in place by its meaning; null if none.
static Value getUpdatedOperand(OpResult result) {
  Operation *op = result.getOwner();
  if (auto accumulating = dyn_cast<AccumulatingOpInterface>(op))
    return accumulating.getAccumulatorValue();
  if (auto rows = dyn_cast<RowsOp>(op)) {
    int64_t operand = rows.getUpdated()[result.getResultNumber()];
    return operand < 0 ? Value() : rows.getInputs()[operand];
  }
  return {};
}

/// The full operands of a kernel that a full result may overwrite.
static SmallVector<Value> getOverwritable(OpResult result) {
  SmallVector<Value> operands;
  auto rows = dyn_cast<RowsOp>(result.getOwner());
  auto isFull = [](Attribute kind) {
    return cast<RowKindAttr>(kind).getValue() == RowKind::Full;
  };
  if (!rows || !isFull(rows.getResultKinds()[result.getResultNumber()]))
    return operands;
  for (auto [operand, kind] :
       llvm::zip_equal(rows.getInputs(), rows.getOperandKinds()))
    if (isFull(kind) &&
        getByteSize(operand.getType()) == getByteSize(result.getType()))
      operands.push_back(operand);
  return operands;
}

/// Shares the storage of the operand that is updated, if it is dead after.
bool Planner::planForcedAlias(OpResult result, int64_t time) {
  Value operand = getUpdatedOperand(result);
  if (!operand)
    return false;
  Storage *storage = storageOf.lookup(operand);
  if (!storage->writable || storage->end > time)
    return false;
  auto target = targets.find(result);
  if (target != targets.end() && !(target->second == storage->location))
    return false;
  assign(result, storage);
  return true;
}

/// Makes the result where it is wanted: in the slice of a stack, an output, or
/// the carry it becomes, if the carry's old value is dead by then.
bool Planner::planTarget(OpResult result, int64_t time) {
  auto target = targets.find(result);
  if (target != targets.end()) {
    assign(result, borrow(target->second, time, /*writable=*/false));
    return true;
  }
  auto carry = carryTargets.find(result);
  if (carry == carryTargets.end())
    return false;
  Storage *storage = storageOf.lookup(carry->second);
  bool overwrites = storage->end == time &&
                    llvm::is_contained(getOverwritable(result), carry->second);
  if (storage->end < time || overwrites) {
    assign(result, storage);
    return true;
  }
  return false;
}

/// Shares the storage of a dead operand of a kernel.
bool Planner::planOverwrite(OpResult result, int64_t time) {
  for (Value operand : getOverwritable(result)) {
    Storage *storage = storageOf.lookup(operand);
    if (storage->owned && storage->writable && storage->end == time) {
      assign(result, storage);
      return true;
    }
  }
  return false;
}

/// Partial sums: the rows (elements, if flat) that one covers, and a place for
/// those of each sum.
void Planner::planSums(RowsOp op, int64_t time, Frame &frame) {
  int64_t columns = op.getColumns();
  int64_t grain = llvm::divideCeil(sumGrain, columns);
  if (!op.getFlat())
    grain = std::max(grain, sumRows);
  grain = std::min(grain, int64_t(op.getRows()));
  int64_t blocks = llvm::divideCeil(op.getRows(), grain);
  op->setAttr(kGrainName,
              IntegerAttr::get(IntegerType::get(op.getContext(), 64), grain));
  for (auto [result, kindAttr] :
       llvm::zip_equal(op.getOutputs(), op.getResultKinds())) {
    RowKind kind = cast<RowKindAttr>(kindAttr).getValue();
    if (kind != RowKind::ColumnSum && kind != RowKind::Sum)
      continue;
    int64_t bytes = blocks * getByteSize(result.getType());
    workspaces[op].push_back({frame.add(bytes, time, time), {}});
  }
}

void Planner::planResults(Operation &op, int64_t time, Frame &frame) {
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    assign(reshape, storageOf.lookup(reshape.getSource()));
    return;
  }
  if (auto rows = dyn_cast<RowsOp>(op))
    planSums(rows, time, frame);
  for (OpResult result : op.getResults())
    if (!planForcedAlias(result, time) && !planTarget(result, time) &&
        !planOverwrite(result, time))
      assign(result, own(result.getType(), time, frame));
}

//===----------------------------------------------------------------------===//
// Blocks and loops
//===----------------------------------------------------------------------===//

void Planner::planOps(Block &block, unsigned depth, Frame &frame) {
  for (Operation &op : block.without_terminator()) {
    int64_t time = positions.lookup(&op);
    if (auto loop = dyn_cast<LoopOp>(op))
      planLoop(loop, time, depth, frame);
    else
      planResults(op, time, frame);
  }
}

/// The `each` argument that a stacked value is an update of, in place all the
/// way; null if there is none.
static BlockArgument getUpdatedSlice(LoopOp loop, Value value) {
  Block *body = loop.getLoopBody();
  bool first = true;
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      bool isEach = llvm::is_contained(loop.getEachArguments(), argument);
      return !first && isEach && argument.hasOneUse() ? argument
                                                      : BlockArgument();
    }
    if (!value.hasOneUse() || value.getParentBlock() != body)
      return {};
    first = false;
    auto result = cast<OpResult>(value);
    if (Value updated = getUpdatedOperand(result)) {
      value = updated;
      continue;
    }
    // A kernel over a slice and values of the body.
    Value slice;
    for (Value operand : getOverwritable(result))
      if (isa<BlockArgument>(operand) && operand.hasOneUse() &&
          llvm::is_contained(loop.getEachArguments(),
                             cast<BlockArgument>(operand)))
        slice = operand;
    if (!slice)
      return {};
    value = slice;
  }
}

void Planner::planLoop(LoopOp loop, int64_t time, unsigned depth,
                       Frame &frame) {
  Block &body = *loop.getLoopBody();
  int64_t position = 0;
  for (Operation &op : body)
    positions[&op] = position++;
  int64_t bodyEnd = position - 1;
  YieldOp yield = loop.getYield();

  // Carries: in the storage of their start where that is dead afterwards.
  DenseSet<Storage *> taken;
  for (Value operand : llvm::concat<Value>(loop.getEaches(), loop.getWiths()))
    taken.insert(storageOf.lookup(operand));
  for (auto [index, init] : llvm::enumerate(loop.getCarries())) {
    Storage *start = storageOf.lookup(init);
    bool inPlace =
        start->writable && start->end == time && taken.insert(start).second;
    Storage *storage = inPlace ? start : own(init.getType(), time, frame);
    carries[loop].push_back(storage);
    assign(loop.getCarryResults()[index], storage);
    BlockArgument argument = loop.getCarryArguments()[index];
    // A carry that is stacked itself is copied at the start of the body.
    int64_t last = -1;
    for (Operation *user : argument.getUsers()) {
      Operation *ancestor = body.findAncestorOpInBlock(*user);
      if (ancestor != yield || llvm::is_contained(yield.getCarries(), argument))
        last = std::max(last, positions.lookup(ancestor));
    }
    storageOf[argument] = borrow(storage->location, last, /*writable=*/true);
    Value next = yield.getCarries()[index];
    if (next.getParentBlock() == &body && !isa<BlockArgument>(next))
      carryTargets.try_emplace(next, argument);
  }
  for (auto [argument, operand] :
       llvm::zip_equal(loop.getWithArguments(), loop.getWiths()))
    storageOf[argument] = borrow(storageOf.lookup(operand)->location, bodyEnd,
                                 /*writable=*/false);

  // Stacked results: in the storage of a stack they update, or their own.
  DenseSet<Value> updatedSlices;
  for (auto [result, slice] :
       llvm::zip_equal(loop.getStackedResults(), yield.getStacked())) {
    Storage *storage = nullptr;
    if (BlockArgument updated = getUpdatedSlice(loop, slice)) {
      unsigned each = updated.getArgNumber() - loop.getCarries().size();
      Storage *stack = storageOf.lookup(loop.getEaches()[each]);
      if (stack->writable && stack->end == time) {
        storage = stack;
        updatedSlices.insert(updated);
      }
    }
    auto target = targets.find(result);
    if (!storage && target != targets.end())
      storage = borrow(target->second, time, /*writable=*/false);
    if (!storage) {
      storage = own(result.getType(), time, frame);
      totals.activations += getByteSize(result.getType());
    }
    assign(result, storage);
    if (!isa<BlockArgument>(slice))
      setTarget(slice,
                storage->location.slice(depth, getByteSize(slice.getType())));
  }
  for (auto [argument, operand] :
       llvm::zip_equal(loop.getEachArguments(), loop.getEaches()))
    storageOf[argument] =
        borrow(storageOf.lookup(operand)->location.slice(
                   depth, getByteSize(argument.getType())),
               lastUse(argument), updatedSlices.contains(argument));

  frames.emplace_back();
  Frame &inner = frames.back();
  inner.within = frame.add(0, time, time);
  planOps(body, depth + 1, inner);
  inner.pack();
  bodies.push_back({&body, &inner});
  inner.within->bytes = inner.bytes;
}

//===----------------------------------------------------------------------===//
// Whole functions
//===----------------------------------------------------------------------===//

void Planner::plan() {
  Block &block = function.getBody().front();
  int64_t position = 0;
  for (Operation &op : block)
    positions[&op] = position++;
  planArguments(block);
  planOps(block, 0, top);
  // Gradients: what updates read in full beside the state. The runtime reads
  // them after a step that failed.
  DenseSet<Buffer *> seen;
  for (auto rows : block.getOps<RowsOp>())
    for (auto [index, operand] : llvm::enumerate(rows.getInputs())) {
      bool updates =
          llvm::any_of(rows.getUpdated(), [](int64_t u) { return u >= 0; });
      Storage *storage = storageOf.lookup(operand);
      bool isFull =
          cast<RowKindAttr>(rows.getOperandKinds()[index]).getValue() ==
          RowKind::Full;
      if (updates && isFull && storage->owned &&
          seen.insert(storage->location.root).second) {
        totals.gradients += getByteSize(operand.getType());
        extend(storage, position - 1);
      }
    }
  top.pack();
}

/// Writes onto each op which buffers of the block's frame end with it. What
/// lives to the end of a function is not released.
void Planner::attachReleases(Block &block, const Frame &frame) {
  DenseMap<int64_t, SmallVector<int64_t>> ends;
  for (const Buffer &buffer : frame.buffers)
    if (buffer.bytes)
      ends[buffer.end].append({getOffset(buffer), buffer.bytes});
  for (Operation &op : block)
    if (auto found = ends.find(positions.lookup(&op));
        found != ends.end() && !isa<func::ReturnOp>(op))
      op.setAttr(kReleasesName,
                 DenseI64ArrayAttr::get(op.getContext(), found->second));
}

void Planner::attach() {
  OpBuilder builder(function.getContext());
  auto placesOf = [&](auto range, auto locationOf) {
    SmallVector<Attribute> places;
    for (auto item : range)
      places.push_back(place(locationOf(item)));
    return builder.getArrayAttr(places);
  };
  attachReleases(function.getBody().front(), top);
  for (auto [body, frame] : bodies)
    attachReleases(*body, *frame);
  auto ofValue = [&](Value value) { return storageOf.lookup(value)->location; };
  for (BlockArgument argument : function.getArguments())
    function.setArgAttr(argument.getArgNumber(), kPlaceName,
                        place(ofValue(argument)));
  for (auto &[index, location] : outputs)
    function.setResultAttr(index, kPlaceName, place(location));
  function.walk([&](Operation *op) {
    if (op == function || isa<RowsOp>(op->getParentOp()))
      return;
    if (op->getNumResults())
      op->setAttr(kPlacesName, placesOf(op->getResults(), ofValue));
    if (carries.contains(op))
      op->setAttr(kCarryPlacesName, placesOf(carries[op], [](Storage *s) {
                    return s->location;
                  }));
    if (workspaces.contains(op))
      op->setAttr(kWorkspaceName,
                  placesOf(workspaces[op], [](Where l) { return l; }));
  });
}

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
    std::deque<Planner> planners;
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
    for (Planner &planner : planners) {
      planner.top.base = fixed.bytes;
      bytes = std::max(bytes, planner.top.bytes);
      totals.parameters =
          std::max(totals.parameters, planner.totals.parameters);
      totals.optimizer = std::max(totals.optimizer, planner.totals.optimizer);
      totals.gradients = std::max(totals.gradients, planner.totals.gradients);
      totals.activations =
          std::max(totals.activations, planner.totals.activations);
    }
    for (Planner &planner : planners)
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
