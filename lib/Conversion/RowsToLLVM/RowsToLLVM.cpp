//===- RowsToLLVM.cpp - Kernels on rows become functions ------------------===//
//
// Each kernel is replaced by a function; KernelEmitter.cpp has the code.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "trireme/Conversion/Passes.h"

namespace trireme {
#define GEN_PASS_DEF_CONVERTROWSTOLLVM
#include "trireme/Conversion/Passes.h.inc"
} // namespace trireme

using namespace mlir;
using namespace trireme;

namespace {
struct ConvertRowsToLLVM
    : public trireme::impl::ConvertRowsToLLVMBase<ConvertRowsToLLVM> {
  using ConvertRowsToLLVMBase::ConvertRowsToLLVMBase;

  void runOnOperation() override {
    if (vectorBytes != 16 && vectorBytes != 32 && vectorBytes != 64) {
      getOperation().emitError()
          << "option vector-bytes is " << vectorBytes.getValue()
          << ", expected 16, 32 or 64";
      return signalPassFailure();
    }
    OpBuilder builder(&getContext());
    for (auto kernel : llvm::make_early_inc_range(
             getOperation().getOps<runtime::KernelOp>())) {
      builder.setInsertionPoint(kernel);
      if (failed(emitKernel(builder, kernel, vectorBytes)))
        return signalPassFailure();
      kernel.erase();
    }
  }
};
} // namespace
