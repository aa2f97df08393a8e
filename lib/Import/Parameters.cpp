//===- Parameters.cpp - the tensors of a model ----------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trireme/Import/Parameters.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace trireme;
using llvm::StringRef;
using Role = ParameterRole;
using Shape = llvm::SmallVector<int64_t, 4>;

namespace {
/// Collects the parameters of a model under the names of its family.
class Lister {
public:
  explicit Lister(const ModelConfig &config) : config(config) {}

  std::vector<ModelParameter> list();

private:
  void listLlamaLike();
  void listGPT2();
  void listGPTNeoX();

  /// A matrix or table, drawn with the config's deviation times `factor`.
  void addWeight(Role role, StringRef name, Shape shape, Shape headShape = {},
                 double factor = 1.0) {
    add(role, name, std::move(shape), std::move(headShape), /*isRandom=*/true,
        config.initializerRange * factor);
  }
  /// A bias: zeros.
  void addBias(Role role, StringRef name, Shape shape, Shape headShape = {}) {
    add(role, name, std::move(shape), std::move(headShape), /*isRandom=*/false,
        /*value=*/0.0);
  }
  /// A norm's gain, such that it starts as 1.
  void addGain(Role role, StringRef name, int64_t size) {
    add(role, name, {size}, {}, /*isRandom=*/false,
        config.normUnitOffset ? 0.0 : 1.0);
  }
  void add(Role role, StringRef name, Shape shape, Shape headShape,
           bool isRandom, double value) {
    if (headShape.empty())
      headShape = shape;
    parameters.push_back({role, name.str(), name.contains("{}"),
                          std::move(shape), std::move(headShape), isRandom,
                          value});
  }

  const ModelConfig &config;
  std::vector<ModelParameter> parameters;
};
} // namespace

/// Llama, Mistral, Qwen2, Qwen3 and Gemma 2.
void Lister::listLlamaLike() {
  int64_t hidden = config.hidden, inner = config.intermediate;
  int64_t kv = config.keyValueHeads, group = config.heads / kv;
  int64_t dim = config.headDim;
  int64_t queries = config.heads * dim, keys = kv * dim;
  const std::string layer = "model.layers.{}.";
  const std::string attention = layer + "self_attn.", mlp = layer + "mlp.";

  addWeight(Role::TokenEmbedding, "model.embed_tokens.weight",
            {config.vocabulary, hidden});
  addGain(Role::AttentionNormWeight, layer + "input_layernorm.weight", hidden);

  addWeight(Role::QueryWeight, attention + "q_proj.weight", {queries, hidden},
            {kv, group, dim, hidden});
  if (config.queryKeyValueBias)
    addBias(Role::QueryBias, attention + "q_proj.bias", {queries},
            {kv, group, dim});
  addWeight(Role::KeyWeight, attention + "k_proj.weight", {keys, hidden},
            {kv, dim, hidden});
  if (config.queryKeyValueBias)
    addBias(Role::KeyBias, attention + "k_proj.bias", {keys}, {kv, dim});
  addWeight(Role::ValueWeight, attention + "v_proj.weight", {keys, hidden},
            {kv, dim, hidden});
  if (config.queryKeyValueBias)
    addBias(Role::ValueBias, attention + "v_proj.bias", {keys}, {kv, dim});
  if (config.queryKeyNorm) {
    addGain(Role::QueryNormWeight, attention + "q_norm.weight", dim);
    addGain(Role::KeyNormWeight, attention + "k_norm.weight", dim);
  }
  addWeight(Role::OutputWeight, attention + "o_proj.weight", {hidden, queries},
            {hidden, kv, group, dim});
  if (config.attentionOutputBias)
    addBias(Role::OutputBias, attention + "o_proj.bias", {hidden});

  if (config.postNorms)
    addGain(Role::PostAttentionNormWeight,
            layer + "post_attention_layernorm.weight", hidden);
  // The norm before the MLP has another name where one follows attention.
  addGain(Role::MlpNormWeight,
          layer + (config.postNorms ? "pre_feedforward_layernorm.weight"
                                    : "post_attention_layernorm.weight"),
          hidden);
  addWeight(Role::GateWeight, mlp + "gate_proj.weight", {inner, hidden});
  if (config.mlpBias)
    addBias(Role::GateBias, mlp + "gate_proj.bias", {inner});
  addWeight(Role::UpWeight, mlp + "up_proj.weight", {inner, hidden});
  if (config.mlpBias)
    addBias(Role::UpBias, mlp + "up_proj.bias", {inner});
  addWeight(Role::DownWeight, mlp + "down_proj.weight", {hidden, inner});
  if (config.mlpBias)
    addBias(Role::DownBias, mlp + "down_proj.bias", {hidden});
  if (config.postNorms)
    addGain(Role::PostMlpNormWeight,
            layer + "post_feedforward_layernorm.weight", hidden);

  addGain(Role::FinalNormWeight, "model.norm.weight", hidden);
  if (!config.tiedEmbeddings)
    addWeight(Role::HeadWeight, "lm_head.weight", {config.vocabulary, hidden});
}

