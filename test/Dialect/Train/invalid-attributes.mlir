// RUN: trireme-opt %s --verify-diagnostics --split-input-file

// expected-error @below {{argument 0 of type 'f32' has 'train.role', expected a static tensor of 1 to 2^48 elements}}
func.func @role_type(%x: f32 {train.role = #train.role<tokens>}) { return }

// -----

// expected-error @below {{argument 0 of type 'tensor<?xi32>' has 'train.role', expected a static tensor of 1 to 2^48 elements}}
func.func @role_dynamic(%x: tensor<?xi32> {train.role = #train.role<tokens>}) { return }

// -----

// expected-error @below {{'train.role' must be #train.role}}
func.func @role_string(%x: tensor<4xf32> {train.role = "parameter"}) { return }

// -----

// expected-error @below {{argument 0 is a tokens of type 'tensor<4xf32>', expected i32 elements}}
func.func @role_tokens(%x: tensor<4xf32> {train.role = #train.role<tokens>}) { return }

// -----

// expected-error @below {{argument 0 is a seed of type 'tensor<4xf32>', expected a float scalar}}
func.func @role_seed(%x: tensor<4xf32> {train.role = #train.role<seed>}) { return }

// -----

// expected-error @below {{argument 0 is a parameter of type 'tensor<4xi32>', expected float elements}}
func.func @role_parameter(%x: tensor<4xi32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [4], normal 1.0>}) { return }

// -----

// expected-error @below {{argument 0 is a hyper but has no 'train.hyper'}}
func.func @role_hyper(%x: tensor<f64> {train.role = #train.role<hyper>}) { return }

// -----

// expected-error @below {{argument 1 is a first_moment but has no 'train.param'}}
func.func @role_without_param(%w: tensor<4xf32>, %x: tensor<4xf32> {train.role = #train.role<first_moment>}) { return }

// -----

// expected-error @below {{'train.param' must be #train.param}}
func.func @param_string(%x: tensor<4xf32> {train.param = "w"}) { return }

// -----

// expected-error @below {{argument 0 has type 'tensor<4xf32>', which is no reshape of the tensor "w"}}
func.func @param_shape(%x: tensor<4xf32> {train.param = #train.param<"w", [2, 3], normal 1.0>}) { return }

// -----

// expected-error @below {{argument 0 has type 'tensor<f32>', which is no reshape of the tensor "w.{}"}}
func.func @param_stack(%x: tensor<f32> {train.param = #train.param<"w.{}", [1], normal 1.0>}) { return }

// -----

// expected-error @below {{a parameter needs a name}}
func.func @param_name(%x: tensor<4xf32> {train.param = #train.param<"", [4], normal 1.0>}) { return }

// -----

// expected-error @below {{"w" has the shape [4, 0], expected 1 to 2^48 elements}}
func.func @param_empty(%x: tensor<4xf32> {train.param = #train.param<"w", [4, 0], normal 1.0>}) { return }

// -----

// expected-error @below {{unknown argument attribute 'train.parameter'}}
func.func @argument_unknown(%x: tensor<4xf32> {train.parameter = "w"}) { return }

// -----

// expected-error @below {{'train.hyper' is 1 : i64, expected a string}}
func.func @argument_hyper(%x: tensor<f64> {train.hyper = 1}) { return }

// -----

// expected-error @below {{'train.place' is 64 : i64, expected #train.place}}
func.func @argument_place(%x: tensor<f64> {train.place = 64}) { return }

// -----

// expected-error @below {{unknown result attribute 'train.role'}}
func.func @result_unknown(%x: tensor<f64>) -> (tensor<f64> {train.role = #train.role<seed>}) { return %x : tensor<f64> }

// -----

// expected-error @below {{'train.result' is unit, expected a string}}
func.func @result_name(%x: tensor<f64>) -> (tensor<f64> {train.result}) { return %x : tensor<f64> }

// -----

func.func @places_count(%x: tensor<4xf32>) {
  // expected-error @below {{has 2 places for 1 results}}
  %0 = train.relu %x {train.places = [#train.place<0, []>, #train.place<0, []>]} : tensor<4xf32>
  return
}

// -----

func.func @places_kind(%x: tensor<4xf32>) {
  // expected-error @below {{'train.places' is [0], expected an array of #train.place}}
  %0 = train.relu %x {train.places = [0]} : tensor<4xf32>
  return
}

// -----

func.func @grain(%x: tensor<4xf32>) {
  // expected-error @below {{'train.grain' is 0 : i64, expected a positive i64}}
  %0 = train.relu %x {train.grain = 0 : i64} : tensor<4xf32>
  return
}

// -----

// expected-error @below {{'train.arena' is 4 : i64, expected a dictionary}}
module attributes {train.arena = 4 : i64} {}

// -----

// expected-error @below {{'train.recipe' is {}, expected a string}}
module attributes {train.recipe = {}} {}

// -----

// expected-error @below {{dims is 3, expected an even number}}
#rope = #train.rope<dims = 3, theta = 1.0, scaling = "none", factor = 1.0, low = 1.0, high = 1.0, original = 0>

// -----

// expected-error @below {{theta is 0.000000e+00, expected a positive number}}
#rope = #train.rope<dims = 4, theta = 0.0, scaling = "none", factor = 1.0, low = 1.0, high = 1.0, original = 0>

// -----

// expected-error @below {{scaling is "yarn", expected none, linear or llama3}}
#rope = #train.rope<dims = 4, theta = 1.0, scaling = "yarn", factor = 1.0, low = 1.0, high = 1.0, original = 0>

// -----

// expected-error @below {{factor is -1.000000e+00, expected a positive number}}
#rope = #train.rope<dims = 4, theta = 1.0, scaling = "linear", factor = -1.0, low = 1.0, high = 1.0, original = 0>

// -----

// expected-error @below {{llama3 has low 4.000000e+00, high 1.000000e+00 and original 8192, expected 0 < low < high and original >= 1}}
#rope = #train.rope<dims = 4, theta = 1.0, scaling = "llama3", factor = 8.0, low = 4.0, high = 1.0, original = 8192>

// -----

// More rows are pad; rows of another size are none.
// expected-error @below {{argument 0 has type 'tensor<4x4xf32>', which is no reshape of the tensor "w"}}
func.func @param_rows(%x: tensor<4x4xf32> {train.param = #train.param<"w", [2, 3], normal 1.0>}) { return }
