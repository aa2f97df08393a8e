// RUN: trireme-opt %s --train-pad-vocabulary="multiple=8" --split-input-file | FileCheck %s
// RUN: trireme-opt %s --train-pad-vocabulary="multiple=8" --train-pad-vocabulary="multiple=10" --split-input-file | FileCheck %s --check-prefix=AGAIN

// A tied table is padded once; a table of positions is none of a vocabulary.
// Through a loop the weight has its new type too.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: tensor<56x8xf32> {train.param = #train.param<"wte.weight", [50, 8], normal 1.000000e+00 : f64>
// CHECK-SAME: tensor<30x8xf32> {train.param = #train.param<"wpe.weight", [30, 8], normal 1.000000e+00 : f64>
// CHECK: train.embedding %{{.*}} : tensor<56x8xf32>
// CHECK: train.embedding %{{.*}} : tensor<30x8xf32>
// CHECK: train.loop "chunks" count 2
// CHECK: train.cross_entropy_head %{{.*}} {valid = 50 : i64} : tensor<2x4x8xf32>, tensor<56x8xf32>
// A size that divides needs no pad; what was padded is padded anew.
// AGAIN-LABEL: func.func @forward
// AGAIN-SAME: tensor<50x8xf32> {train.param = #train.param<"wte.weight"
// AGAIN-NOT: valid
func.func @forward(%ids: tensor<2x4xi32> {train.role = #train.role<tokens>}, %t: tensor<2x4xi32> {train.role = #train.role<targets>}, %p: tensor<2x4xi32> {train.role = #train.role<positions>}, %w: tensor<50x8xf32> {train.role = #train.role<parameter>, train.param = #train.param<"wte.weight", [50, 8], normal 1.0>}, %wp: tensor<30x8xf32> {train.role = #train.role<parameter>, train.param = #train.param<"wpe.weight", [30, 8], normal 1.0>}) -> (tensor<f32>, tensor<f32>) {
  %start = train.fill 0.0 : tensor<i32>
  %0 = train.embedding %w, %ids start %start : tensor<50x8xf32>, tensor<2x4xi32>, tensor<i32>
  %1 = train.embedding %wp, %p start %start : tensor<30x8xf32>, tensor<2x4xi32>, tensor<i32>
  %h = train.add %0, %1 : tensor<2x4x8xf32>
  %zero = train.fill 0.0 : tensor<f32>
  %sum, %count = train.loop "chunks" count 2 carry(%a = %zero : tensor<f32>, %b = %zero : tensor<f32>) with(%hi = %h : tensor<2x4x8xf32>, %wi = %w : tensor<50x8xf32>, %ti = %t : tensor<2x4xi32>, %si = %start : tensor<i32>) {
    %2, %3 = train.cross_entropy_head %hi, %wi targets %ti start %si : tensor<2x4x8xf32>, tensor<50x8xf32>, tensor<2x4xi32>, tensor<i32>
    train.yield carry(%2, %3 : tensor<f32>, tensor<f32>)
  }
  return %sum, %count : tensor<f32>, tensor<f32>
}
