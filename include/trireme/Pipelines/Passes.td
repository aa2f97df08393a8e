//===- Passes.td - What closes a stage ---------------------*- tablegen -*-===//

#ifndef TRIREME_PIPELINES_PASSES
#define TRIREME_PIPELINES_PASSES

include "mlir/Pass/PassBase.td"

def VerifyStage : Pass<"trireme-verify-stage", "::mlir::ModuleOp"> {
  let summary = "checks and marks the stage that a program has reached";
  let description = [{
    Closes each stage of the pipelines. `forward`: `@forward` of train ops that
    returns sum and count. `step`: `@train` and `@evaluate`, every argument
    with a role, every result with a name, state returned for every parameter
    and moment. `runtime`: functions of context and arena without tensors, and
    a manifest. `llvm`: the LLVM dialect and nothing else.

    Expects: a module. Ensures: the same module with the stage's name as
    `train.stage`, or an error at the op at fault.

    Runs: `--trireme-verify-stage="stage=llvm"`

    Before:
    ```mlir
    llvm.func @train(!llvm.ptr, !llvm.ptr)
    ```
    After:
    ```mlir
    module attributes {train.stage = "llvm"} {
      llvm.func @train(!llvm.ptr, !llvm.ptr)
    }
    ```
  }];
  let options = [Option<"stage", "stage", "std::string", [{"step"}],
                        "forward, step, runtime or llvm">];
}

#endif // TRIREME_PIPELINES_PASSES
