//===- Recipe.h - What the evaluator reads of a recipe ----------*- C++ -*-===//

#ifndef TRIREME_LIB_INTERPRET_RECIPE_H
#define TRIREME_LIB_INTERPRET_RECIPE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace trireme {

/// The run-time part of the recipe that a `step` module carries.
struct RecipeValues {
  int64_t steps = 0;
  double lr = 0, beta1 = 0, beta2 = 0, eps = 0, weightDecay = 0;
  double maxNorm = 0; ///< 0: gradients are not clipped.

  std::string schedule; ///< constant, linear, cosine or wsd.
  int64_t warmupSteps = 0;
  double minLr = 0;
  int64_t decaySteps = 0; ///< Of wsd.
  std::string decay;      ///< Of wsd: linear, cosine or sqrt.

  bool restartsPositions = false; ///< Positions start anew in a document.

  /// Parses the JSON of the module's attribute, which has all keys.
  static llvm::Expected<RecipeValues> parse(llvm::StringRef text);

  /// The learning rate of step `s`, counted from 0.
  double getLearningRate(int64_t s) const;
};

} // namespace trireme

#endif // TRIREME_LIB_INTERPRET_RECIPE_H
