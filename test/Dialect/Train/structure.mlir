// RUN: trireme-opt %s | trireme-opt | FileCheck %s
// RUN: trireme-opt %s --mlir-print-op-generic | trireme-opt | FileCheck %s

// All parts of a loop are printed as they were written.
// CHECK-LABEL: func.func @loop
// CHECK: %[[LOOP:.*]]:2 = train.loop "layers" count 4 first 2 reverse carry(%[[CARRY:.*]] = %{{.*}} : tensor<8xf32>) each(%[[EACH:.*]] = %{{.*}} : tensor<4x8xf32>, %{{.*}} = %{{.*}} : tensor<4xi32>) with(%[[WITH:.*]] = %{{.*}} : tensor<8xf32>) stacked(tensor<4x8xf32>) {
// CHECK:   %[[SUM:.*]] = train.add %[[CARRY]], %[[EACH]] : tensor<8xf32>
// CHECK:   train.yield carry(%[[SUM]] : tensor<8xf32>) stacked(%[[WITH]] : tensor<8xf32>)
// CHECK: return %[[LOOP]]#0, %[[LOOP]]#1
func.func @loop(%x0: tensor<8xf32>, %e: tensor<4x8xf32>, %i: tensor<4xi32>, %w: tensor<8xf32>) -> (tensor<8xf32>, tensor<4x8xf32>) {
  %0:2 = train.loop "layers" count 4 first 2 reverse carry(%x = %x0 : tensor<8xf32>) each(%s = %e : tensor<4x8xf32>, %j = %i : tensor<4xi32>) with(%v = %w : tensor<8xf32>) stacked(tensor<4x8xf32>) {
    %1 = train.add %x, %s : tensor<8xf32>
    train.yield carry(%1 : tensor<8xf32>) stacked(%v : tensor<8xf32>)
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<4x8xf32>
}

// A loop may have stacked results only, and none at all; attributes that are
// not its own follow "attributes".
// CHECK-LABEL: func.func @loop_parts
// CHECK: train.loop "chunks" count 2 each(%[[EACH:.*]] = %{{.*}} : tensor<2xf32>) stacked(tensor<2xf32>) attributes {note = 1 : i64} {
// CHECK:   train.yield stacked(%[[EACH]] : tensor<f32>)
// CHECK: train.loop "ring" count 1 {
// CHECK-NEXT: train.yield
func.func @loop_parts(%e: tensor<2xf32>) -> tensor<2xf32> {
  %0 = train.loop "chunks" count 2 each(%s = %e : tensor<2xf32>) stacked(tensor<2xf32>) attributes {note = 1 : i64} {
    train.yield stacked(%s : tensor<f32>)
  }
  train.loop "ring" count 1 {
    train.yield
  }
  return %0 : tensor<2xf32>
}

// A body keeps its own names for what comes in, nested loops too.
// CHECK-LABEL: func.func @nested
// CHECK: train.loop "micro_batches" count 3 with(%[[OUTER:.*]] = %{{.*}} : tensor<2x4xf32>) stacked(tensor<3x2x4xf32>)
// CHECK:   train.loop "layers" count 2 each(%[[INNER:.*]] = %[[OUTER]] : tensor<2x4xf32>) stacked(tensor<2x4xf32>)
// CHECK:     train.yield stacked(%[[INNER]] : tensor<4xf32>)
func.func @nested(%x: tensor<2x4xf32>) -> tensor<3x2x4xf32> {
  %0 = train.loop "micro_batches" count 3 with(%w = %x : tensor<2x4xf32>) stacked(tensor<3x2x4xf32>) {
    %1 = train.loop "layers" count 2 each(%s = %w : tensor<2x4xf32>) stacked(tensor<2x4xf32>) {
      train.yield stacked(%s : tensor<4xf32>)
    }
    train.yield stacked(%1 : tensor<2x4xf32>)
  }
  return %0 : tensor<3x2x4xf32>
}

// CHECK-LABEL: func.func @shapes
// CHECK: train.fill 0.000000e+00 : tensor<4x8xf32>
// CHECK: train.fill 1.000000e+00 : tensor<i32>
// CHECK: train.reshape %{{.*}} : tensor<4x6xf32> -> tensor<2x12xf32>
// CHECK: %[[SLICES:.*]]:3 = train.unstack %{{.*}} dim 1 : tensor<4x3x2xf32>
// CHECK: train.stack %[[SLICES]]#0, %[[SLICES]]#1 dim 2 : tensor<4x2xf32>, tensor<4x2xf32>
func.func @shapes(%x: tensor<4x6xf32>) -> (tensor<2x12xf32>, tensor<4x2x2xf32>, tensor<4x8xf32>, tensor<i32>) {
  %zero = train.fill 0.000000e+00 : tensor<4x8xf32>
  %one = train.fill 1.000000e+00 : tensor<i32>
  %flat = train.reshape %x : tensor<4x6xf32> -> tensor<2x12xf32>
  %three = train.reshape %x : tensor<4x6xf32> -> tensor<4x3x2xf32>
  %s:3 = train.unstack %three dim 1 : tensor<4x3x2xf32>
  %stack = train.stack %s#0, %s#1 dim 2 : tensor<4x2xf32>, tensor<4x2xf32>
  return %flat, %stack, %zero, %one : tensor<2x12xf32>, tensor<4x2x2xf32>, tensor<4x8xf32>, tensor<i32>
}