/// GPT-2 stores matrices as [in, out].
void Lister::listGPT2() {
  int64_t hidden = config.hidden, inner = config.intermediate;
  int64_t heads = config.heads, dim = config.headDim;
  const std::string layer = "transformer.h.{}.";
  // Projections into the residual stream start smaller.
  double residual = 1.0 / std::sqrt(2.0 * double(config.layers));

  addWeight(Role::TokenEmbedding, "transformer.wte.weight",
            {config.vocabulary, hidden});
  addWeight(Role::PositionEmbedding, "transformer.wpe.weight",
            {config.maximumPositions, hidden});
  addGain(Role::AttentionNormWeight, layer + "ln_1.weight", hidden);
  addBias(Role::AttentionNormBias, layer + "ln_1.bias", {hidden});
  addWeight(Role::FusedWeight, layer + "attn.c_attn.weight",
            {hidden, 3 * hidden}, {hidden, 3, heads, dim});
  addBias(Role::FusedBias, layer + "attn.c_attn.bias", {3 * hidden},
          {3, heads, dim});
  addWeight(Role::OutputWeight, layer + "attn.c_proj.weight", {hidden, hidden},
            {heads, 1, dim, hidden}, residual);
  addBias(Role::OutputBias, layer + "attn.c_proj.bias", {hidden});
  addGain(Role::MlpNormWeight, layer + "ln_2.weight", hidden);
  addBias(Role::MlpNormBias, layer + "ln_2.bias", {hidden});
  addWeight(Role::UpWeight, layer + "mlp.c_fc.weight", {hidden, inner});
  addBias(Role::UpBias, layer + "mlp.c_fc.bias", {inner});
  addWeight(Role::DownWeight, layer + "mlp.c_proj.weight", {inner, hidden}, {},
            residual);
  addBias(Role::DownBias, layer + "mlp.c_proj.bias", {hidden});
  addGain(Role::FinalNormWeight, "transformer.ln_f.weight", hidden);
  addBias(Role::FinalNormBias, "transformer.ln_f.bias", {hidden});
  if (!config.tiedEmbeddings)
    addWeight(Role::HeadWeight, "lm_head.weight", {config.vocabulary, hidden});
}

/// GPT-NeoX stores query, key and value of a head together.
void Lister::listGPTNeoX() {
  int64_t hidden = config.hidden, inner = config.intermediate;
  int64_t heads = config.heads, dim = config.headDim;
  const std::string layer = "gpt_neox.layers.{}.";
  const std::string attention = layer + "attention.", mlp = layer + "mlp.";

  addWeight(Role::TokenEmbedding, "gpt_neox.embed_in.weight",
            {config.vocabulary, hidden});
  addGain(Role::AttentionNormWeight, layer + "input_layernorm.weight", hidden);
  addBias(Role::AttentionNormBias, layer + "input_layernorm.bias", {hidden});
  addWeight(Role::FusedWeight, attention + "query_key_value.weight",
            {3 * hidden, hidden}, {heads, 3, dim, hidden});
  if (config.queryKeyValueBias)
    addBias(Role::FusedBias, attention + "query_key_value.bias", {3 * hidden},
            {heads, 3, dim});
  addWeight(Role::OutputWeight, attention + "dense.weight", {hidden, hidden},
            {hidden, heads, 1, dim});
  if (config.attentionOutputBias)
    addBias(Role::OutputBias, attention + "dense.bias", {hidden});
  addGain(Role::MlpNormWeight, layer + "post_attention_layernorm.weight",
          hidden);
  addBias(Role::MlpNormBias, layer + "post_attention_layernorm.bias", {hidden});
  addWeight(Role::UpWeight, mlp + "dense_h_to_4h.weight", {inner, hidden});
  addBias(Role::UpBias, mlp + "dense_h_to_4h.bias", {inner});
  addWeight(Role::DownWeight, mlp + "dense_4h_to_h.weight", {hidden, inner});
  addBias(Role::DownBias, mlp + "dense_4h_to_h.bias", {hidden});
  addGain(Role::FinalNormWeight, "gpt_neox.final_layer_norm.weight", hidden);
  addBias(Role::FinalNormBias, "gpt_neox.final_layer_norm.bias", {hidden});
  if (!config.tiedEmbeddings)
    addWeight(Role::HeadWeight, "embed_out.weight",
              {config.vocabulary, hidden});
}

std::vector<ModelParameter> Lister::list() {
  switch (config.family) {
  case Family::GPT2:
    listGPT2();
    break;
  case Family::GPTNeoX:
    listGPTNeoX();
    break;
  case Family::Llama:
  case Family::Mistral:
  case Family::Qwen2:
  case Family::Qwen3:
  case Family::Gemma2:
    listLlamaLike();
    break;
  }
  return std::move(parameters);
}

std::vector<ModelParameter> trireme::listParameters(const ModelConfig &config) {
  return Lister(config).list();
}

std::optional<int64_t> trireme::countParameters(const ModelConfig &config) {
  constexpr int64_t most = int64_t(1) << 50;
  int64_t total = 0;
  for (const ModelParameter &parameter : listParameters(config)) {
    int64_t count = parameter.isPerLayer ? config.layers : 1;
    for (int64_t size : parameter.shape)
      if (llvm::MulOverflow(count, size, count) || count > most)
        return std::nullopt;
    total += count;
    if (total > most)
      return std::nullopt;
  }
  return total;
}
