// RUN: trireme-opt %s --trireme-verify-stage="stage=runtime" --split-input-file --verify-diagnostics
// RUN: not trireme-opt %s --trireme-verify-stage="stage=none" --split-input-file 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: unknown stage "none"

// expected-error @below {{has no 'runtime.manifest'}}
module {}

// -----

// expected-error @below {{has no function @train}}
module attributes {runtime.manifest = "{}"} {}

// -----

module attributes {runtime.manifest = "{}"} {
  func.func @train() {
    // expected-error @below {{still makes a tensor, of type 'tensor<f32>'}}
    %0 = train.fill 0.0 : tensor<f32>
    return
  }
  func.func @evaluate() { return }
}
