//===- Commands.h - the subcommands of trireme ------------------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_TOOLS_TRIREME_COMMANDS_H
#define TRIREME_TOOLS_TRIREME_COMMANDS_H

#include "trireme/Support/Error.h"

#include "llvm/ADT/ArrayRef.h"

namespace trireme {

/// Each takes the words behind its name and returns how it ended; messages of
/// its own are printed already.
using Words = llvm::ArrayRef<llvm::StringRef>;
llvm::Expected<ExitCode> runImport(Words words);
llvm::Expected<ExitCode> runCompile(Words words);
llvm::Expected<ExitCode> runTrain(Words words);
llvm::Expected<ExitCode> runInterpret(Words words);
llvm::Expected<ExitCode> runData(Words words);

} // namespace trireme

#endif // TRIREME_TOOLS_TRIREME_COMMANDS_H
