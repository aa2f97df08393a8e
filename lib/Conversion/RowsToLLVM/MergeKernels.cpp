//===- MergeKernels.cpp - Launches share equal kernels --------------------===//
//
// Most of the time to compile a program goes into its kernels, and a model
// launches the same ones on many shapes.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "trireme/Conversion/Passes.h"
#include "trireme/Dialect/Runtime/IR/Runtime.h"

namespace trireme {
#define GEN_PASS_DEF_MERGEKERNELS
#include "trireme/Conversion/Passes.h.inc"
} // namespace trireme

using namespace mlir;
using namespace trireme;

/// Whether the kernel writes partial sums, one a block of its grain.
static bool hasPartialSums(runtime::KernelOp kernel) {
  return llvm::any_of(
      kernel.getResultKinds().getAsRange<train::RowKindAttr>(),
      [](train::RowKindAttr kind) { return train::isSum(kind.getValue()); });
}

/// Whether one function serves both kernels.
static bool areEqual(runtime::KernelOp a, runtime::KernelOp b) {
  return a.getColumns() == b.getColumns() && a.getFlat() == b.getFlat() &&
         a.getOperandKinds() == b.getOperandKinds() &&
         a.getOperandTypes() == b.getOperandTypes() &&
         a.getResultKinds() == b.getResultKinds() &&
         a.getResultTypes() == b.getResultTypes() &&
         (a.getGrain() == b.getGrain() || !hasPartialSums(a)) &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

namespace {
struct MergeKernels : public trireme::impl::MergeKernelsBase<MergeKernels> {
  void runOnOperation() override {
    SmallVector<runtime::KernelOp> kept;
    DenseMap<StringAttr, StringAttr> replacements;
    for (auto kernel : llvm::make_early_inc_range(
             getOperation().getOps<runtime::KernelOp>())) {
      auto equal = llvm::find_if(kept, [&](runtime::KernelOp other) {
        return areEqual(kernel, other);
      });
      if (equal == kept.end()) {
        kept.push_back(kernel);
        continue;
      }
      replacements[kernel.getSymNameAttr()] = equal->getSymNameAttr();
      kernel.erase();
      ++numMerged;
    }
    getOperation().walk([&](runtime::LaunchOp launch) {
      auto it = replacements.find(launch.getKernelAttr().getAttr());
      if (it != replacements.end())
        launch.setKernelAttr(FlatSymbolRefAttr::get(it->second));
    });
  }
};
} // namespace
