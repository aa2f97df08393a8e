//===- Passes.h - convert-train-to-runtime ----------------------*- C++ -*-===//

#ifndef TRIREME_CONVERSION_TRAINTORUNTIME_PASSES_H
#define TRIREME_CONVERSION_TRAINTORUNTIME_PASSES_H

#include "trireme/Dialect/Runtime/IR/Runtime.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace trireme {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "trireme/Conversion/TrainToRuntime/Passes.h.inc"
} // namespace trireme

#endif // TRIREME_CONVERSION_TRAINTORUNTIME_PASSES_H
