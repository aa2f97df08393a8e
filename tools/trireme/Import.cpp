//===- Import.cpp - trireme import
//-----------------------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Commands.h"
#include "Model.h"

#include "trireme/Import/ImportModel.h"
#include "trireme/Support/File.h"

#include "llvm/Support/raw_ostream.h"

using namespace trireme;

llvm::Expected<ExitCode> trireme::runImport(Words words) {
  CommandLine line("import MODEL [-o FILE.mlir] [flags]",
                   "Writes the forward loss of one batch in the train dialect. "
                   "MODEL is a Hugging Face\nfolder or a config.json.");
  std::string model, output = "-";
  ConfigFlags flags;
  line.addPositional("MODEL", model);
  line.addText("-o", "FILE", "where to write (default: stdout)", output);
  flags.addTo(line, ConfigFlags::Listed::Shape);
  line.acceptMLIRFlags();
  llvm::Expected<bool> goesOn = line.parse(words);
  if (!goesOn)
    return goesOn.takeError();
  if (!*goesOn)
    return ExitCode::Success;

  llvm::Expected<ModelConfig> config = readModelConfig(model);
  if (!config)
    return config.takeError();
  SequenceLimit limit{config->maximumPositionsKey, config->maximumPositions};
  llvm::Expected<Config> recipe = flags.read(&limit);
  if (!recipe)
    return recipe.takeError();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = importModel(context, *config, getBatchShape(*recipe));
  if (!module)
    return module.takeError();
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream);
  stream << '\n';
  if (llvm::Error error = writeFile(output, text))
    return error;
  return ExitCode::Success;
}
