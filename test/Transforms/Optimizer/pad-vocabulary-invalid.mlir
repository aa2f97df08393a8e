// RUN: trireme-opt %s --train-pad-vocabulary="multiple=8" --split-input-file --verify-diagnostics
// RUN: not trireme-opt %s --train-pad-vocabulary="multiple=0" --split-input-file 2>&1 | FileCheck %s --check-prefix=MULTIPLE

// MULTIPLE: option multiple is 0, expected at least 1

// expected-error @below {{has no function @forward of one block}}
module {}

// -----

// A weight that is computed cannot be longer.
func.func @forward(%h: tensor<2x8xf32>, %t: tensor<2xi32>, %w: tensor<8x50xf32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [8, 50], normal 1.0>}) -> (tensor<f32>, tensor<f32>) {
  %start = train.fill 0.0 : tensor<i32>
  %0 = train.reshape %w : tensor<8x50xf32> -> tensor<50x8xf32>
  // expected-error @below {{needs 50 rows that are no multiple of 8, but only the first dim of a parameter can be padded}}
  %sum, %count = train.cross_entropy_head %h, %0 targets %t start %start : tensor<2x8xf32>, tensor<50x8xf32>, tensor<2xi32>, tensor<i32>
  return %sum, %count : tensor<f32>, tensor<f32>
}
