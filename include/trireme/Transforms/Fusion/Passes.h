//===- Passes.h - Passes of the phase Fusion -------------------*- C++ -*-===//

#ifndef TRIREME_TRANSFORMS_FUSION_PASSES_H
#define TRIREME_TRANSFORMS_FUSION_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/Pass.h"

namespace trireme::train {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "trireme/Transforms/Fusion/Passes.h.inc"
} // namespace trireme::train

#endif // TRIREME_TRANSFORMS_FUSION_PASSES_H
