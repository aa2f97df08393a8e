//===- Families.cpp - what each model_type's config means -----------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes must be in the config. What transformers has a default for otherwise
// (epsilon, activation, tying, windows, ...) has the same default here.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace trireme;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Parts that families share
//===----------------------------------------------------------------------===//

static Activation readActivation(ConfigObject &object, StringRef key,
                                 StringRef otherwise) {
  auto activation = llvm::StringSwitch<std::optional<Activation>>(
                        object.getText(key, otherwise))
                        .Cases({"silu", "swish"}, Activation::Silu)
                        .Cases({"gelu", "gelu_python"}, Activation::Gelu)
                        .Cases({"gelu_new", "gelu_pytorch_tanh", "gelu_fast"},
                               Activation::GeluTanh)
                        .Case("relu", Activation::Relu)
                        .Default(std::nullopt);
  if (!activation)
    object.fail(key, "silu, gelu, gelu_new, gelu_pytorch_tanh, gelu_fast or "
                     "relu");
  return activation.value_or(Activation::Silu);
}

/// hidden / heads, which must be whole.
static int64_t divideHidden(ConfigObject &object, StringRef hiddenKey,
                            StringRef headsKey, const ModelConfig &config) {
  if (config.hidden % config.heads == 0)
    return config.hidden / config.heads;
  object.failWith("\"" + hiddenKey + "\": found " + Twine(config.hidden) +
                  ", expected a multiple of \"" + headsKey +
                  "\": " + Twine(config.heads) + ", e.g. " +
                  Twine((config.hidden / config.heads + 1) * config.heads));
  return 2;
}

static double readInitializerRange(ConfigObject &object) {
  return object.getNumber("initializer_range", 0.02, 0, 1e3);
}

/// The keys that all but GPT-2 have.
static void readSizes(ConfigObject &object, ModelConfig &config) {
  config.vocabulary = object.getSize("vocab_size", largestVocabulary);
  config.hidden = object.getSize("hidden_size", largestWidth);
  config.intermediate = object.getSize("intermediate_size", largestWidth);
  config.layers = object.getSize("num_hidden_layers", largestCount);
  config.heads = object.getSize("num_attention_heads", largestCount);
  config.maximumPositionsKey = "max_position_embeddings";
  config.initializerRange = readInitializerRange(object);
}

/// One window for each layer from `layer_types`, or from `isSliding` where
/// the config has none. `window` is null where no layer may slide.
static void readWindows(ConfigObject &object, std::optional<int64_t> window,
                        llvm::function_ref<bool(int64_t)> isSliding,
                        ModelConfig &config) {
  config.windows.assign(config.layers, 0);
  const llvm::json::Value *types = object.get("layer_types");
  const llvm::json::Array *list = types ? types->getAsArray() : nullptr;
  if (types && (!list || int64_t(list->size()) != config.layers))
    return object.failWith(
        "\"layer_types\": found " +
        (list ? Twine(list->size()) + " layers" : Twine("no list")) +
        ", expected one for each of \"num_hidden_layers\": " +
        Twine(config.layers));
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    bool slides = isSliding(layer);
    if (list) {
      StringRef type = (*list)[layer].getAsString().value_or("");
      slides = type == "sliding_attention";
      if (!slides && type != "full_attention")
        return object.failWith("\"layer_types\": found " +
                               describeValue(&(*list)[layer]) + " at layer " +
                               Twine(layer) +
                               ", expected full_attention or "
                               "sliding_attention");
      if (slides && !window)
        return object.failWith("\"layer_types\": found sliding_attention at "
                               "layer " +
                               Twine(layer) +
                               ", but \"sliding_window\" is null or unused");
    }
    if (slides && window)
      config.windows[layer] = *window;
  }
}

/// `sliding_window`: a size, null for none, `otherwise` where it is missing.
static std::optional<int64_t> readWindow(ConfigObject &object,
                                         std::optional<int64_t> otherwise) {
  if (object.isNull("sliding_window"))
    return std::nullopt;
  if (!object.has("sliding_window"))
    return otherwise;
  return object.getSize("sliding_window", largestPositions);
}

//===----------------------------------------------------------------------===//
// Llama and its relatives
//===----------------------------------------------------------------------===//

namespace {
/// In what the relatives of Llama differ where a config says nothing.
struct LlamaDefaults {
  /// 0: as many as heads.
  int64_t keyValueHeads = 0;
  /// 0: hidden / heads.
  int64_t headDim = 0;
  int64_t positions = 2048;
  StringRef activationKey = "hidden_act";
  StringRef activation = "silu";
  bool tied = false;
};
} // namespace

