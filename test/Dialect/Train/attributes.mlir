// RUN: trireme-opt %s | trireme-opt | FileCheck %s
// RUN: trireme-opt %s --mlir-print-op-generic | trireme-opt | FileCheck %s

// Roles and parameters of arguments, names of results.
// CHECK-LABEL: func.func @roles(
// CHECK-SAME: tensor<2x4xi32> {train.role = #train.role<tokens>}
// CHECK-SAME: tensor<2x4xi32> {train.role = #train.role<targets>}
// CHECK-SAME: tensor<2x4xi32> {train.role = #train.role<positions>}
// CHECK-SAME: tensor<3x2x4xf32> {train.param = #train.param<"layers.{}.w", [4, 2], normal 2.000000e-02 : f64>, train.role = #train.role<parameter>}
// CHECK-SAME: tensor<8xf32> {train.param = #train.param<"b", [8], constant 1.000000e+00 : f64>, train.role = #train.role<first_moment>}
// CHECK-SAME: tensor<8xf32> {train.param = #train.param<"b", [8], constant 1.000000e+00 : f64>, train.role = #train.role<second_moment>}
// CHECK-SAME: tensor<f64> {train.hyper = "lr", train.role = #train.role<hyper>}
// CHECK-SAME: tensor<f32> {train.role = #train.role<seed>}
// CHECK-SAME: -> (tensor<f32> {train.result = "loss"})
func.func @roles(%a: tensor<2x4xi32> {train.role = #train.role<tokens>},
    %b: tensor<2x4xi32> {train.role = #train.role<targets>},
    %c: tensor<2x4xi32> {train.role = #train.role<positions>},
    %d: tensor<3x2x4xf32> {train.role = #train.role<parameter>, train.param = #train.param<"layers.{}.w", [4, 2], normal 2.0e-02>},
    %e: tensor<8xf32> {train.role = #train.role<first_moment>, train.param = #train.param<"b", [8], constant 1.0>},
    %f: tensor<8xf32> {train.role = #train.role<second_moment>, train.param = #train.param<"b", [8], constant 1.0>},
    %g: tensor<f64> {train.role = #train.role<hyper>, train.hyper = "lr"},
    %h: tensor<f32> {train.role = #train.role<seed>}) -> (tensor<f32> {train.result = "loss"}) {
  return %h : tensor<f32>
}

// Places: of arguments and results, and of what operations make.
// CHECK-LABEL: func.func @places(
// CHECK-SAME: {train.place = #train.place<0, []>}) -> (tensor<8xf32> {train.place = #train.place<64, [0, -32]>})
// CHECK: train.relu %{{.*}} {train.places = [#train.place<64, [0, 32]>]}
func.func @places(%x: tensor<8xf32> {train.place = #train.place<0, []>}) -> (tensor<8xf32> {train.place = #train.place<64, [0, -32]>}) {
  %0 = train.relu %x {train.places = [#train.place<64, [0, 32]>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @values
// CHECK-SAME: a = #train.per_layer<[16, 0, -1]>
// CHECK-SAME: b = #train.rope<dims = 64, theta = 5.000000e+05 : f64, scaling = "llama3", factor = 8.000000e+00 : f64, low = 1.000000e+00 : f64, high = 4.000000e+00 : f64, original = 8192>
// CHECK-SAME: c = #train.rope<dims = 2, theta = 1.000000e+04 : f64, scaling = "linear", factor = 2.000000e+00 : f64, low = 1.000000e+00 : f64, high = 1.000000e+00 : f64, original = 0>
func.func @values() attributes {
    a = #train.per_layer<[16, 0, -1]>,
    b = #train.rope<dims = 64, theta = 5.0e+05, scaling = "llama3", factor = 8.0, low = 1.0, high = 4.0, original = 8192>,
    c = #train.rope<dims = 2, theta = 1.0e+04, scaling = "linear", factor = 2.0, low = 1.0, high = 1.0, original = 0>} {
  return
}
