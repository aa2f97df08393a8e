//===- Train.h - The train dialect ------------------------------*- C++ -*-===//
//
// Declarations of the train dialect: attributes, interfaces, operations. The
// documentation of each stands in the .td files of this folder.
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_DIALECT_TRAIN_IR_TRAIN_H
#define TRIREME_DIALECT_TRAIN_IR_TRAIN_H

#include "trireme/Dialect/Train/IR/HostTensor.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "trireme/Dialect/Train/IR/TrainDialect.h.inc"
#include "trireme/Dialect/Train/IR/TrainEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "trireme/Dialect/Train/IR/TrainAttributes.h.inc"

#include "trireme/Dialect/Train/IR/TrainInterfaces.h.inc"

namespace trireme::train {
class YieldOp;

/// Names of the attributes that functions of a step carry on arguments
/// (`train.role`, `train.param`, `train.hyper`) and results (`train.result`).
inline constexpr llvm::StringLiteral kRoleName = "train.role";
inline constexpr llvm::StringLiteral kParamName = "train.param";
inline constexpr llvm::StringLiteral kHyperName = "train.hyper";
inline constexpr llvm::StringLiteral kResultName = "train.result";

/// A target that counts for no loss.
inline constexpr int32_t kIgnoredTarget = -100;

/// The integer of a `window`-like attribute (an integer or `#train.per_layer`)
/// for a layer; 0 where the list is shorter.
int64_t getLayerValue(mlir::Attribute attribute, int64_t layer);
} // namespace trireme::train

#define GET_OP_CLASSES
#include "trireme/Dialect/Train/IR/TrainOps.h.inc"

#endif // TRIREME_DIALECT_TRAIN_IR_TRAIN_H
