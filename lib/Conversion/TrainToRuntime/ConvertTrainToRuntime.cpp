//===- ConvertTrainToRuntime.cpp - Tensors to addresses, ops to calls -----===//
//
// Emits the functions anew: walks the blocks, lowers each op by its function
// of the registry, turns loops into scf.for with copies only where a carry or
// a stacked value is not in its place already.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "trireme/Conversion/Passes.h"
#include "trireme/Conversion/TrainToRuntime/Lowering.h"
#include "llvm/ADT/StringSet.h"

namespace trireme {
#define GEN_PASS_DEF_CONVERTTRAINTORUNTIME
#include "trireme/Conversion/Passes.h.inc"
} // namespace trireme

using namespace mlir;
using namespace trireme;
using namespace trireme::train;

static LogicalResult lowerBlock(Block &block, RuntimeEmitter &emit,
                                const LoweringRegistry &registry);

/// Copies what the body yields to where the loop wants it. Values that are
/// arguments of the body are copied at its start, others at its end.
static LogicalResult copyYielded(LoopOp loop, RuntimeEmitter &emit,
                                 bool atStart) {
  YieldOp yield = loop.getYield();
  unsigned depth = emit.loops.size() - 1;
  for (auto [slice, result] :
       llvm::zip_equal(yield.getStacked(), loop.getStackedResults()))
    if (isa<BlockArgument>(slice) == atStart) {
      int64_t bytes = getByteSize(slice.getType());
      emit.copy(loop.getLoc(), emit.placeOf(slice),
                emit.placeOf(result).getSlice(depth, bytes), bytes);
    }
  if (atStart)
    return success();
  for (auto [argument, next] :
       llvm::zip_equal(loop.getCarryArguments(), yield.getCarries())) {
    auto carried = dyn_cast<BlockArgument>(next);
    if (carried && carried != argument &&
        carried.getArgNumber() < loop.getCarries().size())
      return loop.emitOpError()
             << "hands carry " << carried.getArgNumber() << " to carry "
             << argument.getArgNumber() << " as it is, which cannot be lowered";
    emit.copy(loop.getLoc(), emit.placeOf(next), emit.placeOf(argument),
              getByteSize(next.getType()));
  }
  return success();
}

/// Tells the runtime which buffers end with `op`.
static void emitReleases(Operation *op, RuntimeEmitter &emit) {
  auto releases = op->getAttrOfType<DenseI64ArrayAttr>(kReleasesName);
  if (!releases)
    return;
  ArrayRef<int64_t> pairs = releases.asArrayRef();
  for (size_t i = 0; i + 1 < pairs.size(); i += 2)
    emit.call(op->getLoc(), "trireme_release",
              emit.address(PlaceAttr::get(op->getContext(), pairs[i], {})),
              pairs[i + 1]);
}

