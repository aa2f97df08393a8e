//===- AddOptimizer.cpp - The whole step ----------------------------------===//
//
// @train = count targets, gradients of the micro-batches added up, clip by the
// global norm, AdamW; @evaluate = loss sum and count of the micro-batches. The
// loss's seed is 1 / (targets of the global batch) from the start, so nothing
// is divided later. (Loshchilov and Hutter, Decoupled weight decay, 2019.)
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "trireme/Dialect/Train/IR/Train.h"
#include "trireme/Transforms/Optimizer/Passes.h"

namespace trireme::train {
#define GEN_PASS_DEF_ADDOPTIMIZER
#include "trireme/Transforms/Optimizer/Passes.h.inc"
} // namespace trireme::train

using namespace mlir;
using namespace trireme::train;

namespace {

/// Builds a function argument by argument, result by result.
class FunctionBuilder {
public:
  FunctionBuilder(func::FuncOp before, StringRef name)
      : builder(before.getContext()), loc(before.getLoc()) {
    builder.setInsertionPoint(before);
    function = func::FuncOp::create(builder, loc, name,
                                    builder.getFunctionType({}, {}));
    builder.setInsertionPointToStart(function.addEntryBlock());
  }

  Value addArgument(Type type, Role role, ParamAttr param = {},
                    StringRef hyper = {}) {
    NamedAttrList attrs;
    attrs.set(kRoleName, RoleAttr::get(builder.getContext(), role));
    if (param)
      attrs.set(kParamName, param);
    if (!hyper.empty())
      attrs.set(kHyperName, builder.getStringAttr(hyper));
    argumentAttrs.push_back(attrs.getDictionary(builder.getContext()));
    return function.getBody().front().addArgument(type, loc);
  }

  void addResult(Value value, const Twine &name) {
    results.push_back(value);
    resultAttrs.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(kResultName, builder.getStringAttr(name))));
  }

  void finish() {
    func::ReturnOp::create(builder, loc, results);
    Block &body = function.getBody().front();
    function.setType(builder.getFunctionType(body.getArgumentTypes(),
                                             ValueRange(results).getTypes()));
    function.setArgAttrsAttr(builder.getArrayAttr(argumentAttrs));
    function.setResAttrsAttr(builder.getArrayAttr(resultAttrs));
  }

  OpBuilder builder;
  Location loc;
  func::FuncOp function;

private:
  SmallVector<Value> results;
  SmallVector<Attribute> argumentAttrs, resultAttrs;
};

/// The arguments that @train and @evaluate share, by the arguments of @forward.
struct StepArguments {
  SmallVector<Value> batches; ///< [micro-batches, rows, sequence].
  SmallVector<Value> parameters;
  SmallVector<ParamAttr> params; ///< One a parameter.
};

} // namespace

/// Adds the arguments of `forward`, batches with a leading dim.
static StepArguments addForwardArguments(FunctionBuilder &step,
                                         func::FuncOp forward,
                                         int64_t microBatches) {
  StepArguments arguments;
  for (auto [index, type] : llvm::enumerate(forward.getArgumentTypes())) {
    Role role = *getRole(forward, index);
    if (isBatch(role)) {
      arguments.batches.push_back(
          step.addArgument(LoopOp::getStackType(type, microBatches), role));
      continue;
    }
    auto param = forward.getArgAttrOfType<ParamAttr>(index, kParamName);
    arguments.params.push_back(param);
    arguments.parameters.push_back(step.addArgument(type, role, param));
  }
  return arguments;
}

/// Clones the body of `callee` with `operands` for its arguments; what it
/// returned.
static SmallVector<Value> inlineBody(OpBuilder &builder, func::FuncOp callee,
                                     ValueRange operands) {
  IRMapping mapping;
  Block &body = callee.getBody().front();
  mapping.map(body.getArguments(), operands);
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookup(value); });
}

