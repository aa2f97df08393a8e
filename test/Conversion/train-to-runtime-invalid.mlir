// RUN: trireme-opt %s --convert-train-to-runtime --split-input-file --verify-diagnostics
// RUN: not trireme-opt %s --convert-train-to-runtime="launch-elements=0" --split-input-file 2>&1 | FileCheck %s --check-prefix=ELEMENTS

// ELEMENTS: options launch-elements and workspace-mib are 0 and 64, expected at least 1 and 0

// expected-error @below {{needs @train and @evaluate}}
module attributes {train.arena = {bytes = 0, fixed = 0, parameters = 0, optimizer = 0, gradients = 0, activations = 0, workspace = 0, canaries = array<i64>}} {}

// -----

// expected-error @below {{has no 'train.arena': run train-plan-memory first}}
module {}

// -----

// expected-error @below {{has no "gradients" in 'train.arena'}}
module attributes {train.arena = {bytes = 0, fixed = 0, parameters = 0, optimizer = 0}} {}

// -----

module attributes {train.arena = {bytes = 0, fixed = 0, parameters = 0, optimizer = 0, gradients = 0, activations = 0, workspace = 0, canaries = array<i64>}} {
  func.func @train() { return }
  // expected-error @below {{must be one block that returns}}
  func.func private @evaluate()
}

// -----