static LogicalResult lowerLoop(LoopOp loop, RuntimeEmitter &emit,
                               const LoweringRegistry &registry) {
  Location loc = loop.getLoc();
  for (auto [argument, init] :
       llvm::zip_equal(loop.getCarryArguments(), loop.getCarries()))
    emit.copy(loc, emit.placeOf(init), emit.placeOf(argument),
              getByteSize(init.getType()));
  OpBuilder &builder = emit.builder;
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value last = constant(loop.getCount() - 1);
  auto counted = scf::ForOp::create(builder, loc, constant(0),
                                    constant(loop.getCount()), constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(counted.getBody());
  Value iteration = counted.getInductionVar();
  if (loop.getReverse())
    iteration = arith::SubIOp::create(builder, loc, last, iteration);
  emit.iterations.push_back(iteration);
  emit.loops.push_back(loop);
  if (failed(copyYielded(loop, emit, /*atStart=*/true)) ||
      failed(lowerBlock(*loop.getLoopBody(), emit, registry)) ||
      failed(copyYielded(loop, emit, /*atStart=*/false)))
    return failure();
  emitReleases(loop.getYield(), emit);
  emit.iterations.pop_back();
  emit.loops.pop_back();
  return success();
}

static LogicalResult lowerBlock(Block &block, RuntimeEmitter &emit,
                                const LoweringRegistry &registry) {
  for (Operation &op : block.without_terminator()) {
    if (auto loop = dyn_cast<LoopOp>(op)) {
      if (failed(lowerLoop(loop, emit, registry)))
        return failure();
      emitReleases(&op, emit);
      continue;
    }
    const LoweringRegistry::Function *lower = registry.lookup(&op);
    if (!lower)
      return op.emitOpError() << "has no lowering to the runtime";
    if (failed((*lower)(&op, emit)))
      return failure();
    emitReleases(&op, emit);
  }
  return success();
}

/// The function of context and arena that does what `function` says.
static LogicalResult lowerFunction(func::FuncOp function, RuntimeEmitter &emit,
                                   const LoweringRegistry &registry) {
  OpBuilder &builder = emit.builder;
  builder.setInsertionPoint(function);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto lowered =
      func::FuncOp::create(builder, function.getLoc(), function.getName(),
                           builder.getFunctionType({pointer, pointer}, {}));
  Block *entry = lowered.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  emit.context = entry->getArgument(0);
  emit.arena = entry->getArgument(1);
  Block &body = function.getBody().front();
  if (failed(lowerBlock(body, emit, registry)))
    return failure();
  for (auto [index, value] :
       llvm::enumerate(body.getTerminator()->getOperands()))
    emit.copy(function.getLoc(), emit.placeOf(value),
              function.getResultAttrOfType<PlaceAttr>(index, kPlaceName),
              getByteSize(value.getType()));
  func::ReturnOp::create(builder, function.getLoc());
  return success();
}

//===----------------------------------------------------------------------===//
// What train-plan-memory must have left
//===----------------------------------------------------------------------===//

/// Whether `op` has an array of `count` places under `name`, none of which
/// steps with more loops than enclose it.
static LogicalResult checkPlaces(Operation *op, StringRef name, size_t count,
                                 size_t depth) {
  auto places = op->getAttrOfType<ArrayAttr>(name);
  if (!places && count == 0)
    return success();
  if (!places || places.size() != count)
    return op->emitOpError()
           << "has " << (places ? places.size() : 0) << " places in '" << name
           << "', expected " << count;
  for (auto place : places.getAsRange<PlaceAttr>())
    if (llvm::any_of(place.getStrides().drop_front(
                         std::min(depth, place.getStrides().size())),
                     [](int64_t stride) { return stride != 0; }))
      return op->emitOpError()
             << "has the place " << place << " in " << depth << " loops";
  return success();
}

static LogicalResult checkOperation(Operation *op, size_t depth) {
  if (op->getNumResults() &&
      failed(checkPlaces(op, kPlacesName, op->getNumResults(), depth)))
    return failure();
  if (auto loop = dyn_cast<LoopOp>(op))
    return checkPlaces(op, kCarryPlacesName, loop.getCarries().size(), depth);
  auto rows = dyn_cast<RowsOp>(op);
  if (!rows)
    return success();
  size_t sums =
      llvm::count_if(rows.getResultKinds().getAsRange<RowKindAttr>(),
                     [](RowKindAttr kind) { return isSum(kind.getValue()); });
  if (sums && !op->hasAttr(kGrainName))
    return op->emitOpError()
           << "sums over rows, but has no '" << kGrainName << "'";
  return sums ? checkPlaces(op, kWorkspaceName, sums, depth) : success();
}

/// Checks the ops of a block and, without recursion, of the loops in it.
static LogicalResult checkBlock(Block &block) {
  SmallVector<std::pair<Block *, size_t>> worklist{{&block, 0}};
  while (!worklist.empty()) {
    auto [next, depth] = worklist.pop_back_val();
    for (Operation &op : next->without_terminator()) {
      if (failed(checkOperation(&op, depth)))
        return failure();
      if (auto loop = dyn_cast<LoopOp>(op))
        worklist.push_back({loop.getLoopBody(), depth + 1});
    }
  }
  return success();
}

static LogicalResult checkFunction(func::FuncOp function) {
  if (!function.getBody().hasOneBlock() ||
      !isa<func::ReturnOp>(function.getBody().front().getTerminator()))
    return function.emitOpError() << "must be one block that returns";
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!function.getArgAttr(i, kPlaceName))
      return function.emitOpError()
             << "argument " << i << " has no '" << kPlaceName << "'";
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (!function.getResultAttr(i, kPlaceName))
      return function.emitOpError()
             << "result " << i << " has no '" << kPlaceName << "'";
  return checkBlock(function.getBody().front());
}

