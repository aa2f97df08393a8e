//===- Program.h - a program on its way through the stages ------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is a module with, as attributes, what it was made from:
//
//   train.stage   the name of the stage that it is in
//   train.source  JSON {name, family, folder, config}: the model's config
//   train.recipe  JSON, all keys
//   train.plan    JSON, all keys
//
// They travel in the text, so that what --emit wrote can be compiled on.
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_TOOLS_TRIREME_PROGRAM_H
#define TRIREME_TOOLS_TRIREME_PROGRAM_H

#include "CommandLine.h"
#include "Model.h"

namespace trireme {

/// The stages in their order.
enum class Stage { Forward, Step, Runtime, LLVM, Object, Program };

struct Program {
  ParsedModule parsed;
  Config config;
  Stage stage = Stage::Forward;

  mlir::ModuleOp getModule() { return parsed.module.get(); }
};

/// The stage that `--emit` calls `name`; one that this version lacks is an
/// error of exit code 4, an unknown one of exit code 2.
llvm::Expected<Stage> parseStage(llvm::StringRef name);

/// What `--emit` and `train.stage` call it.
llvm::StringRef stringifyStage(Stage stage);

/// Loads MODEL: a Hugging Face folder or config, or a `.mlir` file in any
/// stage. The flags complete and override the recipe and plan that it has;
/// behind the forward stage they may change run-time keys only.
llvm::Expected<Program> loadProgram(mlir::MLIRContext &context,
                                    llvm::StringRef path,
                                    const ConfigFlags &flags);

/// Writes stage and configuration into the module's attributes.
void annotate(Program &program);

} // namespace trireme

#endif // TRIREME_TOOLS_TRIREME_PROGRAM_H
