// Checkpoints: one folder a step, that a reader never sees half of.
#ifndef TRIREME_RUNTIME_CORE_CHECKPOINT_H
#define TRIREME_RUNTIME_CORE_CHECKPOINT_H

#include "core/arena.h"
#include "core/manifest.h"

#include <optional>
#include <string>

namespace trireme::runtime {

/// How far a run has come.
struct Progress {
  int64_t step = 0;    // optimizer steps done
  int64_t samples = 0; // sequences consumed
  int64_t tokens = 0;
};

/// Creates the folder of a run's checkpoints, before there is one to lose.
/// Fails with exit code 1 if it cannot be created or written to.
void prepareFolder(const std::string &folder);

/// Writes DIR/step-NNNNNNNN: parameters with model.safetensors.index.json,
/// moments, config.json, state.json; first under a temporary name, synced,
/// then renamed. With `keep` > 0 only the newest so many stay. Returns the
/// folder; fails with exit code 1 (cannot be created) or 3 (disk full), leaving
/// nothing of it behind.
std::string saveCheckpoint(const Manifest &manifest, const Arena &arena,
                           const std::string &folder, const Progress &progress,
                           const json &recipe, int64_t keep);

/// The checkpoint that --resume `where` means: "auto" (the newest whole one
/// under `save`, or none), a folder of checkpoints (its newest) or one
/// checkpoint. Fails with exit code 1 if a named folder has none.
std::optional<std::string> findCheckpoint(const std::string &where,
                                          const std::string &save);

/// Reads parameters, moments and progress of the checkpoint at `path`.
Progress loadCheckpoint(const Manifest &manifest, const std::string &path,
                        const Arena &arena);

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CORE_CHECKPOINT_H
