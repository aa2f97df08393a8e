// RUN: trireme-opt %s --verify-diagnostics --split-input-file

// Functions are named after the operation and the constraint that is broken.

func.func @loop_c1_count() {
  // expected-error @below {{has count 0 and first 0, expected count >= 1 and first >= 0}}
  train.loop "layers" count 0 {
    train.yield
  }
  return
}

// -----

func.func @loop_c1_first() {
  // expected-error @below {{has count 1 and first -1, expected count >= 1 and first >= 0}}
  train.loop "layers" count 1 first -1 {
    train.yield
  }
  return
}

// -----

func.func @loop_c2_slices(%x: tensor<3x4xf32>) {
  // expected-error @below {{takes slices of operand 0 of type 'tensor<3x4xf32>' in 2 iterations}}
  train.loop "layers" count 2 each(%s = %x : tensor<3x4xf32>) {
    train.yield
  }
  return
}

// -----

func.func @loop_c2_scalar(%x: tensor<f32>) {
  // expected-error @below {{"each" needs ranked tensors, found 'tensor<f32>'}}
  train.loop "layers" count 2 each(%s = %x : tensor<f32>) {
    train.yield
  }
  return
}

// -----

func.func @loop_c2_scalar_generic(%x: tensor<f32>) {
  // expected-error @below {{takes slices of operand 0 of type 'tensor<f32>' in 2 iterations}}
  "train.loop"(%x) <{label = "layers", count = 2 : i64, operandSegmentSizes = array<i32: 0, 1, 0>}> ({
    "train.yield"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> ()
  }) : (tensor<f32>) -> ()
  return
}

// -----

