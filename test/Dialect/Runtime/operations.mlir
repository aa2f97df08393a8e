// RUN: trireme-opt %s | trireme-opt | FileCheck %s
// RUN: trireme-opt %s --mlir-print-op-generic | trireme-opt | FileCheck %s

// CHECK: runtime.kernel @double rows 8 columns 64 grain 8 in [#train<row_kind full>] [f32] out [#train<row_kind full>] [f32] {
// CHECK: ^bb0(%[[X:.*]]: f32):
// CHECK:   arith.addf %[[X]], %[[X]] : f32
runtime.kernel @double rows 8 columns 64 grain 8 in [#train<row_kind full>] [f32] out [#train<row_kind full>] [f32] {
^bb0(%x: f32):
  %0 = arith.addf %x, %x : f32
  train.rows_yield %0 : f32
}

// CHECK: runtime.kernel @flat rows 1 columns 1 grain 64 flat in [] [] out [] [] {
runtime.kernel @flat rows 1 columns 1 grain 64 flat in [] [] out [] [] {
  train.rows_yield
}

// CHECK-LABEL: func.func @calls
// CHECK-SAME: (%[[C:.*]]: !llvm.ptr, %[[A:.*]]: !llvm.ptr, %[[I:.*]]: index)
// CHECK: %[[X:.*]] = runtime.buffer %[[A]] at 4096 strides []
// CHECK: %[[Y:.*]] = runtime.buffer %[[A]] at 0 by(%[[I]], %[[I]]) strides [64, -128]
// CHECK: runtime.gemm %[[C]], 3(%[[X]], %[[Y]]) to %[[X]]
// CHECK: runtime.attention %[[C]], 0 layer %[[I]](%[[X]], %[[X]], %[[X]], %[[Y]], %[[Y]]) to %[[X]], %[[Y]]
// CHECK: runtime.attention_grad %[[C]], 0 layer %[[I]](%[[X]], %[[X]], %[[X]], %[[Y]], %[[Y]], %[[X]], %[[Y]], %[[X]]) to %[[X]], %[[X]], %[[Y]]
// CHECK: runtime.call "trireme_zero", %[[C]](%[[X]]) [256]
// CHECK: runtime.call "trireme_rotary_table", %[[C]](%[[X]], %[[Y]]) [4, 2] constants [1.000000e+00, 5.000000e-01]
// CHECK: runtime.launch %[[C]], @double, 1(%[[X]], %[[Y]]) count 64 grain 8
func.func @calls(%context: !llvm.ptr, %arena: !llvm.ptr, %i: index) {
  %x = runtime.buffer %arena at 4096 strides []
  %y = runtime.buffer %arena at 0 by (%i, %i) strides [64, -128]
  runtime.gemm %context, 3(%x, %y) to %x
  runtime.attention %context, 0 layer %i(%x, %x, %x, %y, %y) to %x, %y
  runtime.attention_grad %context, 0 layer %i(%x, %x, %x, %y, %y, %x, %y, %x) to %x, %x, %y
  runtime.call "trireme_zero", %context(%x) [256]
  runtime.call "trireme_rotary_table", %context(%x, %y) [4, 2] constants [1.0, 0.5]
  runtime.launch %context, @double, 1(%x, %y) count 64 grain 8
  return
}