/// Runs `callee` (its arguments are batches, then `invariants`) over the
/// micro-batches and adds up what it returns.
static SmallVector<Value> sumOverMicroBatches(FunctionBuilder &step,
                                              func::FuncOp callee,
                                              ValueRange batches,
                                              ValueRange invariants) {
  OpBuilder &builder = step.builder;
  Location loc = step.loc;
  // The callee's arguments, in its order, of batches and invariants.
  auto order = [&](auto batchValues, auto invariantValues) {
    SmallVector<Value> operands;
    size_t batch = 0, invariant = 0;
    for (unsigned i = 0; i < callee.getNumArguments(); ++i)
      operands.push_back(isBatch(*getRole(callee, i))
                             ? Value(batchValues[batch++])
                             : Value(invariantValues[invariant++]));
    return operands;
  };
  int64_t count = cast<RankedTensorType>(batches[0].getType()).getDimSize(0);
  if (count == 1) {
    SmallVector<Value> slices;
    for (Value batch : batches)
      slices.push_back(ReshapeOp::create(
          builder, loc, LoopOp::getSliceType(batch.getType()), batch));
    return inlineBody(builder, callee, order(slices, invariants));
  }
  SmallVector<Value> sums;
  for (Type type : callee.getResultTypes())
    sums.push_back(createZeros(builder, loc, type));
  auto loop =
      LoopOp::create(builder, loc, "micro_batches", count, /*first=*/0,
                     /*reverse=*/false, sums, batches, invariants, TypeRange{});
  OpBuilder inner = OpBuilder::atBlockBegin(loop.getLoopBody());
  SmallVector<Value> values = inlineBody(
      inner, callee, order(loop.getEachArguments(), loop.getWithArguments()));
  for (auto [sum, value] : llvm::zip_equal(loop.getCarryArguments(), values))
    value = AddOp::create(inner, loc, sum, value);
  YieldOp::create(inner, loc, values, ValueRange{});
  return llvm::to_vector_of<Value>(loop.getCarryResults());
}

static void buildEvaluate(func::FuncOp forward, int64_t microBatches) {
  FunctionBuilder step(forward, "evaluate");
  StepArguments arguments = addForwardArguments(step, forward, microBatches);
  SmallVector<Value> sums = sumOverMicroBatches(
      step, forward, arguments.batches, arguments.parameters);
  step.addResult(sums[0], "eval_sum");
  step.addResult(sums[1], "eval_count");
  step.finish();
}

static void buildTrain(func::FuncOp forward, func::FuncOp gradient,
                       int64_t microBatches) {
  FunctionBuilder step(forward, "train");
  OpBuilder &builder = step.builder;
  Location loc = step.loc;
  StepArguments arguments = addForwardArguments(step, forward, microBatches);
  SmallVector<Value> first, second;
  for (auto [parameter, param] :
       llvm::zip_equal(arguments.parameters, arguments.params))
    first.push_back(
        step.addArgument(parameter.getType(), Role::FirstMoment, param));
  for (auto [parameter, param] :
       llvm::zip_equal(arguments.parameters, arguments.params))
    second.push_back(
        step.addArgument(parameter.getType(), Role::SecondMoment, param));
  auto hyper = [&](StringRef name) {
    return step.addArgument(RankedTensorType::get({}, builder.getF64Type()),
                            Role::Hyper, {}, name);
  };
  Value lr = hyper("lr"), beta1 = hyper("beta1"), beta2 = hyper("beta2");
  Value eps = hyper("eps"), decay = hyper("weight_decay");
  Value maxNorm = hyper("max_norm"), time = hyper("step");
  Value updateNonFinite = hyper("update_nonfinite");

  // The number of targets of the global batch, first of all.
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  auto flag = RankedTensorType::get({}, builder.getI1Type());
  Value targets;
  for (unsigned i = 0, batch = 0; i < forward.getNumArguments(); ++i) {
    Role role = *getRole(forward, i);
    if (role == Role::Targets)
      targets = arguments.batches[batch];
    batch += isBatch(role);
  }
  Value count = CountTargetsOp::create(builder, loc, scalar, targets);
  auto seed = LossSeedOp::create(builder, loc, TypeRange{scalar, flag}, count);

  SmallVector<Value> invariants = arguments.parameters;
  invariants.push_back(seed.getSeed());
  SmallVector<Value> sums =
      sumOverMicroBatches(step, gradient, arguments.batches, invariants);
  ArrayRef<Value> gradients = ArrayRef(sums).drop_front();

  Value squares;
  for (Value g : gradients) {
    Value square = SumSquaresOp::create(builder, loc, g);
    squares = squares ? AddOp::create(builder, loc, squares, square) : square;
  }
  Value loss = MulOp::create(builder, loc, sums[0], seed.getSeed());
  auto clip = ClipFactorOp::create(
      builder, loc, TypeRange{scalar, scalar, flag}, squares, maxNorm, loss,
      seed.getApply(), updateNonFinite);
  step.addResult(loss, "loss");
  step.addResult(clip.getNorm(), "grad_norm");
  for (size_t i = 0; i < gradients.size(); ++i) {
    ParamAttr param = arguments.params[i];
    auto update =
        AdamWOp::create(builder, loc, arguments.parameters[i], gradients[i],
                        first[i], second[i], clip.getFactor(), clip.getUpdate(),
                        lr, beta1, beta2, eps, decay, time, param.decays());
    step.addResult(update.getNewParameter(), "parameter:" + param.getName());
    step.addResult(update.getNewFirstMoment(),
                   "first_moment:" + param.getName());
    step.addResult(update.getNewSecondMoment(),
                   "second_moment:" + param.getName());
  }
  step.finish();
}

