//===- Manifest.cpp - The program's table of contents ---------------------===//
//
// Joins what the module's attributes say (model, recipe, plan), what the
// arguments of @train and @evaluate are and where they stand, and the tables
// that lowering filled, to the JSON of docs/program-manifest.md.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "trireme/Conversion/TrainToRuntime/Lowering.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace trireme;
using namespace trireme::train;

/// The module's attribute `name`, a string of JSON; an empty object without it.
static FailureOr<llvm::json::Object> readJson(ModuleOp module, StringRef name) {
  auto text = module->getAttrOfType<StringAttr>(name);
  if (!text)
    return llvm::json::Object{};
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text.getValue());
  if (!value) {
    module.emitError() << "attribute '" << name
                       << "' is no JSON: " << toString(value.takeError());
    return failure();
  }
  if (auto *object = value->getAsObject())
    return std::move(*object);
  module.emitError() << "attribute '" << name << "' is no JSON object";
  return failure();
}

static int64_t offsetOf(func::FuncOp function, unsigned index) {
  return function.getArgAttrOfType<PlaceAttr>(index, kPlaceName).getOffset();
}

/// The tensor that `value` is a reshape of.
static Value getReshaped(Value value) {
  while (Value source = getViewSource(value))
    value = source;
  return value;
}

/// Offsets of the gradients that are still in the arena after the step: what
/// the update of one parameter reads in full beside the state.
static llvm::StringMap<int64_t> findGradients(func::FuncOp train,
                                              RuntimeEmitter &emit) {
  llvm::StringMap<int64_t> offsets;
  for (auto rows : train.getBody().front().getOps<RowsOp>()) {
    SmallVector<StringRef> names;
    for (int64_t updated : rows.getUpdated()) {
      if (updated < 0)
        continue;
      auto argument =
          dyn_cast<BlockArgument>(getReshaped(rows.getInputs()[updated]));
      if (!argument)
        continue;
      unsigned index = argument.getArgNumber();
      auto role = train.getArgAttrOfType<RoleAttr>(index, kRoleName);
      auto param = train.getArgAttrOfType<ParamAttr>(index, kParamName);
      if (role.getValue() == Role::Parameter)
        names.push_back(param.getName());
    }
    SmallVector<Value> gradients;
    for (auto [operand, kind] :
         llvm::zip_equal(rows.getInputs(), rows.getOperandKinds()))
      if (cast<RowKindAttr>(kind).getValue() == RowKind::Full &&
          !isa<BlockArgument>(getReshaped(operand)))
        gradients.push_back(operand);
    if (names.size() == 1 && gradients.size() == 1)
      offsets[names[0]] = emit.placeOf(gradients[0]).getOffset();
  }
  return offsets;
}

/// Tokens, scalars, and the parameters with their moments and gradients.
static void addArguments(func::FuncOp train, RuntimeEmitter &emit,
                         llvm::json::Object &manifest) {
  llvm::StringMap<int64_t> gradients = findGradients(train, emit);
  llvm::json::Object inputs, scalars;
  llvm::json::Array parameters;
  llvm::StringMap<size_t> places;
  int64_t count = 0;
  for (unsigned i = 0; i < train.getNumArguments(); ++i) {
    auto role = train.getArgAttrOfType<RoleAttr>(i, kRoleName);
    auto param = train.getArgAttrOfType<ParamAttr>(i, kParamName);
    auto type = cast<RankedTensorType>(train.getArgumentTypes()[i]);
    switch (role.getValue()) {
    case Role::Tokens:
    case Role::Targets:
    case Role::Positions:
      inputs[stringifyRole(role.getValue())] = offsetOf(train, i);
      if (type.getRank() == 3) {
        manifest["micro_batches"] = type.getDimSize(0);
        manifest["micro_batch_size"] = type.getDimSize(1);
        manifest["sequence_length"] = type.getDimSize(2);
      }
      break;
    case Role::Parameter: {
      places[param.getName()] = parameters.size();
      count += countStored(param, type);
      parameters.push_back(llvm::json::Object{
          {"name", param.getName()},
          {"shape", llvm::json::Array(param.getShape())},
          {"stack", param.isStacked() ? type.getDimSize(0) : 0},
          {"decay", param.decays()},
          {"init",
           llvm::json::Object{{"kind", stringifyInitializer(param.getInit())},
                              {"value", param.getValue().getValueAsDouble()}}},
          {"parameter", offsetOf(train, i)}});
      if (auto gradient = gradients.find(param.getName());
          gradient != gradients.end())
        (*parameters.back().getAsObject())["gradient"] = gradient->second;
      break;
    }
    case Role::FirstMoment:
    case Role::SecondMoment:
      (*parameters[places[param.getName()]]
            .getAsObject())[stringifyRole(role.getValue())] =
          offsetOf(train, i);
      break;
    case Role::Hyper:
      scalars[train.getArgAttrOfType<StringAttr>(i, kHyperName).getValue()] =
          offsetOf(train, i);
      break;
    case Role::Seed:
      break;
    }
  }
  manifest["inputs"] = std::move(inputs);
  manifest["scalars"] = std::move(scalars);
  manifest["parameters"] = std::move(parameters);
  (*manifest.getObject("model"))["parameters"] = count;
}

