// RUN: trireme-opt %s --train-accumulate-in-place --split-input-file | FileCheck %s

// The sum of products becomes one product with an accumulator.
// CHECK-LABEL: func.func @product
// CHECK: train.loop "micro_batches" count 4 carry(%[[ACC:.*]] = %{{.*}} : tensor<4x4xf32>) each(%[[X:.*]] =
// CHECK-NEXT: %[[SUM:.*]] = train.linear %[[X]], %[[X]] contract 1 lhs_transposed accumulate %[[ACC]]
// CHECK-NEXT: train.yield carry(%[[SUM]]
func.func @product(%x: tensor<4x2x4xf32>) -> tensor<4x4xf32> {
  %zero = train.fill 0.0 : tensor<4x4xf32>
  %0 = train.loop "micro_batches" count 4 carry(%acc = %zero : tensor<4x4xf32>) each(%s = %x : tensor<4x2x4xf32>) {
    %1 = train.linear %s, %s contract 1 lhs_transposed : tensor<2x4xf32>, tensor<2x4xf32>
    %2 = train.add %acc, %1 : tensor<4x4xf32>
    train.yield carry(%2 : tensor<4x4xf32>)
  }
  return %0 : tensor<4x4xf32>
}

// -----

// Through a reshape and a sum of two products: each adds to what is there.
// CHECK-LABEL: func.func @chain
// CHECK: carry(%[[ACC:.*]] = %{{.*}} : tensor<16xf32>)
// CHECK-NEXT: %[[FLAT:.*]] = train.reshape %[[ACC]] : tensor<16xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[ONE:.*]] = train.linear {{.*}} accumulate %[[FLAT]]
// CHECK-NEXT: %[[TWO:.*]] = train.linear {{.*}} accumulate %[[ONE]]
// CHECK: %[[BACK:.*]] = train.reshape %[[TWO]] : tensor<4x4xf32> -> tensor<16xf32>
// CHECK: train.yield carry(%[[BACK]]
func.func @chain(%x: tensor<4x2x4xf32>) -> tensor<16xf32> {
  %zero = train.fill 0.0 : tensor<16xf32>
  %0 = train.loop "micro_batches" count 4 carry(%acc = %zero : tensor<16xf32>) each(%s = %x : tensor<4x2x4xf32>) {
    %1 = train.linear %s, %s contract 1 lhs_transposed : tensor<2x4xf32>, tensor<2x4xf32>
    %2 = train.linear %s, %s contract 1 lhs_transposed : tensor<2x4xf32>, tensor<2x4xf32>
    %3 = train.add %1, %2 : tensor<4x4xf32>
    %4 = train.reshape %3 : tensor<4x4xf32> -> tensor<16xf32>
    %5 = train.add %4, %acc : tensor<16xf32>
    train.yield carry(%5 : tensor<16xf32>)
  }
  return %0 : tensor<16xf32>
}

// -----

