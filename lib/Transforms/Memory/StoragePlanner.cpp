//===- StoragePlanner.cpp - Which values share memory ---------------------===//

#include "StoragePlanner.h"

using namespace mlir;
using namespace trireme::train;

int64_t StoragePlanner::lastUse(Value value) {
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

void StoragePlanner::planArguments(Block &block) {
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

/// Wants `value` to be made at `location`, through views.
void StoragePlanner::setTarget(Value value, Where location) {
  targets.try_emplace(value, location);
  while (Value source = getViewSource(value)) {
    value = source;
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
bool StoragePlanner::planForcedAlias(OpResult result, int64_t time) {
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
bool StoragePlanner::planTarget(OpResult result, int64_t time) {
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
bool StoragePlanner::planOverwrite(OpResult result, int64_t time) {
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
void StoragePlanner::planSums(RowsOp op, int64_t time, Frame &frame) {
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
    if (!isSum(cast<RowKindAttr>(kindAttr).getValue()))
      continue;
    int64_t bytes = blocks * getByteSize(result.getType());
    workspaces[op].push_back({frame.add(bytes, time, time), {}});
  }
}

void StoragePlanner::planResults(Operation &op, int64_t time, Frame &frame) {
  if (op.getNumResults() == 1)
    if (Value source = getViewSource(op.getResult(0))) {
      assign(op.getResult(0), storageOf.lookup(source));
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

void StoragePlanner::planOps(Block &block, unsigned depth, Frame &frame) {
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

void StoragePlanner::planLoop(LoopOp loop, int64_t time, unsigned depth,
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

void StoragePlanner::plan() {
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
void StoragePlanner::attachReleases(Block &block, const Frame &frame) {
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

void StoragePlanner::attach() {
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
