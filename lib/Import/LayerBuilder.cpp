//===- LayerBuilder.cpp - the operations of a transformer -----------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The families differ in which of these parts they have, not in the parts, so
// what is built follows from the config's values and from which parameters
// there are.
//
//===----------------------------------------------------------------------===//

#include "LayerBuilder.h"

using namespace mlir;
using namespace trireme;
using llvm::StringRef;
using Tensor = ParameterRole;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

void ParameterValues::set(const ModelParameter &parameter, Value value) {
  StringRef module = StringRef(parameter.name).rsplit('.').first;
  Location loc = NameLoc::get(StringAttr::get(value.getContext(), module));
  entries.insert_or_assign(parameter.role, Entry{value, loc});
}

Value ParameterValues::get(ParameterRole role) const {
  auto it = entries.find(role);
  return it == entries.end() ? Value() : it->second.value;
}

Location ParameterValues::getModule(ParameterRole role) const {
  return entries.at(role).module;
}

Location LayerBuilder::getParentModule(ParameterRole role, unsigned levels) {
  StringRef path = cast<NameLoc>(parameters.getModule(role)).getName();
  for (unsigned level = 0; level < levels; ++level)
    path = path.rsplit('.').first;
  return NameLoc::get(builder.getStringAttr(path));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

Value LayerBuilder::buildNorm(Value source, ParameterRole weight,
                              ParameterRole bias) {
  Location loc = parameters.getModule(weight);
  FloatAttr epsilon = builder.getF64FloatAttr(config.normEpsilon);
  if (config.norm == NormKind::Layer)
    return train::LayerNormOp::create(builder, loc, source,
                                      parameters.get(weight),
                                      parameters.get(bias), epsilon)
        .getResult();
  return train::RMSNormOp::create(
             builder, loc, source, parameters.get(weight), epsilon,
             builder.getF64FloatAttr(config.normUnitOffset ? 1.0 : 0.0))
      .getResult();
}

Value LayerBuilder::buildLinear(Value source, ParameterRole weight,
                                ParameterRole bias, int64_t contract) {
  Location loc = parameters.getModule(weight);
  // GPT-2 stores [in, out], the others [out, in].
  bool isTransposed = config.family != Family::GPT2;
  Value result = train::LinearOp::create(
      builder, loc, source, parameters.get(weight), /*accumulator=*/Value(),
      builder.getI64IntegerAttr(contract), /*lhs_transposed=*/UnitAttr(),
      isTransposed ? builder.getUnitAttr() : UnitAttr());
  if (Value addend = parameters.get(bias))
    result = train::AddBiasOp::create(builder, loc, result, addend);
  return result;
}

Value LayerBuilder::buildAdd(Value lhs, Value rhs) {
  Location loc = getParentModule(Tensor::AttentionNormWeight, 1);
  return train::AddOp::create(builder, loc, lhs, rhs);
}

Value LayerBuilder::buildActivation(Location loc, Value source) {
  switch (config.activation) {
  case Activation::Silu:
    return train::SiluOp::create(builder, loc, source);
  case Activation::Gelu:
    return train::GeluOp::create(builder, loc, source, /*tanh=*/UnitAttr());
  case Activation::GeluTanh:
    return train::GeluOp::create(builder, loc, source, builder.getUnitAttr());
  case Activation::Relu:
    return train::ReluOp::create(builder, loc, source);
  }
  llvm_unreachable("all activations are handled");
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

LayerBuilder::Projections LayerBuilder::buildFusedProjections(Value source) {
  Location loc = parameters.getModule(Tensor::FusedWeight);
  Value fused = buildLinear(source, Tensor::FusedWeight, Tensor::FusedBias, 1);
  // [batch, sequence, 3, heads, head] of GPT-2, the 3 behind the heads in
  // GPT-NeoX.
  int64_t dim = config.family == Family::GPT2 ? 2 : 3;
  auto slices = train::UnstackOp::create(builder, loc, fused,
                                         builder.getI64IntegerAttr(dim));
  Value queries = slices.getResult(0);
  auto type = cast<RankedTensorType>(queries.getType());
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.end() - 1, 1);
  queries = train::ReshapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()),
      queries);
  return {queries, slices.getResult(1), slices.getResult(2)};
}

