//===- Training.cpp - Training in the evaluator ---------------------------===//
//
// Runs `@train` of a step module once a step: arguments are told apart by
// their roles, results by their names, so that the order of neither matters.
//
//===----------------------------------------------------------------------===//

#include "Recipe.h"
#include "Safetensors.h"
#include "TokenFiles.h"
#include "trireme/Dialect/Train/IR/Train.h"
#include "trireme/Interpret/Interpreter.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include <cmath>
#include <optional>

using namespace mlir;
using namespace trireme;
using namespace trireme::train;

template <typename... Parts> static llvm::Error fail(Parts &&...parts) {
  std::string message;
  llvm::raw_string_ostream os(message);
  (os << ... << parts);
  return llvm::createStringError(message);
}

namespace {
/// A run: the step function, its current arguments, and where its results go.
class Training {
public:
  Training(FunctionOpInterface function, RecipeValues recipe)
      : function(function), recipe(recipe) {}

  /// Sorts out arguments and results.
  llvm::Error bind();
  llvm::Error readParameters(StringRef path);
  llvm::Error openData(const TrainingOptions &options);
  /// Fills the batch and the hyper-parameters of step `s`, from 0.
  llvm::Error prepareStep(int64_t s);
  /// Runs the step on the prepared arguments and takes over the new state.
  LogicalResult runStep();

  int64_t getTokensPerStep() const { return arguments[*tokens].size(); }
  double getResult(StringRef name) const { return scalars.lookup(name); }

private:
  Role getRole(unsigned index) {
    return function.getArgAttrOfType<RoleAttr>(index, kRoleName).getValue();
  }
  ParamAttr getParam(unsigned index) {
    return function.getArgAttrOfType<ParamAttr>(index, kParamName);
  }

  FunctionOpInterface function;
  RecipeValues recipe;
  std::optional<TokenFiles> data;
  int64_t vocabulary = 0;
  SmallVector<HostTensor> arguments;
  std::optional<unsigned> tokens, targets;
  /// For each result the state argument that it updates, or none.
  SmallVector<std::optional<unsigned>> updated;
  llvm::StringMap<double> scalars;
};
} // namespace

//===----------------------------------------------------------------------===//
// The step's signature
//===----------------------------------------------------------------------===//

/// The name of the result that updates a state argument.
static std::string getStateName(Role role, ParamAttr param) {
  return (stringifyRole(role) + ":" + param.getName()).str();
}

llvm::Error Training::bind() {
  llvm::StringMap<unsigned> states;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[i]);
    auto role = function.getArgAttrOfType<RoleAttr>(i, kRoleName);
    if (!type || !role)
      return fail("argument ", i, " of @", function.getName(),
                  " has no 'train.role'; compile with --emit step");
    arguments.emplace_back(type.getShape());
    switch (role.getValue()) {
    case Role::Tokens:
      tokens = i;
      break;
    case Role::Targets:
      targets = i;
      break;
    case Role::Positions: {
      int64_t sequence = type.getShape().back();
      for (int64_t j = 0; j < type.getNumElements(); ++j)
        arguments[i].values[j] = double(j % sequence);
      break;
    }
    case Role::Parameter:
    case Role::FirstMoment:
    case Role::SecondMoment:
      states[getStateName(role.getValue(), getParam(i))] = i;
      break;
    case Role::Hyper:
    case Role::Seed:
      break;
    }
  }
  if (!tokens || !targets)
    return fail("@", function.getName(),
                " has no argument with the role tokens or targets");
  if (function.getArgumentTypes()[*tokens] !=
      function.getArgumentTypes()[*targets])
    return fail("tokens and targets of @", function.getName(),
                " differ in type");
  vocabulary = findLookupBound(function, *tokens);

  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto name = function.getResultAttrOfType<StringAttr>(i, kResultName);
    auto found = name ? states.find(name.getValue()) : states.end();
    updated.push_back(found == states.end()
                          ? std::nullopt
                          : std::optional<unsigned>(found->second));
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// The file's name for layer `layer` of a stacked parameter.
static std::string getLayerName(StringRef name, int64_t layer) {
  auto [before, after] = name.split("{}");
  return (before + Twine(layer) + after).str();
}

/// Whether a file may have a tensor that the program does not train: masks and
/// frequencies that some exports keep, and a tied output layer.
static bool isKnownExtra(StringRef name) {
  for (StringRef suffix :
       {".attn.bias", ".attn.masked_bias", ".attention.bias",
        ".attention.masked_bias", ".rotary_emb.inv_freq", "lm_head.weight"})
    if (name.ends_with(suffix))
      return true;
  return false;
}