static void readLlamaLike(ConfigObject &object, const LlamaDefaults &defaults,
                          ModelConfig &config) {
  readSizes(object, config);
  config.maximumPositions = object.getSize(
      "max_position_embeddings", largestPositions, defaults.positions);
  bool isMissing = !object.has("num_key_value_heads") &&
                   !object.isNull("num_key_value_heads");
  config.keyValueHeads = object.getSize("num_key_value_heads", largestCount,
                                        isMissing && defaults.keyValueHeads
                                            ? defaults.keyValueHeads
                                            : config.heads);
  if (config.heads % config.keyValueHeads)
    object.failWith("\"num_key_value_heads\": found " +
                    Twine(config.keyValueHeads) +
                    ", expected a divisor of \"num_attention_heads\": " +
                    Twine(config.heads));
  if (object.has("head_dim") || defaults.headDim)
    config.headDim = object.getSize("head_dim", largestCount,
                                    defaults.headDim ? defaults.headDim : 1);
  else
    config.headDim =
        divideHidden(object, "hidden_size", "num_attention_heads", config);

  config.norm = NormKind::RootMeanSquare;
  config.normEpsilon = object.getPositive("rms_norm_eps", 1e-6);
  config.activation =
      readActivation(object, defaults.activationKey, defaults.activation);
  config.gatedMlp = true;
  config.rope = readRope(object, config.headDim, RopeKeys());
  config.attentionScale = 1.0 / std::sqrt(double(config.headDim));
  config.tiedEmbeddings =
      object.getBoolean("tie_word_embeddings", defaults.tied);
  config.attentionDropout = object.getNumber("attention_dropout", 0, 0, 1);
  config.windows.assign(config.layers, 0);
}

static void readLlama(ConfigObject &object, ModelConfig &config) {
  readLlamaLike(object, LlamaDefaults(), config);
  bool bias = object.getBoolean("attention_bias", false);
  config.queryKeyValueBias = config.attentionOutputBias = bias;
  config.mlpBias = object.getBoolean("mlp_bias", false);
}

static void readMistral(ConfigObject &object, ModelConfig &config) {
  LlamaDefaults defaults;
  defaults.keyValueHeads = 8;
  defaults.positions = 131072;
  readLlamaLike(object, defaults, config);
  // Its modules slide in every layer and look at no layer_types.
  config.windows.assign(config.layers, readWindow(object, 4096).value_or(0));
}

/// Qwen2 and Qwen3 slide only if `use_sliding_window` says so, and then from
/// layer `max_window_layers` on.
static void readQwenWindows(ConfigObject &object, ModelConfig &config) {
  std::optional<int64_t> window = readWindow(object, 4096);
  if (!object.getBoolean("use_sliding_window", false))
    window = std::nullopt;
  int64_t first = int64_t(
      object.getNumber("max_window_layers", 28, 0, double(largestCount)));
  readWindows(
      object, window, [&](int64_t layer) { return layer >= first; }, config);
}

static void readQwen2(ConfigObject &object, ModelConfig &config) {
  LlamaDefaults defaults;
  defaults.keyValueHeads = 32;
  defaults.positions = 32768;
  readLlamaLike(object, defaults, config);
  readQwenWindows(object, config);
  config.queryKeyValueBias = true;
}

static void readQwen3(ConfigObject &object, ModelConfig &config) {
  LlamaDefaults defaults;
  defaults.keyValueHeads = 32;
  defaults.headDim = 128;
  defaults.positions = 32768;
  readLlamaLike(object, defaults, config);
  readQwenWindows(object, config);
  bool bias = object.getBoolean("attention_bias", false);
  config.queryKeyValueBias = config.attentionOutputBias = bias;
  config.queryKeyNorm = true;
}

static void readGemma2(ConfigObject &object, ModelConfig &config) {
  LlamaDefaults defaults;
  defaults.keyValueHeads = 4;
  defaults.headDim = 256;
  defaults.positions = 8192;
  defaults.activationKey = "hidden_activation";
  defaults.activation = "gelu_pytorch_tanh";
  defaults.tied = true;
  readLlamaLike(object, defaults, config);
  bool bias = object.getBoolean("attention_bias", false);
  config.queryKeyValueBias = config.attentionOutputBias = bias;
  object.requireBoolean("use_bidirectional_attention", false, false,
                        "training is causal");
  readWindows(
      object, readWindow(object, 4096),
      [](int64_t layer) { return layer % 2 == 0; }, config);
  config.normUnitOffset = true;
  config.postNorms = true;
  config.attentionScale =
      1.0 / std::sqrt(object.getPositive("query_pre_attn_scalar", 256));
  config.attentionSoftcap =
      object.getPositiveOrNull("attn_logit_softcapping", 50.0);
  config.finalSoftcap =
      object.getPositiveOrNull("final_logit_softcapping", 30.0);
  config.embeddingScale = std::sqrt(double(config.hidden));
}