/// Whether `function` is one block that ends in a return; emits an error if
/// not.
static LogicalResult checkBody(func::FuncOp function) {
  if (function.getBody().hasOneBlock() &&
      isa<func::ReturnOp>(function.getBody().front().getTerminator()))
    return success();
  return function.emitOpError() << "must be one block that returns";
}

static bool isFloatScalar(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 &&
         isa<FloatType>(tensor.getElementType());
}

/// Whether `gradient` fits `forward`; emits an error if not.
static LogicalResult checkGradient(func::FuncOp forward,
                                   func::FuncOp gradient) {
  if (failed(checkBody(gradient)))
    return failure();
  SmallVector<Type> arguments(forward.getArgumentTypes());
  SmallVector<Type> results{forward.getResultTypes()[0]};
  arguments.push_back(results[0]);
  for (unsigned i = 0; i < forward.getNumArguments(); ++i)
    if (*getRole(forward, i) == Role::Parameter)
      results.push_back(arguments[i]);
  auto expected = FunctionType::get(forward.getContext(), arguments, results);
  if (gradient.getFunctionType() != expected)
    return gradient.emitOpError() << "has type " << gradient.getFunctionType()
                                  << ", expected " << expected;
  for (unsigned i = 0; i < arguments.size(); ++i)
    if (getRole(gradient, i) != (i < forward.getNumArguments()
                                     ? getRole(forward, i)
                                     : std::optional<Role>(Role::Seed)))
      return gradient.emitOpError()
             << "argument " << i << " has another role than that of @"
             << forward.getName() << " (or the seed)";
  return success();
}

/// Whether `forward` has what a step needs; emits an error if not.
static LogicalResult checkForward(func::FuncOp forward) {
  if (failed(checkBody(forward)))
    return failure();
  bool targets = false, parameters = false;
  for (unsigned i = 0; i < forward.getNumArguments(); ++i) {
    std::optional<Role> role = getRole(forward, i);
    if (!role || (!isBatch(*role) && *role != Role::Parameter))
      return forward.emitOpError()
             << "argument " << i
             << " must have the role tokens, targets, positions or parameter";
    targets |= *role == Role::Targets;
    parameters |= *role == Role::Parameter;
  }
  if (!targets || !parameters || forward.getNumResults() != 2 ||
      !llvm::all_of(forward.getResultTypes(), isFloatScalar))
    return forward.emitOpError() << "must take targets and parameters, and "
                                    "return sum and count as float scalars";
  return success();
}

namespace {
struct AddOptimizer
    : public trireme::train::impl::AddOptimizerBase<AddOptimizer> {
  using AddOptimizerBase::AddOptimizerBase;
  void runOnOperation() override {
    auto forward = getOperation().lookupSymbol<func::FuncOp>("forward");
    auto gradient = getOperation().lookupSymbol<func::FuncOp>("gradient");
    if (!forward || !gradient) {
      getOperation().emitError() << "needs @forward and @gradient";
      return signalPassFailure();
    }
    if (microBatches < 1) {
      getOperation().emitError()
          << "option micro-batches is " << microBatches.getValue()
          << ", expected at least 1";
      return signalPassFailure();
    }
    if (failed(checkForward(forward)) ||
        failed(checkGradient(forward, gradient)))
      return signalPassFailure();
    buildTrain(forward, gradient, microBatches);
    buildEvaluate(forward, microBatches);
    forward.erase();
    gradient.erase();
  }
};
} // namespace
