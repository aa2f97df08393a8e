// RUN: trireme-test %s --verify-diagnostics --split-input-file
// RUN: not trireme-opt %s --split-input-file 2>&1 | FileCheck %s

// Without the dialect there is an error.
// CHECK: Dialect `extra' not found for custom op

func.func @swap_halves_c1_odd(%x: tensor<4x3xf32>) {
  // expected-error @below {{swaps halves of 3 columns, expected an even number}}
  %0 = extra.swap_halves %x : tensor<4x3xf32>
  return
}
