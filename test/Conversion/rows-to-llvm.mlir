// RUN: trireme-opt %s --convert-rows-to-llvm --split-input-file \
// RUN:   --verify-diagnostics | FileCheck %s
// RUN: trireme-opt %s --convert-rows-to-llvm="vector-bytes=64" \
// RUN:   --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=WIDE

#full = #train<row_kind full>
#row = #train<row_kind row>
#column = #train<row_kind column>

// A reduction makes two passes: the first keeps accumulators, the second loads
// again and stores; the columns that are left are masked.

// CHECK-LABEL: llvm.func internal @normalize
// CHECK-SAME: frame_pointer = #llvm.framePointerKind<none>
// CHECK-SAME: "min-legal-vector-width", "256"
// CHECK-SAME: prefer_vector_width = "256"
// CHECK: scf.for
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-NOT: llvm.store
// CHECK: llvm.intr.masked.load
// CHECK: arith.select
// CHECK: vector.shuffle
// CHECK: math.rsqrt %{{.*}} : f32
// CHECK: scf.for
// CHECK: llvm.load {{.*}} -> vector<8xf32>
// CHECK: llvm.store {{.*}} : vector<8xf32>, !llvm.ptr
// CHECK: llvm.intr.masked.store
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr
// WIDE-LABEL: llvm.func internal @normalize
// WIDE-SAME: prefer_vector_width = "512"
// WIDE: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
runtime.kernel @normalize rows 8 columns 71 grain 4
    in [#full, #column] [f32, f32] out [#full, #row] [f32, f32] {
^bb0(%x: f32, %gain: f32):
  %0 = arith.mulf %x, %x : f32
  %1 = train.reduce sum %0 : f32
  %2 = math.rsqrt %1 : f32
  %3 = arith.mulf %x, %2 : f32
  %4 = arith.mulf %3, %gain : f32
  train.rows_yield %4, %2 : f32, f32
}

// -----

#full = #train<row_kind full>
#scalar = #train<row_kind scalar>

// What depends on scalars alone is computed before the loop; truth values are
// bytes in memory.

// CHECK-LABEL: llvm.func internal @update
// CHECK: llvm.load %{{.*}} -> f64
// CHECK: llvm.load %{{.*}} -> i8
// CHECK: math.powf %{{.*}} : f64
// CHECK: arith.truncf
// CHECK: scf.for
// CHECK-NOT: math.powf
// CHECK: arith.mulf %{{.*}} : vector<8xf32>
runtime.kernel @update rows 4096 columns 1 grain 1024 flat
    in [#full, #scalar, #scalar] [f32, f64, i1] out [#full] [f32] {
^bb0(%x: f32, %rate: f64, %apply: i1):
  %0 = math.powf %rate, %rate : f64
  %1 = arith.truncf %0 : f64 to f32
  %2 = arith.mulf %x, %1 : f32
  %3 = arith.select %apply, %2, %x : f32
  train.rows_yield %3 : f32
}

// -----

#full = #train<row_kind full>
#column_sum = #train<row_kind column_sum>
#sum = #train<row_kind sum>

// Sums over rows go to the partial sums of each block.

// CHECK-LABEL: llvm.func internal @sums
// CHECK: scf.for {{.*}} step %[[GRAIN:.*]] : i64
// CHECK: arith.divsi %{{.*}}, %[[GRAIN]]
// CHECK: llvm.intr.memset
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.addf
// CHECK: llvm.store {{.*}} : vector<8xf32>
// CHECK: vector.extract
// CHECK: llvm.store {{.*}} : f32
runtime.kernel @sums rows 8 columns 32 grain 4 in [#full] [f32]
    out [#column_sum, #sum] [f32, f32] {
^bb0(%x: f32):
  train.rows_yield %x, %x : f32, f32
}

// -----

#full = #train<row_kind full>

// expected-error @below {{has elements of type 'f16', expected f32, f64, i32 or i1}}
runtime.kernel @half rows 8 columns 32 grain 4 in [#full] [f16]
    out [#full] [f16] {
^bb0(%x: f16):
  train.rows_yield %x : f16
}

// -----

#full = #train<row_kind full>
#row = #train<row_kind row>

// expected-error @below {{result 0 is row, but its value varies within it}}
runtime.kernel @varies rows 8 columns 32 grain 4 in [#full] [f32]
    out [#row] [f32] {
^bb0(%x: f32):
  train.rows_yield %x : f32
}

// -----

#full = #train<row_kind full>

// expected-error @below {{is flat, but has a reduction along rows}}
runtime.kernel @flat rows 8 columns 1 grain 4 flat in [#full] [f32]
    out [#full] [f32] {
^bb0(%x: f32):
  %0 = train.reduce sum %x : f32
  train.rows_yield %0 : f32
}

// -----

#sum = #train<row_kind sum>
#full = #train<row_kind full>

// expected-error @below {{result 0 sums elements of type 'f64', expected f32}}
runtime.kernel @double rows 8 columns 1 grain 4 flat in [#full] [f64]
    out [#sum] [f64] {
^bb0(%x: f64):
  train.rows_yield %x : f64
}
