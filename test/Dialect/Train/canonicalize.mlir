// RUN: trireme-opt %s --canonicalize --split-input-file | FileCheck %s

// Adding zeros changes nothing, on either side.
// CHECK-LABEL: func.func @add_zero
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK-NEXT: return %[[X]], %[[Y]]
func.func @add_zero(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = train.fill 0.0 : tensor<4xf32>
  %0 = train.add %x, %zero : tensor<4xf32>
  %1 = train.add %zero, %y : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Another constant is added, and a product with zeros stays: it may be no
// number.
// CHECK-LABEL: func.func @not_zero
// CHECK: train.add
// CHECK: train.mul
func.func @not_zero(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %one = train.fill 1.0 : tensor<4xf32>
  %zero = train.fill 0.0 : tensor<4xf32>
  %0 = train.add %x, %one : tensor<4xf32>
  %1 = train.mul %x, %zero : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A reshape to the type that is there already goes; others stay.
// CHECK-LABEL: func.func @reshape
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[R:.*]] = train.reshape %[[X]] : tensor<4xf32> -> tensor<2x2xf32>
// CHECK-NEXT: return %[[X]], %[[R]]
func.func @reshape(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>) {
  %0 = train.reshape %x : tensor<4xf32> -> tensor<4xf32>
  %1 = train.reshape %0 : tensor<4xf32> -> tensor<2x2xf32>
  return %0, %1 : tensor<4xf32>, tensor<2x2xf32>
}

// -----

// What nobody reads goes, a loop without effect included.
// CHECK-LABEL: func.func @dead
// CHECK-NEXT: return
func.func @dead(%x: tensor<4xf32>) {
  %0 = train.relu %x : tensor<4xf32>
  %1 = train.loop "layers" count 2 carry(%c = %0 : tensor<4xf32>) {
    train.yield carry(%c : tensor<4xf32>)
  }
  return
}
