//===- Passes.h - Passes of the phase Autodiff -------------------*- C++
//-*-===//

#ifndef TRIREME_TRANSFORMS_AUTODIFF_PASSES_H
#define TRIREME_TRANSFORMS_AUTODIFF_PASSES_H

#include "mlir/Pass/Pass.h"

namespace trireme::train {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "trireme/Transforms/Autodiff/Passes.h.inc"
} // namespace trireme::train

#endif // TRIREME_TRANSFORMS_AUTODIFF_PASSES_H
