//===- Evaluate.cpp - Evaluating a function of the train dialect ----------===//
//
// Walks a block, keeps a tensor a live value, and asks each operation for its
// meaning by interface. Only what has a region or ends one is known by name.
// Tensors are never changed once computed, so values share them.
//
// One walk runs one device. More devices are to walk in step: a value then has
// a tensor a device, and a collective sees those of all.
//
//===----------------------------------------------------------------------===//

#include "trireme/Dialect/Train/IR/Train.h"
#include "trireme/Interpret/Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/ScopeExit.h"
#include <memory>

using namespace mlir;
using namespace trireme;
using namespace trireme::train;

using Tensor = std::shared_ptr<const HostTensor>;

namespace {
class Evaluator {
public:
  /// Evaluates `block` with one tensor an argument and returns the operands of
  /// its terminator.
  FailureOr<SmallVector<Tensor>> evaluateBlock(Block &block,
                                               ArrayRef<Tensor> arguments,
                                               int64_t layer);

private:
  using Environment = DenseMap<Value, Tensor>;

  FailureOr<SmallVector<Tensor>> evaluateOperation(Operation &op,
                                                   ArrayRef<Tensor> operands,
                                                   int64_t layer);
  FailureOr<SmallVector<Tensor>>
  evaluateLoop(LoopOp loop, ArrayRef<Tensor> operands, int64_t layer);

  /// The values whose last use in `block` is the operation.
  using LastUses = DenseMap<Operation *, SmallVector<Value, 2>>;
  const LastUses &getLastUses(Block &block);

  DenseMap<Block *, std::unique_ptr<LastUses>> lastUses;
};
} // namespace

/// An unset tensor of zeros for a result.
static HostTensor makeResult(Value result) {
  return HostTensor(cast<RankedTensorType>(result.getType()).getShape());
}

static Tensor share(HostTensor &&tensor) {
  return std::make_shared<const HostTensor>(std::move(tensor));
}

const Evaluator::LastUses &Evaluator::getLastUses(Block &block) {
  std::unique_ptr<LastUses> &entry = lastUses[&block];
  if (entry)
    return *entry;
  // Operations with regions are isolated, so that all uses are in the block.
  entry = std::make_unique<LastUses>();
  DenseSet<Value> seen;
  for (Operation &op : llvm::reverse(block))
    for (Value operand : op.getOperands())
      if (seen.insert(operand).second)
        (*entry)[&op].push_back(operand);
  return *entry;
}

FailureOr<SmallVector<Tensor>>
Evaluator::evaluateBlock(Block &block, ArrayRef<Tensor> arguments,
                         int64_t layer) {
  Environment values;
  for (auto [argument, tensor] :
       llvm::zip_equal(block.getArguments(), arguments))
    if (!argument.use_empty())
      values[argument] = tensor;

  const LastUses &ends = getLastUses(block);
  for (Operation &op : block) {
    SmallVector<Tensor> operands;
    for (Value operand : op.getOperands()) {
      auto found = values.find(operand);
      if (found == values.end())
        return op.emitOpError("uses a value of another region");
      operands.push_back(found->second);
    }
    if (op.hasTrait<OpTrait::IsTerminator>())
      return operands;
    if (auto found = ends.find(&op); found != ends.end())
      for (Value value : found->second)
        values.erase(value);

    FailureOr<SmallVector<Tensor>> results =
        evaluateOperation(op, operands, layer);
    if (failed(results))
      return failure();
    for (auto [result, tensor] : llvm::zip_equal(op.getResults(), *results))
      if (!result.use_empty())
        values[result] = std::move(tensor);
  }
  return block.getParentOp()->emitOpError("has a body without a terminator");
}

/// The elements of a tensor constant.
static FailureOr<HostTensor> getConstant(arith::ConstantOp op) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return op.emitOpError("is no constant tensor");
  HostTensor tensor(cast<RankedTensorType>(elements.getType()).getShape());
  Type type = elements.getElementType();
  if (isa<FloatType>(type)) {
    for (auto [value, element] :
         llvm::zip_equal(tensor.values, elements.getValues<FloatAttr>()))
      value = element.getValueAsDouble();
    return tensor;
  }
  for (auto [value, element] :
       llvm::zip_equal(tensor.values, elements.getValues<APInt>()))
    value = type.isInteger(1) ? double(element.getZExtValue())
                              : double(element.getSExtValue());
  return tensor;
}

