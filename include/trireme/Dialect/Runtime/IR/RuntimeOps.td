//===- RuntimeOps.td - The runtime dialect -----------------*- tablegen -*-===//

#ifndef TRIREME_DIALECT_RUNTIME_IR_RUNTIMEOPS
#define TRIREME_DIALECT_RUNTIME_IR_RUNTIMEOPS

include "trireme/Dialect/Train/IR/TrainBase.td"
include "trireme/Dialect/Train/IR/RowKinds.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Runtime_Dialect : Dialect {
  let name = "runtime";
  let cppNamespace = "::trireme::runtime";
  let summary = "What a compiled program does: buffers, library calls, launches";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::trireme::train::TrainDialect"];
  let description = [{
    The last stage before LLVM. A function takes the execution context and the
    arena, both `!llvm.ptr`; every tensor has become an address in the arena.
    Ops map one to one to the functions of
    `runtime/include/trireme/runtime/program.h`; tables that the runtime needs
    (matrix products, attentions, kernels) stand in the module's
    `runtime.manifest` and are referred to by index. Loops are `scf.for`.
  }];
}

class Runtime_Op<string mnemonic, list<Trait> traits = []>
    : Op<Runtime_Dialect, mnemonic, traits>;

def Runtime_Pointer : Type<CPred<"::mlir::isa<::mlir::LLVM::LLVMPointerType>($_self)">,
                           "pointer", "::mlir::LLVM::LLVMPointerType">,
    BuildableType<"::mlir::LLVM::LLVMPointerType::get($_builder.getContext())">;

def Runtime_BufferOp : Runtime_Op<"buffer", [Pure]> {
  let summary = "an address in the arena";
  let description = [{
    arena + offset + sum of index x stride, in bytes.

    - (C1) there is one stride an index.

    ```mlir
    func.func @f(%context: !llvm.ptr, %arena: !llvm.ptr, %layer: index) {
      %0 = runtime.buffer %arena at 4096 by (%layer) strides [65536]
      return
    }
    ```
  }];
  let arguments = (ins Runtime_Pointer:$arena, I64Attr:$offset,
                       Variadic<Index>:$indices, DenseI64ArrayAttr:$strides);
  let results = (outs Runtime_Pointer:$result);
  let assemblyFormat = [{
    $arena `at` $offset (`by` `(` $indices^ `)`)? `strides` $strides attr-dict
  }];
  let hasVerifier = 1;
}

def Runtime_GemmOp : Runtime_Op<"gemm"> {
  let summary = "a matrix product of the manifest's table";
  let arguments = (ins Runtime_Pointer:$context, I64Attr:$table,
                       Runtime_Pointer:$lhs, Runtime_Pointer:$rhs,
                       Runtime_Pointer:$result);
  let assemblyFormat =
      "$context `,` $table `(` $lhs `,` $rhs `)` `to` $result attr-dict";
}

def Runtime_AttentionOp : Runtime_Op<"attention"> {
  let summary = "attention forward of the manifest's table";
  let arguments = (ins Runtime_Pointer:$context, I64Attr:$table, Index:$layer,
                       Runtime_Pointer:$q, Runtime_Pointer:$k,
                       Runtime_Pointer:$v, Runtime_Pointer:$q_positions,
                       Runtime_Pointer:$k_positions, Runtime_Pointer:$output,
                       Runtime_Pointer:$log_sum);
  let assemblyFormat = [{
    $context `,` $table `layer` $layer `(` $q `,` $k `,` $v `,` $q_positions
    `,` $k_positions `)` `to` $output `,` $log_sum attr-dict
  }];
}

