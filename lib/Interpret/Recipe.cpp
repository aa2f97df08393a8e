//===- Recipe.cpp - What the evaluator reads of a recipe ------------------===//

#include "Recipe.h"
#include "llvm/Support/JSON.h"
#include <algorithm>
#include <cmath>
#include <numbers>

using namespace llvm;
using namespace trireme;

Expected<RecipeValues> RecipeValues::parse(StringRef text) {
  Expected<json::Value> root = json::parse(text);
  if (!root) {
    std::string reason = toString(root.takeError());
    return createStringError("train.recipe is no JSON: " + reason);
  }
  RecipeValues recipe;
  json::Path::Root path("train.recipe");
  json::ObjectMapper top(*root, path);
  const json::Object *object = root->getAsObject();
  auto getObject = [&](StringRef key) -> json::Value {
    const json::Value *value = object ? object->get(key) : nullptr;
    return value ? *value : json::Value(nullptr);
  };
  // Null stands for no clipping and for a decay without a length of its own.
  std::optional<double> clip;
  std::optional<int64_t> decaySteps;
  std::string positions;
  json::Value optimizer = getObject("optimizer");
  json::Value schedule = getObject("schedule");
  json::Value documents = getObject("documents");
  json::Path::Root optimizerPath("train.recipe.optimizer");
  json::Path::Root schedulePath("train.recipe.schedule");
  json::Path::Root documentsPath("train.recipe.documents");
  if (!top || !top.map("steps", recipe.steps) ||
      !top.map("clip_grad_norm", clip))
    return path.getError();
  json::ObjectMapper o(optimizer, optimizerPath);
  if (!o || !o.map("lr", recipe.lr) || !o.map("beta1", recipe.beta1) ||
      !o.map("beta2", recipe.beta2) || !o.map("eps", recipe.eps) ||
      !o.map("weight_decay", recipe.weightDecay))
    return optimizerPath.getError();
  json::ObjectMapper s(schedule, schedulePath);
  if (!s || !s.map("name", recipe.schedule) ||
      !s.mapOptional("warmup_steps", recipe.warmupSteps) ||
      !s.mapOptional("min_lr", recipe.minLr) ||
      !s.map("decay_steps", decaySteps) ||
      !s.mapOptional("decay", recipe.decay))
    return schedulePath.getError();
  json::ObjectMapper d(documents, documentsPath);
  if (!d || !d.mapOptional("positions", positions))
    return documentsPath.getError();
  recipe.maxNorm = clip.value_or(0);
  recipe.decaySteps = decaySteps.value_or(0);
  recipe.restartsPositions = positions == "restart";
  return recipe;
}

/// How far the rate has fallen from 1 to 0 when a fraction `f` is over.
static double getRemaining(StringRef shape, double f) {
  f = std::clamp(f, 0.0, 1.0);
  if (shape == "cosine")
    return (1 + std::cos(std::numbers::pi * f)) / 2;
  if (shape == "sqrt")
    return 1 - std::sqrt(f);
  return 1 - f;
}

double RecipeValues::getLearningRate(int64_t s) const {
  if (s < warmupSteps)
    return lr * double(s + 1) / double(warmupSteps);
  double remaining = 1;
  if (schedule == "linear" || schedule == "cosine")
    remaining = getRemaining(schedule, double(s + 1 - warmupSteps) /
                                           double(steps - warmupSteps));
  else if (schedule == "wsd" && s >= steps - decaySteps)
    remaining = getRemaining(decay, double(s + 1 - steps + decaySteps) /
                                        double(decaySteps));
  return minLr + (lr - minLr) * remaining;
}
