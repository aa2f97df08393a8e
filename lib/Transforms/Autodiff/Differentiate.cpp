//===- Differentiate.cpp - Reverse-mode differentiation -------------------===//
//
// The forward body is cloned into @gradient and walked backwards; each op's
// rule builds the cotangents of its operands, sums are built where a value has
// several uses. A loop becomes a loop in reverse (see Passes.td): its body is
// built first, with direct references to values of the forward body, which
// are then resolved: read again, computed again, or stacked by the forward
// loop. (Griewank and Walther, Evaluating Derivatives, 2008, chapter 3.)
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "trireme/Dialect/Train/IR/Train.h"
#include "trireme/Transforms/Autodiff/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace trireme::train {
#define GEN_PASS_DEF_DIFFERENTIATE
#include "trireme/Transforms/Autodiff/Passes.h.inc"
} // namespace trireme::train

using namespace mlir;
using namespace trireme::train;

namespace {

/// The cotangents of values and the values that need one.
struct Cotangents {
  DenseMap<Value, Value> map;
  DenseSet<Value> active; ///< Values that depend on a trained parameter.

  Value lookup(Value value) const { return map.lookup(value); }

  /// Adds `cotangent` to that of `value`, if `value` is active.
  void add(OpBuilder &builder, Value value, Value cotangent) {
    if (!cotangent || !active.contains(value))
      return;
    Value &sum = map[value];
    sum = sum ? AddOp::create(builder, value.getLoc(), sum, cotangent)
              : cotangent;
  }
};

} // namespace

static bool isFloat(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

//===----------------------------------------------------------------------===//
// Activity
//===----------------------------------------------------------------------===//

static void spreadActivity(Block &block, DenseSet<Value> &active);

/// Activity through a loop, to a fixpoint over its carries.
static void spreadActivity(LoopOp loop, DenseSet<Value> &active) {
  auto link = [&](auto operands, auto arguments) {
    for (auto [operand, argument] : llvm::zip_equal(operands, arguments))
      if (active.contains(operand))
        active.insert(argument);
  };
  link(loop.getCarries(), loop.getCarryArguments());
  link(loop.getEaches(), loop.getEachArguments());
  link(loop.getWiths(), loop.getWithArguments());
  YieldOp yield = loop.getYield();
  size_t before;
  do {
    spreadActivity(*loop.getLoopBody(), active);
    before = active.size();
    link(yield.getCarries(), loop.getCarryArguments());
  } while (active.size() != before);
  link(loop.getCarryArguments(), loop.getCarryResults());
  link(yield.getCarries(), loop.getCarryResults());
  link(yield.getStacked(), loop.getStackedResults());
}

/// Marks the float results of ops with an active operand.
static void spreadActivity(Block &block, DenseSet<Value> &active) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<LoopOp>(op)) {
      spreadActivity(loop, active);
      continue;
    }
    if (llvm::none_of(op.getOperands(),
                      [&](Value v) { return active.contains(v); }))
      continue;
    for (Value result : op.getResults())
      if (isFloat(result))
        active.insert(result);
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static LogicalResult differentiateLoop(LoopOp loop, OpBuilder &builder,
                                       Cotangents &outer);