//===----------------------------------------------------------------------===//
// GPT-2 and GPT-NeoX
//===----------------------------------------------------------------------===//

static void readGPT2(ConfigObject &object, ModelConfig &config) {
  config.vocabulary = object.getSize("vocab_size", largestVocabulary);
  config.hidden = object.getSize("n_embd", largestWidth);
  config.layers = object.getSize("n_layer", largestCount);
  config.heads = object.getSize("n_head", largestCount);
  config.keyValueHeads = config.heads;
  config.intermediate =
      object.getSize("n_inner", largestWidth, 4 * config.hidden);
  config.maximumPositionsKey = "n_positions";
  config.maximumPositions = object.getSize("n_positions", largestPositions);
  config.headDim = divideHidden(object, "n_embd", "n_head", config);
  config.norm = NormKind::Layer;
  config.normEpsilon = object.getPositive("layer_norm_epsilon", 1e-5);
  config.activation = readActivation(object, "activation_function", "gelu_new");
  config.gatedMlp = false;
  config.attentionScale = object.getBoolean("scale_attn_weights", true)
                              ? 1.0 / std::sqrt(double(config.headDim))
                              : 1.0;
  object.requireBoolean("scale_attn_by_inverse_layer_idx", false, false,
                        "a scale for each layer is not supported");
  object.requireBoolean("add_cross_attention", false, false,
                        "there is no encoder to attend to");
  config.queryKeyValueBias = config.attentionOutputBias = config.mlpBias = true;
  config.tiedEmbeddings = object.getBoolean("tie_word_embeddings", true);
  config.initializerRange = readInitializerRange(object);
  config.embeddingDropout = object.getNumber("embd_pdrop", 0.1, 0, 1);
  config.residualDropout = object.getNumber("resid_pdrop", 0.1, 0, 1);
  config.attentionDropout = object.getNumber("attn_pdrop", 0.1, 0, 1);
  config.windows.assign(config.layers, 0);
}

static void readGPTNeoX(ConfigObject &object, ModelConfig &config) {
  readSizes(object, config);
  config.keyValueHeads = config.heads;
  config.maximumPositions =
      object.getSize("max_position_embeddings", largestPositions, 2048);
  config.headDim =
      divideHidden(object, "hidden_size", "num_attention_heads", config);
  config.norm = NormKind::Layer;
  config.normEpsilon = object.getPositive("layer_norm_eps", 1e-5);
  config.activation = readActivation(object, "hidden_act", "gelu");
  config.gatedMlp = false;
  RopeKeys keys;
  keys.theta = "rotary_emb_base";
  keys.fraction = "rotary_pct";
  keys.defaultFraction = 0.25;
  keys.allowsPart = true;
  config.rope = readRope(object, config.headDim, keys);
  config.attentionScale = 1.0 / std::sqrt(double(config.headDim));
  bool bias = object.getBoolean("attention_bias", true);
  config.queryKeyValueBias = config.attentionOutputBias = bias;
  config.mlpBias = true;
  config.tiedEmbeddings = object.getBoolean("tie_word_embeddings", false);
  config.parallelResidual = object.getBoolean("use_parallel_residual", true);
  config.embeddingDropout = config.residualDropout =
      object.getNumber("hidden_dropout", 0, 0, 1);
  config.attentionDropout = object.getNumber("attention_dropout", 0, 0, 1);
  config.windows.assign(config.layers, 0);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static constexpr struct {
  Family family;
  llvm::StringLiteral name;
  void (*read)(ConfigObject &, ModelConfig &);
} families[] = {
    {Family::Llama, "llama", readLlama},
    {Family::Mistral, "mistral", readMistral},
    {Family::Qwen2, "qwen2", readQwen2},
    {Family::Qwen3, "qwen3", readQwen3},
    {Family::Gemma2, "gemma2", readGemma2},
    {Family::GPT2, "gpt2", readGPT2},
    {Family::GPTNeoX, "gpt_neox", readGPTNeoX},
};

StringRef trireme::stringifyFamily(Family family) {
  for (const auto &row : families)
    if (row.family == family)
      return row.name;
  return "";
}

void trireme::readFamily(ConfigObject &object, ModelConfig &config) {
  StringRef type = object.getText("model_type", "");
  std::string known;
  for (const auto &row : families) {
    if (row.name == type) {
      config.family = row.family;
      return row.read(object, config);
    }
    known += (known.empty() ? "" : ", ") + row.name.str();
  }
  object.fail("model_type", "one of " + known);
}
