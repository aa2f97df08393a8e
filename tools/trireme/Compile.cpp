//===- Compile.cpp - trireme compile --------------------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Compiler.h"

#include "trireme/Pipelines/Registration.h"

#include "mlir/IR/DialectRegistry.h"

using namespace trireme;
using llvm::StringRef;

/// Flags that a later version brings.
static void addUnbuiltFlags(CommandLine &line) {
  for (const char *name : {"--schedule-report", "--memory-report"})
    line.add({{name}, "FILE", /*help=*/"", [name](StringRef) {
                return unavailable(llvm::Twine(name) +
                                   " is not built in this version");
              }});
}

llvm::Expected<ExitCode> trireme::runCompile(Words words) {
  CommandLine line(
      "compile MODEL -o PROGRAM [--emit STAGE] [flags]",
      "Compiles the training of a model. MODEL is a Hugging Face folder, a "
      "config.json, or\na .mlir file that import or --emit wrote.");
  std::string model;
  CompileOptions options;
  ConfigFlags flags;
  line.addPositional("MODEL", model);
  line.addText("-o", "PROGRAM", "where to write (--emit: default stdout)",
               options.output);
  line.add({{"--emit"},
            "STAGE",
            "stop at forward, step, runtime, llvm or object",
            [&options](StringRef text) -> llvm::Error {
              llvm::Expected<Stage> stage = parseStage(text);
              if (!stage)
                return stage.takeError();
              options.emit = *stage;
              return llvm::Error::success();
            }});
  addCompileFlags(line, options);
  flags.addTo(line, ConfigFlags::Listed::All);
  addUnbuiltFlags(line);
  line.acceptMLIRFlags();
  llvm::Expected<bool> goesOn = line.parse(words);
  if (!goesOn)
    return goesOn.takeError();
  if (!*goesOn)
    return ExitCode::Success;
  if (options.output.empty()) {
    if (options.emit == Stage::Program)
      return badCommandLine("missing -o PROGRAM, where to write");
    options.output = "-";
  }

  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<Program> program = loadProgram(context, model, flags);
  if (!program)
    return program.takeError();
  if (llvm::Error error = compileProgram(*program, options))
    return error;
  return ExitCode::Success;
}
