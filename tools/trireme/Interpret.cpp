//===- Interpret.cpp - trireme interpret ----------------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Commands.h"
#include "Model.h"

#include "trireme/Interpret/Interpreter.h"
#include "trireme/Pipelines/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/raw_ostream.h"

using namespace trireme;
using llvm::StringRef;

namespace {
/// The words of `trireme interpret`.
struct InterpretOptions {
  std::string program, other;
  int64_t seed = 1;
  double tolerance = AgainstOptions().tolerance;
  bool hasTolerance = false;
  TrainingOptions training;
};
} // namespace

static void addFlags(CommandLine &line, InterpretOptions &options) {
  line.addPositional("A.mlir", options.program);
  line.addText("--against", "B.mlir", "compare with this program",
               options.other);
  line.addCount("--seed", "seed of the random inputs (default: 1)",
                options.seed);
  line.add({{"--tolerance"},
            "X",
            "relative to a tensor's largest magnitude (default: 1e-10)",
            [&options](StringRef text) -> llvm::Error {
              options.hasTolerance = true;
              if (text.getAsDouble(options.tolerance) ||
                  !(options.tolerance >= 0))
                return badCommandLine("--tolerance: found " + quoted(text) +
                                      ", expected a number from 0");
              return llvm::Error::success();
            }});
  Flag data{{"--data"},
            "FILE...",
            "train on these token files",
            [&options](StringRef text) -> llvm::Error {
              options.training.dataFiles.push_back(text.str());
              return llvm::Error::success();
            }};
  data.takesMany = true;
  line.add(std::move(data));
  addTokenBytes(line, options.training.tokenBytes);
  line.addText("--init", "PATH",
               "safetensors file or Hugging Face folder to start from",
               options.training.init);
  line.addCount("--steps", "optimizer steps (default: the recipe's)",
                options.training.steps);
  line.addText("--metrics", "FILE", "JSON Lines, a line a step",
               options.training.metricsFile);
}

/// Refuses flags that do nothing together.
static llvm::Error checkOptions(const InterpretOptions &options) {
  bool trains = !options.training.dataFiles.empty();
  bool hasTrainingFlags = !options.training.init.empty() ||
                          options.training.steps ||
                          !options.training.metricsFile.empty();
  if (trains && !options.other.empty())
    return badCommandLine("--data trains, --against compares; expected one of "
                          "them");
  if (!trains && hasTrainingFlags)
    return badCommandLine("--init, --steps and --metrics belong to training; "
                          "expected --data FILE with them");
  if (options.hasTolerance && options.other.empty())
    return badCommandLine("--tolerance belongs to a comparison; expected "
                          "--against B.mlir with it");
  if (trains && options.training.init.empty())
    return badCommandLine("missing --init PATH, the parameters to start from");
  return llvm::Error::success();
}

llvm::Expected<ExitCode> trireme::runInterpret(Words words) {
  CommandLine line(
      "interpret A.mlir [--against B.mlir] [flags]\n"
      "       trireme interpret STEP.mlir --data FILE... --init PATH [flags]",
      "Evaluates a program in float64: on random inputs, two programs on the "
      "same ones, or\na whole training.");
  InterpretOptions options;
  addFlags(line, options);
  llvm::Expected<bool> goesOn = line.parse(words);
  if (!goesOn)
    return goesOn.takeError();
  if (!*goesOn)
    return ExitCode::Success;
  if (llvm::Error error = checkOptions(options))
    return error;

  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<ParsedModule> program = parseModule(context, options.program);
  if (!program)
    return program.takeError();
  if (!options.training.dataFiles.empty())
    return ExitCode(
        interpretTraining(*program->module, options.training, llvm::errs()));
  if (options.other.empty())
    return ExitCode(interpretProgram(*program->module, options.seed,
                                     llvm::outs(), llvm::errs()));
  llvm::Expected<ParsedModule> other = parseModule(context, options.other);
  if (!other)
    return other.takeError();
  AgainstOptions against;
  against.seed = options.seed;
  against.tolerance = options.tolerance;
  return ExitCode(interpretAgainst(*program->module, *other->module, against,
                                   llvm::outs(), llvm::errs()));
}
