//===- Recipe.h - what to train and how to lay it out -----------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values of all recipe and plan keys, with their defaults. How a key is
// called, parsed, printed and checked stands in Keys.h.
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_CONFIG_RECIPE_H
#define TRIREME_CONFIG_RECIPE_H

#include "llvm/Support/JSON.h"

#include <cstdint>
#include <optional>
#include <string>

namespace trireme {

/// What is trained: batches, optimizer, schedule, numerics.
struct Recipe {
  /// Sequences a step.
  int64_t globalBatchSize = 8;
  /// Tokens a sequence; unset means min(1024, the model's maximum).
  std::optional<int64_t> sequenceLength;
  /// Length of the schedule.
  int64_t steps = 100;
  int64_t seed = 1;
  /// A name, or a mapping of the precisions of the parts.
  llvm::json::Value precision = "fp32";

  struct Optimizer {
    std::string name = "adamw";
    double lr = 3e-4;
    double beta1 = 0.9;
    double beta2 = 0.95;
    double eps = 1e-8;
    double weightDecay = 0.1;
  } optimizer;

  struct Schedule {
    /// constant, linear, cosine or wsd.
    std::string name = "constant";
    int64_t warmupSteps = 0;
    double minLr = 0.0;
    /// Of wsd: the length and the shape of the fall at the end.
    std::optional<int64_t> decaySteps;
    std::string decay = "linear";
  } schedule;

  /// 0 means no clipping.
  double clipGradNorm = 1.0;
  /// A rate, or "config".
  llvm::json::Value dropout = 0.0;

  struct Documents {
    std::optional<int64_t> separator;
    std::string attention = "across";
    std::string positions = "continue";
    bool lossAcross = true;
  } documents;

  /// Rules for parameters that match a pattern.
  llvm::json::Value parameters = llvm::json::Array();

  struct LossScale {
    double initial = 65536.0;
    int64_t growthInterval = 2000;
  } lossScale;
};

/// Where the computation lives: axes and what is sharded over them.
struct Plan {
  int64_t data = 1;
  int64_t tensor = 1;
  int64_t pipeline = 1;
  int64_t context = 1;
  int64_t expert = 1;
  /// Unset means global_batch_size / data.
  std::optional<int64_t> microBatchSize;
  bool sequenceParallel = false;
  int64_t zero = 0;
  std::optional<int64_t> zeroGroup;
  std::string contextAttention = "ring";
  std::string pipelineSchedule = "1f1b";
  int64_t virtualStages = 1;
  /// Null or a list.
  llvm::json::Value layersPerStage = nullptr;
  std::string remat = "none";
  std::optional<double> memoryLimitGb;
  llvm::json::Value offload = llvm::json::Array();
  bool overlap = true;
  int64_t bucketMib = 25;
  std::optional<double> capacityFactor;
  std::string reduction = "fast";
};

} // namespace trireme

#endif // TRIREME_CONFIG_RECIPE_H
