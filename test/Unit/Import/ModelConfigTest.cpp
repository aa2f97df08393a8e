//===- ModelConfigTest.cpp - what a config means
//---------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trireme/Import/ModelConfig.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace trireme;
using llvm::json::Object;

using Changes = std::initializer_list<Object::KV>;

/// A small config of a family, with `changes` made.
static std::string writeConfig(llvm::StringRef family, Changes changes = {}) {
  Object object{{"model_type", family.str()}, {"vocab_size", 512},
                {"hidden_size", 64},          {"intermediate_size", 160},
                {"num_hidden_layers", 4},     {"num_attention_heads", 4},
                {"num_key_value_heads", 2},   {"max_position_embeddings", 64}};
  if (family == "gpt2")
    object = Object{{"model_type", "gpt2"}, {"vocab_size", 257},
                    {"n_embd", 64},         {"n_layer", 4},
                    {"n_head", 4},          {"n_positions", 64}};
  for (const Object::KV &change : changes)
    object[change.K] = change.V;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(object));
  return text;
}

static ModelConfig read(llvm::StringRef family, Changes changes = {}) {
  llvm::Expected<ModelConfig> config =
      parseModelConfig(writeConfig(family, changes), "config.json");
  if (config)
    return *config;
  ADD_FAILURE() << llvm::toString(config.takeError());
  return ModelConfig();
}

static std::string errorOf(llvm::StringRef family, Changes changes) {
  llvm::Expected<ModelConfig> config =
      parseModelConfig(writeConfig(family, changes), "config.json");
  return config ? "no error" : llvm::toString(config.takeError());
}

static std::string errorOfText(llvm::StringRef text) {
  llvm::Expected<ModelConfig> config = parseModelConfig(text, "config.json");
  return config ? "no error" : llvm::toString(config.takeError());
}

static bool contains(llvm::StringRef text, llvm::StringRef part) {
  return text.contains(part);
}

TEST(ModelConfig, FillsInTheFamilysDefaults) {
  ModelConfig llama = read("llama");
  EXPECT_EQ(llama.headDim, 16);
  EXPECT_EQ(llama.normEpsilon, 1e-6);
  EXPECT_EQ(llama.activation, Activation::Silu);
  EXPECT_FALSE(llama.tiedEmbeddings || llama.queryKeyValueBias);
  EXPECT_EQ(llama.rope->theta, 10000);
  EXPECT_EQ(llama.rope->dims, 16);
  EXPECT_EQ(llama.attentionScale, 0.25);
  EXPECT_EQ(llama.windows, std::vector<int64_t>({0, 0, 0, 0}));

  EXPECT_EQ(read("llama", {{"num_key_value_heads", nullptr}}).keyValueHeads, 4);
  EXPECT_EQ(read("mistral").windows,
            std::vector<int64_t>({4096, 4096, 4096, 4096}));
  EXPECT_TRUE(read("qwen2").queryKeyValueBias);
  EXPECT_FALSE(read("qwen2").attentionOutputBias);
  EXPECT_TRUE(read("qwen3").queryKeyNorm);
  EXPECT_EQ(read("qwen3").headDim, 128);

  ModelConfig gemma = read("gemma2");
  EXPECT_TRUE(gemma.tiedEmbeddings && gemma.postNorms && gemma.normUnitOffset);
  EXPECT_EQ(gemma.attentionSoftcap, 50);
  EXPECT_EQ(gemma.finalSoftcap, 30);
  EXPECT_EQ(gemma.attentionScale, 0.0625);
  EXPECT_EQ(gemma.embeddingScale, 8);
  EXPECT_EQ(gemma.activation, Activation::GeluTanh);
  EXPECT_EQ(gemma.windows, std::vector<int64_t>({4096, 0, 4096, 0}));

  ModelConfig gpt2 = read("gpt2");
  EXPECT_TRUE(gpt2.tiedEmbeddings && gpt2.mlpBias && !gpt2.rope);
  EXPECT_EQ(gpt2.intermediate, 256);
  EXPECT_EQ(gpt2.maximumPositionsKey, "n_positions");

  ModelConfig neox = read("gpt_neox");
  EXPECT_TRUE(neox.parallelResidual && neox.queryKeyValueBias);
  EXPECT_EQ(neox.rope->dims, 4);
  EXPECT_EQ(neox.keyValueHeads, 4);
}

