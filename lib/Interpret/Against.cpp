//===- Against.cpp - Two programs on the same inputs ----------------------===//

#include "trireme/Dialect/Train/IR/Train.h"
#include "trireme/Interpret/Interpreter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace trireme;
using namespace trireme::train;

/// The public functions with a body, in order.
static SmallVector<FunctionOpInterface> getEntryPoints(ModuleOp module) {
  SmallVector<FunctionOpInterface> functions;
  for (auto function : module.getOps<FunctionOpInterface>())
    if (function.isPublic() && !function.isDeclaration())
      functions.push_back(function);
  return functions;
}

/// The name of a result: its `train.result`, else `result N`.
static std::string getResultName(FunctionOpInterface function, unsigned index) {
  if (auto name = function.getResultAttrOfType<StringAttr>(index, kResultName))
    return name.str();
  return ("result " + Twine(index)).str();
}

static bool checkArguments(FunctionOpInterface function,
                           llvm::raw_ostream &errors) {
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (!isa<RankedTensorType>(type)) {
      errors << "argument " << index << " of @" << function.getName()
             << " has type " << type << ", expected a tensor\n";
      return false;
    }
  return true;
}

static LogicalResult evaluateOnRandom(FunctionOpInterface function,
                                      uint64_t seed,
                                      SmallVectorImpl<HostTensor> &results,
                                      llvm::raw_ostream &errors) {
  if (!checkArguments(function, errors))
    return failure();
  return evaluateFunction(function, makeRandomArguments(function, seed),
                          results);
}

//===----------------------------------------------------------------------===//
// One program
//===----------------------------------------------------------------------===//

static void printResult(StringRef name, const HostTensor &tensor,
                        llvm::raw_ostream &output) {
  double squares = 0;
  for (double x : tensor.values)
    squares += x * x;
  output << "  " << name << ": [";
  llvm::interleaveComma(tensor.shape, output);
  output << llvm::formatv("] norm {0:e10}", std::sqrt(squares));
  if (tensor.size())
    output << llvm::formatv(" first {0:e10}", tensor.values[0]);
  output << '\n';
}

