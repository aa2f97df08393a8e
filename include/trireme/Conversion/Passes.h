//===- Passes.h - Conversions between dialects ------------------*- C++ -*-===//

#ifndef TRIREME_CONVERSION_PASSES_H
#define TRIREME_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace trireme {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "trireme/Conversion/Passes.h.inc"

struct RuntimeToLLVMPipelineOptions {
  /// Bytes of a vector register: 32 (x86-64-v3) or 64 (x86-64-v4).
  unsigned vectorBytes = 32;
};

/// Adds the passes that take a module of the runtime dialect to the LLVM
/// dialect and nothing else.
void buildRuntimeToLLVMPipeline(mlir::OpPassManager &manager,
                                const RuntimeToLLVMPipelineOptions &options);

/// Registers `runtime-to-llvm-pipeline{vector-bytes=...}`.
void registerRuntimeToLLVMPipeline();

/// Adds what `convert-to-llvm` asks dialects for.
void registerToLLVMInterfaces(mlir::DialectRegistry &registry);
} // namespace trireme

#endif // TRIREME_CONVERSION_PASSES_H