TEST(ModelConfig, ReadsBothSpellings) {
  ModelConfig older = read(
      "llama", {{"rope_theta", 500000.0},
                {"rope_scaling", Object{{"type", "linear"}, {"factor", 4.0}}}});
  ModelConfig newer =
      read("llama", {{"rope_parameters", Object{{"rope_type", "linear"},
                                                {"rope_theta", 500000.0},
                                                {"factor", 4.0}}}});
  for (const ModelConfig &config : {older, newer}) {
    EXPECT_EQ(config.rope->theta, 500000);
    EXPECT_EQ(config.rope->scaling, RopeScaling::Linear);
    EXPECT_EQ(config.rope->factor, 4);
  }
  older = read("gpt_neox", {{"rotary_pct", 0.5}, {"rotary_emb_base", 5000}});
  newer = read("gpt_neox",
               {{"rope_parameters", Object{{"partial_rotary_factor", 0.5},
                                           {"rope_theta", 5000}}}});
  for (const ModelConfig &config : {older, newer}) {
    EXPECT_EQ(config.rope->theta, 5000);
    EXPECT_EQ(config.rope->dims, 8);
  }
}

TEST(ModelConfig, ReadsLlama3Scaling) {
  Object scaling{{"rope_type", "llama3"},
                 {"factor", 8.0},
                 {"low_freq_factor", 1.0},
                 {"high_freq_factor", 4.0},
                 {"original_max_position_embeddings", 8192}};
  ModelConfig config = read("llama", {{"rope_scaling", Object(scaling)}});
  EXPECT_EQ(config.rope->scaling, RopeScaling::Llama3);
  EXPECT_EQ(config.rope->factor, 8);
  EXPECT_EQ(config.rope->originalPositions, 8192);
  for (llvm::StringRef key : {"factor", "low_freq_factor", "high_freq_factor",
                              "original_max_position_embeddings"}) {
    Object without = scaling;
    without.erase(key);
    EXPECT_TRUE(contains(
        errorOf("llama", {{"rope_scaling", std::move(without)}}), key));
  }
}

TEST(ModelConfig, ReadsWindows) {
  EXPECT_EQ(read("mistral", {{"sliding_window", nullptr}}).windows,
            std::vector<int64_t>({0, 0, 0, 0}));
  EXPECT_EQ(read("mistral", {{"sliding_window", 24}}).windows,
            std::vector<int64_t>({24, 24, 24, 24}));
  EXPECT_EQ(read("qwen2", {{"sliding_window", 24}}).windows,
            std::vector<int64_t>({0, 0, 0, 0}));
  EXPECT_EQ(read("qwen2", {{"sliding_window", 24},
                           {"use_sliding_window", true},
                           {"max_window_layers", 3}})
                .windows,
            std::vector<int64_t>({0, 0, 0, 24}));
  llvm::json::Array types{"full_attention", "sliding_attention",
                          "full_attention", "full_attention"};
  EXPECT_EQ(read("gemma2", {{"sliding_window", 16},
                            {"layer_types", llvm::json::Array(types)}})
                .windows,
            std::vector<int64_t>({0, 16, 0, 0}));
  EXPECT_TRUE(
      contains(errorOf("qwen3", {{"layer_types", llvm::json::Array(types)}}),
               "sliding_window"));
  types.pop_back();
  EXPECT_TRUE(
      contains(errorOf("gemma2", {{"layer_types", llvm::json::Array(types)}}),
               "\"layer_types\": found 3 layers, expected one for each"));
  EXPECT_TRUE(contains(
      errorOf("gemma2", {{"layer_types", llvm::json::Array{1, 2, 3, 4}}}),
      "layer_types"));
}

