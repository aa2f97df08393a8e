//===- Parameters.h - the tensors of a model --------------------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_IMPORT_PARAMETERS_H
#define TRIREME_IMPORT_PARAMETERS_H

#include "trireme/Import/ModelConfig.h"

#include "llvm/ADT/SmallVector.h"

namespace trireme {

/// What a tensor is for.
enum class ParameterRole {
  TokenEmbedding,
  PositionEmbedding,
  AttentionNormWeight,
  AttentionNormBias,
  QueryWeight,
  QueryBias,
  KeyWeight,
  KeyBias,
  ValueWeight,
  ValueBias,
  /// Queries, keys and values in one tensor.
  FusedWeight,
  FusedBias,
  QueryNormWeight,
  KeyNormWeight,
  OutputWeight,
  OutputBias,
  PostAttentionNormWeight,
  MlpNormWeight,
  MlpNormBias,
  GateWeight,
  GateBias,
  UpWeight,
  UpBias,
  DownWeight,
  DownBias,
  PostMlpNormWeight,
  FinalNormWeight,
  FinalNormBias,
  HeadWeight
};

/// A tensor of a checkpoint, or one tensor a layer.
struct ModelParameter {
  ParameterRole role;
  /// The Hugging Face name; `{}` stands for the layer.
  std::string name;
  bool isPerLayer;
  /// As in the checkpoint.
  llvm::SmallVector<int64_t, 4> shape;
  /// The same elements in the same order with heads as dims.
  llvm::SmallVector<int64_t, 4> headShape;
  /// Drawn from N(0, value^2) if random, else constant.
  bool isRandom;
  double value;
};

/// The stored tensors of a model in the order in which the computation reads
/// them. A tied head is the embedding and not listed again.
std::vector<ModelParameter> listParameters(const ModelConfig &config);

/// The number of elements of all stored tensors; none if more than 2^50.
std::optional<int64_t> countParameters(const ModelConfig &config);

} // namespace trireme

#endif // TRIREME_IMPORT_PARAMETERS_H
