//===- Lowering.h - Lowering one op to the runtime dialect ------*- C++ -*-===//
//
// What a lowering function of a train op works with. To lower a new op that is
// not a RowOpInterface, write one file with a function
//
//   LogicalResult lowerMyOp(MyOp op, RuntimeEmitter &emit);
//
// and add it to a LoweringRegistry: in registerTrainLowerings for our ops, by a
// LoweringDialectInterface for those of another dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_CONVERSION_TRAINTORUNTIME_LOWERING_H
#define TRIREME_CONVERSION_TRAINTORUNTIME_LOWERING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectInterface.h"
#include "trireme/Dialect/Runtime/IR/Runtime.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include <functional>

namespace trireme {

/// The tables of the manifest that lowering fills; equal entries are shared.
struct ManifestTables {
  llvm::json::Array gemms, attentions, kernels;
  /// Rows of the smallest table in which tokens are looked up; 0 where there
  /// is none.
  int64_t vocabulary = 0;

  /// The index of `entry` in `table`, added if it is not there. Where the
  /// location has a module's path, the entry says so (`at`), so that traces
  /// can: equal products of different modules are different entries.
  static int64_t add(llvm::json::Array &table, llvm::json::Object entry,
                     mlir::Location location);
};

/// The module's path in a location ("model.layers.{}.mlp.up_proj"), the first
/// one of a fused location; empty if there is none.
llvm::StringRef getModulePath(mlir::Location location);

/// Emits runtime ops for the ops of one function.
class RuntimeEmitter {
public:
  RuntimeEmitter(mlir::ModuleOp module, ManifestTables &tables,
                 int64_t launchElements)
      : builder(module.getContext()), module(module), tables(tables),
        launchElements(launchElements) {}

  /// The address of a tensor at the current iterations of the loops.
  mlir::Value address(mlir::Value tensor);
  mlir::Value address(train::PlaceAttr place);
  /// The place of a tensor; each slices and carries included.
  train::PlaceAttr placeOf(mlir::Value tensor);

  /// A call of a function of program.h.
  void call(mlir::Location loc, llvm::StringRef callee,
            mlir::ValueRange pointers, llvm::ArrayRef<int64_t> integers,
            llvm::ArrayRef<double> constants = {});
  /// Copies `bytes` bytes unless the places are one.
  void copy(mlir::Location loc, train::PlaceAttr from, train::PlaceAttr to,
            int64_t bytes);
  /// Brings the operand that `result` updates to the result's place.
  void copyUpdated(mlir::Value operand, mlir::Value result);

  /// The iteration of the innermost `layers` loop plus its `first`, or 0.
  mlir::Value layer(mlir::Location loc);

  mlir::OpBuilder builder;
  mlir::ModuleOp module;
  ManifestTables &tables;
  int64_t launchElements;
  mlir::Value context, arena;
  llvm::SmallVector<mlir::Value> iterations; ///< Of loops, outermost first.
  llvm::SmallVector<train::LoopOp> loops;
};

/// What the function's argument holds that the value is a part of, seen through
/// loop arguments and reshapes; none where it is computed.
std::optional<train::Role> getArgumentRole(mlir::Value value);

/// The parameter that such an argument is; null if it is none.
train::ParamAttr getArgumentParam(mlir::Value value);

/// How ops are lowered, by name.
class LoweringRegistry {
public:
  using Function =
      std::function<llvm::LogicalResult(mlir::Operation *, RuntimeEmitter &)>;

  template <typename Op>
  void add(llvm::LogicalResult (*lower)(Op, RuntimeEmitter &)) {
    functions[Op::getOperationName()] = [lower](mlir::Operation *op,
                                                RuntimeEmitter &emit) {
      return lower(mlir::cast<Op>(op), emit);
    };
  }
  /// Null if there is none.
  const Function *lookup(mlir::Operation *op) const {
    auto found = functions.find(op->getName().getStringRef());
    return found == functions.end() ? nullptr : &found->second;
  }

private:
  llvm::StringMap<Function> functions;
};

/// How a dialect of others brings lowerings of its ops: an interface of the
/// dialect, added in its `initialize()`.
class LoweringDialectInterface
    : public mlir::DialectInterface::Base<LoweringDialectInterface> {
public:
  LoweringDialectInterface(mlir::Dialect *dialect) : Base(dialect) {}
  /// Adds the dialect's lowerings. Example:
  /// `registry.add<SwapHalvesOp>(lowerSwapHalves);`
  virtual void registerLowerings(LoweringRegistry &registry) const = 0;
};

/// Our ops.
void registerTrainLowerings(LoweringRegistry &registry);
void registerLinearLowerings(LoweringRegistry &registry);
void registerAttentionLowerings(LoweringRegistry &registry);
void registerEmbeddingLowerings(LoweringRegistry &registry);
void registerShapeLowerings(LoweringRegistry &registry);
void registerRowsLowerings(LoweringRegistry &registry);

/// The manifest of a module as JSON text: its attributes, the arguments and
/// results of `train` and `evaluate` (with places), the tables. Fails with an
/// error where an attribute is broken. `workspaceMib` is the budget of library
/// scratch. `emit` knows where tensors are.
mlir::FailureOr<std::string>
buildManifest(mlir::ModuleOp module, mlir::func::FuncOp train,
              mlir::func::FuncOp evaluate, RuntimeEmitter &emit,
              ManifestTables &tables, int64_t workspaceMib);

} // namespace trireme

#endif // TRIREME_CONVERSION_TRAINTORUNTIME_LOWERING_H
