// Where a run's parameters come from: random numbers or safetensors files.
#ifndef TRIREME_RUNTIME_CORE_INITIALISE_H
#define TRIREME_RUNTIME_CORE_INITIALISE_H

#include "core/arena.h"
#include "core/manifest.h"
#include "core/safetensors.h"
#include "core/token_file.h"

#include <map>
#include <string>
#include <vector>

namespace trireme::runtime {

/// The tensors of a safetensors file, or of a Hugging Face folder's
/// model.safetensors or shards. Owns the mappings.
class WeightFiles {
public:
  /// Fails with exit code 1 if `path` has no weights or they are malformed.
  explicit WeightFiles(const std::string &path);
  /// The tensors of exactly these files.
  explicit WeightFiles(const std::vector<std::string> &files);

  /// Whether `folder` holds weights that this class reads.
  static bool isIn(const std::string &folder);

  const std::map<std::string, StoredTensor> &tensors() const { return all; }
  /// The file that holds `name`.
  const std::string &fileOf(const std::string &name) const {
    return files.at(name);
  }

private:
  void add(const std::string &file);

  std::vector<MappedFile> mappings;
  std::map<std::string, StoredTensor> all;
  std::map<std::string, std::string> files;
};

/// Fills the parameters as --init asks (auto, random or a path) and returns
/// one line that says how. Fails with exit code 1 for missing, extra or
/// wrongly shaped tensors, naming the nearest.
std::string initialise(const Manifest &manifest, const std::string &init,
                       uint64_t seed, const Arena &arena);

/// Copies into the arena the tensors `prefix` + name of `weights`, at the
/// offset that `place` chooses; with `strict`, others are an error.
void loadTensors(const Manifest &manifest, const WeightFiles &weights,
                 const std::string &prefix, uint64_t Tensor::*place,
                 bool strict, const Arena &arena);

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CORE_INITIALISE_H
