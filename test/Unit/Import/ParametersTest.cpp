//===- ParametersTest.cpp - tensors of published models
//--------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trireme/Import/Parameters.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace trireme;

namespace {
/// The sizes of a published model and the number of its parameters.
struct Published {
  const char *name;
  const char *family;
  int64_t hidden, layers, heads, keyValueHeads;
  int64_t headDim, intermediate, vocabulary;
  bool isTied;
  int64_t positions;
  int64_t parameters;
};
} // namespace

static const Published models[] = {
    {"gpt2-124m", "gpt2", 768, 12, 12, 12, 64, 3072, 50257, true, 1024,
     124439808},
    {"gpt2-medium-355m", "gpt2", 1024, 24, 16, 16, 64, 4096, 50257, true, 1024,
     354823168},
    {"gpt2-large-774m", "gpt2", 1280, 36, 20, 20, 64, 5120, 50257, true, 1024,
     774030080},
    {"gpt2-xl-1.5b", "gpt2", 1600, 48, 25, 25, 64, 6400, 50257, true, 1024,
     1557611200},
    {"gpt3-175b", "gpt2", 12288, 96, 96, 96, 128, 49152, 50257, true, 2048,
     174604259328},
    {"pythia-14m", "gpt_neox", 128, 6, 4, 4, 32, 512, 50304, false, 512,
     14067712},
    {"pythia-31m", "gpt_neox", 256, 6, 8, 8, 32, 1024, 50304, false, 1024,
     30494720},
    {"pythia-70m", "gpt_neox", 512, 6, 8, 8, 64, 2048, 50304, false, 2048,
     70426624},
    {"pythia-160m", "gpt_neox", 768, 12, 12, 12, 64, 3072, 50304, false, 2048,
     162322944},
    {"pythia-410m", "gpt_neox", 1024, 24, 16, 16, 64, 4096, 50304, false, 2048,
     405334016},
    {"pythia-1b", "gpt_neox", 2048, 16, 8, 8, 256, 8192, 50304, false, 2048,
     1011781632},
    {"pythia-1.4b", "gpt_neox", 2048, 24, 16, 16, 128, 8192, 50304, false, 2048,
     1414647808},
    {"pythia-2.8b", "gpt_neox", 2560, 32, 32, 32, 80, 10240, 50304, false, 2048,
     2775208960},
    {"pythia-6.9b", "gpt_neox", 4096, 32, 32, 32, 128, 16384, 50432, false,
     2048, 6857302016},
    {"pythia-12b", "gpt_neox", 5120, 36, 40, 40, 128, 20480, 50688, false, 2048,
     11846072320},
    {"gpt-neox-20b", "gpt_neox", 6144, 44, 64, 64, 96, 24576, 50432, false,
     2048, 20554567680},
    {"llama-2-7b", "llama", 4096, 32, 32, 32, 128, 11008, 32000, false, 4096,
     6738415616},
    {"llama-2-13b", "llama", 5120, 40, 40, 40, 128, 13824, 32000, false, 4096,
     13015864320},
    {"llama-2-70b", "llama", 8192, 80, 64, 8, 128, 28672, 32000, false, 4096,
     68976648192},
    {"llama-3-8b", "llama", 4096, 32, 32, 8, 128, 14336, 128256, false, 8192,
     8030261248},
    {"llama-3-70b", "llama", 8192, 80, 64, 8, 128, 28672, 128256, false, 8192,
     70553706496},
    {"llama-3.1-8b", "llama", 4096, 32, 32, 8, 128, 14336, 128256, false,
     131072, 8030261248},
    {"llama-3.1-70b", "llama", 8192, 80, 64, 8, 128, 28672, 128256, false,
     131072, 70553706496},
    {"llama-3.1-405b", "llama", 16384, 126, 128, 8, 128, 53248, 128256, false,
     131072, 405853388800},
    {"llama-3.2-1b", "llama", 2048, 16, 32, 8, 64, 8192, 128256, true, 131072,
     1235814400},
    {"llama-3.2-3b", "llama", 3072, 28, 24, 8, 128, 8192, 128256, true, 131072,
     3212749824},
    {"mistral-7b-v0.1", "mistral", 4096, 32, 32, 8, 128, 14336, 32000, false,
     32768, 7241732096},
    {"mistral-7b-v0.3", "mistral", 4096, 32, 32, 8, 128, 14336, 32768, false,
     32768, 7248023552},
    {"qwen2.5-0.5b", "qwen2", 896, 24, 14, 2, 64, 4864, 151936, true, 32768,
     494032768},
    {"qwen2.5-1.5b", "qwen2", 1536, 28, 12, 2, 128, 8960, 151936, true, 131072,
     1543714304},
    {"qwen2.5-3b", "qwen2", 2048, 36, 16, 2, 128, 11008, 151936, true, 32768,
     3085938688},
    {"qwen2.5-7b", "qwen2", 3584, 28, 28, 4, 128, 18944, 152064, false, 131072,
     7615616512},
    {"qwen2.5-14b", "qwen2", 5120, 48, 40, 8, 128, 13824, 152064, false, 131072,
     14770033664},
    {"qwen2.5-32b", "qwen2", 5120, 64, 40, 8, 128, 27648, 152064, false, 131072,
     32763876352},
    {"qwen2.5-72b", "qwen2", 8192, 80, 64, 8, 128, 29568, 152064, false, 131072,
     72706203648},
    {"qwen3-0.6b", "qwen3", 1024, 28, 16, 8, 128, 3072, 151936, true, 40960,
     596049920},
    {"qwen3-1.7b", "qwen3", 2048, 28, 16, 8, 128, 6144, 151936, true, 40960,
     1720574976},
    {"qwen3-4b", "qwen3", 2560, 36, 32, 8, 128, 9728, 151936, true, 40960,
     4022468096},
    {"qwen3-8b", "qwen3", 4096, 36, 32, 8, 128, 12288, 151936, false, 40960,
     8190735360},
    {"qwen3-14b", "qwen3", 5120, 40, 40, 8, 128, 17408, 151936, false, 40960,
     14768307200},
    {"qwen3-32b", "qwen3", 5120, 64, 64, 8, 128, 25600, 151936, false, 40960,
     32762123264},
    {"gemma-2-2b", "gemma2", 2304, 26, 8, 4, 256, 9216, 256000, true, 8192,
     2614341888},
    {"gemma-2-9b", "gemma2", 3584, 42, 16, 8, 256, 14336, 256000, true, 8192,
     9241705984},
    {"gemma-2-27b", "gemma2", 4608, 46, 32, 16, 128, 36864, 256000, true, 8192,
     27227128320},
};

