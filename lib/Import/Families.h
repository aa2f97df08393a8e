//===- Families.h - what each model_type's config means ---------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_LIB_IMPORT_FAMILIES_H
#define TRIREME_LIB_IMPORT_FAMILIES_H

#include "ConfigObject.h"
#include "trireme/Import/ModelConfig.h"

namespace trireme {

/// Bounds of sizes: token ids are 32-bit integers; the rest is far above any
/// model, and low enough that products of three sizes stay below 2^63.
inline constexpr int64_t largestVocabulary = 2147483647;
inline constexpr int64_t largestPositions = 1 << 30;
inline constexpr int64_t largestWidth = 1 << 24;
inline constexpr int64_t largestCount = 1 << 16;

/// Reads the keys of the family that `model_type` names into `config`.
/// Faults are kept in `object`.
void readFamily(ConfigObject &object, ModelConfig &config);

/// The keys that say a family's rotary base and rotated part, and what they
/// are if the config has none.
struct RopeKeys {
  llvm::StringRef theta = "rope_theta";
  llvm::StringRef fraction = "partial_rotary_factor";
  double defaultFraction = 1.0;
  /// The family's modules rotate a part of a head.
  bool allowsPart = false;
};

/// Reads the rotary embedding from `rope_scaling` or `rope_parameters` and
/// the older keys beside them.
Rope readRope(ConfigObject &object, int64_t headDim, const RopeKeys &keys);

} // namespace trireme

#endif // TRIREME_LIB_IMPORT_FAMILIES_H
