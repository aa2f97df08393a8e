//===- BodyAnalysis.h - What a kernel's values vary over --------*- C++ -*-===//

#ifndef TRIREME_LIB_CONVERSION_ROWSTOLLVM_BODYANALYSIS_H
#define TRIREME_LIB_CONVERSION_ROWSTOLLVM_BODYANALYSIS_H

#include "trireme/Dialect/Runtime/IR/Runtime.h"
#include "llvm/ADT/DenseMap.h"

namespace trireme {

/// What a value of the body varies over: nothing, the rows, or the elements.
enum class Extent { Scalar, Row, Element };

/// The kind with which a kernel's code treats a buffer: in a flat kernel, whose
/// only dim is its elements, rows are elements and columns do not exist.
train::RowKind getCodeKind(runtime::KernelOp kernel, mlir::Attribute kind);

/// Extents and passes of a body's values. A row is gone through once for each
/// level of reductions, and once more for the results: pass p computes the
/// reductions of values that need p reductions before.
struct BodyAnalysis {
  explicit BodyAnalysis(runtime::KernelOp kernel);

  /// The first pass in which the value exists.
  unsigned passOf(mlir::Value value) const { return passes.lookup(value); }
  Extent extentOf(mlir::Value value) const { return extents.lookup(value); }
  bool isElement(mlir::Value value) const {
    return extentOf(value) == Extent::Element;
  }

  /// Reductions that are used, whose operand exists from `pass` on.
  llvm::SmallVector<train::ReduceOp> reductionsIn(unsigned pass) const;

  /// Operations that are used, of `extent` (not Element) and `pass`, in order;
  /// without reductions.
  llvm::SmallVector<mlir::Operation *> uniformOps(Extent extent,
                                                  unsigned pass) const;

  /// The operations of elements that `roots` need, in order, and into
  /// `arguments` the block arguments.
  llvm::SmallVector<mlir::Operation *>
  elementOps(mlir::ValueRange roots,
             llvm::SmallVectorImpl<mlir::BlockArgument> &arguments) const;

  /// Passes that reduce.
  unsigned reducingPasses = 0;

private:
  mlir::Block *body;
  llvm::DenseMap<mlir::Value, unsigned> passes;
  llvm::DenseMap<mlir::Value, Extent> extents;
  llvm::DenseSet<mlir::Operation *> used;
};

} // namespace trireme

#endif // TRIREME_LIB_CONVERSION_ROWSTOLLVM_BODYANALYSIS_H