/// The model's config in the keys of its family.
static std::string writeConfig(const Published &model) {
  llvm::json::Object object{{"model_type", model.family},
                            {"vocab_size", model.vocabulary},
                            {"tie_word_embeddings", model.isTied}};
  if (llvm::StringRef(model.family) == "gpt2") {
    object["n_embd"] = model.hidden;
    object["n_layer"] = model.layers;
    object["n_head"] = model.heads;
    object["n_positions"] = model.positions;
    object["n_inner"] = model.intermediate;
  } else {
    object["hidden_size"] = model.hidden;
    object["intermediate_size"] = model.intermediate;
    object["num_hidden_layers"] = model.layers;
    object["num_attention_heads"] = model.heads;
    object["num_key_value_heads"] = model.keyValueHeads;
    object["head_dim"] = model.headDim;
    object["max_position_embeddings"] = model.positions;
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(object));
  return text;
}

TEST(Parameters, CountEqualsThePublishedModels) {
  for (const Published &model : models) {
    llvm::Expected<ModelConfig> config =
        parseModelConfig(writeConfig(model), model.name);
    if (!config) {
      ADD_FAILURE() << llvm::toString(config.takeError());
      continue;
    }
    EXPECT_EQ(countParameters(*config), model.parameters) << model.name;
  }
}

TEST(Parameters, HeadShapesAreReshapes) {
  for (const Published &model : models) {
    llvm::Expected<ModelConfig> config =
        parseModelConfig(writeConfig(model), model.name);
    if (!config) {
      ADD_FAILURE() << llvm::toString(config.takeError());
      continue;
    }
    for (const ModelParameter &parameter : listParameters(*config)) {
      auto count = [](llvm::ArrayRef<int64_t> shape) {
        int64_t result = 1;
        for (int64_t size : shape)
          result *= size;
        return result;
      };
      EXPECT_EQ(count(parameter.shape), count(parameter.headShape))
          << model.name << ' ' << parameter.name;
      EXPECT_EQ(parameter.isPerLayer,
                parameter.name.find("{}") != std::string::npos);
    }
  }
}

TEST(Parameters, TooManyAreNotCounted) {
  std::string text = writeConfig({"huge", "llama", 1 << 24, 1 << 16, 1, 1, 2,
                                  1 << 24, 2147483647, false, 64, 0});
  llvm::Expected<ModelConfig> config = parseModelConfig(text, "huge");
  ASSERT_FALSE(bool(config));
  EXPECT_NE(llvm::toString(config.takeError()).find("2^50"), std::string::npos);
}
