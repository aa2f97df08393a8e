//===- Inputs.cpp - Random arguments that respect what they are -----------===//

#include "trireme/Dialect/Train/IR/Train.h"
#include "trireme/Interpret/Interpreter.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <numbers>
#include <optional>

using namespace mlir;
using namespace trireme;
using namespace trireme::train;

//===----------------------------------------------------------------------===//
// Lookups
//===----------------------------------------------------------------------===//

/// The values that the loop's body has for an operand, or none if it is not of
/// a loop.
static std::optional<BlockArgument> getBodyArgument(OpOperand &use) {
  // Body arguments stand in the order of the operands.
  if (auto loop = dyn_cast<LoopOp>(use.getOwner()))
    return loop.getLoopBody()->getArgument(use.getOperandNumber());
  return std::nullopt;
}

/// The parameter of `function` that `value` is, maybe taken through loops and
/// operations with one operand (a cast, a reshape); null if it is none.
static ParamAttr getParameter(Value value, FunctionOpInterface function) {
  while (true) {
    if (Operation *op = value.getDefiningOp()) {
      if (op->getNumOperands() != 1 || op->getNumRegions())
        return {};
      value = op->getOperand(0);
      continue;
    }
    auto argument = cast<BlockArgument>(value);
    Operation *parent = argument.getOwner()->getParentOp();
    if (parent == function)
      return function.getArgAttrOfType<ParamAttr>(argument.getArgNumber(),
                                                  kParamName);
    auto loop = dyn_cast<LoopOp>(parent);
    if (!loop)
      return {};
    value = loop->getOperand(argument.getArgNumber());
  }
}

static bool holdsIntegers(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isInteger() && type.getRank() > 0;
}