int trireme::interpretProgram(ModuleOp module, uint64_t seed,
                              llvm::raw_ostream &output,
                              llvm::raw_ostream &errors) {
  SmallVector<FunctionOpInterface> functions = getEntryPoints(module);
  if (functions.empty()) {
    errors << "the module has no public function to evaluate\n";
    return 1;
  }
  for (FunctionOpInterface function : functions) {
    SmallVector<HostTensor> results;
    if (failed(evaluateOnRandom(function, seed, results, errors)))
      return 1;
    output << '@' << function.getName() << '\n';
    for (auto [index, result] : llvm::enumerate(results))
      printResult(getResultName(function, index), result, output);
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Two programs
//===----------------------------------------------------------------------===//

namespace {
/// Where two tensors differ most, relative to their largest magnitude.
struct Difference {
  double relative = 0;
  int64_t index = 0;
};
} // namespace

/// Values that are both the same infinity or both no number agree; a number
/// and none differ without bound.
static Difference measureDifference(const HostTensor &a, const HostTensor &b) {
  double largest = 0;
  for (const HostTensor *tensor : {&a, &b})
    for (double x : tensor->values)
      if (std::isfinite(x))
        largest = std::max(largest, std::abs(x));
  Difference most;
  for (int64_t i = 0; i < a.size(); ++i) {
    double x = a.values[i], y = b.values[i];
    if (x == y || (std::isnan(x) && std::isnan(y)))
      continue;
    double relative = std::abs(x - y) / largest;
    if (std::isnan(relative))
      relative = HUGE_VAL;
    if (relative > most.relative)
      most = {relative, i};
  }
  return most;
}

/// The result of `function` that stands for result `index` of `other`, by
/// name where it has one; none if there is no such result.
static std::optional<unsigned> findResult(FunctionOpInterface function,
                                          FunctionOpInterface other,
                                          unsigned index) {
  auto name = other.getResultAttrOfType<StringAttr>(index, kResultName);
  for (unsigned i = 0; name && i < function.getNumResults(); ++i)
    if (function.getResultAttrOfType<StringAttr>(i, kResultName) == name)
      return i;
  bool unnamed = index < function.getNumResults() &&
                 !(name && function.getResultAttr(index, kResultName));
  return unnamed ? std::optional<unsigned>(index) : std::nullopt;
}

/// The parameter that a result "kind:NAME" of `function` belongs to, as an
/// argument; none if there is none.
static std::optional<unsigned> findParameter(FunctionOpInterface function,
                                             StringRef result) {
  StringRef name = result.split(':').second;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto param = function.getArgAttrOfType<ParamAttr>(i, kParamName);
    if (param && !name.empty() && param.getName() == name)
      return i;
  }
  return std::nullopt;
}

/// Takes the pad of its parameter off a result; false and a message if it is
/// not zero.
static bool dropPad(FunctionOpInterface function, StringRef name,
                    HostTensor &tensor, llvm::raw_ostream &errors) {
  std::optional<unsigned> index = findParameter(function, name);
  if (!index)
    return true;
  auto type = cast<RankedTensorType>(function.getArgumentTypes()[*index]);
  auto param = function.getArgAttrOfType<ParamAttr>(*index, kParamName);
  int64_t stored = countStored(param, type);
  if (tensor.size() != type.getNumElements() || stored == tensor.size())
    return true;
  bool isZero = llvm::all_of(ArrayRef(tensor.values).drop_front(stored),
                             [](double x) { return x == 0; });
  if (!isZero)
    errors << '"' << name << "\" of @" << function.getName()
           << " is not zero behind what files hold\n";
  tensor.values.resize(stored);
  return isZero;
}

/// Compares the results of one function; false and a message at the first that
/// differs.
static bool compareFunctions(FunctionOpInterface a, FunctionOpInterface b,
                             const AgainstOptions &options,
                             llvm::raw_ostream &output,
                             llvm::raw_ostream &errors) {
  SmallVector<HostTensor> resultsA, resultsB;
  if (failed(evaluateOnRandom(a, options.seed, resultsA, errors)) ||
      failed(evaluateOnRandom(b, options.seed, resultsB, errors)))
    return false;
  if (resultsA.size() != resultsB.size()) {
    errors << '@' << a.getName() << " has " << resultsA.size()
           << " results, but " << resultsB.size() << " in the other program\n";
    return false;
  }
  double largest = 0;
  for (auto [index, resultA] : llvm::enumerate(resultsA)) {
    std::string name = getResultName(a, index);
    std::optional<unsigned> other = findResult(b, a, index);
    if (!other) {
      errors << "the other program's @" << a.getName() << " has no result \""
             << name << "\"\n";
      return false;
    }
    HostTensor &resultB = resultsB[*other];
    if (!dropPad(a, name, resultA, errors) ||
        !dropPad(b, name, resultB, errors))
      return false;
    if (resultA.size() != resultB.size()) {
      errors << "\"" << name << "\" of @" << a.getName() << " has "
             << resultA.size() << " elements, but " << resultB.size()
             << " in the other program\n";
      return false;
    }
    Difference difference = measureDifference(resultA, resultB);
    largest = std::max(largest, difference.relative);
    if (difference.relative > options.tolerance) {
      errors << llvm::formatv(
          "\"{0}\" of @{1} differs by {2:e3} of its largest magnitude, more "
          "than {3:e3}: element {4} is {5:e16} and {6:e16}\n",
          name, a.getName(), difference.relative, options.tolerance,
          difference.index, resultA.values[difference.index],
          resultB.values[difference.index]);
      return false;
    }
  }
  output << llvm::formatv("@{0}: {1} results agree to {2:e3}\n", a.getName(),
                          resultsA.size(), largest);
  return true;
}

int trireme::interpretAgainst(ModuleOp a, ModuleOp b,
                              const AgainstOptions &options,
                              llvm::raw_ostream &output,
                              llvm::raw_ostream &errors) {
  bool compared = false;
  SmallVector<FunctionOpInterface> others = getEntryPoints(b);
  for (FunctionOpInterface function : getEntryPoints(a)) {
    auto other = llvm::find_if(others, [&](FunctionOpInterface candidate) {
      return candidate.getName() == function.getName();
    });
    if (other == others.end())
      continue;
    compared = true;
    if (!compareFunctions(function, *other, options, output, errors))
      return 1;
  }
  if (!compared) {
    errors << "the two programs have no public function in common\n";
    return 1;
  }
  return 0;
}
