// RUN: trireme-opt %s --trireme-verify-stage --split-input-file --verify-diagnostics

// expected-error @below {{has no function @evaluate}}
module {
  func.func @train() { return }
}

// -----

// expected-error @below {{result 0 has no 'train.result'}}
func.func @train(%x: tensor<f32> {train.role = #train.role<seed>}) -> tensor<f32> { return %x : tensor<f32> }
func.func @evaluate() { return }

// -----

// expected-error @below {{does not return "parameter:w"}}
func.func @train(%x: tensor<f32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [1], normal 1.0>}) -> (tensor<f32> {train.result = "loss"}) { return %x : tensor<f32> }
func.func @evaluate() { return }