def Runtime_AttentionGradOp : Runtime_Op<"attention_grad"> {
  let summary = "attention backward of the manifest's table";
  let arguments = (ins Runtime_Pointer:$context, I64Attr:$table, Index:$layer,
                       Runtime_Pointer:$q, Runtime_Pointer:$k,
                       Runtime_Pointer:$v, Runtime_Pointer:$q_positions,
                       Runtime_Pointer:$k_positions, Runtime_Pointer:$output,
                       Runtime_Pointer:$log_sum,
                       Runtime_Pointer:$output_gradient,
                       Runtime_Pointer:$q_gradient,
                       Runtime_Pointer:$k_gradient,
                       Runtime_Pointer:$v_gradient);
  let assemblyFormat = [{
    $context `,` $table `layer` $layer `(` $q `,` $k `,` $v `,` $q_positions
    `,` $k_positions `,` $output `,` $log_sum `,` $output_gradient `)`
    `to` $q_gradient `,` $k_gradient `,` $v_gradient attr-dict
  }];
}

def Runtime_CallOp : Runtime_Op<"call"> {
  let summary = "a call of a function of the runtime library";
  let description = [{
    Calls `callee`, a function of program.h that takes the context, then the
    pointers, then the integers (int64), in this order. With `constants`
    (doubles), a pointer to them follows the first pointer.
  }];
  let arguments = (ins StrAttr:$callee, Runtime_Pointer:$context,
                       Variadic<Runtime_Pointer>:$pointers,
                       DenseI64ArrayAttr:$integers,
                       OptionalAttr<DenseF64ArrayAttr>:$constants);
  let assemblyFormat = [{
    $callee `,` $context `(` $pointers `)` $integers
    (`constants` $constants^)? attr-dict
  }];
}

def Runtime_LaunchOp : Runtime_Op<"launch"> {
  let summary = "runs a generated kernel over its rows";
  let description = [{
    Calls `trireme_launch` with the kernel's function: `count` rows (elements of
    a flat kernel) in blocks of `grain`. The pointers are the kernel's operands,
    then its results, then the partial sums of its `column_sum` and `sum`
    results (in order), one block after another: block b of columns at
    b x columns.

    - (C1) `count` and `grain` are at least 1.
  }];
  let arguments = (ins Runtime_Pointer:$context, FlatSymbolRefAttr:$kernel,
                       I64Attr:$table, Variadic<Runtime_Pointer>:$pointers,
                       I64Attr:$count, I64Attr:$grain);
  let assemblyFormat = [{
    $context `,` $kernel `,` $table `(` $pointers `)` `count` $count `grain`
    $grain attr-dict
  }];
  let hasVerifier = 1;
}

def Runtime_KernelOp : Runtime_Op<"kernel", [
    Symbol, IsolatedFromAbove, SingleBlock]> {
  let summary = "a kernel on rows, in scalar form";
  let description = [{
    The function that `runtime.launch` runs, with the body of a `train.rows`.
    `operand_types` are the elements' types. `result_kinds` of `column_sum` and
    `sum` are written as partial sums, one a block of `grain` rows, to the
    pointers that follow the results; the result itself is made of them by
    `trireme_sum_partials`, so its own pointer is not written.

    Lowered to an LLVM function by `convert-rows-to-llvm`.

    - (C1) there are as many kinds as types of operands and of results.
    - (C2) `rows`, `columns` and `grain` are at least 1.
    - (C3) the body has one argument an operand, of its type, and ends in
      `train.rows_yield` with one scalar a result, of its type.
    - (C4) the body has scalar `arith` and `math` operations, `train.reduce` and
      `train.column`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$rows,
                       I64Attr:$columns, I64Attr:$grain, UnitAttr:$flat,
                       Train_RowKindArrayAttr:$operand_kinds,
                       TypeArrayAttr:$operand_types,
                       Train_RowKindArrayAttr:$result_kinds,
                       TypeArrayAttr:$result_types);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `rows` $rows `columns` $columns `grain` $grain (`flat` $flat^)?
    `in` $operand_kinds $operand_types `out` $result_kinds $result_types $body
    attr-dict
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

#endif // TRIREME_DIALECT_RUNTIME_IR_RUNTIMEOPS
