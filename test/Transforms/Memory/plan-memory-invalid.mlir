// RUN: trireme-opt %s --train-plan-memory --split-input-file --verify-diagnostics
// RUN: not trireme-opt %s --train-plan-memory="sum-grain=0" --split-input-file 2>&1 | FileCheck %s --check-prefix=GRAIN

// GRAIN: option sum-grain is 0, expected at least 1

// expected-error @below {{must be one block to be planned}}
func.func private @train(tensor<4xf32>)

// -----

// expected-error @below {{takes 'index', expected static tensors}}
func.func @train(%i: index) { return }

// -----

// expected-error @below {{takes 'tensor<4xcomplex<f32>>', expected static tensors}}
func.func @train(%i: tensor<4xcomplex<f32>>) { return }

// -----

func.func @train() {
  // expected-error @below {{makes 'f32', expected static tensors}}
  %0 = arith.constant 0.0 : f32
  return
}

// -----

func.func @train() {
  // expected-error @below {{ends a block, expected func.return or train.yield}}
  llvm.unreachable
}

// -----

func.func @train() {
  // expected-error @below {{has a region, but only train.loop and train.rows can be planned}}
  scf.execute_region {
    scf.yield
  }
  return
}
