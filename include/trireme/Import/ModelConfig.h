//===- ModelConfig.h - a Hugging Face config, read --------------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ModelConfig says what a config.json means: the defaults of the family are
// filled in, and both spellings (rope_theta, rope_scaling of older files;
// rope_parameters, layer_types of newer ones) give the same values. A value
// that would change the mathematics in a way that is not supported is an error
// with the key's name; keys that are not known are ignored.
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_IMPORT_MODELCONFIG_H
#define TRIREME_IMPORT_MODELCONFIG_H

#include "trireme/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trireme {

enum class Family { Llama, Mistral, Qwen2, Qwen3, Gemma2, GPT2, GPTNeoX };
enum class NormKind { Layer, RootMeanSquare };
enum class Activation { Silu, Gelu, GeluTanh, Relu };
enum class RopeScaling { None, Linear, Llama3 };

/// Rotary position embedding.
struct Rope {
  double theta = 10000.0;
  /// The first dims of a head that are rotated; even.
  int64_t dims = 0;
  RopeScaling scaling = RopeScaling::None;
  /// Of Linear and Llama3.
  double factor = 1.0;
  /// Of Llama3.
  double lowFrequencyFactor = 1.0;
  double highFrequencyFactor = 4.0;
  int64_t originalPositions = 0;
};

struct ModelConfig {
  /// Last component of the model's folder.
  std::string name;
  /// The absolute path of the model's folder.
  std::string folder;
  /// The text of the file, which is valid JSON.
  std::string text;

  Family family = Family::Llama;
  int64_t vocabulary = 0;
  int64_t hidden = 0;
  int64_t intermediate = 0;
  int64_t layers = 0;
  int64_t heads = 0;
  int64_t keyValueHeads = 0;
  int64_t headDim = 0;
  /// Longest sequence, and the key that says so.
  int64_t maximumPositions = 0;
  std::string maximumPositionsKey;

  NormKind norm = NormKind::RootMeanSquare;
  double normEpsilon = 1e-6;
  /// The norm's gain is 1 + weight.
  bool normUnitOffset = false;
  /// Norms after attention and MLP as well as before.
  bool postNorms = false;
  /// Norms of each head's queries and keys.
  bool queryKeyNorm = false;

  Activation activation = Activation::Silu;
  bool gatedMlp = true;

  /// Learned positions where there is no rope.
  std::optional<Rope> rope;
  /// Factor of the scores.
  double attentionScale = 1.0;
  std::optional<double> attentionSoftcap;
  std::optional<double> finalSoftcap;
  /// A layer's window, 0 for none; one for each layer.
  std::vector<int64_t> windows;

  bool queryKeyValueBias = false;
  bool attentionOutputBias = false;
  bool mlpBias = false;
  bool tiedEmbeddings = false;
  /// Attention and MLP read the same input and are added together.
  bool parallelResidual = false;

  /// Factor of the embedding's output.
  double embeddingScale = 1.0;
  double initializerRange = 0.02;

  double embeddingDropout = 0.0;
  double residualDropout = 0.0;
  double attentionDropout = 0.0;
};

/// `model_type` of the family.
llvm::StringRef stringifyFamily(Family family);

/// Reads MODEL, a Hugging Face folder or a config file. A name that looks like
/// a hub id is answered with how to download it.
llvm::Expected<ModelConfig> readModelConfig(llvm::StringRef path);

/// Reads the text of a config; `file` stands for it in messages. `name` and
/// `folder` stay empty.
llvm::Expected<ModelConfig> parseModelConfig(llvm::StringRef text,
                                             llvm::StringRef file);

} // namespace trireme

#endif // TRIREME_IMPORT_MODELCONFIG_H
