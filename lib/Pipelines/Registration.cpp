//===- Registration.cpp - Dialects, passes and pipelines ------------------===//

#include "trireme/Pipelines/Registration.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"
#include "trireme/Conversion/Passes.h"
#include "trireme/Dialect/Runtime/IR/Runtime.h"
#include "trireme/Dialect/Train/IR/Train.h"
#include "trireme/Pipelines/Passes.h"
#include "trireme/Pipelines/Pipelines.h"
#include "trireme/Target/Executable.h"
#include "trireme/Transforms/Autodiff/Passes.h"
#include "trireme/Transforms/Fusion/Passes.h"
#include "trireme/Transforms/Memory/Passes.h"
#include "trireme/Transforms/Optimizer/Passes.h"

using namespace mlir;

void trireme::registerDialects(DialectRegistry &registry) {
  registry
      .insert<runtime::RuntimeDialect, train::TrainDialect, arith::ArithDialect,
              cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
              math::MathDialect, scf::SCFDialect, vector::VectorDialect>();
  registerToLLVMInterfaces(registry);
  registerLLVMTranslations(registry);
}

void trireme::registerPassesAndPipelines() {
  registerTriremeConversionPasses();
  registerPipelines();
  registerRuntimeToLLVMPipeline();
  train::registerTriremeAutodiffPasses();
  train::registerTriremeOptimizerPasses();
  train::registerTriremeFusionPasses();
  train::registerTriremeMemoryPasses();
  registerTriremePipelinesPasses();
  // Upstream passes that the pipelines use.
  mlir::registerCanonicalizer();
  mlir::registerCSEPass();
  mlir::registerSCFToControlFlowPass();
  mlir::registerConvertMathToLLVMPass();
  mlir::registerConvertMathToLibmPass();
  mlir::registerConvertToLLVMPass();
  mlir::registerReconcileUnrealizedCastsPass();
}
