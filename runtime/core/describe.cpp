#include "core/describe.h"

using namespace trireme::runtime;

json trireme::runtime::describeProgram(const Manifest &manifest) {
  json result;
  for (const char *key : {"model", "target", "ranks", "plan", "recipe",
                          "entry_points", "stages", "program_hash", "versions"})
    result[key] = manifest.document.at(key);
  return result;
}