/// Builds, at the builder's place, the cotangents of everything in `block`
/// that is active, from those of its results that are in `cotangents`.
static LogicalResult differentiateBlock(Block &block, OpBuilder &builder,
                                        Cotangents &cotangents) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops)) {
    SmallVector<Value> results;
    for (Value result : op->getResults())
      results.push_back(cotangents.lookup(result));
    if (llvm::none_of(results, [](Value v) { return v; }))
      continue;
    if (auto loop = dyn_cast<LoopOp>(op)) {
      if (failed(differentiateLoop(loop, builder, cotangents)))
        return failure();
      continue;
    }
    auto rule = dyn_cast<DifferentiableOpInterface>(op);
    if (!rule)
      return op->emitOpError()
             << "has no derivative, but a trained parameter reaches it";
    SmallVector<Value> operands;
    if (failed(rule.buildDerivative(builder, results, operands)))
      return failure();
    if (operands.size() != op->getNumOperands())
      return op->emitOpError()
             << "has a derivative of " << operands.size() << " cotangents for "
             << op->getNumOperands() << " operands";
    for (auto [operand, cotangent] :
         llvm::zip_equal(op->getOperands(), operands))
      cotangents.add(builder, operand, cotangent);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {

/// The reverse loop while it is built: its body as a free block, and for each
/// block argument the operand it will stand for.
struct ReverseLoop {
  Block body;
  struct Binding {
    Value operand;
    BlockArgument argument;
  };
  SmallVector<Binding> carries, eaches, withs;

  BlockArgument bind(SmallVector<Binding> &list, Value operand, Type type) {
    BlockArgument argument = body.addArgument(type, operand.getLoc());
    list.push_back({operand, argument});
    return argument;
  }
};

/// Finds for values of a forward body what stands for them in the reverse body.
class Resolver {
public:
  Resolver(LoopOp loop, ReverseLoop &reverse)
      : loop(loop), reverse(reverse), prelude(loop.getContext()) {
    prelude.setInsertionPointToStart(&reverse.body);
  }

  /// Replaces all references to the forward body in the reverse body.
  void run() {
    SmallVector<OpOperand *> references;
    for (Operation &op : reverse.body)
      for (OpOperand &operand : op.getOpOperands())
        if (operand.get().getParentBlock() == loop.getLoopBody())
          references.push_back(&operand);
    for (OpOperand *reference : references)
      reference->set(resolve(reference->get()));
  }

  /// Values that the forward loop has to stack, with their place in the
  /// reverse loop's `each` list.
  SmallVector<std::pair<Value, size_t>> stashed;

private:
  Value resolve(Value value) {
    if (Value known = resolved.lookup(value))
      return known;
    return resolved[value] = resolveNew(value);
  }

  Value resolveNew(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      size_t index = argument.getArgNumber();
      size_t carries = loop.getCarries().size();
      size_t eaches = loop.getEaches().size();
      if (index >= carries + eaches) {
        Value operand = loop.getWiths()[index - carries - eaches];
        return reverse.bind(reverse.withs, operand, operand.getType());
      }
      if (index >= carries) {
        Value operand = loop.getEaches()[index - carries];
        return reverse.bind(reverse.eaches, operand, value.getType());
      }
      return stash(value);
    }
    // Computed from each and with arguments alone: compute it again. (An
    // explicit worklist is not needed: such chains are a few ops long.)
    Operation *op = value.getDefiningOp();
    if (!isRecomputable(op))
      return stash(value);
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, resolve(operand));
    Operation *copy = prelude.clone(*op, mapping);
    for (auto [from, to] :
         llvm::zip_equal(op->getResults(), copy->getResults()))
      resolved[from] = to;
    return resolved[value];
  }

  /// Whether all that `op` is computed from are each and with arguments.
  bool isRecomputable(Operation *op) {
    SmallVector<Operation *> worklist{op};
    DenseSet<Operation *> seen{op};
    while (!worklist.empty()) {
      Operation *next = worklist.pop_back_val();
      if (next->getNumRegions())
        return false;
      for (Value operand : next->getOperands()) {
        if (auto argument = dyn_cast<BlockArgument>(operand)) {
          if (argument.getArgNumber() < loop.getCarries().size())
            return false;
        } else if (seen.insert(operand.getDefiningOp()).second) {
          worklist.push_back(operand.getDefiningOp());
        }
      }
    }
    return true;
  }

  Value stash(Value value) {
    stashed.push_back({value, reverse.eaches.size()});
    return reverse.bind(reverse.eaches, value, value.getType());
  }

  LoopOp loop;
  ReverseLoop &reverse;
  OpBuilder prelude;
  DenseMap<Value, Value> resolved;
};

} // namespace

/// `loop` with further stacked results; the old op is erased.
static LoopOp addStackedResults(LoopOp loop, ValueRange slices,
                                Cotangents &cotangents) {
  OpBuilder builder(loop);
  YieldOp yield = loop.getYield();
  yield.getStackedMutable().append(slices);
  auto wider = LoopOp::create(
      builder, loop.getLoc(), loop.getLabel(), loop.getCount(), loop.getFirst(),
      loop.getReverse(), loop.getCarries(), loop.getEaches(), loop.getWiths(),
      TypeRange(yield.getStacked().getTypes()));
  wider.getBody().takeBody(loop.getBody());
  for (auto [from, to] :
       llvm::zip_first(loop.getResults(), wider.getResults())) {
    from.replaceAllUsesWith(to);
    if (Value cotangent = cotangents.lookup(from))
      cotangents.map[to] = cotangent;
    if (cotangents.active.erase(from))
      cotangents.active.insert(to);
    cotangents.map.erase(from);
  }
  loop.erase();
  return wider;
}

