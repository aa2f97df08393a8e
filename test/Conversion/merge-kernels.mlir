// RUN: trireme-opt %s --runtime-merge-kernels | FileCheck %s

#full = #train<row_kind full>
#sum = #train<row_kind sum>

// The number of rows and the grain do not matter.

// CHECK: runtime.kernel @double rows 8
// CHECK-NOT: runtime.kernel @double_1
runtime.kernel @double rows 8 columns 1 grain 8 flat in [#full] [f32]
    out [#full] [f32] {
^bb0(%x: f32):
  %0 = arith.addf %x, %x : f32
  train.rows_yield %0 : f32
}
runtime.kernel @double_1 rows 64 columns 1 grain 16 flat in [#full] [f32]
    out [#full] [f32] {
^bb0(%x: f32):
  %0 = arith.addf %x, %x : f32
  train.rows_yield %0 : f32
}

// Another body, and another grain where there are partial sums, do.

// CHECK: runtime.kernel @square
// CHECK: runtime.kernel @sum rows
// CHECK: runtime.kernel @sum_1
runtime.kernel @square rows 64 columns 1 grain 8 flat in [#full] [f32]
    out [#full] [f32] {
^bb0(%x: f32):
  %0 = arith.mulf %x, %x : f32
  train.rows_yield %0 : f32
}
runtime.kernel @sum rows 64 columns 1 grain 8 flat in [#full] [f32]
    out [#sum] [f32] {
^bb0(%x: f32):
  train.rows_yield %x : f32
}
runtime.kernel @sum_1 rows 64 columns 1 grain 16 flat in [#full] [f32]
    out [#sum] [f32] {
^bb0(%x: f32):
  train.rows_yield %x : f32
}

// CHECK: runtime.launch %{{.*}}, @double, 0
// CHECK: runtime.launch %{{.*}}, @double, 1
func.func @train(%context: !llvm.ptr, %arena: !llvm.ptr) {
  runtime.launch %context, @double, 0 (%arena, %arena) count 8 grain 8
  runtime.launch %context, @double_1, 1 (%arena, %arena) count 64 grain 16
  return
}
