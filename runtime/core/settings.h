// The recipe as this run uses it: the compiled one, with what --recipe and
// --set change. Only run-time keys may change.
#ifndef TRIREME_RUNTIME_CORE_SETTINGS_H
#define TRIREME_RUNTIME_CORE_SETTINGS_H

#include "core/manifest.h"
#include "core/schedule.h"

#include <string>
#include <vector>

namespace trireme::runtime {

struct Settings {
  json recipe; // with all changes
  Schedule schedule;
  double beta1, beta2, eps, weightDecay;
  double maxNorm; // 0: no clipping
  uint64_t seed;
};

/// Applies the JSON file `recipeFile` (empty: none), then `changes`
/// ("key=value" each), to the manifest's recipe. Fails with exit code 1 for
/// unknown keys (naming the nearest), for compile-time keys that differ
/// (naming both values and the command that recompiles) and for wrong values.
Settings readSettings(const Manifest &manifest, const std::string &recipeFile,
                      const std::vector<std::string> &changes);

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CORE_SETTINGS_H
