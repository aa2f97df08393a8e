//===- Pipeline.cpp - From the runtime dialect to LLVM --------------------===//

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "trireme/Conversion/Passes.h"

using namespace mlir;
using namespace trireme;

void trireme::buildRuntimeToLLVMPipeline(
    OpPassManager &manager, const RuntimeToLLVMPipelineOptions &options) {
  // Code is made once for all launches that it fits.
  manager.addPass(createMergeKernels());
  // Kernels first: launches refer to functions.
  ConvertRowsToLLVMOptions rows;
  rows.vectorBytes = options.vectorBytes;
  manager.addPass(createConvertRowsToLLVM(rows));
  manager.addPass(createConvertRuntimeToLLVM());
  manager.addPass(createSCFToControlFlowPass());
  // What LLVM has no intrinsic for becomes a call of libm; the rest must not.
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createConvertMathToLibmPass());
  manager.addPass(createConvertToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
}

namespace {
struct PipelineOptions : public PassPipelineOptions<PipelineOptions> {
  Option<unsigned> vectorBytes{
      *this, "vector-bytes",
      llvm::cl::desc("bytes of a vector register: 16, 32 or 64"),
      llvm::cl::init(32)};
};
} // namespace

void trireme::registerRuntimeToLLVMPipeline() {
  PassPipelineRegistration<PipelineOptions>(
      "runtime-to-llvm-pipeline",
      "takes the runtime dialect to the LLVM dialect",
      [](OpPassManager &manager, const PipelineOptions &options) {
        RuntimeToLLVMPipelineOptions values;
        values.vectorBytes = options.vectorBytes;
        buildRuntimeToLLVMPipeline(manager, values);
      });
}

void trireme::registerToLLVMInterfaces(DialectRegistry &registry) {
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
}
