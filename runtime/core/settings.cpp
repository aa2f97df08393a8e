#include "core/settings.h"

#include "core/error.h"

#include <cmath>
#include <fstream>
#include <map>

using namespace trireme::runtime;

/// The keys that may change after compiling, with dots between levels.
static const char *const RunTimeKeys[] = {"steps",
                                          "seed",
                                          "optimizer.lr",
                                          "optimizer.beta1",
                                          "optimizer.beta2",
                                          "optimizer.eps",
                                          "optimizer.weight_decay",
                                          "schedule.name",
                                          "schedule.warmup_steps",
                                          "schedule.min_lr",
                                          "schedule.decay_steps",
                                          "schedule.decay",
                                          "clip_grad_norm",
                                          "loss_scale.initial",
                                          "loss_scale.growth_interval"};

static json::json_pointer pointer(const std::string &key) {
  std::string path = "/";
  for (char c : key)
    path += c == '.' ? '/' : c;
  return json::json_pointer(path);
}

/// Adds the leaves of `value` to `leaves` under dotted names.
static void flatten(const json &value, const std::string &prefix,
                    std::map<std::string, json> &leaves) {
  if (!value.is_object() || value.empty()) {
    leaves[prefix] = value;
    return;
  }
  for (const auto &[key, member] : value.items())
    flatten(member, prefix.empty() ? key : prefix + "." + key, leaves);
}

static bool sameValue(const json &a, const json &b) {
  if (a.is_number() && b.is_number())
    return a.get<double>() == b.get<double>();
  return a == b;
}

static void apply(const std::string &key, const json &value,
                  const Manifest &manifest, json &recipe) {
  for (const char *known : RunTimeKeys)
    if (key == known) {
      recipe[pointer(key)] = value;
      return;
    }
  for (const char *part : {"recipe", "plan"}) {
    const json &table = manifest.document.at(part);
    if (!table.contains(pointer(key)))
      continue;
    const json &compiled = table.at(pointer(key));
    if (compiled.is_object() && value.is_object()) {
      std::map<std::string, json> leaves;
      flatten(value, key, leaves);
      for (const auto &[name, leaf] : leaves)
        apply(name, leaf, manifest, recipe);
      return;
    }
    if (sameValue(compiled, value))
      return;
    fail(Exit::Input,
         "{}: this program was compiled with {}, {} was asked for; to change "
         "it compile again: trireme compile MODEL --set {}={} -o PROGRAM",
         key, compiled.dump(), value.dump(), key,
         value.is_string() ? value.get<std::string>() : value.dump());
  }
  std::map<std::string, json> leaves;
  flatten(manifest.document.at("recipe"), "", leaves);
  flatten(manifest.document.at("plan"), "", leaves);
  std::vector<std::string> names(std::begin(RunTimeKeys),
                                 std::end(RunTimeKeys));
  for (const auto &[name, leaf] : leaves)
    names.push_back(name);
  fail(Exit::Input, "{}: no such key; the nearest is \"{}\"", key,
       nearest(key, names));
}

static void applyFile(const std::string &path, const Manifest &manifest,
                      json &recipe) {
  std::ifstream file(path);
  if (!file)
    fail(Exit::Input, "{}: the recipe cannot be read", path);
  json document = json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded() || !document.is_object())
    fail(Exit::Lacking,
         "{}: not a JSON object; a compiled program reads recipes in JSON "
         "only (YAML is read by trireme compile)",
         path);
  std::map<std::string, json> leaves;
  flatten(document, "", leaves);
  for (const auto &[key, value] : leaves)
    if (!key.empty())
      apply(key, value, manifest, recipe);
}

/// The number at `key`, or `otherwise`; fails unless low <= value <= high.
static double number(const json &recipe, const char *key, double otherwise,
                     double low, double high) {
  auto place = pointer(key);
  if (!recipe.contains(place) || recipe.at(place).is_null())
    return otherwise;
  const json &value = recipe.at(place);
  if (!value.is_number() || !(value.get<double>() >= low) ||
      !(value.get<double>() <= high))
    fail(Exit::Input, "{}: is {}, expected a number from {} to {}", key,
         value.dump(), low, high);
  return value.get<double>();
}

static int64_t count(const json &recipe, const char *key, int64_t otherwise) {
  double value = number(recipe, key, double(otherwise), 0, 0x1p53);
  if (value != std::floor(value))
    fail(Exit::Input, "{}: is {}, expected a whole number", key, value);
  return int64_t(value);
}

/// The index of the string at `key` in `names`; 0 where it is not given.
static size_t choice(const json &recipe, const char *key,
                     std::initializer_list<const char *> names) {
  auto place = pointer(key);
  if (!recipe.contains(place) || recipe.at(place).is_null())
    return 0;
  const json &value = recipe.at(place);
  std::string expected;
  size_t index = 0;
  for (const char *name : names) {
    if (value == name)
      return index;
    expected += (index++ ? ", " : "") + std::string(name);
  }
  fail(Exit::Input, "{}: is {}, expected one of {}", key, value.dump(),
       expected);
}

static Schedule readSchedule(const json &recipe) {
  Schedule schedule;
  constexpr double Any = std::numeric_limits<double>::max();
  schedule.kind = Schedule::Kind(
      choice(recipe, "schedule.name", {"constant", "linear", "cosine", "wsd"}));
  schedule.decay = Schedule::Decay(
      choice(recipe, "schedule.decay", {"linear", "cosine", "sqrt"}));
  schedule.lr = number(recipe, "optimizer.lr", 3e-4, 0, Any);
  schedule.minLr = number(recipe, "schedule.min_lr", 0, 0, Any);
  schedule.steps = count(recipe, "steps", 100);
  schedule.warmupSteps = count(recipe, "schedule.warmup_steps", 0);
  schedule.decaySteps = count(recipe, "schedule.decay_steps", 0);
  return schedule;
}

Settings
trireme::runtime::readSettings(const Manifest &manifest,
                               const std::string &recipeFile,
                               const std::vector<std::string> &changes) {
  Settings settings;
  settings.recipe = manifest.document.at("recipe");
  if (!recipeFile.empty())
    applyFile(recipeFile, manifest, settings.recipe);
  for (const std::string &change : changes) {
    size_t equals = change.find('=');
    std::string key = change.substr(0, equals),
                text = change.substr(equals + 1);
    json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
    apply(key, value.is_discarded() ? json(text) : value, manifest,
          settings.recipe);
  }
  const json &recipe = settings.recipe;
  constexpr double Any = std::numeric_limits<double>::max();
  const double belowOne = std::nextafter(1.0, 0.0);
  settings.schedule = readSchedule(recipe);
  settings.beta1 = number(recipe, "optimizer.beta1", 0.9, 0, belowOne);
  settings.beta2 = number(recipe, "optimizer.beta2", 0.95, 0, belowOne);
  settings.eps = number(recipe, "optimizer.eps", 1e-8, 0, Any);
  settings.weightDecay = number(recipe, "optimizer.weight_decay", 0.1, 0, Any);
  settings.maxNorm = number(recipe, "clip_grad_norm", 0, 0, Any);
  settings.seed = uint64_t(count(recipe, "seed", 1));
  return settings;
}
