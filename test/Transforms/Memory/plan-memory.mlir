// RUN: trireme-opt %s --train-form-rows --train-plan-memory="sum-grain=16 sum-rows=2" --split-input-file | FileCheck %s

// State, inputs and outputs stand at the arena's start, each aligned; an update
// stays in the place of what it updates.
// CHECK: module attributes {train.arena = {activations = 0 : i64, bytes = [[BYTES:[0-9]+]] : i64,
// CHECK-SAME: optimizer = 64 : i64, parameters = 32 : i64
// CHECK-LABEL: func.func @train
// CHECK-SAME: %{{[^:]*}}: tensor<8xf32> {{{.*}}train.place = #train.place<[[P:[0-9]+]], []>, train.role = #train.role<parameter>}
// CHECK-SAME: train.place = #train.place<[[M:[0-9]+]], []>, train.role = #train.role<first_moment>
// CHECK-SAME: train.place = #train.place<[[V:[0-9]+]], []>, train.role = #train.role<second_moment>
// CHECK-SAME: -> (tensor<8xf32> {train.place = #train.place<[[P]], []>, train.result = "parameter:w"}, tensor<8xf32> {train.place = #train.place<[[M]], []>, train.result = "first_moment:w"}, tensor<8xf32> {train.place = #train.place<[[V]], []>, train.result = "second_moment:w"})
// CHECK: train.rows "adamw"
// CHECK: train.places = [#train.place<[[P]], []>, #train.place<[[M]], []>, #train.place<[[V]], []>]
func.func @train(%p: tensor<8xf32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [8], normal 1.0>}, %m: tensor<8xf32> {train.role = #train.role<first_moment>, train.param = #train.param<"w", [8], normal 1.0>}, %v: tensor<8xf32> {train.role = #train.role<second_moment>, train.param = #train.param<"w", [8], normal 1.0>}, %g: tensor<8xf32>, %f: tensor<f32>, %a: tensor<i1>, %h: tensor<f64>)
    -> (tensor<8xf32> {train.result = "parameter:w"}, tensor<8xf32> {train.result = "first_moment:w"}, tensor<8xf32> {train.result = "second_moment:w"}) {
  %0, %1, %2 = train.adamw %p, %g, %m, %v factor %f apply %a lr %h betas %h, %h eps %h weight_decay %h step %h : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// An element-wise result overwrites an operand that is dead after it, not one
// that is read later; the output is made where it is wanted.
// CHECK-LABEL: func.func @overwrite
// CHECK-SAME: -> (tensor<4x4xf32> {train.place = #train.place<[[OUT:[0-9]+]], []>})
// CHECK: train.linear {{.*}} {train.places = [#train.place<[[A:[0-9]+]], []>]
// CHECK: train.rows "relu"
// CHECK-NOT: #train.place<[[A]], []>
// CHECK: train.rows "silu"
// CHECK: train.places = [#train.place<[[A]], []>]
// CHECK: train.linear {{.*}} {train.places = [#train.place<[[OUT]], []>]
func.func @overwrite(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = train.linear %x, %x contract 1 : tensor<4x4xf32>, tensor<4x4xf32>
  %1 = train.relu %0 : tensor<4x4xf32>
  %2 = train.silu %0 : tensor<4x4xf32>
  %3 = train.linear %1, %2 contract 1 : tensor<4x4xf32>, tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

// Values that do not live together share bytes: three products need the places
// of two.
// CHECK-LABEL: func.func @share
// CHECK: train.linear {{.*}} {train.places = [#train.place<[[A:[0-9]+]], []>]
// CHECK-NOT: #train.place<[[A]], []>
// CHECK: train.linear
// CHECK: train.linear {{.*}} {train.places = [#train.place<[[A]], []>]
// CHECK: train.linear {{.*}} {train.places = [#train.place<
func.func @share(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = train.linear %x, %x contract 1 : tensor<4x4xf32>, tensor<4x4xf32>
  %1 = train.linear %0, %x contract 1 : tensor<4x4xf32>, tensor<4x4xf32>
  %2 = train.linear %1, %x contract 1 : tensor<4x4xf32>, tensor<4x4xf32>
  %3 = train.linear %2, %x contract 1 : tensor<4x4xf32>, tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

// A value that is stacked is made in its slice: the place steps by a slice an
// iteration. A reshape has the place of its source.
// CHECK-LABEL: func.func @slices
// CHECK-SAME: -> (tensor<3x4x4xf32> {train.place = #train.place<[[OUT:[0-9]+]], []>})
// CHECK: train.loop
// CHECK: train.linear {{.*}} {train.places = [#train.place<[[OUT]], [64]>]
// CHECK: train.reshape {{.*}} {train.places = [#train.place<[[OUT]], [64]>]
func.func @slices(%x: tensor<3x4x4xf32>) -> tensor<3x4x4xf32> {
  %0 = train.loop "layers" count 3 each(%s = %x : tensor<3x4x4xf32>) stacked(tensor<3x4x4xf32>) {
    %1 = train.linear %s, %s contract 1 : tensor<4x4xf32>, tensor<4x4xf32>
    %2 = train.reshape %1 : tensor<4x4xf32> -> tensor<16xf32>
    %3 = train.reshape %2 : tensor<16xf32> -> tensor<4x4xf32>
    train.yield stacked(%3 : tensor<4x4xf32>)
  }
  return %0 : tensor<3x4x4xf32>
}

// -----

// A carry has one place in all iterations, that of the zeros it starts from;
// the product adds to it in place.
// CHECK-LABEL: func.func @carry
// CHECK: train.fill {{.*}} {train.places = [#train.place<[[C:[0-9]+]], []>]
// CHECK: train.loop
// CHECK-SAME: attributes {train.carry_places = [#train.place<[[C]], []>], train.places = [#train.place<[[C]], []>]
// CHECK: train.linear {{.*}} accumulate {{.*}} {train.places = [#train.place<[[C]], []>]
func.func @carry(%x: tensor<3x4x4xf32>) -> tensor<4x4xf32> {
  %zero = train.fill 0.0 : tensor<4x4xf32>
  %0 = train.loop "layers" count 3 carry(%c = %zero : tensor<4x4xf32>) each(%s = %x : tensor<3x4x4xf32>) {
    %1 = train.linear %s, %s contract 1 accumulate %c : tensor<4x4xf32> : tensor<4x4xf32>, tensor<4x4xf32>
    train.yield carry(%1 : tensor<4x4xf32>)
  }
  return %0 : tensor<4x4xf32>
}

// -----

// Each use of a constant has its own, so that each can be made in place.
// CHECK-LABEL: func.func @fills
// CHECK-COUNT-2: train.fill
func.func @fills(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = train.fill 0.0 : tensor<4x4xf32>
  %0 = train.linear %x, %x contract 1 accumulate %zero : tensor<4x4xf32> : tensor<4x4xf32>, tensor<4x4xf32>
  %1 = train.linear %0, %x contract 1 accumulate %zero : tensor<4x4xf32> : tensor<4x4xf32>, tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A sum over 8 rows of 8 columns has a partial sum for every 2 rows (16
// elements): 4 of 32 bytes.
// CHECK-LABEL: func.func @sums
// CHECK: train.rows "sum_leading"
// CHECK: {train.grain = 2 : i64, train.places = [{{.*}}], {{.*}}train.workspace = [#train.place<{{[0-9]+}}, []>]}
func.func @sums(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %0 = train.sum_leading %x dims 1 : tensor<8x8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A program without any operation of ours: the argument goes to the output.
// CHECK-LABEL: func.func @none
// CHECK-SAME: #train.place<0, []>}) -> (tensor<f32> {train.place = #train.place<{{[0-9]+}}, []>})
func.func @none(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