LayerBuilder::Projections LayerBuilder::buildProjections(Value source) {
  Projections result;
  result.queries =
      buildLinear(source, Tensor::QueryWeight, Tensor::QueryBias, 1);
  result.keys = buildLinear(source, Tensor::KeyWeight, Tensor::KeyBias, 1);
  result.values =
      buildLinear(source, Tensor::ValueWeight, Tensor::ValueBias, 1);
  if (config.queryKeyNorm) {
    // Root-mean-square norms have no bias; its role is not looked up.
    result.queries = buildNorm(result.queries, Tensor::QueryNormWeight,
                               Tensor::QueryNormWeight);
    result.keys =
        buildNorm(result.keys, Tensor::KeyNormWeight, Tensor::KeyNormWeight);
  }
  return result;
}

Attribute LayerBuilder::getWindow() {
  if (llvm::all_equal(config.windows))
    return builder.getI64IntegerAttr(config.windows.front());
  return train::PerLayerAttr::get(builder.getContext(), config.windows);
}

Value LayerBuilder::buildAttention(Value source, const LayerInputs &inputs) {
  Projections heads = parameters.get(Tensor::FusedWeight)
                          ? buildFusedProjections(source)
                          : buildProjections(source);
  Location loc = getParentModule(Tensor::OutputWeight, 1);
  if (inputs.rotaryTable) {
    heads.queries = train::RotaryOp::create(
        builder, loc, heads.queries, inputs.rotaryTable, /*inverse=*/false);
    heads.keys = train::RotaryOp::create(builder, loc, heads.keys,
                                         inputs.rotaryTable, /*inverse=*/false);
  }
  auto attention = train::AttentionOp::create(
      builder, loc, heads.queries, heads.keys, heads.values, inputs.positions,
      inputs.positions, builder.getF64FloatAttr(config.attentionScale),
      builder.getF64FloatAttr(config.attentionSoftcap.value_or(0.0)),
      getWindow());
  return buildLinear(attention.getResult(), Tensor::OutputWeight,
                     Tensor::OutputBias, /*contract=*/3);
}

//===----------------------------------------------------------------------===//
// MLP and the layer
//===----------------------------------------------------------------------===//

Value LayerBuilder::buildMlp(Value source) {
  Location loc = getParentModule(Tensor::UpWeight, 1);
  Value inner;
  if (config.gatedMlp) {
    Value gate = buildLinear(source, Tensor::GateWeight, Tensor::GateBias, 1);
    Value up = buildLinear(source, Tensor::UpWeight, Tensor::UpBias, 1);
    inner = train::MulOp::create(builder, loc, buildActivation(loc, gate), up);
  } else {
    inner = buildActivation(
        loc, buildLinear(source, Tensor::UpWeight, Tensor::UpBias, 1));
  }
  return buildLinear(inner, Tensor::DownWeight, Tensor::DownBias, 1);
}

Value LayerBuilder::buildLayer(Value hidden, const LayerInputs &inputs) {
  Value normed =
      buildNorm(hidden, Tensor::AttentionNormWeight, Tensor::AttentionNormBias);
  Value attention = buildAttention(normed, inputs);
  if (config.parallelResidual) {
    Value mlp =
        buildMlp(buildNorm(hidden, Tensor::MlpNormWeight, Tensor::MlpNormBias));
    return buildAdd(buildAdd(mlp, attention), hidden);
  }
  if (config.postNorms)
    attention = buildNorm(attention, Tensor::PostAttentionNormWeight,
                          Tensor::PostAttentionNormWeight);
  hidden = buildAdd(hidden, attention);
  Value mlp =
      buildMlp(buildNorm(hidden, Tensor::MlpNormWeight, Tensor::MlpNormBias));
  if (config.postNorms)
    mlp = buildNorm(mlp, Tensor::PostMlpNormWeight, Tensor::PostMlpNormWeight);
  return buildAdd(hidden, mlp);
}
