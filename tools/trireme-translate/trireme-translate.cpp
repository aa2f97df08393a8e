//===- trireme-translate.cpp - translations without state
//------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trireme/Import/ImportModel.h"

#include "trireme/Config/Config.h"
#include "trireme/Dialect/Train/IR/Train.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/SourceMgr.h"

using namespace trireme;

/// A config.json, with the default recipe's shape.
static mlir::OwningOpRef<mlir::Operation *>
importConfig(llvm::SourceMgr &sources, mlir::MLIRContext *context) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  auto fail = [&](llvm::Error error) {
    mlir::emitError(mlir::UnknownLoc::get(context))
        << llvm::toString(std::move(error));
    return nullptr;
  };
  llvm::Expected<ModelConfig> model =
      parseModelConfig(buffer->getBuffer(), buffer->getBufferIdentifier());
  if (!model)
    return fail(model.takeError());
  SequenceLimit limit{model->maximumPositionsKey, model->maximumPositions};
  llvm::Expected<Config> config = ConfigReader().finish(&limit);
  if (!config)
    return fail(config.takeError());
  auto module = importModel(
      *context, *model,
      {*config->plan.microBatchSize, *config->recipe.sequenceLength});
  if (!module)
    return fail(module.takeError());
  return module->release().getOperation();
}

int main(int argc, char **argv) {
  mlir::TranslateToMLIRRegistration import(
      "import-hf", "a Hugging Face config.json to the train dialect",
      importConfig, [](mlir::DialectRegistry &registry) {
        registry.insert<mlir::func::FuncDialect, train::TrainDialect>();
      });
  return failed(mlir::mlirTranslateMain(argc, argv, "Trireme's translations"));
}