// Into a loop: a stacked gradient takes its accumulator as slices, a summed one
// as the start of its carry.
// CHECK-LABEL: func.func @loop
// CHECK: train.loop "micro_batches" count 4 carry(%[[STACK:.*]] = %{{.*}} : tensor<3x4x4xf32>, %[[SUM:.*]] = %{{.*}} : tensor<4x4xf32>)
// CHECK: train.loop "layers" count 3 reverse carry(%[[CARRY:.*]] = %[[SUM]] : tensor<4x4xf32>) each(%[[SLICE:.*]] = %[[STACK]] : tensor<3x4x4xf32>) with(%{{.*}} = %{{.*}} : tensor<2x4xf32>) stacked(tensor<3x4x4xf32>)
// CHECK: %[[PRODUCT:.*]] = train.linear
// CHECK: train.add %[[CARRY]], %[[PRODUCT]]
// CHECK: train.linear {{.*}} accumulate %[[SLICE]]
// CHECK-NOT: train.add
// CHECK: return
func.func @loop(%x: tensor<4x2x4xf32>) -> (tensor<3x4x4xf32>, tensor<4x4xf32>) {
  %stack = train.fill 0.0 : tensor<3x4x4xf32>
  %zero = train.fill 0.0 : tensor<4x4xf32>
  %0:2 = train.loop "micro_batches" count 4 carry(%a = %stack : tensor<3x4x4xf32>, %b = %zero : tensor<4x4xf32>) each(%s = %x : tensor<4x2x4xf32>) {
    %start = train.fill 0.0 : tensor<4x4xf32>
    %1:2 = train.loop "layers" count 3 reverse carry(%c = %start : tensor<4x4xf32>) with(%w = %s : tensor<2x4xf32>) stacked(tensor<3x4x4xf32>) {
      %2 = train.linear %w, %w contract 1 lhs_transposed : tensor<2x4xf32>, tensor<2x4xf32>
      %3 = train.add %c, %2 : tensor<4x4xf32>
      %4 = train.linear %w, %w contract 1 lhs_transposed : tensor<2x4xf32>, tensor<2x4xf32>
      train.yield carry(%3 : tensor<4x4xf32>) stacked(%4 : tensor<4x4xf32>)
    }
    %5 = train.add %a, %1#1 : tensor<3x4x4xf32>
    %6 = train.add %b, %1#0 : tensor<4x4xf32>
    train.yield carry(%5, %6 : tensor<3x4x4xf32>, tensor<4x4xf32>)
  }
  return %0#0, %0#1 : tensor<3x4x4xf32>, tensor<4x4xf32>
}

// -----

// What has another use, or does not accumulate, stays an addition.
// CHECK-LABEL: func.func @kept
// CHECK: %[[P:.*]] = train.linear
// CHECK-NOT: accumulate
// CHECK: train.add %{{.*}}, %[[P]]
// CHECK: %[[R:.*]] = train.relu
// CHECK: train.add %{{.*}}, %[[R]]
func.func @kept(%x: tensor<4x2x4xf32>) -> (tensor<4x4xf32>, tensor<2x4xf32>, tensor<4x4x4xf32>) {
  %zero = train.fill 0.0 : tensor<4x4xf32>
  %flat = train.fill 0.0 : tensor<2x4xf32>
  %0:3 = train.loop "micro_batches" count 4 carry(%a = %zero : tensor<4x4xf32>, %b = %flat : tensor<2x4xf32>) each(%s = %x : tensor<4x2x4xf32>) stacked(tensor<4x4x4xf32>) {
    %1 = train.linear %s, %s contract 1 lhs_transposed : tensor<2x4xf32>, tensor<2x4xf32>
    %2 = train.add %a, %1 : tensor<4x4xf32>
    %3 = train.relu %s : tensor<2x4xf32>
    %4 = train.add %b, %3 : tensor<2x4xf32>
    train.yield carry(%2, %4 : tensor<4x4xf32>, tensor<2x4xf32>) stacked(%1 : tensor<4x4xf32>)
  }
  return %0#0, %0#1, %0#2 : tensor<4x4xf32>, tensor<2x4xf32>, tensor<4x4x4xf32>
}

// -----

// Only micro-batches have accumulators: a carry of another loop stays as it is.
// CHECK-LABEL: func.func @layers
// CHECK-NOT: accumulate
func.func @layers(%x: tensor<4x2x4xf32>) -> tensor<4x4xf32> {
  %zero = train.fill 0.0 : tensor<4x4xf32>
  %0 = train.loop "layers" count 4 carry(%acc = %zero : tensor<4x4xf32>) each(%s = %x : tensor<4x2x4xf32>) {
    %1 = train.linear %s, %s contract 1 lhs_transposed : tensor<2x4xf32>, tensor<2x4xf32>
    %2 = train.add %acc, %1 : tensor<4x4xf32>
    train.yield carry(%2 : tensor<4x4xf32>)
  }
  return %0 : tensor<4x4xf32>
}
