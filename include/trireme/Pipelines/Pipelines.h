//===- Pipelines.h - The order of passes ------------------------*- C++ -*-===//
//
// One pipeline a stage of IR, each from the stage before it. Registered in
// trireme-opt as `--trireme-to-STAGE`.
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_PIPELINES_PIPELINES_H
#define TRIREME_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace trireme {

struct PipelineOptions : public mlir::PassPipelineOptions<PipelineOptions> {
  Option<int64_t> rows{*this, "rows",
                       llvm::cl::desc("sequences of a micro-batch; 0: as is"),
                       llvm::cl::init(0)};
  Option<int64_t> sequence{*this, "sequence",
                           llvm::cl::desc("tokens of a sequence; 0: as is"),
                           llvm::cl::init(0)};
  Option<int64_t> microBatches{*this, "micro-batches",
                               llvm::cl::desc("micro-batches of a step"),
                               llvm::cl::init(1)};
  Option<int64_t> maxLogits{
      *this, "max-logits",
      llvm::cl::desc("elements of logits at a time (train-expand-heads)"),
      llvm::cl::init(8 << 20)};
  Option<int64_t> minRows{*this, "min-rows",
                          llvm::cl::desc("rows of logits at a time, at least"),
                          llvm::cl::init(512)};
  Option<int64_t> workspaceMib{*this, "workspace-mib",
                               llvm::cl::desc("budget of library scratch"),
                               llvm::cl::init(64)};
  Option<int64_t> vectorBytes{
      *this, "vector-bytes",
      llvm::cl::desc("bytes of a vector register: 32 or 64"),
      llvm::cl::init(32)};
};

/// The forward loss of the recipe's micro-batch, canonical.
void buildToForward(mlir::OpPassManager &manager,
                    const PipelineOptions &options);
/// forward -> step: the whole step on one device, and evaluation.
void buildToStep(mlir::OpPassManager &manager, const PipelineOptions &options);
/// step -> runtime: kernels, places in the arena, calls.
void buildToRuntime(mlir::OpPassManager &manager,
                    const PipelineOptions &options);
/// runtime -> llvm: the LLVM dialect and nothing else.
void buildToLLVM(mlir::OpPassManager &manager, const PipelineOptions &options);

/// Registers `trireme-to-forward`, `-step`, `-runtime`, `-llvm`.
void registerPipelines();

} // namespace trireme

#endif // TRIREME_PIPELINES_PIPELINES_H
