//===- Pipelines.cpp - The order of passes --------------------------------===//

#include "trireme/Pipelines/Pipelines.h"
#include "mlir/Transforms/Passes.h"
#include "trireme/Conversion/Passes.h"
#include "trireme/Pipelines/Passes.h"
#include "trireme/Transforms/Autodiff/Passes.h"
#include "trireme/Transforms/Fusion/Passes.h"
#include "trireme/Transforms/Memory/Passes.h"
#include "trireme/Transforms/Optimizer/Passes.h"

using namespace mlir;
using namespace trireme;

/// Dead ops and equal ops go, constants fold.
static void addCleanup(OpPassManager &manager) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

//===----------------------------------------------------------------------===//
// forward
//===----------------------------------------------------------------------===//

void trireme::buildToForward(OpPassManager &manager,
                             const PipelineOptions &options) {
  if (options.rows > 0 && options.sequence > 0)
    manager.addPass(
        train::createSetBatchShape({options.rows, options.sequence}));
  manager.addPass(createVerifyStage({"forward"}));
}

//===----------------------------------------------------------------------===//
// step
//===----------------------------------------------------------------------===//

void trireme::buildToStep(OpPassManager &manager,
                          const PipelineOptions &options) {
  manager.addPass(train::createDifferentiate());
  // Before the step is made of it: what forward computed for the loss alone
  // is dead now that the head gives loss and gradients.
  addCleanup(manager);
  manager.addPass(train::createAddOptimizer({options.microBatches}));
  addCleanup(manager);
  manager.addPass(createVerifyStage({"step"}));
}

//===----------------------------------------------------------------------===//
// runtime
//===----------------------------------------------------------------------===//

void trireme::buildToRuntime(OpPassManager &manager,
                             const PipelineOptions &options) {
  // Heads to loops over chunks first, so that the gradient of the head's
  // weight is a carry into which its accumulator can sink.
  manager.addPass(
      train::createExpandHeads({options.maxLogits, options.minRows}));
  addCleanup(manager);
  manager.addPass(train::createAccumulateInPlace());
  addCleanup(manager);
  // Kernels before memory: a value inside a kernel needs no place.
  manager.addPass(train::createFormRows());
  manager.addPass(train::createFuse());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(train::createPlanMemory());
  ConvertTrainToRuntimeOptions lowering;
  lowering.workspaceMib = options.workspaceMib;
  manager.addPass(createConvertTrainToRuntime(lowering));
  addCleanup(manager);
  manager.addPass(createVerifyStage({"runtime"}));
}

//===----------------------------------------------------------------------===//
// llvm
//===----------------------------------------------------------------------===//

void trireme::buildToLLVM(OpPassManager &manager,
                          const PipelineOptions &options) {
  RuntimeToLLVMPipelineOptions lowering;
  lowering.vectorBytes = options.vectorBytes;
  buildRuntimeToLLVMPipeline(manager, lowering);
  manager.addPass(createVerifyStage({"llvm"}));
}

void trireme::registerPipelines() {
  PassPipelineRegistration<PipelineOptions>(
      "trireme-to-forward", "types the forward loss for rows and sequence",
      buildToForward);
  PassPipelineRegistration<PipelineOptions>(
      "trireme-to-step", "forward to step: gradients, clipping, update",
      buildToStep);
  PassPipelineRegistration<PipelineOptions>(
      "trireme-to-runtime", "step to runtime: kernels, arena, calls",
      buildToRuntime);
  PassPipelineRegistration<PipelineOptions>(
      "trireme-to-llvm", "runtime to the LLVM dialect", buildToLLVM);
}