module attributes {train.arena = {bytes = 0, fixed = 0, parameters = 0, optimizer = 0, gradients = 0, activations = 0, workspace = 0, canaries = array<i64>}} {
  // expected-error @below {{argument 0 has no 'train.place'}}
  func.func @train(%x: tensor<f32> {train.role = #train.role<seed>}) { return }
  func.func @evaluate() { return }
}

// -----

module attributes {train.arena = {bytes = 0, fixed = 0, parameters = 0, optimizer = 0, gradients = 0, activations = 0, workspace = 0, canaries = array<i64>}} {
  // expected-error @below {{result 0 has no 'train.place'}}
  func.func @train(%x: tensor<f32> {train.role = #train.role<seed>, train.place = #train.place<0, []>}) -> tensor<f32> { return %x : tensor<f32> }
  func.func @evaluate() { return }
}

// -----

module attributes {train.arena = {bytes = 0, fixed = 0, parameters = 0, optimizer = 0, gradients = 0, activations = 0, workspace = 0, canaries = array<i64>}} {
  // expected-error @below {{argument 0 has no 'train.role'}}
  func.func @train(%x: tensor<f32> {train.place = #train.place<0, []>}) { return }
  func.func @evaluate() { return }
}

// -----

module attributes {train.arena = {bytes = 0, fixed = 0, parameters = 0, optimizer = 0, gradients = 0, activations = 0, workspace = 0, canaries = array<i64>}} {
  // expected-error @below {{argument 0 is a first_moment of "w", which is no parameter before it}}
  func.func @train(%x: tensor<f32> {train.role = #train.role<first_moment>, train.param = #train.param<"w", [1], normal 1.0>, train.place = #train.place<0, []>}) { return }
  func.func @evaluate() { return }
}

// -----

module attributes {train.arena = {bytes = 0, fixed = 0, parameters = 0, optimizer = 0, gradients = 0, activations = 0, workspace = 0, canaries = array<i64>}} {
  func.func @train() {
    // expected-error @below {{has 0 places in 'train.places', expected 1}}
    %0 = train.fill 0.0 : tensor<4xf32>
    return
  }
  func.func @evaluate() { return }
}

// -----

module attributes {train.arena = {bytes = 0, fixed = 0, parameters = 0, optimizer = 0, gradients = 0, activations = 0, workspace = 0, canaries = array<i64>}} {
  func.func @train() {
    train.loop "layers" count 2 {
      // expected-error @below {{has the place #train.place<0, [0, 4]> in 1 loops}}
      %0 = train.fill 0.0 {train.places = [#train.place<0, [0, 4]>]} : tensor<4xf32>
      train.yield
    }
    return
  }
  func.func @evaluate() { return }
}

// -----

module attributes {train.arena = {bytes = 0, fixed = 0, parameters = 0, optimizer = 0, gradients = 0, activations = 0, workspace = 0, canaries = array<i64>}} {
  func.func @train(%x: tensor<4xf32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [4], normal 1.0>, train.place = #train.place<0, []>}) {
    // expected-error @below {{sums over rows, but has no 'train.grain'}}
    %0 = train.rows "f" rows 4 columns 1 flat in(%x : tensor<4xf32>) [#train<row_kind full>] out(tensor<f32>) [#train<row_kind sum>] updated [-1] {
    ^bb0(%1: f32):
      train.rows_yield %1 : f32
    } {train.places = [#train.place<64, []>]}
    return
  }
  func.func @evaluate() { return }
}

// -----

module attributes {train.arena = {bytes = 0, fixed = 0, parameters = 0, optimizer = 0, gradients = 0, activations = 0, workspace = 0, canaries = array<i64>}} {
  func.func @train() {
    // expected-error @below {{with the value 1.000000e+00 cannot be lowered, expected 0}}
    %0 = train.fill 1.0 {train.places = [#train.place<0, []>]} : tensor<4xf32>
    return
  }
  func.func @evaluate() { return }
}

// -----

// A head is expanded, a memory-bound operation a kernel by now.
module attributes {train.arena = {bytes = 0, fixed = 0, parameters = 0, optimizer = 0, gradients = 0, activations = 0, workspace = 0, canaries = array<i64>}} {
  func.func @train() {
    %0 = train.fill 0.0 {train.places = [#train.place<0, []>]} : tensor<4xf32>
    // expected-error @below {{has no lowering to the runtime}}
    %1 = train.relu %0 {train.places = [#train.place<0, []>]} : tensor<4xf32>
    return
  }
  func.func @evaluate() { return }
}

// -----

module attributes {train.arena = {bytes = 0, fixed = 0, parameters = 0, optimizer = 0, gradients = 0, activations = 0, workspace = 0, canaries = array<i64>}} {
  func.func @train(%t: tensor<4x8xf32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [4, 8], normal 1.0>, train.place = #train.place<0, []>}, %i: tensor<1x2xi32> {train.role = #train.role<tokens>, train.place = #train.place<0, []>}, %s: tensor<1x2xi32> {train.role = #train.role<positions>, train.place = #train.place<0, []>}) {
    %0 = train.fill 1.0 {train.places = [#train.place<0, []>]} : tensor<i32>
    // expected-error @above {{with the value 1.000000e+00 cannot be lowered, expected 0}}
    return
  }
  func.func @evaluate() { return }
}

// -----

// expected-error @below {{attribute 'train.recipe' is no JSON: }}
module attributes {train.recipe = "{", train.arena = {bytes = 0, fixed = 0, parameters = 0, optimizer = 0, gradients = 0, activations = 0, workspace = 0, canaries = array<i64>}} {
  func.func @train() { return }
  func.func @evaluate() { return }
}

// -----

// expected-error @below {{attribute 'train.plan' is no JSON object}}
module attributes {train.plan = "[]", train.arena = {bytes = 0, fixed = 0, parameters = 0, optimizer = 0, gradients = 0, activations = 0, workspace = 0, canaries = array<i64>}} {
  func.func @train() { return }
  func.func @evaluate() { return }
}

// -----

module attributes {train.arena = {bytes = 0, fixed = 0, parameters = 0, optimizer = 0, gradients = 0, activations = 0, workspace = 0, canaries = array<i64>}} {
  func.func @train() {
    %a = train.fill 0.0 {train.places = [#train.place<0, []>]} : tensor<4xf32>
    %b = train.fill 0.0 {train.places = [#train.place<64, []>]} : tensor<4xf32>
    // expected-error @below {{hands carry 1 to carry 0 as it is, which cannot be lowered}}
    %0:2 = train.loop "layers" count 2 carry(%c = %a : tensor<4xf32>, %d = %b : tensor<4xf32>) attributes {train.carry_places = [#train.place<0, []>, #train.place<64, []>], train.places = [#train.place<0, []>, #train.place<64, []>]} {
      train.yield carry(%d, %c : tensor<4xf32>, tensor<4xf32>)
    }
    return
  }
  func.func @evaluate() { return }
}

// -----

// Blocks are those of ranks, of which each has one.
module attributes {train.arena = {bytes = 0, fixed = 0, parameters = 0, optimizer = 0, gradients = 0, activations = 0, workspace = 0, canaries = array<i64>}} {
  func.func @train(%x: tensor<4x8xf32> {train.role = #train.role<parameter>, train.param = #train.param<"x", [4, 8], normal 1.0>, train.place = #train.place<0, []>}) {
    // expected-error @below {{with more than one block has no lowering}}
    %0 = train.chunk %x leading 1 chunks 2 blocks [2] {train.places = [#train.place<128, []>]} : tensor<4x8xf32>
    return
  }
  func.func @evaluate() { return }
}

// -----

module attributes {train.arena = {bytes = 0, fixed = 0, parameters = 0, optimizer = 0, gradients = 0, activations = 0, workspace = 0, canaries = array<i64>}} {
  func.func @train(%q: tensor<1x4x1x1x2xf32> {train.role = #train.role<parameter>, train.param = #train.param<"q", [8], normal 1.0>, train.place = #train.place<0, []>}, %k: tensor<1x4x1x2xf32> {train.role = #train.role<parameter>, train.param = #train.param<"k", [8], normal 1.0>, train.place = #train.place<64, []>}, %p: tensor<1x4xi32> {train.role = #train.role<positions>, train.place = #train.place<128, []>}) {
    // expected-error @below {{with 2 blocks has no lowering}}
    %0, %1 = train.attention %q, %k, %k positions %p, %p scale 1.0 {window = 0 : i64, blocks = 2 : i64, train.places = [#train.place<192, []>, #train.place<256, []>]} : tensor<1x4x1x1x2xf32>, tensor<1x4x1x2xf32>, tensor<1x4xi32>
    return
  }
  func.func @evaluate() { return }
}

// -----

// Partial sums are f32.
module attributes {train.arena = {bytes = 0, fixed = 0, parameters = 0, optimizer = 0, gradients = 0, activations = 0, workspace = 0, canaries = array<i64>}} {
  func.func @train(%x: tensor<4xf64> {train.role = #train.role<parameter>, train.param = #train.param<"w", [4], normal 1.0>, train.place = #train.place<0, []>}) {
    // expected-error @below {{sums to 'tensor<f64>', but only f32 sums can be lowered}}
    %0 = train.rows "f" rows 4 columns 1 flat in(%x : tensor<4xf64>) [#train<row_kind full>] out(tensor<f64>) [#train<row_kind sum>] updated [-1] {
    ^bb0(%1: f64):
      train.rows_yield %1 : f64
    } {train.grain = 4 : i64, train.places = [#train.place<64, []>], train.workspace = [#train.place<128, []>]}
    return
  }
  func.func @evaluate() { return }
}

// -----

// expected-error @below {{has no "canaries" in 'train.arena'}}
module attributes {train.arena = {bytes = 0, fixed = 0, parameters = 0, optimizer = 0, gradients = 0, activations = 0, workspace = 0}} {}
