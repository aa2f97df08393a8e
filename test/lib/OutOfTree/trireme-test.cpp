//===- trireme-test.cpp - trireme-opt and the evaluator with `extra` ------===//
//
// usage: trireme-test [flags of trireme-opt]
//        trireme-test interpret A.mlir B.mlir
//        trireme-test train STEP.mlir DATA INIT STEPS METRICS
//
//===----------------------------------------------------------------------===//

#include "Extra.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "trireme/Interpret/Interpreter.h"
#include "trireme/Pipelines/Registration.h"

using namespace mlir;

/// `trireme interpret A --against B`.
static int interpret(MLIRContext &context, llvm::StringRef a,
                     llvm::StringRef b) {
  auto first = parseSourceFile<ModuleOp>(a, &context);
  auto second = parseSourceFile<ModuleOp>(b, &context);
  if (!first || !second)
    return 1;
  trireme::AgainstOptions options;
  options.seed = 1;
  return trireme::interpretAgainst(*first, *second, options, llvm::outs(),
                                   llvm::errs());
}

/// `trireme interpret STEP --data DATA --init INIT ...`.
static int train(MLIRContext &context, char **words) {
  auto module = parseSourceFile<ModuleOp>(words[0], &context);
  if (!module)
    return 1;
  trireme::TrainingOptions options;
  options.dataFiles = {words[1]};
  options.init = words[2];
  options.steps = std::atoll(words[3]);
  options.metricsFile = words[4];
  return trireme::interpretTraining(*module, options, llvm::errs());
}

int main(int argc, char **argv) {
  DialectRegistry registry;
  trireme::registerDialects(registry);
  registry.insert<extra::ExtraDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  llvm::StringRef command = argc > 1 ? argv[1] : "";
  if (command == "interpret" && argc == 4)
    return interpret(context, argv[2], argv[3]);
  if (command == "train" && argc == 7)
    return train(context, argv + 2);
  trireme::registerPassesAndPipelines();
  return asMainReturnCode(MlirOptMain(
      argc, argv, "trireme-opt with a dialect of others\n", registry));
}
