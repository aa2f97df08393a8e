//===- Compiler.h - taking a program through its stages ---------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_TOOLS_TRIREME_COMPILER_H
#define TRIREME_TOOLS_TRIREME_COMPILER_H

#include "Program.h"

namespace trireme {

struct CompileOptions {
  /// The processor: native, x86-64-v3 or x86-64-v4.
  std::string processor = "native";
  /// Where to stop.
  Stage emit = Stage::Program;
  /// Folder for the text of each stage, numbered; empty for none.
  std::string dumpFolder;
  /// Budget of library scratch.
  int64_t workspaceMib = 64;
  /// The file to write; `-` is stdout.
  std::string output;
};

/// Adds --target, --workspace-mib and --dump-ir.
void addCompileFlags(CommandLine &line, CompileOptions &options);

/// Takes the program to the wanted stage and writes it.
llvm::Error compileProgram(Program &program, const CompileOptions &options);

} // namespace trireme

#endif // TRIREME_TOOLS_TRIREME_COMPILER_H