int64_t trireme::findLookupBound(FunctionOpInterface function, unsigned index) {
  int64_t bound = 0;
  // Follows the ids through loops and changes of their shape to operations
  // that also take a parameter, whose first dim is then what they index.
  SetVector<Value> ids;
  ids.insert(function.getArgument(index));
  for (size_t i = 0; i < ids.size(); ++i)
    for (OpOperand &use : ids[i].getUses()) {
      if (std::optional<BlockArgument> argument = getBodyArgument(use)) {
        ids.insert(*argument);
        continue;
      }
      Operation *op = use.getOwner();
      if (op->getNumOperands() == 1 && op->getNumResults() == 1 &&
          holdsIntegers(op->getResult(0)))
        ids.insert(op->getResult(0));
      for (Value operand : op->getOperands()) {
        auto type = dyn_cast<RankedTensorType>(operand.getType());
        if (!type || !isa<FloatType>(type.getElementType()) ||
            type.getRank() < 2)
          continue;
        ParamAttr param = getParameter(operand, function);
        if (!param)
          continue;
        // Rows behind those of files are pad.
        int64_t rows = type.getDimSize(0);
        if (!param.getShape().empty())
          rows = std::min(rows, param.getShape()[0]);
        bound = bound ? std::min(bound, rows) : rows;
      }
    }
  return bound;
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

namespace {
/// SplitMix64 (Steele, Lea and Flood, 2014).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// In [0, 1).
  double uniform() { return double(next() >> 11) * 0x1p-53; }
  /// In [0, bound).
  int64_t below(int64_t bound) { return int64_t(uniform() * double(bound)); }
  /// Of the standard normal distribution (Box and Muller, 1958).
  double normal() {
    double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

private:
  uint64_t state;
};
} // namespace

/// What an argument is, so that the same one of another program gets the same
/// values: its role and name, or its place if it has none.
static std::string getArgumentKey(FunctionOpInterface function,
                                  unsigned index) {
  std::string key;
  llvm::raw_string_ostream os(key);
  auto role = function.getArgAttrOfType<RoleAttr>(index, kRoleName);
  if (!role)
    os << "argument " << index;
  else
    os << stringifyRole(role.getValue());
  if (auto param = function.getArgAttrOfType<ParamAttr>(index, kParamName))
    os << ' ' << param.getName();
  if (auto hyper = function.getArgAttrOfType<StringAttr>(index, kHyperName))
    os << ' ' << hyper.getValue();
  return key;
}

/// A usual value of a hyper-parameter.
static double getHyper(StringRef name) {
  return llvm::StringSwitch<double>(name)
      .Case("lr", 1e-3)
      .Case("beta1", 0.9)
      .Case("beta2", 0.95)
      .Case("eps", 1e-8)
      .Case("weight_decay", 0.1)
      .Case("step", 2)
      .Case("update_nonfinite", 0)
      .Default(1);
}

/// A parameter around its initial value: gains and biases off their constant,
/// weights wide enough for products to keep the size of what they multiply, so
/// that every part of a model shows in its results.
static double drawParameter(ParamAttr param, Random &random) {
  double value = param.getValue().getValueAsDouble();
  if (param.getInit() == Initializer::Constant)
    return value + 0.1 * random.normal();
  ArrayRef<int64_t> shape = param.getShape();
  double wide = shape.empty() ? 1 : 1 / std::sqrt(double(shape.back()));
  return std::max(value, wide) * random.normal();
}

/// An argument without a role: ids below the smallest table that the function
/// is given, scalar integers 0 (the start of a split dim), numbers normal.
static double drawOther(FunctionOpInterface function, RankedTensorType type,
                        Random &random) {
  if (isa<FloatType>(type.getElementType()))
    return random.normal();
  if (type.getElementType().isInteger(1))
    return 1;
  if (type.getRank() == 0)
    return 0;
  int64_t bound = 0;
  for (Type other : function.getArgumentTypes()) {
    auto table = dyn_cast<RankedTensorType>(other);
    if (table && isa<FloatType>(table.getElementType()) && table.getRank() > 1)
      bound =
          bound ? std::min(bound, table.getDimSize(0)) : table.getDimSize(0);
  }
  return double(random.below(std::max<int64_t>(bound, 1)));
}

static HostTensor makeRandomArgument(FunctionOpInterface function,
                                     unsigned index, uint64_t seed,
                                     int64_t vocabulary) {
  auto type = cast<RankedTensorType>(function.getArgumentTypes()[index]);
  auto role = function.getArgAttrOfType<RoleAttr>(index, kRoleName);
  auto param = function.getArgAttrOfType<ParamAttr>(index, kParamName);
  auto hyper = function.getArgAttrOfType<StringAttr>(index, kHyperName);
  HostTensor tensor(type.getShape());
  Random random(seed ^ llvm::xxh3_64bits(getArgumentKey(function, index)));
  int64_t last = type.getRank() ? type.getShape().back() : 1;
  auto draw = [&](int64_t i) -> double {
    if (!role)
      return drawOther(function, type, random);
    switch (role.getValue()) {
    case Role::Tokens:
      return double(random.below(vocabulary));
    case Role::Targets: {
      // One in eight has none, but never the first.
      int64_t target = random.below(vocabulary);
      return random.below(8) == 0 && i ? double(kIgnoredTarget)
                                       : double(target);
    }
    case Role::Positions:
      return double(i % last);
    case Role::Parameter:
      return drawParameter(param, random);
    case Role::FirstMoment:
      return 0.01 * random.normal();
    case Role::SecondMoment: {
      double root = 0.01 * random.normal();
      return root * root;
    }
    case Role::Hyper:
      return getHyper(hyper ? hyper.getValue() : "");
    case Role::Seed:
      return 0.5 + random.uniform();
    }
    return 0;
  };
  // Pad stays zero.
  int64_t drawn = param ? countStored(param, type) : tensor.size();
  for (int64_t i = 0; i < drawn; ++i)
    tensor.values[i] = draw(i);
  return tensor;
}

SmallVector<HostTensor>
trireme::makeRandomArguments(FunctionOpInterface function, uint64_t seed) {
  // Tokens and targets are of one vocabulary: the smallest that any looks up.
  int64_t vocabulary = 0;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto role = function.getArgAttrOfType<RoleAttr>(i, kRoleName);
    if (!role ||
        (role.getValue() != Role::Tokens && role.getValue() != Role::Targets))
      continue;
    int64_t bound = findLookupBound(function, i);
    if (bound && (!vocabulary || bound < vocabulary))
      vocabulary = bound;
  }
  SmallVector<HostTensor> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    arguments.push_back(makeRandomArgument(function, i, seed,
                                           std::max<int64_t>(vocabulary, 1)));
  return arguments;
}
