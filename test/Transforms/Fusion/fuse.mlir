// RUN: trireme-opt %s --train-form-rows --train-fuse --split-input-file | FileCheck %s
// RUN: trireme-opt %s --train-form-rows --train-fuse="max-operands=3" --split-input-file | FileCheck %s --check-prefix=SMALL

// A value that only the next kernel reads stays in registers.
// CHECK-LABEL: func.func @chain
// CHECK: train.rows "silu_mul" rows 32 columns 1 flat in(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32>) {{.*}} out(tensor<4x8xf32>)
// CHECK-NOT: train.rows "
// SMALL-LABEL: func.func @chain
// SMALL: train.rows "silu"
// SMALL: train.rows "mul"
func.func @chain(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = train.silu %x : tensor<4x8xf32>
  %1 = train.mul %0, %y : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// A value that others read too is a result of the merged kernel.
// CHECK-LABEL: func.func @shared
// CHECK: %[[K:.*]]:2 = train.rows "silu_relu" {{.*}} out(tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK: return %[[K]]#0, %[[K]]#1
func.func @shared(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = train.silu %x : tensor<4x8xf32>
  %1 = train.relu %0 : tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Two kernels that read one tensor read it once.
// CHECK-LABEL: func.func @siblings
// CHECK: train.rows "silu_relu" {{.*}} in(%{{.*}} : tensor<4x8xf32>) {{.*}} out(tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK-NOT: train.rows "
func.func @siblings(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = train.silu %x : tensor<4x8xf32>
  %1 = train.relu %x : tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A flat kernel takes the rows of the other one.
// CHECK-LABEL: func.func @norm
// CHECK: train.rows "add_rms_norm" rows 4 columns 8 in(
// CHECK-NOT: train.rows "
func.func @norm(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %g: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = train.add %x, %y : tensor<4x8xf32>
  %1, %2 = train.rms_norm %0, %g eps 1.0e-05 : tensor<4x8xf32>, tensor<8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A sum over rows is there only when all rows are done: its reader waits.
// CHECK-LABEL: func.func @sum
// CHECK: train.rows "sum_leading"
// CHECK: train.rows "relu"
func.func @sum(%x: tensor<1x8xf32>) -> tensor<8xf32> {
  %0 = train.sum_leading %x dims 1 : tensor<1x8xf32>
  %1 = train.relu %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Other rows, no fusion.
// CHECK-LABEL: func.func @spaces
// CHECK: train.rows "rms_norm"
// CHECK: train.rows "rms_norm"
func.func @spaces(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %h: tensor<16xf32>) -> (tensor<4x8xf32>, tensor<2x16xf32>) {
  %0, %1 = train.rms_norm %x, %g eps 1.0e-05 : tensor<4x8xf32>, tensor<8xf32>
  %2 = train.reshape %0 : tensor<4x8xf32> -> tensor<2x16xf32>
  %3, %4 = train.rms_norm %2, %h eps 1.0e-05 : tensor<2x16xf32>, tensor<16xf32>
  return %0, %3 : tensor<4x8xf32>, tensor<2x16xf32>
}

// -----

// Nothing moves past a product that stands between and needs the first's
// result.
// CHECK-LABEL: func.func @between
// CHECK: train.rows "relu"
// CHECK: train.linear
// CHECK: train.rows "add"
func.func @between(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = train.relu %x : tensor<4x4xf32>
  %1 = train.linear %0, %0 contract 1 : tensor<4x4xf32>, tensor<4x4xf32>
  %2 = train.add %0, %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// What is updated in place is a kernel of its own.
// CHECK-LABEL: func.func @update
// CHECK: train.rows "scale"
// CHECK: train.rows "adamw"
func.func @update(%p: tensor<4xf32>, %g: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %f: tensor<f32>, %a: tensor<i1>, %h: tensor<f64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %s = train.scale %g by 2.0 : tensor<4xf32>
  %0, %1, %2 = train.adamw %p, %s, %m, %v factor %f apply %a lr %h betas %h, %h eps %h weight_decay %h step %h : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A kernel of one element a row runs along with the rows that it reads from;
// its sum over the rows does not.
// CHECK-LABEL: func.func @per_row
// CHECK: %[[K:.*]]:2 = train.rows "row_max_row_exp_sum_row_loss" rows 4 columns 8 in(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<i32>, tensor<4xi32>) [#train<row_kind full>, #train<row_kind scalar>, #train<row_kind row>] out(tensor<4xf32>, tensor<4xf32>) [#train<row_kind row>, #train<row_kind row>]
// CHECK: train.rows "sum" rows 4 columns 1 flat in(%[[K]]#0
func.func @per_row(%x: tensor<4x8xf32>, %t: tensor<4xi32>, %s: tensor<i32>) -> (tensor<f32>, tensor<4xf32>) {
  %0 = train.row_max %x start %s : tensor<4x8xf32>, tensor<i32>
  %1 = train.row_exp_sum %x, %0 start %s : tensor<4x8xf32>, tensor<4xf32>, tensor<i32>
  %2, %3 = train.row_loss %0, %1, %0, %t : tensor<4xf32>, tensor<4xi32>
  %4 = train.sum %2 : tensor<4xf32>
  return %4, %3 : tensor<f32>, tensor<4xf32>
}
