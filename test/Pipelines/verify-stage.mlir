// RUN: trireme-opt %s --trireme-verify-stage="stage=forward" --split-input-file --verify-diagnostics

// expected-error @below {{has no function @forward}}
module {
  func.func private @forward()
}

// -----

// expected-error @below {{argument 0 has no 'train.role'}}
func.func @forward(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) { return %x, %x : tensor<f32>, tensor<f32> }

// -----

// expected-error @below {{returns 1 values, expected the loss sum and the count of targets}}
func.func @forward(%x: tensor<f32> {train.role = #train.role<seed>}) -> tensor<f32> { return %x : tensor<f32> }

// -----

// A forward stage as it should be.
func.func @forward(%x: tensor<f32> {train.role = #train.role<seed>}) -> (tensor<f32>, tensor<f32>) { return %x, %x : tensor<f32>, tensor<f32> }