TEST(ModelConfig, HonoursOddKeys) {
  ModelConfig llama =
      read("llama", {{"attention_bias", true}, {"mlp_bias", true}});
  EXPECT_TRUE(llama.queryKeyValueBias && llama.attentionOutputBias &&
              llama.mlpBias);
  EXPECT_FALSE(
      read("gpt_neox", {{"use_parallel_residual", false}}).parallelResidual);
  EXPECT_FALSE(
      read("gpt_neox", {{"attention_bias", false}}).attentionOutputBias);
  EXPECT_EQ(read("gpt2", {{"scale_attn_weights", false}}).attentionScale, 1);
  EXPECT_EQ(read("gpt2", {{"n_inner", 100}}).intermediate, 100);
  EXPECT_EQ(
      read("gemma2", {{"attn_logit_softcapping", nullptr}}).attentionSoftcap,
      std::nullopt);
  EXPECT_EQ(read("gpt_neox", {{"hidden_act", "gelu_fast"}}).activation,
            Activation::GeluTanh);
}

TEST(ModelConfig, RefusesWhatItCannotCompute) {
  EXPECT_TRUE(contains(
      errorOf("gpt2", {{"scale_attn_by_inverse_layer_idx", true}}),
      "\"scale_attn_by_inverse_layer_idx\": found true, expected false"));
  EXPECT_TRUE(contains(errorOf("gpt2", {{"add_cross_attention", true}}),
                       "add_cross_attention"));
  EXPECT_TRUE(
      contains(errorOf("gemma2", {{"use_bidirectional_attention", true}}),
               "use_bidirectional_attention"));
  EXPECT_TRUE(contains(errorOf("llama", {{"partial_rotary_factor", 0.5}}),
                       "partial_rotary_factor"));
  EXPECT_TRUE(contains(
      errorOf("llama", {{"rope_scaling",
                         Object{{"rope_type", "spiral"}, {"factor", 2.0}}}}),
      "rope_scaling: \"rope_type\": found \"spiral\", expected default"));
  EXPECT_TRUE(contains(
      errorOf("llama",
              {{"rope_parameters", Object{{"full_attention", Object()}}}}),
      "rope_parameters"));
  EXPECT_EQ(errorOf("vit", {}),
            "config.json: \"model_type\": found \"vit\", expected one of "
            "llama, mistral, qwen2, qwen3, gemma2, gpt2, gpt_neox");
  EXPECT_TRUE(contains(errorOfText("{}"), "model_type"));
}

TEST(ModelConfig, RefusesWrongValues) {
  struct {
    const char *key;
    llvm::json::Value value;
    const char *words;
  } cases[] = {
      {"hidden_size", nullptr, "found null, expected an integer from 1"},
      {"num_hidden_layers", -4, "found -4"},
      {"num_hidden_layers", "four", "found \"four\""},
      {"num_attention_heads", 7.5, "found 7.5"},
      {"hidden_size", 66, "\"num_attention_heads\": 4, e.g. 68"},
      {"num_key_value_heads", 3, "\"num_attention_heads\": 4"},
      {"hidden_act", "wiggle", "found \"wiggle\", expected silu"},
      {"vocab_size", 0, "found 0"},
      {"vocab_size", 1e30, "found 1e+30"},
      {"head_dim", 3, "head_dim"},
      {"rope_theta", 0, "found 0"},
      {"rms_norm_eps", true, "found true"},
      {"attention_bias", 1, "found 1, expected true or false"},
      {"initializer_range", -1, "found -1, expected a number from 0"},
      {"model_type", 3, "found 3"},
  };
  for (auto &[key, value, words] : cases) {
    std::string error = errorOf("llama", {{key, value}});
    EXPECT_TRUE(contains(error, "config.json: ")) << error;
    EXPECT_TRUE(contains(error, key)) << error;
    EXPECT_TRUE(contains(error, words)) << error;
  }
}

TEST(ModelConfig, RefusesOtherTexts) {
  for (const char *text : {"", " \n", "{\"model_type\": \"llama\", ", "[1, 2]",
                           "null", "{\"a\": \xff}"})
    EXPECT_TRUE(contains(errorOfText(text), "config.json: ")) << text;
  std::string deep = "{\"a\": " + std::string(1000000, '[');
  EXPECT_TRUE(contains(errorOfText(deep), "nested"));
}

TEST(ModelConfig, AnswersAHubId) {
  std::string message =
      llvm::toString(readModelConfig("some-org/some-model").takeError());
  EXPECT_TRUE(contains(message, "hf download some-org/some-model"));
  message = llvm::toString(readModelConfig("/no/such/folder").takeError());
  EXPECT_FALSE(contains(message, "download"));
}
