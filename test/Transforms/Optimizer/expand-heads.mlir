// RUN: trireme-opt %s --train-expand-heads="max-logits=200 min-rows=1" --split-input-file | FileCheck %s
// RUN: trireme-opt %s --train-expand-heads="max-logits=200 min-rows=4" --split-input-file | FileCheck %s --check-prefix=ROWS
// RUN: trireme-opt %s --train-expand-heads --split-input-file | FileCheck %s --check-prefix=WHOLE

// 12 rows of 50 logits in chunks of at most 200: 3 chunks of 4 rows. The sum is
// a carry, the gradient of hidden comes out in slices, that of the weight adds
// up in a product with an accumulator.
// CHECK-LABEL: func.func @gradient
// CHECK-SAME: (%[[H:.*]]: tensor<2x6x8xf32>, %[[W:.*]]: tensor<50x8xf32>, %[[T:.*]]: tensor<2x6xi32>, %[[START:.*]]: tensor<i32>, %[[SEED:.*]]: tensor<f32>)
// CHECK-DAG: %[[HC:.*]] = train.chunk %[[H]] leading 2 chunks 3 blocks [1, 1] : tensor<2x6x8xf32>
// CHECK-DAG: %[[TC:.*]] = train.chunk %[[T]] leading 2 chunks 3 blocks [1, 1] : tensor<2x6xi32>
// CHECK: %[[LOOP:.*]]:3 = train.loop "chunks" count 3 carry(%[[SUM:.*]] = %{{.*}} : tensor<f32>, %[[DW:.*]] = %{{.*}} : tensor<50x8xf32>) each(%[[HS:.*]] = %[[HC]] : tensor<3x4x8xf32>, %[[TS:.*]] = %[[TC]] : tensor<3x4xi32>) with(%[[WI:.*]] = %[[W]] : tensor<50x8xf32>, %{{.*}} = %[[START]] : tensor<i32>, %[[SEEDI:.*]] = %[[SEED]] : tensor<f32>) stacked(tensor<3x4x8xf32>)
// CHECK:   %[[LOGITS:.*]] = train.linear %[[HS]], %[[WI]] contract 1 rhs_transposed
// CHECK-NOT: train.softcap
// CHECK:   %[[MAX:.*]] = train.row_max %[[LOGITS]]
// CHECK:   %[[EXPSUM:.*]] = train.row_exp_sum %[[LOGITS]], %[[MAX]]
// CHECK:   %[[PICKED:.*]] = train.pick %[[LOGITS]], %[[TS]]
// CHECK:   %[[ENTROPY:.*]]:2 = train.row_loss %[[MAX]], %[[EXPSUM]], %[[PICKED]], %[[TS]]
// CHECK:   %[[TOTAL:.*]] = train.sum %[[ENTROPY]]#0
// CHECK:   %[[NEXT:.*]] = train.add %[[SUM]], %[[TOTAL]]
// CHECK:   %[[DL:.*]] = train.cross_entropy_grad %[[LOGITS]], %[[TS]] start %{{.*}}, %[[ENTROPY]]#1 seed %[[SEEDI]]
// CHECK:   %[[DH:.*]] = train.linear %[[DL]], %[[WI]] contract 1 :
// CHECK:   %[[DWN:.*]] = train.linear %[[DL]], %[[HS]] contract 1 lhs_transposed accumulate %[[DW]]
// CHECK:   train.yield carry(%[[NEXT]], %[[DWN]] : tensor<f32>, tensor<50x8xf32>) stacked(%[[DH]] : tensor<4x8xf32>)
// CHECK: %[[BACK:.*]] = train.unchunk %[[LOOP]]#2 leading 2 chunks 3 blocks [1, 1] : tensor<3x4x8xf32> -> tensor<2x6x8xf32>
// CHECK: return %[[LOOP]]#0, %[[BACK]], %[[LOOP]]#1

// At least 4 rows fit the same bound.
// ROWS-LABEL: func.func @gradient
// ROWS: train.loop "chunks" count 3
// One chunk if all logits are few.
// WHOLE-LABEL: func.func @gradient
// WHOLE: train.loop "chunks" count 1
func.func @gradient(%h: tensor<2x6x8xf32>, %w: tensor<50x8xf32>, %t: tensor<2x6xi32>, %start: tensor<i32>, %seed: tensor<f32>) -> (tensor<f32>, tensor<2x6x8xf32>, tensor<50x8xf32>) {
  %0, %1, %2 = train.cross_entropy_head_grad %h, %w targets %t start %start seed %seed : tensor<2x6x8xf32>, tensor<50x8xf32>, tensor<2x6xi32>, tensor<i32>, tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<2x6x8xf32>, tensor<50x8xf32>
}

// -----

// Without gradients the targets are counted outside of the loop. The cap stands
// between product and loss.
// CHECK-LABEL: func.func @capped
// CHECK: train.loop "chunks" count 3
// CHECK:   %[[LOGITS:.*]] = train.linear
// CHECK:   %[[CAPPED:.*]] = train.softcap %[[LOGITS]] cap 3.000000e+01
// CHECK:   train.row_max %[[CAPPED]] start %{{.*}} {valid = 49 : i64}
// CHECK:   train.row_exp_sum %[[CAPPED]]{{.*}}{valid = 49 : i64}
// CHECK:   train.yield carry(%{{.*}} : tensor<f32>)
// CHECK: train.count_targets %{{.*}} : tensor<12xi32> -> tensor<f32>
func.func @capped(%h: tensor<12x8xf32>, %w: tensor<50x8xf32>, %t: tensor<12xi32>, %start: tensor<i32>) -> (tensor<f32>, tensor<f32>) {
  %0, %1 = train.cross_entropy_head %h, %w targets %t start %start {softcap = 30.0 : f64, valid = 49 : i64} : tensor<12x8xf32>, tensor<50x8xf32>, tensor<12xi32>, tensor<i32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

// 7 tokens have no divisor but 1 and 7: chunks of one row, unless rows are
// asked for.
// CHECK-LABEL: func.func @prime
// CHECK: train.loop "chunks" count 7
// ROWS-LABEL: func.func @prime
// ROWS: train.loop "chunks" count 1 
func.func @prime(%h: tensor<7x8xf32>, %w: tensor<50x8xf32>, %t: tensor<7xi32>, %start: tensor<i32>) -> tensor<f32> {
  %0, %1 = train.cross_entropy_head %h, %w targets %t start %start : tensor<7x8xf32>, tensor<50x8xf32>, tensor<7xi32>, tensor<i32>
  return %0 : tensor<f32>
}
