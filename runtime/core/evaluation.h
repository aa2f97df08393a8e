// Mean losses of evaluation files, without an update.
#ifndef TRIREME_RUNTIME_CORE_EVALUATION_H
#define TRIREME_RUNTIME_CORE_EVALUATION_H

#include "core/arena.h"
#include "core/command_line.h"
#include "core/data_loader.h"
#include "core/manifest.h"

#include <functional>
#include <string>
#include <vector>

namespace trireme::runtime {

/// Copies a batch to the program's inputs.
void loadInputs(const Manifest &manifest, const Arena &arena,
                const Batch &batch);

class Evaluation {
public:
  /// Opens the files. `steps` bounds the batches of each set; 0: all samples,
  /// each once.
  Evaluation(const Manifest &manifest,
             const std::vector<CommandLine::EvaluationSet> &sets,
             int tokenBytes, int64_t steps);

  size_t size() const { return sets.size(); }
  const std::string &key(size_t set) const { return sets[set].key; }

  /// Mean loss over the targets of a set (0 if it has none); `evaluate` runs
  /// the program's entry point. Overwrites the program's inputs.
  double run(size_t set, const Arena &arena,
             const std::function<void()> &evaluate);

private:
  struct Set {
    std::string key;
    Samples samples;
  };
  const Manifest &manifest;
  std::vector<Set> sets;
  int64_t steps;
  Batch batch;
};

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CORE_EVALUATION_H