/// Creates the reverse loop at the builder's place from its finished body.
static LoopOp createReverseLoop(OpBuilder &builder, LoopOp loop,
                                ReverseLoop &reverse, ValueRange carried,
                                ValueRange stacked) {
  auto operandsOf = [](ArrayRef<ReverseLoop::Binding> list) {
    return llvm::map_to_vector(list, [](auto &b) { return b.operand; });
  };
  auto result =
      LoopOp::create(builder, loop.getLoc(), loop.getLabel(), loop.getCount(),
                     loop.getFirst(), !loop.getReverse(),
                     operandsOf(reverse.carries), operandsOf(reverse.eaches),
                     operandsOf(reverse.withs), TypeRange(stacked.getTypes()));
  Block *body = result.getLoopBody();
  OpBuilder inner(loop.getContext());
  inner.setInsertionPointToEnd(&reverse.body);
  YieldOp::create(inner, loop.getLoc(), carried, stacked);
  body->getOperations().splice(body->end(), reverse.body.getOperations());
  size_t index = 0;
  for (auto *list : {&reverse.carries, &reverse.eaches, &reverse.withs})
    for (auto &binding : *list) {
      BlockArgument argument = body->getArgument(index++);
      argument.setLoc(binding.argument.getLoc());
      binding.argument.replaceAllUsesWith(argument);
    }
  return result;
}

