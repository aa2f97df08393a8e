//===- Rope.cpp - rotary embeddings in both spellings ---------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Older configs have `rope_theta` beside `rope_scaling: {type or rope_type,
// factor, ...}`; newer ones have all in `rope_parameters`. As in transformers,
// `rope_scaling` wins where both are given, and what the inner object lacks is
// taken from beside it.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace trireme;
using llvm::StringRef;

/// Reads the parameters of the scaling named `type`.
static void readScaling(ConfigObject &inner, StringRef typeKey, StringRef type,
                        Rope &rope) {
  if (type == "default")
    return;
  if (type == "linear") {
    rope.scaling = RopeScaling::Linear;
  } else if (type == "llama3") {
    rope.scaling = RopeScaling::Llama3;
    rope.lowFrequencyFactor = inner.getPositive("low_freq_factor", 0);
    rope.highFrequencyFactor = inner.getPositive("high_freq_factor", 0);
    rope.originalPositions =
        inner.getSize("original_max_position_embeddings", largestPositions);
    for (StringRef key : {"low_freq_factor", "high_freq_factor"})
      if (!inner.has(key))
        inner.fail(key, "a number above 0");
    if (rope.highFrequencyFactor <= rope.lowFrequencyFactor)
      inner.fail("high_freq_factor", "a number above \"low_freq_factor\"");
  } else {
    inner.fail(typeKey, "default, linear or llama3, the scalings that are "
                        "supported");
    return;
  }
  if (!inner.has("factor"))
    inner.fail("factor", "a number above 0");
  rope.factor = inner.getPositive("factor", 1.0);
}

Rope trireme::readRope(ConfigObject &object, int64_t headDim,
                       const RopeKeys &keys) {
  Rope rope;
  rope.theta = object.getPositive(keys.theta, rope.theta);
  double fraction = object.getNumber(keys.fraction, keys.defaultFraction, 0, 1);

  StringRef outerKey = "rope_parameters";
  const llvm::json::Value *value = object.get(outerKey);
  if (const llvm::json::Value *older = object.get("rope_scaling")) {
    const llvm::json::Object *parts = older->getAsObject();
    // An empty one counts as none.
    if (!parts || !parts->empty()) {
      outerKey = "rope_scaling";
      value = older;
    }
  }
  if (value) {
    const llvm::json::Object *parts = value->getAsObject();
    if (!parts) {
      object.fail(outerKey, "an object with \"rope_type\", or null");
      return rope;
    }
    // Faults below are told with the outer key's name before the inner one's.
    ConfigObject inner(*parts, outerKey);
    for (StringRef layerType : {"full_attention", "sliding_attention"})
      if (inner.has(layerType))
        inner.failWith("found one rope for each layer type, expected one for "
                       "all layers");
    rope.theta = inner.getPositive("rope_theta", rope.theta);
    fraction = inner.getNumber("partial_rotary_factor", fraction, 0, 1);
    StringRef typeKey = inner.has("rope_type") ? "rope_type" : "type";
    readScaling(inner, typeKey, inner.getText(typeKey, "default"), rope);
    if (inner.hasFailed())
      object.failWith(llvm::toString(inner.takeError()));
  }

  rope.dims = int64_t(double(headDim) * fraction);
  if (!keys.allowsPart && fraction != 1.0)
    object.failWith("\"partial_rotary_factor\": this model_type rotates whole "
                    "heads, expected 1");
  else if (rope.dims < 2 || rope.dims % 2)
    object.failWith(
        "rotary dims: found " + llvm::Twine(rope.dims) + " of a head of " +
        llvm::Twine(headDim) +
        ", expected an even number from 2; mend \"head_dim\" or \"" +
        keys.fraction + "\"");
  return rope;
}
