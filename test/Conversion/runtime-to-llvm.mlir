// RUN: trireme-opt %s --convert-runtime-to-llvm --split-input-file \
// RUN:   --verify-diagnostics | FileCheck %s
// RUN: trireme-opt %s --runtime-to-llvm-pipeline="vector-bytes=64" \
// RUN:   --split-input-file --verify-diagnostics \
// RUN:   | FileCheck %s --check-prefix=ALL

// Addresses, calls of the library, and the program's table.

// CHECK-DAG: llvm.func @trireme_gemm(!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr)
// CHECK-DAG: llvm.func @trireme_launch(!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, i64, i64)
// CHECK-DAG: llvm.mlir.global private constant @trireme_constants_0(dense<[1.000000e+00, 5.000000e-01]>
// CHECK-DAG: llvm.mlir.global private constant @trireme_manifest("{\22abi\22:1}")
// CHECK: llvm.func internal @train(%[[CONTEXT:.*]]: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr)
// CHECK: %[[BUFFERS:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK: %[[BYTES:.*]] = llvm.mul %[[INDEX]]
// CHECK: %[[LAYER:.*]] = llvm.getelementptr %[[ARENA]][%[[BYTES]]]
// CHECK: %[[A:.*]] = llvm.getelementptr %[[LAYER]][
// CHECK: %[[NULL:.*]] = llvm.mlir.zero
// CHECK: llvm.call @trireme_gemm(%[[CONTEXT]], %{{.*}}, %[[A]], %[[B:.*]], %[[NULL]], %[[A]])
// CHECK: llvm.store %[[A]], %{{.*}}
// CHECK: %[[KERNEL:.*]] = llvm.mlir.addressof @copy
// CHECK: llvm.call @trireme_launch(%[[CONTEXT]], %{{.*}}, %[[KERNEL]], %[[BUFFERS]], %{{.*}}, %{{.*}})
// CHECK: llvm.call @trireme_attention_forward(%[[CONTEXT]], %{{.*}}, %{{.*}}, %[[A]]
// CHECK: %[[CONSTANTS:.*]] = llvm.mlir.addressof @trireme_constants_0
// CHECK: llvm.call @trireme_rotary_table(%[[CONTEXT]], %[[A]], %[[CONSTANTS]], %[[B]], %{{.*}}, %{{.*}})
// CHECK: llvm.mlir.global external constant @trireme_compiled_program()
// CHECK-SAME: !llvm.struct<(i32, i32, ptr, i64, ptr, ptr)>
// CHECK: llvm.mlir.addressof @train
// CHECK: llvm.mlir.addressof @evaluate

// The pipeline leaves nothing but the LLVM dialect.
// ALL: llvm.func internal @train
// ALL-NOT: {{(scf|arith|func|runtime|unrealized)[._]}}
module attributes {runtime.manifest = "{\22abi\22:1}"} {
  llvm.func internal @copy(%buffers: !llvm.ptr, %begin: i64, %end: i64) {
    llvm.return
  }
  func.func @train(%context: !llvm.ptr, %arena: !llvm.ptr) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %a = runtime.buffer %arena at 4096 by (%i) strides [65536]
      %b = runtime.buffer %arena at 0 strides []
      runtime.gemm %context, 3 (%a, %b) to %a
      runtime.launch %context, @copy, 1 (%a, %b) count 16 grain 4
      runtime.attention %context, 0 layer %i (%a, %b, %a, %b, %b) to %a, %b
      runtime.call "trireme_rotary_table", %context(%a, %b) [8, 2]
          constants [1.0, 0.5]
    }
    return
  }
  func.func @evaluate(%context: !llvm.ptr, %arena: !llvm.ptr) {
    return
  }
}

// -----

// expected-error @below {{has a manifest, but no function @train}}
module attributes {runtime.manifest = "{}"} {
}

// -----

// expected-error @below {{expected pointers and no result}}
func.func @indexed(%context: !llvm.ptr, %layer: index) {
  return
}

// -----

func.func @launches(%context: !llvm.ptr, %arena: !llvm.ptr) {
  // expected-error @below {{launches @missing, which is no function of the module}}
  runtime.launch %context, @missing, 1 (%arena) count 16 grain 4
  return
}

// -----

func.func @calls(%context: !llvm.ptr, %arena: !llvm.ptr) {
  runtime.call "trireme_zero", %context(%arena) [8]
  // expected-error @below {{calls "trireme_zero" as a function of type}}
  runtime.call "trireme_zero", %context(%arena) []
  return
}