llvm::Error Training::readParameters(StringRef path) {
  llvm::Expected<TensorFiles> files = TensorFiles::open(path);
  if (!files)
    return files.takeError();
  llvm::StringSet<> used;
  auto readInto = [&](StringRef name, ParamAttr param,
                      double *place) -> llvm::Error {
    llvm::Expected<HostTensor> tensor = files->read(name, param.getShape());
    if (!tensor)
      return tensor.takeError();
    llvm::copy(tensor->values, place);
    used.insert(files->getStoredName(name));
    return llvm::Error::success();
  };

  for (auto [index, tensor] : llvm::enumerate(arguments)) {
    if (getRole(index) != Role::Parameter)
      continue;
    ParamAttr param = getParam(index);
    int64_t layers = param.isStacked() ? tensor.shape[0] : 1;
    int64_t size = HostTensor::count(param.getShape());
    for (int64_t layer = 0; layer < layers; ++layer)
      if (llvm::Error error =
              readInto(param.isStacked() ? getLayerName(param.getName(), layer)
                                         : param.getName().str(),
                       param, tensor.data() + layer * size))
        return error;
  }
  std::vector<std::string> names = files->getNames();
  for (StringRef name : names)
    if (!used.contains(name) && !isKnownExtra(name))
      return fail(path, ": has a tensor \"", name,
                  "\" that the program has not");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

llvm::Error Training::openData(const TrainingOptions &options) {
  llvm::Expected<TokenFiles> files = TokenFiles::open(
      options.dataFiles, options.tokenBytes, arguments[*tokens].shape.back());
  if (!files)
    return files.takeError();
  data = std::move(*files);
  return llvm::Error::success();
}

llvm::Error Training::prepareStep(int64_t s) {
  int64_t sequence = arguments[*tokens].shape.back();
  int64_t rows = arguments[*tokens].size() / sequence;
  for (int64_t row = 0; row < rows; ++row)
    if (llvm::Error error =
            data->getSample(s * rows + row, vocabulary,
                            arguments[*tokens].data() + row * sequence,
                            arguments[*targets].data() + row * sequence))
      return error;

  for (unsigned i = 0; i < arguments.size(); ++i) {
    if (getRole(i) != Role::Hyper)
      continue;
    auto name = function.getArgAttrOfType<StringAttr>(i, kHyperName);
    std::optional<double> value =
        llvm::StringSwitch<std::optional<double>>(name ? name.getValue() : "")
            .Case("lr", recipe.getLearningRate(s))
            .Case("beta1", recipe.beta1)
            .Case("beta2", recipe.beta2)
            .Case("eps", recipe.eps)
            .Case("weight_decay", recipe.weightDecay)
            .Case("max_norm", recipe.maxNorm)
            .Case("step", double(s + 1))
            .Case("update_nonfinite", 0)
            .Default(std::nullopt);
    if (!value)
      return fail("argument ", i, " of @", function.getName(),
                  " is an unknown hyper-parameter");
    arguments[i].values.assign(arguments[i].size(), *value);
  }
  return llvm::Error::success();
}

LogicalResult Training::runStep() {
  SmallVector<HostTensor> results;
  if (failed(evaluateFunction(function, arguments, results)))
    return failure();
  for (auto [index, result] : llvm::enumerate(results)) {
    auto name = function.getResultAttrOfType<StringAttr>(index, kResultName);
    if (std::optional<unsigned> state = updated[index])
      arguments[*state].values = std::move(result.values);
    else if (name && result.size() == 1)
      scalars[name.getValue()] = result.values[0];
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

/// A number that reads back to the same double; null if it is not finite.
static llvm::json::Value toJSON(double value) {
  if (!std::isfinite(value))
    return nullptr;
  return value;
}

static void writeMetrics(llvm::raw_ostream &os, int64_t step, double loss,
                         double norm, double lr, int64_t tokens) {
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("step", step);
    json.attribute("loss", toJSON(loss));
    json.attribute("grad_norm", toJSON(norm));
    json.attribute("lr", toJSON(lr));
    json.attribute("tokens", tokens);
  });
  os << '\n';
  os.flush();
}

/// Prints an error if there is one; whether there was.
static bool report(llvm::Error error, llvm::raw_ostream &errors) {
  if (!error)
    return false;
  errors << toString(std::move(error)) << '\n';
  return true;
}

int trireme::interpretTraining(ModuleOp module, const TrainingOptions &options,
                               llvm::raw_ostream &errors) {
  auto function = module.lookupSymbol<FunctionOpInterface>("train");
  auto text = module->getAttrOfType<StringAttr>("train.recipe");
  if (!function || !text) {
    errors << "the module has no "
           << (function ? "attribute 'train.recipe'" : "function @train")
           << "; compile with --emit step\n";
    return 1;
  }
  llvm::Expected<RecipeValues> recipe = RecipeValues::parse(text.getValue());
  if (!recipe)
    return report(recipe.takeError(), errors);
  if (recipe->restartsPositions) {
    errors << "the recipe restarts positions in each document, which the "
              "evaluator does not do\n";
    return 4;
  }
  Training training(function, *recipe);
  if (report(training.bind(), errors) ||
      report(training.openData(options), errors) ||
      report(training.readParameters(options.init), errors))
    return 1;

  std::error_code code;
  StringRef path = options.metricsFile;
  llvm::raw_fd_ostream metrics(path.empty() ? "-" : path, code);
  if (code) {
    errors << path << ": cannot be written: " << code.message() << '\n';
    return 1;
  }
  int64_t steps = options.steps ? options.steps : recipe->steps;
  for (int64_t s = 0; s < steps; ++s) {
    if (report(training.prepareStep(s), errors) || failed(training.runStep()))
      return 1;
    double loss = training.getResult("loss");
    double norm = training.getResult("grad_norm");
    writeMetrics(metrics, s + 1, loss, norm, recipe->getLearningRate(s),
                 (s + 1) * training.getTokensPerStep());
    if (!std::isfinite(loss) || !std::isfinite(norm)) {
      errors << "step " << s + 1 << " has a "
             << (std::isfinite(loss) ? "gradient norm" : "loss")
             << " that is not finite\n";
      return 3;
    }
  }
  return 0;
}
