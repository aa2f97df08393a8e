// RUN: trireme-opt %s --train-form-rows --train-plan-memory --convert-train-to-runtime --split-input-file | FileCheck %s

// A product is an entry of the manifest's table and a call on places in the
// arena; equal products share the entry.
// CHECK: module attributes {runtime.manifest = "{{.*}}\22gemms\22:[{\22accumulate\22:false,\22bias\22:false,\22k\22:8,\22lhs_transposed\22:false,\22m\22:4,\22n\22:2,\22rhs_transposed\22:true}]
// CHECK-LABEL: func.func @train(
// CHECK-SAME: %[[CONTEXT:.*]]: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr)
// CHECK-DAG: %[[X:.*]] = runtime.buffer %[[ARENA]] at 0 strides []
// CHECK-DAG: %[[W:.*]] = runtime.buffer %[[ARENA]] at {{[1-9][0-9]+}} strides []
// CHECK: runtime.gemm %[[CONTEXT]], 0(%[[X]], %[[W]]) to
// CHECK: runtime.gemm %[[CONTEXT]], 0(
// CHECK-NOT: runtime.call "trireme_copy"
// CHECK: return
func.func @train(%x: tensor<4x8xf32> {train.role = #train.role<parameter>, train.param = #train.param<"x", [4, 8], normal 1.0>}, %w: tensor<2x8xf32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [2, 8], normal 1.0>}) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %0 = train.linear %x, %w contract 1 rhs_transposed : tensor<4x8xf32>, tensor<2x8xf32>
  %1 = train.linear %x, %w contract 1 rhs_transposed : tensor<4x8xf32>, tensor<2x8xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<4x2xf32>
}
func.func @evaluate() { return }

// -----

// An accumulator in the result's place is added to; a transposed operand has
// its sizes swapped.
// CHECK: \22gemms\22:[{\22accumulate\22:true,\22bias\22:false,\22k\22:4,\22lhs_transposed\22:true,\22m\22:8,\22n\22:6,\22rhs_transposed\22:false}]
// CHECK-LABEL: func.func @train
// CHECK: runtime.call "trireme_zero", %{{.*}}(%{{.*}}) [192]
// CHECK: runtime.gemm
func.func @train(%x: tensor<4x8xf32> {train.role = #train.role<parameter>, train.param = #train.param<"x", [4, 8], normal 1.0>}, %w: tensor<4x2x3xf32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [4, 6], normal 1.0>}) -> tensor<8x2x3xf32> {
  %zero = train.fill 0.0 : tensor<8x2x3xf32>
  %0 = train.linear %x, %w contract 1 lhs_transposed accumulate %zero : tensor<8x2x3xf32> : tensor<4x8xf32>, tensor<4x2x3xf32>
  return %0 : tensor<8x2x3xf32>
}
func.func @evaluate() { return }

// -----

// A loop is an scf.for; slices step with its index, counted down in reverse.
// CHECK-LABEL: func.func @train
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[COUNT:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[LAST:.*]] = arith.constant 2 : index
// CHECK: scf.for %[[STEP:.*]] = %[[ZERO]] to %[[COUNT]] step %[[ONE]] {
// CHECK:   %[[I:.*]] = arith.subi %[[LAST]], %[[STEP]] : index
// CHECK:   runtime.buffer %{{.*}} at 0 by(%[[I]]) strides [64]
// CHECK:   runtime.gemm
// CHECK: }
func.func @train(%x: tensor<3x4x4xf32> {train.role = #train.role<parameter>, train.param = #train.param<"x.{}", [4, 4], normal 1.0>}) -> tensor<3x4x4xf32> {
  %0 = train.loop "layers" count 3 reverse each(%s = %x : tensor<3x4x4xf32>) stacked(tensor<3x4x4xf32>) {
    %1 = train.linear %s, %s contract 1 : tensor<4x4xf32>, tensor<4x4xf32>
    train.yield stacked(%1 : tensor<4x4xf32>)
  }
  return %0 : tensor<3x4x4xf32>
}
func.func @evaluate() { return }

// -----

// Attention finds its window by the layer: the iteration plus the loop's first.
// CHECK: \22attentions\22:[{\22batch\22:1,\22group\22:1,\22head_dim\22:4,\22keys\22:2,\22kv_heads\22:1,\22scale\22:0.5,\22sequence\22:2,\22softcap\22:0,\22windows\22:[8,0,8]}]
// CHECK-LABEL: func.func @train
// CHECK-DAG: %[[FIRST:.*]] = arith.constant 1 : index
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[LAYER:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK: runtime.attention %{{.*}}, 0 layer %[[LAYER]](
func.func @train(%x: tensor<2x1x2x1x4xf32> {train.role = #train.role<parameter>, train.param = #train.param<"x", [16], normal 1.0>}, %p: tensor<1x2xi32> {train.role = #train.role<positions>}) -> tensor<1x2x1x1x4xf32> {
  %q0 = train.fill 0.0 : tensor<1x2x1x1x4xf32>
  %0 = train.loop "layers" count 2 first 1 carry(%q = %q0 : tensor<1x2x1x1x4xf32>) each(%k = %x : tensor<2x1x2x1x4xf32>) with(%i = %p : tensor<1x2xi32>) {
    %o, %l = train.attention %q, %k, %k positions %i, %i scale 0.5 {window = #train.per_layer<[8, 0, 8]>} : tensor<1x2x1x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2xi32>
    train.yield carry(%o : tensor<1x2x1x1x4xf32>)
  }
  return %0 : tensor<1x2x1x1x4xf32>
}
func.func @evaluate() { return }

// -----

// Two attentions are merged by a call; tokens in chunks of one block are a view.
// CHECK-LABEL: func.func @train
// CHECK: runtime.call "trireme_merge_attention", %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) [1, 2, 3, 4]
// CHECK-NOT: runtime.call "trireme_copy"
// CHECK: return
func.func @train(%o: tensor<1x2x1x3x4xf32> {train.role = #train.role<parameter>, train.param = #train.param<"o", [24], normal 1.0>}, %l: tensor<1x1x3x2xf32> {train.role = #train.role<parameter>, train.param = #train.param<"l", [6], normal 1.0>}) -> tensor<1x2x1x3x4xf32> {
  %0, %1 = train.merge_attention %o, %l, %o, %l : tensor<1x2x1x3x4xf32>, tensor<1x1x3x2xf32>
  %2 = train.chunk %0 leading 2 chunks 2 blocks [1, 1] : tensor<1x2x1x3x4xf32>
  %3 = train.unchunk %2 leading 2 chunks 2 blocks [1, 1] : tensor<2x1x1x3x4xf32> -> tensor<1x2x1x3x4xf32>
  return %3 : tensor<1x2x1x3x4xf32>
}
func.func @evaluate() { return }

// -----

// A kernel has the body of the rows, under a name of its own; a sum has a second
// stage over its partial sums.
// CHECK: \22kernels\22:[{\22bytes\22:{{[0-9]+}},\22bytes_moved\22:{{[0-9]+}},\22name\22:\22relu\22}
// CHECK: runtime.kernel @sum
// CHECK: runtime.kernel @relu_1 rows
// CHECK: runtime.kernel @relu rows 1 columns 1 grain 16384 flat in [#train<row_kind full>] [f32] out [#train<row_kind full>] [f32] {
// CHECK: ^bb0(%[[E:.*]]: f32):
// CHECK:   train.rows_yield
// CHECK-LABEL: func.func @train
// CHECK: runtime.launch %{{.*}}, @relu, 0(%{{.*}}, %{{.*}}) count 32 grain 16384
// CHECK: runtime.launch %{{.*}}, @relu_1, 1(%{{.*}}, %{{.*}}) count 16 grain 16384
// CHECK: runtime.launch %{{.*}}, @sum, 2(%{{.*}}, %{{.*}}, %[[PARTIAL:[0-9]+]]) count 16
// CHECK: runtime.call "trireme_sum_partials", %{{.*}}(%[[PARTIAL]], %{{.*}}) [1, 1]
func.func @train(%x: tensor<4x8xf32> {train.role = #train.role<parameter>, train.param = #train.param<"x", [4, 8], normal 1.0>}, %y: tensor<4x4xf32> {train.role = #train.role<parameter>, train.param = #train.param<"y", [4, 4], normal 1.0>}) -> (tensor<4x8xf32>, tensor<4x4xf32>, tensor<f32>) {
  %0 = train.relu %x : tensor<4x8xf32>
  %1 = train.relu %y : tensor<4x4xf32>
  %2 = train.sum %y : tensor<4x4xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x4xf32>, tensor<f32>
}
func.func @evaluate() { return }

// -----

// Lookups, rotary tables and slices are calls; their sizes stand behind the
// pointers. The vocabulary of the manifest is the smallest table that tokens
// look up.
// CHECK: \22vocabulary\22:50
// CHECK-LABEL: func.func @train
// CHECK-DAG: runtime.call "trireme_embedding", %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) [6, 8, 50]
// CHECK-DAG: runtime.call "trireme_rotary_table", %{{.*}}(%{{.*}}, %{{.*}}) [6, 2] constants [1.000000e+00, 1.000000e-02]
// CHECK-DAG: runtime.call "trireme_rotary", %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}) [6, 2, 4, 2, 1]
// CHECK-DAG: runtime.call "trireme_copy", %{{.*}}(%{{.*}}, %{{.*}}) [32, 16, 6, 16]
// CHECK-DAG: runtime.call "trireme_copy", %{{.*}}(%{{.*}}, %{{.*}}) [16, 32, 6, 16]
// CHECK-DAG: runtime.call "trireme_embedding_gradient", %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) [6, 8, 50]
func.func @train(%w: tensor<50x2x4xf32> {train.role = #train.role<parameter>, train.param = #train.param<"w", [50, 8], normal 1.0>}, %t: tensor<2x3xi32> {train.role = #train.role<tokens>}, %p: tensor<2x3xi32> {train.role = #train.role<positions>}) -> tensor<50x2x4xf32> {
  %start = train.fill 0.0 : tensor<i32>
  %0 = train.embedding %w, %t start %start : tensor<50x2x4xf32>, tensor<2x3xi32>, tensor<i32>
  %1 = train.rotary_table %p rope <dims = 4, theta = 1.0e+04, scaling = "none", factor = 1.0, low = 1.0, high = 1.0, original = 0> : tensor<2x3xi32>
  %2 = train.rotary %0, %1 inverse : tensor<2x3x2x4xf32>, tensor<2x3x2x2xf32>
  %3:2 = train.unstack %2 dim 2 : tensor<2x3x2x4xf32>
  %4 = train.stack %3#1, %3#0 dim 2 : tensor<2x3x4xf32>, tensor<2x3x4xf32>
  %5 = train.embedding_grad %t, %4 start %start : tensor<2x3xi32>, tensor<2x3x2x4xf32>, tensor<i32> -> tensor<50x2x4xf32>
  return %5 : tensor<50x2x4xf32>
}
func.func @evaluate() { return }
