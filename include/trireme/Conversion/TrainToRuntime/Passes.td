//===- Passes.td - From tensors to calls -------------------*- tablegen -*-===//

#ifndef TRIREME_CONVERSION_TRAINTORUNTIME_PASSES
#define TRIREME_CONVERSION_TRAINTORUNTIME_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTrainToRuntime
    : Pass<"convert-train-to-runtime", "::mlir::ModuleOp"> {
  let summary = "turns tensors into addresses and ops into calls";
  let description = [{
    Functions become functions of context and arena; each op becomes launches
    and library calls on the places of its operands and results; loops become
    `scf.for`. Writes the manifest (`runtime.manifest`) with the tables of
    matrix products, attentions and kernels from what it lowers.

    An op is lowered by the function that `LoweringRegistry` has for it.

    Expects: places from `train-plan-memory`. Ensures: only `runtime`, `arith`
    and `scf` ops.
  }];
  let dependentDialects = [
    "::trireme::runtime::RuntimeDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect", "::mlir::func::FuncDialect"];
  let options = [
    Option<"launchElements", "launch-elements", "int64_t", "16384",
           "elements of a kernel's block, at least">];
}

#endif // TRIREME_CONVERSION_TRAINTORUNTIME_PASSES