static void addOutputs(func::FuncOp function, llvm::json::Object &outputs) {
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto name = function.getResultAttrOfType<StringAttr>(i, kResultName);
    auto place = function.getResultAttrOfType<PlaceAttr>(i, kPlaceName);
    if (name && place && !name.getValue().contains(':'))
      outputs[name.getValue()] = place.getOffset();
  }
}

/// The one stage of a program for one rank.
static llvm::json::Array describeStages(ModuleOp module, int64_t parameters,
                                        int64_t workspaceMib) {
  auto arena = module->getAttrOfType<DictionaryAttr>(kArenaName);
  auto bytes = [&](StringRef name) {
    return cast<IntegerAttr>(arena.get(name)).getInt();
  };
  int64_t scratch = workspaceMib << 20;
  llvm::json::Object memory{{"parameters", bytes("parameters")},
                            {"gradients", bytes("gradients")},
                            {"optimizer", bytes("optimizer")},
                            {"activations", bytes("activations")},
                            {"workspace", bytes("workspace") + scratch},
                            {"communication", 0},
                            {"total", bytes("bytes") + scratch}};
  llvm::json::Object stage;
  stage["stage"] = 0;
  stage["parameters"] = parameters;
  stage["memory"] = std::move(memory);
  stage["collectives"] = llvm::json::Array{};
  llvm::json::Array stages;
  stages.push_back(std::move(stage));
  return stages;
}

FailureOr<std::string>
trireme::buildManifest(ModuleOp module, func::FuncOp train,
                       func::FuncOp evaluate, RuntimeEmitter &emit,
                       ManifestTables &tables, int64_t workspaceMib) {
  FailureOr<llvm::json::Object> source = readJson(module, kSourceName);
  FailureOr<llvm::json::Object> recipe = readJson(module, kRecipeName);
  FailureOr<llvm::json::Object> plan = readJson(module, kPlanName);
  if (failed(source) || failed(recipe) || failed(plan))
    return failure();
  auto take = [](llvm::json::Object &object, StringRef key) {
    llvm::json::Value *value = object.get(key);
    return value ? *value : llvm::json::Value(nullptr);
  };
  llvm::json::Object manifest;
  manifest["abi"] = 1;
  manifest["model"] =
      llvm::json::Object{{"name", source->getString("name").value_or("model")},
                         {"family", take(*source, "family")}};
  manifest["target"] = "cpu";
  manifest["ranks"] = 1;
  manifest["plan"] = std::move(*plan);
  manifest["recipe"] = std::move(*recipe);
  manifest["entry_points"] = llvm::json::Array{"train", "evaluate"};
  manifest["source"] = llvm::json::Object{{"folder", take(*source, "folder")},
                                          {"config", take(*source, "config")}};
  manifest["vocabulary"] = tables.vocabulary;
  manifest["workspace_mib"] = workspaceMib;
  addArguments(train, emit, manifest);
  llvm::json::Object outputs;
  addOutputs(train, outputs);
  addOutputs(evaluate, outputs);
  manifest["outputs"] = std::move(outputs);
  int64_t parameters = *manifest.getObject("model")->getInteger("parameters");
  manifest["stages"] = describeStages(module, parameters, workspaceMib);
  auto arena = module->getAttrOfType<DictionaryAttr>(kArenaName);
  auto canaries = cast<DenseI64ArrayAttr>(arena.get("canaries")).asArrayRef();
  manifest["arena"] = llvm::json::Object{
      {"bytes", cast<IntegerAttr>(arena.get("bytes")).getInt()},
      {"fixed", cast<IntegerAttr>(arena.get("fixed")).getInt()},
      {"canaries", llvm::json::Array(canaries)}};
  manifest["kernels"] = std::move(tables.kernels);
  manifest["gemms"] = std::move(tables.gemms);
  manifest["attentions"] = std::move(tables.attentions);
  manifest["versions"] = llvm::json::Object{{"trireme", TRIREME_VERSION},
                                            {"llvm", LLVM_VERSION_STRING}};
  // The hash is of everything said so far and of the code.
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::json::Value(llvm::json::Object(manifest));
  module.print(stream, OpPrintingFlags().skipRegions(false));
  manifest["program_hash"] =
      llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true, 16);
  std::string result;
  llvm::raw_string_ostream(result) << llvm::json::Value(std::move(manifest));
  return result;
}
