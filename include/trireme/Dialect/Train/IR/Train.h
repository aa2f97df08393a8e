//===- Train.h - The train dialect ------------------------------*- C++ -*-===//
//
// Declarations of the train dialect: attributes, interfaces, operations. The
// documentation of each stands in the .td files of this folder.
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_DIALECT_TRAIN_IR_TRAIN_H
#define TRIREME_DIALECT_TRAIN_IR_TRAIN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "trireme/Dialect/Train/IR/HostTensor.h"

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

/// Names of the module's attributes, strings of JSON: where the model comes
/// from (`name`, `family`, `folder`, `config`), and recipe and plan with all
/// their keys.
/// Besides, the name of the stage that the module is in.
inline constexpr llvm::StringLiteral kStageName = "train.stage";
inline constexpr llvm::StringLiteral kSourceName = "train.source";
inline constexpr llvm::StringLiteral kRecipeName = "train.recipe";
inline constexpr llvm::StringLiteral kPlanName = "train.plan";

/// Names of the attributes that `train-plan-memory` leaves: a place for each
/// result of an op, for each carry of a loop, for a function's argument or
/// result, for each partial sum of a kernel; the rows that one partial sum
/// covers; the module's table of bytes.
inline constexpr llvm::StringLiteral kPlacesName = "train.places";
inline constexpr llvm::StringLiteral kCarryPlacesName = "train.carry_places";
inline constexpr llvm::StringLiteral kPlaceName = "train.place";
inline constexpr llvm::StringLiteral kWorkspaceName = "train.workspace";
inline constexpr llvm::StringLiteral kGrainName = "train.grain";
/// Offset and bytes of each buffer whose life ends with the op, in pairs.
inline constexpr llvm::StringLiteral kReleasesName = "train.releases";
inline constexpr llvm::StringLiteral kArenaName = "train.arena";

/// Whether a tensor of this shape has 1 to 2^48 elements.
bool isCountable(llvm::ArrayRef<int64_t> shape);

/// Whether all operands are static tensors, as type inference needs; emits an
/// error at the location (if there is one) if not.
llvm::LogicalResult checkOperandTypes(std::optional<mlir::Location> location,
                                      mlir::ValueRange operands);

/// Whether a kernel's body has only scalar `arith` and `math` operations,
/// `train.reduce` and `train.column`; emits an error at the first other one.
llvm::LogicalResult checkKernelBody(mlir::Block &body);

/// Elements of an argument of this type that files hold: the first ones in
/// row-major order. What is behind them is pad, zero always.
int64_t countStored(ParamAttr param, mlir::RankedTensorType type);

/// Bytes of a tensor in memory (truth values take one byte).
int64_t getByteSize(mlir::Type tensor);

/// A target that counts for no loss.
inline constexpr int32_t kIgnoredTarget = -100;

/// Calls `setName` with the last component of the module's path that the value
/// (its op or argument) has as location, if it has one: "q_proj".
void nameAfterLocation(
    mlir::Value value,
    llvm::function_ref<void(mlir::Value, llvm::StringRef)> setName);

/// The same for the first result of an op; further ones of a model's op are
/// statistics and keep their numbers.
void nameResults(
    mlir::Operation *op,
    llvm::function_ref<void(mlir::Value, llvm::StringRef)> setName);

/// The role of a function's argument; none where it has no `train.role`.
std::optional<Role> getRole(mlir::FunctionOpInterface function, unsigned index);

/// Whether such an argument holds something for each token of the batch.
bool isBatch(Role role);

/// Whether a result of this kind is made in two stages, of partial sums.
bool isSum(RowKind kind);

/// The integer of a `window`-like attribute (an integer or `#train.per_layer`)
/// for a layer; 0 where the list is shorter.
int64_t getLayerValue(mlir::Attribute attribute, int64_t layer);
} // namespace trireme::train

#define GET_OP_CLASSES
#include "trireme/Dialect/Train/IR/TrainOps.h.inc"

namespace trireme::train {
/// A zero fill of this type.
mlir::Value createZeros(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Type type);

/// Whether the value is a zero fill.
bool isZero(mlir::Value value);

/// The value whose elements, in order, are those of `value` under another
/// shape: the source of a reshape, or of tokens in chunks of one block; null if
/// it is no such view.
mlir::Value getViewSource(mlir::Value value);
} // namespace trireme::train

#endif // TRIREME_DIALECT_TRAIN_IR_TRAIN_H
