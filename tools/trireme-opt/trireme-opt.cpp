//===- trireme-opt.cpp - MLIR's opt tool with Trireme's dialects ----------===//

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "trireme/Pipelines/Registration.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  trireme::registerDialects(registry);
  trireme::registerPassesAndPipelines();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Trireme's optimizer driver\n", registry));
}