static LogicalResult differentiateLoop(LoopOp loop, OpBuilder &builder,
                                       Cotangents &outer) {
  Location loc = loop.getLoc();
  ReverseLoop reverse;
  Cotangents inner;
  inner.active = outer.active;
  OpBuilder bodyBuilder(loop.getContext()); // The body has no parent yet.
  bodyBuilder.setInsertionPointToEnd(&reverse.body);
  YieldOp yield = loop.getYield();

  // What comes in: cotangents of the carries, sums for the invariants, slices
  // of the stacked results' cotangents.
  SmallVector<unsigned> carries, withs;
  for (auto [index, argument] : llvm::enumerate(loop.getCarryArguments())) {
    if (!outer.active.contains(argument))
      continue;
    carries.push_back(index);
    Value seed = outer.lookup(loop.getCarryResults()[index]);
    if (!seed)
      seed = createZeros(builder, loc, argument.getType());
    BlockArgument in = reverse.bind(reverse.carries, seed, seed.getType());
    inner.add(bodyBuilder, yield.getCarries()[index], in);
  }
  for (auto [index, argument] : llvm::enumerate(loop.getWithArguments())) {
    if (!outer.active.contains(argument))
      continue;
    withs.push_back(index);
    reverse.bind(reverse.carries, createZeros(builder, loc, argument.getType()),
                 argument.getType());
  }
  for (auto [result, slice] :
       llvm::zip_equal(loop.getStackedResults(), yield.getStacked()))
    if (Value cotangent = outer.lookup(result))
      inner.add(bodyBuilder, slice,
                reverse.bind(reverse.eaches, cotangent, slice.getType()));

  if (failed(differentiateBlock(*loop.getLoopBody(), bodyBuilder, inner)))
    return failure();

  // What goes out.
  auto cotangentOf = [&](Value value) {
    Value cotangent = inner.lookup(value);
    return cotangent ? cotangent
                     : createZeros(bodyBuilder, loc, value.getType());
  };
  SmallVector<Value> carried, stacked;
  for (unsigned index : carries)
    carried.push_back(cotangentOf(loop.getCarryArguments()[index]));
  for (auto [position, index] : llvm::enumerate(withs)) {
    Value sum = reverse.carries[carries.size() + position].argument;
    if (Value cotangent = inner.lookup(loop.getWithArguments()[index]))
      sum = AddOp::create(bodyBuilder, loc, sum, cotangent);
    carried.push_back(sum);
  }
  SmallVector<Value> eachOperands;
  for (auto [operand, argument] :
       llvm::zip_equal(loop.getEaches(), loop.getEachArguments()))
    if (outer.active.contains(argument)) {
      eachOperands.push_back(operand);
      stacked.push_back(cotangentOf(argument));
    }

  // A cotangent may be a value of the forward body as it stands (never so for
  // today's rules); the yield has to be among the resolved references.
  YieldOp::create(bodyBuilder, loc, carried, stacked);
  Resolver resolver(loop, reverse);
  resolver.run();
  Operation *terminator = &reverse.body.back();
  carried.assign(cast<YieldOp>(terminator).getCarries().begin(),
                 cast<YieldOp>(terminator).getCarries().end());
  stacked.assign(cast<YieldOp>(terminator).getStacked().begin(),
                 cast<YieldOp>(terminator).getStacked().end());
  terminator->erase();

  SmallVector<Value> stashedValues;
  for (auto &[value, place] : resolver.stashed)
    stashedValues.push_back(value);
  size_t oldStacks = loop.getStackedResults().size();
  LoopOp forward = addStackedResults(loop, stashedValues, outer);
  for (auto [index, stash] : llvm::enumerate(resolver.stashed))
    reverse.eaches[stash.second].operand =
        forward.getStackedResults()[oldStacks + index];
  LoopOp backward =
      createReverseLoop(builder, forward, reverse, carried, stacked);

  for (auto [position, index] : llvm::enumerate(carries))
    outer.add(builder, forward.getCarries()[index],
              backward.getCarryResults()[position]);
  for (auto [position, index] : llvm::enumerate(withs))
    outer.add(builder, forward.getWiths()[index],
              backward.getCarryResults()[carries.size() + position]);
  for (auto [operand, gradient] :
       llvm::zip_equal(eachOperands, backward.getStackedResults()))
    outer.add(builder, operand, gradient);
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Whether argument `index` is a trained parameter.
static bool isParameter(func::FuncOp function, unsigned index) {
  auto role = function.getArgAttrOfType<RoleAttr>(index, kRoleName);
  return role && role.getValue() == Role::Parameter;
}

/// Makes @gradient of a clone of `forward`; leaves it where it is.
static LogicalResult differentiate(func::FuncOp forward) {
  if (!forward.getBody().hasOneBlock() ||
      !isa<func::ReturnOp>(forward.getBody().front().getTerminator()) ||
      forward.getNumResults() < 1)
    return forward.emitOpError()
           << "must be one block that returns the loss sum";
  OpBuilder builder(forward);
  builder.setInsertionPointAfter(forward);
  auto gradient = cast<func::FuncOp>(builder.clone(*forward));
  gradient.setName("gradient");

  Block &body = gradient.getBody().front();
  Operation *terminator = body.getTerminator();
  Value loss = terminator->getOperand(0);
  Location loc = terminator->getLoc();
  auto lossType = dyn_cast<RankedTensorType>(loss.getType());
  if (!lossType || lossType.getRank() != 0 || !isFloat(loss))
    return forward.emitOpError()
           << "must return the loss sum as a float scalar first, found "
           << loss.getType();
  unsigned seedIndex = gradient.getNumArguments();
  DictionaryAttr seedAttrs = builder.getDictionaryAttr(builder.getNamedAttr(
      kRoleName, RoleAttr::get(builder.getContext(), Role::Seed)));
  if (failed(
          gradient.insertArgument(seedIndex, loss.getType(), seedAttrs, loc)))
    return failure();

  Cotangents cotangents;
  SmallVector<unsigned> parameters;
  for (unsigned index = 0; index < seedIndex; ++index)
    if (isParameter(gradient, index)) {
      parameters.push_back(index);
      cotangents.active.insert(body.getArgument(index));
    }
  spreadActivity(body, cotangents.active);
  builder.setInsertionPoint(terminator);
  cotangents.add(builder, loss, body.getArgument(seedIndex));
  if (failed(differentiateBlock(body, builder, cotangents)))
    return failure();

  // The head may have given the loss another op: read it where it stands now.
  SmallVector<Value> results{terminator->getOperand(0)};
  SmallVector<Attribute> resultAttrs{builder.getDictionaryAttr(
      builder.getNamedAttr(kResultName, builder.getStringAttr("loss_sum")))};
  for (unsigned index : parameters) {
    Value argument = body.getArgument(index);
    Value result = cotangents.lookup(argument);
    if (!result)
      result = createZeros(builder, loc, argument.getType());
    results.push_back(result);
    auto param = gradient.getArgAttrOfType<ParamAttr>(index, kParamName);
    resultAttrs.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
        kResultName, builder.getStringAttr(
                         "gradient:" + (param ? param.getName() : "").str()))));
  }
  terminator->setOperands(results);
  gradient.setFunctionType(builder.getFunctionType(
      gradient.getArgumentTypes(), ValueRange(results).getTypes()));
  gradient.setResAttrsAttr(builder.getArrayAttr(resultAttrs));
  return success();
}

namespace {
struct Differentiate
    : public trireme::train::impl::DifferentiateBase<Differentiate> {
  void runOnOperation() override {
    auto forward = getOperation().lookupSymbol<func::FuncOp>("forward");
    if (!forward) {
      getOperation().emitError() << "has no function @forward";
      return signalPassFailure();
    }
    if (failed(differentiate(forward)))
      signalPassFailure();
  }
};
} // namespace