/// Whether @train says of each argument what it is, of a parameter before of
/// its moments.
static LogicalResult checkRoles(func::FuncOp train) {
  llvm::StringSet<> parameters;
  for (unsigned i = 0; i < train.getNumArguments(); ++i) {
    auto role = train.getArgAttrOfType<RoleAttr>(i, kRoleName);
    auto param = train.getArgAttrOfType<ParamAttr>(i, kParamName);
    if (!role)
      return train.emitOpError()
             << "argument " << i << " has no '" << kRoleName << "'";
    if (role.getValue() == Role::Parameter)
      parameters.insert(param.getName());
    else if (param && !parameters.contains(param.getName()))
      return train.emitOpError()
             << "argument " << i << " is a " << stringifyRole(role.getValue())
             << " of \"" << param.getName()
             << "\", which is no parameter before it";
  }
  return success();
}

/// Whether the module's table of bytes is whole.
static LogicalResult checkArena(ModuleOp module) {
  auto arena = module->getAttrOfType<DictionaryAttr>(kArenaName);
  if (!arena)
    return module.emitError()
           << "has no '" << kArenaName << "': run train-plan-memory first";
  for (StringRef name : {"bytes", "fixed", "parameters", "optimizer",
                         "gradients", "activations", "workspace"})
    if (!arena.getAs<IntegerAttr>(name))
      return module.emitError()
             << "has no \"" << name << "\" in '" << kArenaName << "'";
  if (!arena.getAs<DenseI64ArrayAttr>("canaries"))
    return module.emitError()
           << "has no \"canaries\" in '" << kArenaName << "'";
  return success();
}

namespace {
struct ConvertTrainToRuntime
    : public trireme::impl::ConvertTrainToRuntimeBase<ConvertTrainToRuntime> {
  using ConvertTrainToRuntimeBase::ConvertTrainToRuntimeBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkArena(module)))
      return signalPassFailure();
    if (launchElements < 1 || workspaceMib < 0) {
      module.emitError() << "options launch-elements and workspace-mib are "
                         << launchElements.getValue() << " and "
                         << workspaceMib.getValue()
                         << ", expected at least 1 and 0";
      return signalPassFailure();
    }
    LoweringRegistry registry;
    registerTrainLowerings(registry);
    for (Dialect *dialect : getContext().getLoadedDialects())
      if (auto *other =
              dialect->getRegisteredInterface<LoweringDialectInterface>())
        other->registerLowerings(registry);
    ManifestTables tables;
    RuntimeEmitter emit(module, tables, launchElements);
    auto train = module.lookupSymbol<func::FuncOp>("train");
    auto evaluate = module.lookupSymbol<func::FuncOp>("evaluate");
    if (!train || !evaluate) {
      module.emitError() << "needs @train and @evaluate";
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    if (failed(checkRoles(train)) ||
        llvm::any_of(functions, [](func::FuncOp function) {
          return failed(checkFunction(function));
        }))
      return signalPassFailure();
    for (func::FuncOp function : functions)
      if (failed(lowerFunction(function, emit, registry)))
        return signalPassFailure();
    FailureOr<std::string> manifest =
        buildManifest(module, train, evaluate, emit, tables, workspaceMib);
    if (failed(manifest))
      return signalPassFailure();
    module->setAttr(runtime::kManifestName,
                    StringAttr::get(&getContext(), *manifest));
    for (func::FuncOp function : functions)
      function.erase();
  }
};
} // namespace
