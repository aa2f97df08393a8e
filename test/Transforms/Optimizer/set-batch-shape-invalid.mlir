// RUN: trireme-opt %s --train-set-batch-shape="rows=3 sequence=5" --split-input-file --verify-diagnostics
// RUN: not trireme-opt %s --train-set-batch-shape="rows=0 sequence=5" --split-input-file 2>&1 | FileCheck %s --check-prefix=ROWS

// ROWS: options rows and sequence are 0 and 5, expected at least 1

// expected-error @below {{has no function @forward of one block}}
module {}

// -----

// expected-error @below {{has no function @forward of one block}}
module {
  func.func private @forward(tensor<1x2xi32>)
}

// -----

// expected-error @below {{argument 0 has type 'tensor<1x2x1xi32>', expected [rows, sequence]}}
func.func @forward(%ids: tensor<1x2x1xi32> {train.role = #train.role<tokens>}) {
  return
}

// -----

// A table of positions is not broadcast over the batch by hand.
func.func @forward(%ids: tensor<1x2xi32> {train.role = #train.role<tokens>}, %w: tensor<50x8xf32>, %p: tensor<2x8xf32>) {
  %start = train.fill 0.0 : tensor<i32>
  %h = train.embedding %w, %ids start %start : tensor<50x8xf32>, tensor<1x2xi32>, tensor<i32>
  // expected-error @below {{adds a bias of shape [2, 8] to a source of shape [3, 5, 8]}}
  // expected-error @below {{cannot take these types}}
  %0 = train.add_bias %h, %p : tensor<1x2x8xf32>, tensor<2x8xf32>
  return
}

// -----

func.func @forward(%ids: tensor<1x2xi32> {train.role = #train.role<tokens>}) {
  // expected-error @below {{cannot take these types: it makes 'tensor<2xi32>' of 'tensor<3x5xi32>'}}
  %0 = train.reshape %ids : tensor<1x2xi32> -> tensor<2xi32>
  return
}

// -----

func.func @forward(%ids: tensor<1x2xi32> {train.role = #train.role<tokens>}) {
  // expected-error @below {{cannot take these types: it has 2 results, but would have 5}}
  %0:2 = train.unstack %ids dim 1 : tensor<1x2xi32>
  return
}

// -----

func.func @forward(%ids: tensor<1x2xi32> {train.role = #train.role<tokens>}, %other: tensor<1x2xi32>) {
  // expected-error @below {{cannot take these types: a carry of type 'tensor<3x5xi32>' becomes 'tensor<1x2xi32>'}}
  %0 = train.loop "layers" count 2 carry(%c = %ids : tensor<1x2xi32>) with(%o = %other : tensor<1x2xi32>) {
    train.yield carry(%o : tensor<1x2xi32>)
  }
  return
}
