//===- Program.cpp - a program on its way through the stages --------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "trireme/Dialect/Train/IR/Train.h"
#include "trireme/Interpret/Interpreter.h"
#include "trireme/Pipelines/Pipelines.h"
#include "trireme/Support/Text.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace trireme;
using llvm::StringRef;
using llvm::Twine;

/// The module's attribute with the name of the stage that it is in.
static constexpr llvm::StringLiteral stageName = "train.stage";

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

static constexpr std::pair<llvm::StringLiteral, Stage> stages[] = {
    {"forward", Stage::Forward}, {"step", Stage::Step},
    {"runtime", Stage::Runtime}, {"llvm", Stage::LLVM},
    {"object", Stage::Object},
};

llvm::Expected<Stage> trireme::parseStage(StringRef name) {
  llvm::SmallVector<StringRef> names;
  for (auto [known, stage] : stages) {
    if (known == name)
      return stage;
    names.push_back(known);
  }
  if (llvm::is_contained({"sharded", "local", "scheduled", "ptx"}, name))
    return unavailable("--emit: the stage " + quoted(name) +
                       " is not built in this version");
  return badCommandLine("--emit: found " + quoted(name) + ", expected one of " +
                        llvm::join(names, ", "));
}

StringRef trireme::stringifyStage(Stage stage) {
  for (auto [name, known] : stages)
    if (known == stage)
      return name;
  return "program";
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static StringAttr print(MLIRContext *context, llvm::json::Value value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return StringAttr::get(context, text);
}

void trireme::annotate(Program &program) {
  ModuleOp module = program.getModule();
  MLIRContext *context = module.getContext();
  module->setAttr(stageName,
                  StringAttr::get(context, stringifyStage(program.stage)));
  module->setAttr(train::kRecipeName,
                  print(context, toJSON(program.config, Key::File::Recipe)));
  module->setAttr(train::kPlanName,
                  print(context, toJSON(program.config, Key::File::Plan)));
}

/// Says which model a module is of.
static void annotateSource(ModuleOp module, const ModelConfig &config) {
  llvm::json::Value text = nullptr;
  if (llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(config.text))
    text = std::move(*parsed);
  else
    llvm::consumeError(parsed.takeError());
  module->setAttr(
      train::kSourceName,
      print(module.getContext(),
            llvm::json::Object{{"name", llvm::json::fixUTF8(config.name)},
                               {"family", stringifyFamily(config.family)},
                               {"folder", llvm::json::fixUTF8(config.folder)},
                               {"config", std::move(text)}}));
}

/// Gives a program that was written by hand the name of its module or file.
static void annotateSource(ModuleOp module, StringRef path) {
  if (module->hasAttr(train::kSourceName))
    return;
  StringRef name = module.getSymName().value_or(llvm::sys::path::stem(path));
  module->setAttr(train::kSourceName,
                  print(module.getContext(),
                        llvm::json::Object{{"name", llvm::json::fixUTF8(name)},
                                           {"family", nullptr},
                                           {"folder", nullptr},
                                           {"config", nullptr}}));
}

/// The configuration that a program's text carries; defaults where it has
/// none.
static llvm::Expected<Config> readConfig(ModuleOp module, StringRef path) {
  ConfigReader reader;
  auto read = [&](StringRef name, bool isPlan) -> llvm::Error {
    auto text = module->getAttrOfType<StringAttr>(name);
    if (!text)
      return llvm::Error::success();
    llvm::Expected<Document> document =
        Document::parse(text.getValue(), (path + ": " + name).str());
    if (!document)
      return document.takeError();
    return isPlan ? reader.readPlan(*document) : reader.readRecipe(*document);
  };
  if (llvm::Error error = read(train::kRecipeName, /*isPlan=*/false))
    return error;
  if (llvm::Error error = read(train::kPlanName, /*isPlan=*/true))
    return error;
  return reader.get();
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Imports a Hugging Face model.
static llvm::Expected<Program> loadModel(MLIRContext &context, StringRef path,
                                         const ConfigFlags &flags) {
  llvm::Expected<ModelConfig> model = readModelConfig(path);
  if (!model)
    return model.takeError();
  SequenceLimit limit{model->maximumPositionsKey, model->maximumPositions};
  llvm::Expected<Config> config = flags.read(&limit);
  if (!config)
    return config.takeError();
  auto module = importModel(context, *model, getBatchShape(*config));
  if (!module)
    return module.takeError();
  annotateSource(**module, *model);
  Program program;
  program.parsed.module = std::move(*module);
  program.config = std::move(*config);
  return program;
}

/// The rows of the tables that an imported forward function looks positions
/// up in, if it does.
static std::optional<SequenceLimit> findLimit(ModuleOp module) {
  auto forward = module.lookupSymbol<FunctionOpInterface>("forward");
  for (unsigned index = 0; forward && index < forward.getNumArguments();
       ++index) {
    auto role =
        forward.getArgAttrOfType<train::RoleAttr>(index, train::kRoleName);
    if (!role || role.getValue() != train::Role::Positions)
      continue;
    if (int64_t rows = findLookupBound(forward, index))
      return SequenceLimit{"position table", rows};
  }
  return std::nullopt;
}

/// Gives a forward function the rows and sequence of the configuration.
static llvm::Error setBatchShape(Program &program, StringRef path) {
  BatchShape batch = getBatchShape(program.config);
  PipelineOptions options;
  options.rows = batch.rows;
  options.sequence = batch.sequence;
  PassManager manager(program.getModule()->getName());
  buildToForward(manager, options);
  if (failed(manager.run(program.getModule())))
    return badInput(path + ": cannot be typed for " + Twine(batch.rows) +
                    " sequences of " + Twine(batch.sequence) + " tokens");
  return llvm::Error::success();
}

/// Refuses keys that can no longer change: those that are fixed when
/// compiling, and all once the manifest is written.
static llvm::Error checkUnchanged(const Program &program, const Config &made,
                                  StringRef path) {
  for (const Key &key : getKeys()) {
    if (key.moment == Key::Moment::RunTime && program.stage < Stage::Runtime)
      continue;
    llvm::json::Value found = printValue(key, program.config);
    llvm::json::Value expected = printValue(key, made);
    if (found != expected)
      return badInput(
          path +
          llvm::formatv(": \"{0}\": found {1}, but the program was made with "
                        "{2}; compile from the model again",
                        key.name, found, expected));
  }
  return llvm::Error::success();
}

/// Reads the text of a program.
static llvm::Expected<Program> loadText(MLIRContext &context, StringRef path,
                                        const ConfigFlags &flags) {
  Program program;
  llvm::Expected<ParsedModule> parsed = parseModule(context, path);
  if (!parsed)
    return parsed.takeError();
  program.parsed = std::move(*parsed);
  ModuleOp module = program.getModule();
  if (auto name = module->getAttrOfType<StringAttr>(stageName)) {
    llvm::Expected<Stage> stage = parseStage(name.getValue());
    if (!stage) {
      llvm::consumeError(stage.takeError());
      return badInput(path + ": \"" + stageName + "\": found " +
                      quoted(name.getValue()) + ", expected a stage's name");
    }
    program.stage = *stage;
  }
  annotateSource(module, path);
  llvm::Expected<Config> made = readConfig(module, path);
  if (!made)
    return made.takeError();
  std::optional<SequenceLimit> limit = findLimit(module);
  llvm::Expected<Config> config = flags.read(limit ? &*limit : nullptr, *made);
  if (!config)
    return config.takeError();
  program.config = std::move(*config);
  if (program.stage != Stage::Forward) {
    if (llvm::Error error = checkUnchanged(program, *made, path))
      return error;
    return program;
  }
  if (!module.lookupSymbol<FunctionOpInterface>("forward"))
    return badInput(path + ": has no function @forward and no \"" + stageName +
                    "\", expected what trireme import or --emit writes");
  if (llvm::Error error = setBatchShape(program, path))
    return error;
  return program;
}

llvm::Expected<Program> trireme::loadProgram(MLIRContext &context,
                                             StringRef path,
                                             const ConfigFlags &flags) {
  llvm::Expected<Program> program = llvm::sys::path::extension(path) == ".mlir"
                                        ? loadText(context, path, flags)
                                        : loadModel(context, path, flags);
  if (program)
    annotate(*program);
  return program;
}
