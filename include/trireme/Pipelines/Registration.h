//===- Registration.h - Everything the tools register -----------*- C++ -*-===//

#ifndef TRIREME_PIPELINES_REGISTRATION_H
#define TRIREME_PIPELINES_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace trireme {

/// Our dialects and the upstream ones that programs contain at any stage.
void registerDialects(mlir::DialectRegistry &registry);

/// Our passes and pipelines, and the upstream passes that they use.
void registerPassesAndPipelines();

} // namespace trireme

#endif // TRIREME_PIPELINES_REGISTRATION_H