func.func @loop_c3_arguments(%x: tensor<4xf32>) {
  // expected-error @below {{has a body of 0 arguments for 1 operands}}
  "train.loop"(%x) <{label = "layers", count = 4 : i64, operandSegmentSizes = array<i32: 0, 1, 0>}> ({
    "train.yield"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> ()
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @loop_c3_types(%x: tensor<4xf32>) {
  // expected-error @below {{has a body argument of type 'tensor<4xf32>', expected 'tensor<f32>'}}
  "train.loop"(%x) <{label = "layers", count = 4 : i64, operandSegmentSizes = array<i32: 0, 1, 0>}> ({
  ^bb0(%s: tensor<4xf32>):
    "train.yield"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> ()
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @loop_c4_carries(%x: tensor<4xf32>, %y: tensor<2xf32>) {
  // expected-error @below {{yields carries of types 'tensor<2xf32>', expected 'tensor<4xf32>'}}
  %0 = train.loop "layers" count 4 carry(%c = %x : tensor<4xf32>) with(%w = %y : tensor<2xf32>) {
    train.yield carry(%w : tensor<2xf32>)
  }
  return
}

// -----

func.func @loop_c4_stacked(%x: tensor<4xf32>) {
  // expected-error @below {{yields 0 slices for 1 stacked results}}
  %0 = train.loop "layers" count 4 with(%w = %x : tensor<4xf32>) stacked(tensor<4x4xf32>) {
    train.yield
  }
  return
}

// -----

func.func @loop_c4_stack_type(%x: tensor<4xf32>) {
  // expected-error @below {{stacks slices of type 'tensor<4xf32>' into 'tensor<3x4xf32>'}}
  %0 = train.loop "layers" count 4 with(%w = %x : tensor<4xf32>) stacked(tensor<3x4xf32>) {
    train.yield stacked(%w : tensor<4xf32>)
  }
  return
}

// -----

func.func @loop_c4_results(%x: tensor<4xf32>) {
  // expected-error @below {{has 0 results for 1 carries}}
  "train.loop"(%x) <{label = "layers", count = 4 : i64, operandSegmentSizes = array<i32: 1, 0, 0>}> ({
  ^bb0(%c: tensor<4xf32>):
    "train.yield"(%c) <{operandSegmentSizes = array<i32: 1, 0>}> : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @loop_terminator(%x: tensor<4xf32>) {
  // expected-error @below {{must end in train.yield}}
  "train.loop"() <{label = "layers", count = 4 : i64, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
    "train.rows_yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @loop_not_a_tensor(%x: f32) {
  // expected-error @below {{"carry" needs ranked tensors, found 'f32'}}
  %0 = train.loop "layers" count 4 carry(%c = %x : f32) {
    train.yield carry(%c : f32)
  }
  return
}

// -----

func.func @yield_parent() {
  // expected-error @below {{expects parent op 'train.loop'}}
  train.yield
}

// -----

func.func @fill_empty() {
  // expected-error @below {{must be statically shaped tensor of 1 to 2^48 elements}}
  %0 = train.fill 0.0 : tensor<0x4xf32>
  return
}

// -----

func.func @fill_huge() {
  // expected-error @below {{must be statically shaped tensor of 1 to 2^48 elements}}
  %0 = train.fill 0.0 : tensor<4294967296x4294967296x2xf32>
  return
}

// -----

func.func @fill_dynamic() {
  // expected-error @below {{must be statically shaped tensor of 1 to 2^48 elements}}
  %0 = train.fill 0.0 : tensor<?xf32>
  return
}

// -----

func.func @reshape_c1_count(%x: tensor<4xf32>) {
  // expected-error @below {{makes 'tensor<5xf32>' of 'tensor<4xf32>'}}
  %0 = train.reshape %x : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

func.func @reshape_c1_type(%x: tensor<4xf32>) {
  // expected-error @below {{makes 'tensor<4xi32>' of 'tensor<4xf32>'}}
  %0 = train.reshape %x : tensor<4xf32> -> tensor<4xi32>
  return
}

// -----

func.func @unstack_c1_dim(%x: tensor<4x2xf32>) {
  // expected-error @below {{unstacks dim 2 of a tensor of rank 2}}
  %0:2 = train.unstack %x dim 2 : tensor<4x2xf32>
  return
}

// -----

func.func @unstack_c1_negative(%x: tensor<4x2xf32>) {
  // expected-error @below {{unstacks dim -1 of a tensor of rank 2}}
  %0:2 = train.unstack %x dim -1 : tensor<4x2xf32>
  return
}

// -----

func.func @unstack_c1_scalar(%x: tensor<f32>) {
  // expected-error @below {{unstacks dim 0 of a tensor of rank 0}}
  %0 = train.unstack %x dim 0 : tensor<f32>
  return
}

// -----

func.func @unstack_c2_slices(%x: tensor<4097xf32>) {
  // expected-error @below {{unstacks 4097 slices, expected at most 4096}}
  %0 = train.unstack %x dim 0 : tensor<4097xf32>
  return
}

// -----

func.func @stack_c1_none() {
  // expected-error @below {{needs slices of one type}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "train.stack"() <{dim = 0 : i64}> : () -> tensor<1xf32>
  return
}

// -----

func.func @stack_c1_types(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @below {{needs slices of one type}}
  %0 = train.stack %x, %y dim 0 : tensor<2xf32>, tensor<3xf32>
  return
}

// -----

func.func @stack_c2_dim(%x: tensor<2xf32>) {
  // expected-error @below {{stacks along dim 2 of tensors of rank 1}}
  %0 = train.stack %x, %x dim 2 : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @linear_c1_zero(%x: tensor<2x3xf32>) {
  // expected-error @below {{contracts 0 dims of operands of rank 2 and 2}}
  %0 = train.linear %x, %x contract 0 : tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @linear_c1_rank(%x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  // expected-error @below {{contracts 2 dims of operands of rank 2 and 1}}
  %0 = train.linear %x, %y contract 2 : tensor<2x3xf32>, tensor<3xf32>
  return
}

// -----

func.func @linear_c2_dims(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>) {
  // expected-error @below {{contracts dims [3] with dims [4]}}
  %0 = train.linear %x, %y contract 1 : tensor<2x3xf32>, tensor<4x5xf32>
  return
}

// -----

func.func @linear_c2_transposed(%x: tensor<2x3xf32>, %y: tensor<3x5xf32>) {
  // expected-error @below {{contracts dims [2] with dims [3]}}
  %0 = train.linear %x, %y contract 1 lhs_transposed : tensor<2x3xf32>, tensor<3x5xf32>
  return
}

// -----

func.func @linear_c3_accumulator(%x: tensor<2x3xf32>, %y: tensor<3x5xf32>) {
  // expected-error @below {{has an accumulator of type 'tensor<2x3xf32>', but the result is 'tensor<2x5xf32>'}}
  %0 = train.linear %x, %y contract 1 accumulate %x : tensor<2x3xf32> : tensor<2x3xf32>, tensor<3x5xf32>
  return
}

// -----

func.func @linear_result(%x: tensor<2x3xf32>, %y: tensor<3x5xf32>) {
  // expected-error @below {{'train.linear' op inferred type(s) 'tensor<2x5xf32>' are incompatible with return type(s) of operation 'tensor<5x2xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "train.linear"(%x, %y) <{contract = 1 : i64}> : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<5x2xf32>
  return
}

// -----

func.func @linear_huge(%x: tensor<16777216x1xf32>, %y: tensor<1x16777217xf32>) {
  // expected-error @below {{result #0 must be statically shaped tensor of 1 to 2^48 elements}}
  %0 = train.linear %x, %y contract 1 : tensor<16777216x1xf32>, tensor<1x16777217xf32>
  return
}

// -----

func.func @add_bias_c1_dims(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @below {{adds a bias of shape [2] to a source of shape [2, 3]}}
  %0 = train.add_bias %x, %y : tensor<2x3xf32>, tensor<2xf32>
  return
}

// -----

func.func @add_bias_c1_rank(%x: tensor<3xf32>, %y: tensor<2x3xf32>) {
  // expected-error @below {{adds a bias of shape [2, 3] to a source of shape [3]}}
  %0 = train.add_bias %x, %y : tensor<3xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @sum_leading_c1_zero(%x: tensor<2x3xf32>) {
  // expected-error @below {{sums 0 dims of a source of rank 2}}
  %0 = train.sum_leading %x dims 0 : tensor<2x3xf32>
  return
}

// -----

func.func @sum_leading_c1_rank(%x: tensor<2x3xf32>) {
  // expected-error @below {{sums 3 dims of a source of rank 2}}
  %0 = train.sum_leading %x dims 3 : tensor<2x3xf32>
  return
}

// -----

func.func @rms_norm_c1_gain(%x: tensor<2x3xf32>, %g: tensor<2xf32>) {
  // expected-error @below {{has a gain of shape [2] for rows of a source of shape [2, 3]}}
  %0, %1 = train.rms_norm %x, %g eps 1.0e-05 : tensor<2x3xf32>, tensor<2xf32>
  return
}

// -----

func.func @rms_norm_c1_scalar(%x: tensor<f32>, %g: tensor<1xf32>) {
  // expected-error @below {{has a gain of shape [1] for rows of a source of shape []}}
  %0, %1 = train.rms_norm %x, %g eps 1.0e-05 : tensor<f32>, tensor<1xf32>
  return
}

// -----

func.func @rms_norm_grad_c1_gain(%x: tensor<2x3xf32>, %g: tensor<2xf32>, %r: tensor<2xf32>) {
  // expected-error @below {{has a gain of shape [2] for rows of a source of shape [2, 3]}}
  %0, %1 = train.rms_norm_grad %x, %g, %r, %x : tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @rms_norm_grad_c2_rstd(%x: tensor<2x3xf32>, %g: tensor<3xf32>) {
  // expected-error @below {{has a statistic of shape [3] for rows of a source of shape [2, 3]}}
  %0, %1 = train.rms_norm_grad %x, %g, %g, %x : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @layer_norm_c1_gain(%x: tensor<2x3xf32>, %g: tensor<3x1xf32>) {
  // expected-error @below {{has a gain of shape [3, 1] for rows of a source of shape [2, 3]}}
  %0, %1, %2 = train.layer_norm %x, %g, %g eps 1.0e-05 : tensor<2x3xf32>, tensor<3x1xf32>
  return
}

// -----

func.func @layer_norm_grad_c1_gain(%x: tensor<2x3xf32>, %r: tensor<2xf32>) {
  // expected-error @below {{has a gain of shape [2] for rows of a source of shape [2, 3]}}
  %0, %1, %2 = train.layer_norm_grad %x, %r, %r, %r, %x : tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @layer_norm_grad_c2_statistics(%x: tensor<2x3xf32>, %g: tensor<3xf32>) {
  // expected-error @below {{has a statistic of shape [3] for rows of a source of shape [2, 3]}}
  %0, %1, %2 = train.layer_norm_grad %x, %g, %g, %g, %x : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @embedding_c1_rank(%t: tensor<50xf32>, %i: tensor<2xi32>, %s: tensor<i32>) {
  // expected-error @below {{has a table of rank 1, expected rows of values}}
  %0 = train.embedding %t, %i start %s : tensor<50xf32>, tensor<2xi32>, tensor<i32>
  return
}

// -----

func.func @embedding_grad_c1_table(%g: tensor<2xf32>, %i: tensor<2xi32>, %s: tensor<i32>) {
  // expected-error @below {{makes 'tensor<f32>', expected a table}}
  %0 = train.embedding_grad %i, %g start %s : tensor<2xi32>, tensor<2xf32>, tensor<i32> -> tensor<f32>
  return
}

// -----

func.func @embedding_grad_c1_gradient(%g: tensor<2x3xf32>, %i: tensor<2xi32>, %s: tensor<i32>) {
  // expected-error @below {{has a gradient of shape [2, 3], expected [2, 4]}}
  %0 = train.embedding_grad %i, %g start %s : tensor<2xi32>, tensor<2x3xf32>, tensor<i32> -> tensor<50x4xf32>
  return
}

// -----

func.func @embedding_grad_c2_accumulator(%g: tensor<2x3xf32>, %i: tensor<2xi32>, %s: tensor<i32>) {
  // expected-error @below {{has an accumulator of type 'tensor<2x3xf32>', but the result is 'tensor<50x3xf32>'}}
  %0 = train.embedding_grad %i, %g start %s accumulate %g : tensor<2x3xf32> : tensor<2xi32>, tensor<2x3xf32>, tensor<i32> -> tensor<50x3xf32>
  return
}

// -----

func.func @rotary_c1_table(%x: tensor<2x4x3x8xf32>, %t: tensor<2x4x2x5xf32>) {
  // expected-error @below {{rotates a source of shape [2, 4, 3, 8] by a table of shape [2, 4, 2, 5]}}
  %0 = train.rotary %x, %t : tensor<2x4x3x8xf32>, tensor<2x4x2x5xf32>
  return
}

// -----

func.func @rotary_c1_scalar(%x: tensor<f32>, %t: tensor<f32>) {
  // expected-error @below {{rotates a source of shape [] by a table of shape []}}
  %0 = train.rotary %x, %t : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @attention_c1_shapes(%q: tensor<2x4x2x1x8xf32>, %k: tensor<2x4x3x8xf32>, %p: tensor<2x4xi32>) {
  // expected-error @below {{has q of shape [2, 4, 2, 1, 8], k and v of shape [2, 4, 3, 8] and positions of shapes [2, 4], [2, 4]}}
  %0, %1 = train.attention %q, %k, %k positions %p, %p scale 1.0 {window = 0 : i64} : tensor<2x4x2x1x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4xi32>
  return
}

// -----

func.func @attention_c1_scalars(%q: tensor<f32>, %p: tensor<i32>) {
  // expected-error @below {{has q of shape [], k and v of shape [] and positions of shapes [], []}}
  %0, %1 = train.attention %q, %q, %q positions %p, %p scale 1.0 {window = 0 : i64} : tensor<f32>, tensor<f32>, tensor<i32>
  return
}

// -----

func.func @attention_c2_missing(%q: tensor<2x4x2x1x8xf32>, %k: tensor<2x4x2x8xf32>, %p: tensor<2x4xi32>) {
  // expected-error @below {{requires attribute 'window'}}
  %0, %1 = train.attention %q, %k, %k positions %p, %p scale 1.0 : tensor<2x4x2x1x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4xi32>
  return
}

// -----

func.func @attention_c2_negative(%q: tensor<2x4x2x1x8xf32>, %k: tensor<2x4x2x8xf32>, %p: tensor<2x4xi32>) {
  // expected-error @below {{has the window -1 : i64, expected values from 0 on}}
  %0, %1 = train.attention %q, %k, %k positions %p, %p scale 1.0 {window = -1 : i64} : tensor<2x4x2x1x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4xi32>
  return
}

// -----

func.func @attention_c2_negative_layer(%q: tensor<2x4x2x1x8xf32>, %k: tensor<2x4x2x8xf32>, %p: tensor<2x4xi32>) {
  // expected-error @below {{has the window #train.per_layer<[4, -2]>, expected values from 0 on}}
  %0, %1 = train.attention %q, %k, %k positions %p, %p scale 1.0 {window = #train.per_layer<[4, -2]>} : tensor<2x4x2x1x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4xi32>
  return
}

// -----

func.func @attention_c3_layers(%q: tensor<2x4x2x1x8xf32>, %k: tensor<2x4x2x8xf32>, %p: tensor<2x4xi32>) {
  train.loop "layers" count 2 first 1 with(%0 = %q : tensor<2x4x2x1x8xf32>, %1 = %k : tensor<2x4x2x8xf32>, %2 = %p : tensor<2x4xi32>) {
    train.loop "chunks" count 7 with(%a = %0 : tensor<2x4x2x1x8xf32>, %b = %1 : tensor<2x4x2x8xf32>, %c = %2 : tensor<2x4xi32>) {
      // expected-error @below {{has windows for 2 layers, but is run for 3}}
      %3, %4 = train.attention %a, %b, %b positions %c, %c scale 1.0 {window = #train.per_layer<[4, 2]>} : tensor<2x4x2x1x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4xi32>
      train.yield
    }
    train.yield
  }
  return
}

// -----

func.func @attention_c4_blocks(%q: tensor<2x4x2x1x8xf32>, %k: tensor<2x6x2x8xf32>, %p: tensor<2x4xi32>, %s: tensor<2x6xi32>) {
  // expected-error @below {{cuts 4 queries and 6 keys into 4 blocks}}
  %0, %1 = train.attention %q, %k, %k positions %p, %s scale 1.0 {window = 0 : i64, blocks = 4 : i64} : tensor<2x4x2x1x8xf32>, tensor<2x6x2x8xf32>, tensor<2x4xi32>
  return
}

// -----

func.func @merge_attention_c1(%o: tensor<2x4x2x1x8xf32>, %l: tensor<2x4x2x1xf32>) {
  // expected-error @below {{has outputs of shape [2, 4, 2, 1, 8] and log-sums of type 'tensor<2x4x2x1xf32>'}}
  %0, %1 = train.merge_attention %o, %l, %o, %l : tensor<2x4x2x1x8xf32>, tensor<2x4x2x1xf32>
  return
}

// -----

func.func @attention_grad_c1_shapes(%q: tensor<2x4x2x1x8xf32>, %k: tensor<2x4x2x9xf32>, %p: tensor<2x4xi32>, %l: tensor<2x2x1x4xf32>) {
  // expected-error @below {{has q of shape [2, 4, 2, 1, 8], k and v of shape [2, 4, 2, 9] and positions of shapes [2, 4], [2, 4]}}
  %0, %1, %2 = train.attention_grad %q, %k, %k positions %p, %p output %q, %l gradient %q scale 1.0 {window = 0 : i64} : tensor<2x4x2x1x8xf32>, tensor<2x4x2x9xf32>, tensor<2x4xi32>, tensor<2x2x1x4xf32>
  return
}

// -----

func.func @attention_grad_c1_log_sum(%q: tensor<2x4x2x1x8xf32>, %k: tensor<2x4x2x8xf32>, %p: tensor<2x4xi32>, %l: tensor<2x4x2x1xf32>) {
  // expected-error @below {{has log_sum of type 'tensor<2x4x2x1xf32>', expected 'tensor<2x2x1x4xf32>'}}
  %0, %1, %2 = train.attention_grad %q, %k, %k positions %p, %p output %q, %l gradient %q scale 1.0 {window = 0 : i64} : tensor<2x4x2x1x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4xi32>, tensor<2x4x2x1xf32>
  return
}

// -----

func.func @attention_grad_c2_window(%q: tensor<2x4x2x1x8xf32>, %k: tensor<2x4x2x8xf32>, %p: tensor<2x4xi32>, %l: tensor<2x2x1x4xf32>) {
  // expected-error @below {{has the window -3 : i64, expected values from 0 on}}
  %0, %1, %2 = train.attention_grad %q, %k, %k positions %p, %p output %q, %l gradient %q scale 1.0 {window = -3 : i64} : tensor<2x4x2x1x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4xi32>, tensor<2x2x1x4xf32>
  return
}

// -----

func.func @cross_entropy_head_c1_features(%h: tensor<2x8xf32>, %w: tensor<50x9xf32>, %t: tensor<2xi32>, %s: tensor<i32>) {
  // expected-error @below {{has hidden of shape [2, 8], weight of shape [50, 9] and targets of shape [2]}}
  %0, %1 = train.cross_entropy_head %h, %w targets %t start %s : tensor<2x8xf32>, tensor<50x9xf32>, tensor<2xi32>, tensor<i32>
  return
}

// -----

func.func @cross_entropy_head_grad_c1_targets(%h: tensor<2x8xf32>, %w: tensor<50x8xf32>, %t: tensor<3xi32>, %s: tensor<i32>, %d: tensor<f32>) {
  // expected-error @below {{has hidden of shape [2, 8], weight of shape [50, 8] and targets of shape [3]}}
  %0, %1, %2 = train.cross_entropy_head_grad %h, %w targets %t start %s seed %d : tensor<2x8xf32>, tensor<50x8xf32>, tensor<3xi32>, tensor<i32>, tensor<f32>
  return
}

// -----

func.func @chunk_c1_blocks(%x: tensor<4x6xf32>) {
  // expected-error @below {{has 2 dims of tokens and [2] blocks for a tensor of rank 2}}
  %0 = train.chunk %x leading 2 chunks 1 blocks [2] : tensor<4x6xf32>
  return
}

// -----

func.func @chunk_c2_divides(%x: tensor<4x6xf32>) {
  // expected-error @below {{cuts tokens [4, 6] into [3, 1] blocks of 1 chunks}}
  %0 = train.chunk %x leading 2 chunks 1 blocks [3, 1] : tensor<4x6xf32>
  return
}

// -----

func.func @chunk_c2_chunks(%x: tensor<4x6xf32>) {
  // expected-error @below {{cuts tokens [4] into [2] blocks of 4 chunks}}
  %0 = train.chunk %x leading 1 chunks 4 blocks [2] : tensor<4x6xf32>
  return
}

// -----

func.func @unchunk_c1_zero(%x: tensor<2x2x6xf32>) {
  // expected-error @below {{cuts tokens [4] into [1] blocks of 0 chunks}}
  %0 = train.unchunk %x leading 1 chunks 0 blocks [1] : tensor<2x2x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @unchunk_c2_type(%x: tensor<2x2x6xf32>) {
  // expected-error @below {{makes 'tensor<6x4xf32>' of 'tensor<2x2x6xf32>', expected 'tensor<2x3x4xf32>'}}
  %0 = train.unchunk %x leading 1 chunks 2 blocks [1] : tensor<2x2x6xf32> -> tensor<6x4xf32>
  return
}

// -----

func.func @row_max_c1_rank(%l: tensor<8xf32>, %s: tensor<i32>) {
  // expected-error @below {{has logits of shape [8], expected [rows, vocabulary]}}
  %0 = train.row_max %l start %s : tensor<8xf32>, tensor<i32>
  return
}

// -----

func.func @row_exp_sum_c1_rows(%l: tensor<2x8xf32>, %m: tensor<8xf32>, %s: tensor<i32>) {
  // expected-error @below {{has logits of shape [2, 8] and max of shape [8]}}
  %0 = train.row_exp_sum %l, %m start %s : tensor<2x8xf32>, tensor<8xf32>, tensor<i32>
  return
}

// -----

func.func @row_loss_c1_rows(%m: tensor<2xf32>, %t: tensor<3xi32>) {
  // expected-error @below {{has rows of shape [2] and targets of shape [3]}}
  %0, %1 = train.row_loss %m, %m, %m, %t : tensor<2xf32>, tensor<3xi32>
  return
}

// -----

func.func @pick_c1_rows(%l: tensor<2x8xf32>, %t: tensor<3xi32>, %s: tensor<i32>) {
  // expected-error @below {{has logits of shape [2, 8] and targets of shape [3]}}
  %0 = train.pick %l, %t start %s : tensor<2x8xf32>, tensor<3xi32>, tensor<i32>
  return
}

// -----

func.func @cross_entropy_grad_c1_rank(%l: tensor<1x2x8xf32>, %t: tensor<2xi32>, %s: tensor<i32>, %g: tensor<2xf32>, %d: tensor<f32>) {
  // expected-error @below {{has logits of shape [1, 2, 8] and targets of shape [2]}}
  %0 = train.cross_entropy_grad %l, %t start %s, %g seed %d : tensor<1x2x8xf32>, tensor<2xi32>, tensor<i32>, tensor<2xf32>, tensor<f32>
  return
}

// -----

func.func @cross_entropy_grad_c1_log_sum(%l: tensor<2x8xf32>, %t: tensor<2xi32>, %s: tensor<i32>, %g: tensor<8xf32>, %d: tensor<f32>) {
  // expected-error @below {{has log_sum of shape [8] for targets of shape [2]}}
  %0 = train.cross_entropy_grad %l, %t start %s, %g seed %d : tensor<2x8xf32>, tensor<2xi32>, tensor<i32>, tensor<8xf32>, tensor<f32>
  return
}

// -----

func.func @adamw_c1_shapes(%p: tensor<4xf32>, %g: tensor<5xf32>, %f: tensor<f32>, %a: tensor<i1>, %h: tensor<f64>) {
  // expected-error @below {{updates a parameter of shape [4] with an operand of shape [5]}}
  %0, %1, %2 = train.adamw %p, %g, %p, %p factor %f apply %a lr %h betas %h, %h eps %h weight_decay %h step %h
      : tensor<4xf32>, tensor<5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
  return
}

// -----

func.func @rows_c1_operand_kinds(%x: tensor<4xf32>) {
  // expected-error @below {{has 0 operand kinds for 1 operands, and 0 result kinds and 0 updated operands for 0 results}}
  train.rows "f" rows 1 columns 4 in(%x : tensor<4xf32>) [] out [] updated [] {
  ^bb0(%0: f32):
    train.rows_yield
  }
  return
}

// -----

func.func @rows_c1_updated() {
  // expected-error @below {{has 0 operand kinds for 0 operands, and 1 result kinds and 0 updated operands for 1 results}}
  %0 = train.rows "f" rows 1 columns 4 in() [] out(tensor<4xi32>) [#train<row_kind full>] updated [] {
    %1 = train.column : i32
    train.rows_yield %1 : i32
  }
  return
}

// -----

func.func @rows_c2_size(%x: tensor<4xf32>) {
  // expected-error @below {{operand 0 has 4 elements, but is row of 2 rows and 4 columns}}
  train.rows "f" rows 2 columns 4 in(%x : tensor<4xf32>) [#train<row_kind row>] out [] updated [] {
  ^bb0(%0: f32):
    train.rows_yield
  }
  return
}

// -----

func.func @rows_c2_result(%x: tensor<2x4xf32>) {
  // expected-error @below {{result 0 has 2 elements, but is column_sum of 2 rows and 4 columns}}
  %0 = train.rows "f" rows 2 columns 4 in(%x : tensor<2x4xf32>) [#train<row_kind full>] out(tensor<2xf32>) [#train<row_kind column_sum>] updated [-1] {
  ^bb0(%1: f32):
    train.rows_yield %1 : f32
  }
  return
}

// -----

func.func @rows_c3_operand(%x: tensor<f32>) {
  // expected-error @below {{operand 0 cannot be sum}}
  train.rows "f" rows 2 columns 4 in(%x : tensor<f32>) [#train<row_kind sum>] out [] updated [] {
  ^bb0(%0: f32):
    train.rows_yield
  }
  return
}

// -----

func.func @rows_c4_empty() {
  // expected-error @below {{has 0 rows and 4 columns, expected at least 1 and fewer than 2^48 elements}}
  train.rows "f" rows 0 columns 4 in() [] out [] updated [] {
    train.rows_yield
  }
  return
}

// -----

func.func @rows_c5_index(%x: tensor<4xf32>) {
  // expected-error @below {{updates operand 1 by a result of type 'tensor<4xf32>', expected -1 or an operand of that type}}
  %0 = train.rows "f" rows 1 columns 4 in(%x : tensor<4xf32>) [#train<row_kind full>] out(tensor<4xf32>) [#train<row_kind full>] updated [1] {
  ^bb0(%1: f32):
    train.rows_yield %1 : f32
  }
  return
}

// -----

func.func @rows_c5_type(%x: tensor<4xi32>) {
  // expected-error @below {{updates operand 0 by a result of type 'tensor<1x4xi32>', expected -1 or an operand of that type}}
  %0 = train.rows "f" rows 1 columns 4 in(%x : tensor<4xi32>) [#train<row_kind full>] out(tensor<1x4xi32>) [#train<row_kind full>] updated [0] {
  ^bb0(%1: i32):
    train.rows_yield %1 : i32
  }
  return
}

// -----

func.func @rows_c6_arguments(%x: tensor<4xf32>) {
  // expected-error @below {{has a body of 0 arguments for 1 operands}}
  train.rows "f" rows 1 columns 4 in(%x : tensor<4xf32>) [#train<row_kind full>] out [] updated [] {
    train.rows_yield
  }
  return
}

// -----

func.func @rows_c6_argument_type(%x: tensor<4xf32>) {
  // expected-error @below {{has a body argument of type 'f64' for an operand of type 'tensor<4xf32>'}}
  train.rows "f" rows 1 columns 4 in(%x : tensor<4xf32>) [#train<row_kind full>] out [] updated [] {
  ^bb0(%0: f64):
    train.rows_yield
  }
  return
}

// -----

func.func @rows_c6_yield() {
  // expected-error @below {{must yield one scalar a result}}
  %0 = train.rows "f" rows 1 columns 4 in() [] out(tensor<4xi32>) [#train<row_kind full>] updated [-1] {
    train.rows_yield
  }
  return
}

// -----

func.func @rows_c6_yield_type() {
  // expected-error @below {{yields 'i32' for a result of type 'tensor<4xf32>'}}
  %0 = train.rows "f" rows 1 columns 4 in() [] out(tensor<4xf32>) [#train<row_kind full>] updated [-1] {
    %1 = train.column : i32
    train.rows_yield %1 : i32
  }
  return
}

// -----

func.func @rows_c7_body() {
  train.rows "f" rows 1 columns 4 in() [] out [] updated [] {
    // expected-error @below {{cannot stand in the body of a kernel, expected arith and math on scalars, train.reduce or train.column}}
    %0 = train.fill 0.0 : tensor<4xf32>
    train.rows_yield
  }
  return
}

// -----

func.func @rows_c8_flat(%x: tensor<4xf32>) {
  train.rows "f" rows 4 columns 1 flat in(%x : tensor<4xf32>) [#train<row_kind full>] out [] updated [] {
  ^bb0(%0: f32):
    // expected-error @below {{needs rows, but the kernel is flat}}
    %1 = train.reduce sum %0 : f32
    train.rows_yield
  }
  return
}

// -----

func.func @rows_no_body() {
  // expected-error @below {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
  "train.rows"() <{name = "f", rows = 1 : i64, columns = 1 : i64, operand_kinds = [], result_kinds = [], updated = array<i64>}> ({}) : () -> ()
  return
}
