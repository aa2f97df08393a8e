//===- Model.h - what subcommands do with a model ---------------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_TOOLS_TRIREME_MODEL_H
#define TRIREME_TOOLS_TRIREME_MODEL_H

#include "trireme/Config/Config.h"
#include "trireme/Import/ImportModel.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

namespace trireme {

class CommandLine;

/// The shape of one micro-batch of a finished configuration.
inline BatchShape getBatchShape(const Config &config) {
  return {*config.plan.microBatchSize, *config.recipe.sequenceLength};
}

/// A module read from a file, with the source that diagnostics show.
struct ParsedModule {
  std::shared_ptr<llvm::SourceMgr> sources;
  std::unique_ptr<mlir::SourceMgrDiagnosticHandler> handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Reads and verifies a .mlir file. Its diagnostics are printed, also those
/// that later passes emit while the result lives.
llvm::Expected<ParsedModule> parseModule(mlir::MLIRContext &context,
                                         llvm::StringRef path);

/// `--token-bytes 2|4`.
void addTokenBytes(CommandLine &line, unsigned &tokenBytes);

} // namespace trireme

#endif // TRIREME_TOOLS_TRIREME_MODEL_H
