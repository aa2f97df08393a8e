//===- Passes.td - Conversions between dialects ------------*- tablegen -*-===//

#ifndef TRIREME_CONVERSION_PASSES
#define TRIREME_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTrainToRuntime
    : Pass<"convert-train-to-runtime", "::mlir::ModuleOp"> {
  let summary = "turns tensors into addresses and ops into calls";
  let description = [{
    Functions become functions of context and arena; each op becomes launches
    and library calls on the places of its operands and results; loops become
    `scf.for`. Writes the manifest (`runtime.manifest`) with the tables of
    matrix products, attentions and kernels from what it lowers.

    An op is lowered by the function that `LoweringRegistry` has for it; a
    dialect of others adds its own by `LoweringDialectInterface`.

    Expects: places from `train-plan-memory`. Ensures: only `runtime`, `arith`
    and `scf` ops.

    Before:
    ```mlir
    module attributes {train.arena = {
        activations = 0, bytes = 128, canaries = array<i64>, fixed = 128,
        gradients = 0, optimizer = 0, parameters = 64, workspace = 64}} {
      func.func @train(
          %x: tensor<4x4xf32> {train.role = #train.role<parameter>,
              train.param = #train.param<"x", [4, 4], normal 1.0>,
              train.place = #train.place<0, []>})
          -> (tensor<4x4xf32> {train.place = #train.place<64, []>}) {
        %0 = train.linear %x, %x contract 1
            {train.places = [#train.place<64, []>]}
            : tensor<4x4xf32>, tensor<4x4xf32>
        return %0 : tensor<4x4xf32>
      }
      func.func @evaluate() {
        return
      }
    }
    ```
    After, beside the manifest:
    ```mlir
    // ...
      func.func @train(%context: !llvm.ptr, %arena: !llvm.ptr) {
        %0 = runtime.buffer %arena at 0 strides []
        %1 = runtime.buffer %arena at 0 strides []
        %2 = runtime.buffer %arena at 64 strides []
        runtime.gemm %context, 0(%0, %1) to %2
        return
      }
      func.func @evaluate(%context: !llvm.ptr, %arena: !llvm.ptr) {
        return
      }
    // ...
    ```
  }];
  let dependentDialects = [
    "::trireme::runtime::RuntimeDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect", "::mlir::func::FuncDialect"];
  let options = [
    Option<"launchElements", "launch-elements", "int64_t", "16384",
           "elements of a kernel's block, at least">,
    Option<"workspaceMib", "workspace-mib", "int64_t", "64",
           "budget of library scratch">];
}

def MergeKernels : Pass<"runtime-merge-kernels", "::mlir::ModuleOp"> {
  let summary = "lets launches share equal kernels";
  let description = [{
    Kernels whose functions would be the same become one: those that differ in
    nothing but their name, the number of rows, and, without sums over rows,
    the grain. Names for traces stand in the manifest, by launch.

    Expects: launches of kernels of the module. Ensures: the same.

    Before:
    ```mlir
    runtime.kernel @double rows 8 columns 1 grain 8 flat
        in [#train<row_kind full>] [f32] out [#train<row_kind full>] [f32] {
    ^bb0(%x: f32):
      %0 = arith.addf %x, %x : f32
      train.rows_yield %0 : f32
    }
    runtime.kernel @double_1 rows 64 columns 1 grain 8 flat
        in [#train<row_kind full>] [f32] out [#train<row_kind full>] [f32] {
    ^bb0(%x: f32):
      %0 = arith.addf %x, %x : f32
      train.rows_yield %0 : f32
    }
    func.func @train(%context: !llvm.ptr, %arena: !llvm.ptr) {
      runtime.launch %context, @double_1, 1 (%arena, %arena) count 64 grain 8
      return
    }
    ```
    After, there is one kernel:
    ```mlir
    // ...
    func.func @train(%context: !llvm.ptr, %arena: !llvm.ptr) {
      runtime.launch %context, @double, 1 (%arena, %arena) count 64 grain 8
      return
    }
    ```
  }];
  let statistics = [Statistic<"numMerged", "kernels-merged",
                              "kernels that an equal one stands for">];
}

def ConvertRowsToLLVM : Pass<"convert-rows-to-llvm", "::mlir::ModuleOp"> {
  let summary = "makes vector code of kernels on rows";
  let description = [{
    Turns every `runtime.kernel` into a function on a range of rows:
    `void kernel(ptr buffers, i64 begin, i64 end)`, the `trireme_kernel` of
    program.h. Values that do not vary along a row stay scalars, computed once
    a row or once a call; the others become vectors. A `train.reduce` splits
    the row into passes; what a later pass needs of an earlier one is loaded
    and computed again, and results are stored in the last pass, so that a
    result may share the buffer of its operand.

    No operation is contracted or reassociated. A reduction's order depends on
    the number of columns (elements of a block, for `sum`) only: neither on the
    kernel around it nor on `vector-bytes`.

    Expects: operands of f32, f64, i32 or i1 (one byte in memory); calls whose
    `begin` is a multiple of the kernel's grain.
    Ensures: no `runtime.kernel` is left; the new functions have scf, arith,
    math and vector operations for upstream's conversions.

    Before:
    ```mlir
    runtime.kernel @double rows 8 columns 64 grain 8
        in [#train<row_kind full>] [f32] out [#train<row_kind full>] [f32] {
    ^bb0(%x: f32):
      %0 = arith.addf %x, %x : f32
      train.rows_yield %0 : f32
    }
    ```
    After, the body on vectors of 8 columns in a loop over columns:
    ```mlir
    // ...
    llvm.func internal @double(%buffers: !llvm.ptr, %begin: i64, %end: i64)
    // ...
      scf.for
    // ...
        %x = llvm.load %address
    // ...
        %y = arith.addf %x, %x : vector<8xf32>
    // ...
        llvm.store %y, %target
    // ...
    ```
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "unsigned", /*default=*/"32",
           "bytes of a vector register: 16, 32 or 64">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def ConvertRuntimeToLLVM : Pass<"convert-runtime-to-llvm", "::mlir::ModuleOp"> {
  let summary = "makes calls of the runtime library";
  let description = [{
    Turns the operations of the runtime dialect into address arithmetic and
    calls of the functions of program.h, functions into LLVM functions, and the
    module's `runtime.manifest` into the constant `trireme_compiled_program`
    (only if there are `@train` and `@evaluate`).

    Expects: kernels are functions already (`convert-rows-to-llvm`).
    Ensures: no operation of the runtime dialect is left.

    Before:
    ```mlir
    func.func @train(%context: !llvm.ptr, %arena: !llvm.ptr) {
      %0 = runtime.buffer %arena at 4096 strides []
      runtime.call "trireme_zero", %context(%0) [256]
      return
    }
    ```
    After:
    ```mlir
    llvm.func @trireme_zero(!llvm.ptr, !llvm.ptr, i64) attributes {no_unwind}
    llvm.func internal @train(%context: !llvm.ptr, %arena: !llvm.ptr)
        attributes {no_unwind} {
      %offset = llvm.mlir.constant(4096 : i64) : i64
      %0 = llvm.getelementptr %arena[%offset]
          : (!llvm.ptr, i64) -> !llvm.ptr, i8
      %bytes = llvm.mlir.constant(256 : i64) : i64
      llvm.call @trireme_zero(%context, %0, %bytes)
          : (!llvm.ptr, !llvm.ptr, i64) -> ()
      llvm.return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif // TRIREME_CONVERSION_PASSES