FailureOr<SmallVector<Tensor>>
Evaluator::evaluateOperation(Operation &op, ArrayRef<Tensor> operands,
                             int64_t layer) {
  if (auto loop = dyn_cast<LoopOp>(op))
    return evaluateLoop(loop, operands, layer);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    FailureOr<HostTensor> tensor = getConstant(constant);
    if (failed(tensor))
      return failure();
    return SmallVector<Tensor>{share(std::move(*tensor))};
  }
  auto evaluatable = dyn_cast<EvaluatableOpInterface>(op);
  if (!evaluatable)
    return op.emitOpError("cannot be evaluated: it does not say its meaning");

  SmallVector<const HostTensor *> inputs;
  for (const Tensor &operand : operands)
    inputs.push_back(operand.get());
  SmallVector<HostTensor> outputs =
      llvm::map_to_vector(op.getResults(), makeResult);
  if (failed(evaluatable.evaluate(inputs, outputs, layer)))
    return failure();
  SmallVector<Tensor> results;
  for (HostTensor &output : outputs)
    results.push_back(share(std::move(output)));
  return results;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Slice `index` of the first dim.
static Tensor getSlice(const HostTensor &stack, int64_t index) {
  HostTensor slice(ArrayRef<int64_t>(stack.shape).drop_front());
  std::copy_n(stack.data() + index * slice.size(), slice.size(), slice.data());
  return share(std::move(slice));
}

FailureOr<SmallVector<Tensor>>
Evaluator::evaluateLoop(LoopOp loop, ArrayRef<Tensor> operands, int64_t layer) {
  size_t carryCount = loop.getCarries().size();
  size_t eachCount = loop.getEaches().size();
  SmallVector<Tensor> carries(operands.take_front(carryCount));
  ArrayRef<Tensor> eaches = operands.slice(carryCount, eachCount);
  ArrayRef<Tensor> withs = operands.drop_front(carryCount + eachCount);
  SmallVector<HostTensor> stacks =
      llvm::map_to_vector(loop.getStackedResults(), makeResult);

  int64_t count = loop.getCount(), first = loop.getFirst();
  for (int64_t step = 0; step < count; ++step) {
    int64_t i = loop.getReverse() ? count - 1 - step : step;
    SmallVector<Tensor> arguments(std::move(carries));
    for (const Tensor &each : eaches)
      arguments.push_back(getSlice(*each, i));
    llvm::append_range(arguments, withs);
    // Operations look up what differs by layer in the innermost such loop.
    FailureOr<SmallVector<Tensor>> yielded =
        evaluateBlock(*loop.getLoopBody(), arguments,
                      loop.getLabel() == "layers" ? first + i : layer);
    if (failed(yielded))
      return failure();
    for (auto [stack, slice] :
         llvm::zip_equal(stacks, ArrayRef(*yielded).drop_front(carryCount)))
      std::copy_n(slice->data(), slice->size(),
                  stack.data() + i * slice->size());
    yielded->truncate(carryCount);
    carries = std::move(*yielded);
  }
  for (HostTensor &stack : stacks)
    carries.push_back(share(std::move(stack)));
  return carries;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult
trireme::evaluateFunction(FunctionOpInterface function,
                          ArrayRef<HostTensor> arguments,
                          SmallVectorImpl<HostTensor> &results) {
  if (!function.getFunctionBody().hasOneBlock())
    return function.emitError()
           << "@" << function.getName() << " has "
           << function.getFunctionBody().getBlocks().size()
           << " blocks, expected 1";
  if (arguments.size() != function.getNumArguments())
    return function.emitError() << "@" << function.getName() << " is given "
                                << arguments.size() << " arguments, expected "
                                << function.getNumArguments();
  SmallVector<Tensor> inputs;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    auto type =
        dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]);
    if (!type || type.getShape() != ArrayRef<int64_t>(argument.shape))
      return function.emitError()
             << "argument " << index << " of @" << function.getName()
             << " has type " << function.getArgumentTypes()[index]
             << ", which is not that of the tensor it is given";
    // Not owned: the caller keeps its arguments through the call.
    inputs.push_back(Tensor(std::shared_ptr<void>(), &argument));
  }
  for (Type type : function.getResultTypes())
    if (!isa<RankedTensorType>(type))
      return function.emitError() << "@" << function.getName()
                                  << " returns " << type
                                  << ", expected tensors";
  FailureOr<SmallVector<Tensor>> outputs = Evaluator().evaluateBlock(
      function.getFunctionBody().front(), inputs, /*layer=*/0);
  if (failed(outputs))
    return failure();
  results.clear();
  for (const Tensor &output : *outputs)
    results.push_back(*output);
  return success();
}
