//===- Passes.h - Passes that close stages ----------------------*- C++ -*-===//

#ifndef TRIREME_PIPELINES_PASSES_H
#define TRIREME_PIPELINES_PASSES_H

#include "mlir/Pass/Pass.h"

namespace trireme {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "trireme/Pipelines/Passes.h.inc"
} // namespace trireme

#endif // TRIREME_PIPELINES_PASSES_H
