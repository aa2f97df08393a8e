//===- Model.cpp - what subcommands do with a model -----------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "CommandLine.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace trireme;
using llvm::StringRef;

llvm::Expected<ParsedModule> trireme::parseModule(mlir::MLIRContext &context,
                                                  StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return badInput(path + ": " + buffer.getError().message());
  ParsedModule result;
  result.sources = std::make_shared<llvm::SourceMgr>();
  result.sources->AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  result.handler = std::make_unique<mlir::SourceMgrDiagnosticHandler>(
      *result.sources, &context);
  result.module =
      mlir::parseSourceFile<mlir::ModuleOp>(result.sources, &context);
  if (!result.module)
    return badInput(path + ": is no valid program, expected MLIR as trireme "
                           "import or --emit writes it");
  return result;
}

void trireme::addTokenBytes(CommandLine &line, unsigned &tokenBytes) {
  line.add({{"--token-bytes"},
            "2|4",
            "bytes of a token (default: 2)",
            [&tokenBytes](StringRef text) -> llvm::Error {
              if (text != "2" && text != "4")
                return badCommandLine("--token-bytes: found " + quoted(text) +
                                      ", expected 2 or 4");
              tokenBytes = text == "2" ? 2 : 4;
              return llvm::Error::success();
            }});
}
