//===- Compiler.cpp - taking a program through its stages -----------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"

#include "trireme/Pipelines/Pipelines.h"
#include "trireme/Support/File.h"
#include "trireme/Target/Executable.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace trireme;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

static llvm::Error parseTarget(StringRef text, CompileOptions &options) {
  auto [backend, rest] = text.split(':');
  if (backend == "cuda" || backend == "emulated")
    return unavailable("--target: " + quoted(backend) +
                       " is not built in this version, only cpu");
  StringRef processor = text.contains(':') ? rest : "native";
  if (backend != "cpu" ||
      !llvm::is_contained({"native", "x86-64-v3", "x86-64-v4"}, processor))
    return badCommandLine("--target: found " + quoted(text) +
                          ", expected cpu, cpu:native, cpu:x86-64-v3 or "
                          "cpu:x86-64-v4");
  options.processor = processor.str();
  return llvm::Error::success();
}

void trireme::addCompileFlags(CommandLine &line, CompileOptions &options) {
  line.add({{"--target"},
            "T",
            "cpu[:native|x86-64-v3|x86-64-v4] (default: cpu)",
            [&options](StringRef text) { return parseTarget(text, options); }});
  line.addCount("--workspace-mib", "budget of library scratch (default: 64)",
                options.workspaceMib);
  line.addText("--dump-ir", "DIR", "write each stage's text there, numbered",
               options.dumpFolder);
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Adds the passes that lead to `stage` from the one before.
static void addPasses(Stage stage, const Config &config,
                      const CompileOptions &options, OpPassManager &manager) {
  PipelineOptions pipeline;
  pipeline.microBatches = config.recipe.globalBatchSize /
                          (config.plan.data * *config.plan.microBatchSize);
  pipeline.workspaceMib = options.workspaceMib;
  pipeline.vectorBytes = getVectorBytes(options.processor);
  switch (stage) {
  case Stage::Step:
    return buildToStep(manager, pipeline);
  case Stage::Runtime:
    return buildToRuntime(manager, pipeline);
  case Stage::LLVM:
    return buildToLLVM(manager, pipeline);
  case Stage::Forward:
  case Stage::Object:
  case Stage::Program:
    return;
  }
}

/// Takes the program from its stage to the next, up to LLVM.
static llvm::Error advance(Program &program, const CompileOptions &options) {
  Stage next = Stage(int(program.stage) + 1);
  ModuleOp module = program.getModule();
  PassManager manager(module->getName());
  addPasses(next, program.config, options, manager);
  if (failed(applyPassManagerCLOptions(manager)))
    return badCommandLine("the --mlir- flags do not fit these passes");
  applyDefaultTimingPassManagerCLOptions(manager);
  if (failed(manager.run(module)))
    return badInput("the passes of the stage " + quoted(stringifyStage(next)) +
                    " failed");
  program.stage = next;
  annotate(program);
  return llvm::Error::success();
}

static std::string printModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  stream << '\n';
  return text;
}

/// Writes DIR/<number>-<stage>.mlir if a folder was asked for.
static llvm::Error dump(Program &program, const CompileOptions &options) {
  if (options.dumpFolder.empty())
    return llvm::Error::success();
  if (std::error_code error =
          llvm::sys::fs::create_directories(options.dumpFolder))
    return badInput(options.dumpFolder + ": " + error.message());
  llvm::SmallString<128> path(options.dumpFolder);
  std::string name;
  llvm::raw_string_ostream(name)
      << llvm::format("%02d-", int(program.stage) + 1)
      << stringifyStage(program.stage) << ".mlir";
  llvm::sys::path::append(path, name);
  return writeFile(path, printModule(program.getModule()));
}

/// Writes the object or the executable of a program in the LLVM stage.
static llvm::Error writeCode(Program &program, const CompileOptions &options) {
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  if (failed(emitObject(program.getModule(), {options.processor}, stream)))
    return badInput("the program cannot be made an object");
  llvm::StringRef bytes(object.data(), object.size());
  if (options.emit == Stage::Object)
    return writeFile(options.output, bytes);
  llvm::Error error =
      linkExecutable(bytes, options.output, findRuntimeDirectory());
  return llvm::handleErrors(std::move(error), [](const LinkError &link) {
    return link.getFailure() == LinkFailure::Missing
               ? unavailable(link.message())
               : badInput(link.message());
  });
}

llvm::Error trireme::compileProgram(Program &program,
                                    const CompileOptions &options) {
  if (program.stage > options.emit)
    return badInput("the program is in the stage " +
                    quoted(stringifyStage(program.stage)) +
                    " already, expected one before " +
                    quoted(stringifyStage(options.emit)));
  if (llvm::Error error = dump(program, options))
    return error;
  while (program.stage < std::min(options.emit, Stage::LLVM)) {
    if (llvm::Error error = advance(program, options))
      return error;
    if (llvm::Error error = dump(program, options))
      return error;
  }
  if (options.emit <= Stage::LLVM)
    return writeFile(options.output, printModule(program.getModule()));
  return writeCode(program, options);
}
