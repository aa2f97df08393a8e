//===- Registration.cpp - Dialects, passes and pipelines ------------------===//

#include "trireme/Pipelines/Registration.h"
#include "trireme/Dialect/Runtime/IR/Runtime.h"
#include "trireme/Dialect/Train/IR/Train.h"
#include "trireme/Transforms/Autodiff/Passes.h"
#include "trireme/Transforms/Optimizer/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void trireme::registerDialects(DialectRegistry &registry) {
  registry.insert<runtime::RuntimeDialect, train::TrainDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
                  math::MathDialect, scf::SCFDialect, vector::VectorDialect>();
}

void trireme::registerPassesAndPipelines() {
  train::registerTriremeAutodiffPasses();
  train::registerTriremeOptimizerPasses();
  mlir::registerCanonicalizer();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
}
