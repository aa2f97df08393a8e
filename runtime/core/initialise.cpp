#include "core/initialise.h"

#include "core/error.h"
#include "core/philox.h"
#include "cpu/parallel.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

using namespace trireme::runtime;
namespace fs = std::filesystem;

static constexpr const char *SingleFile = "model.safetensors";
static constexpr const char *IndexFile = "model.safetensors.index.json";

bool WeightFiles::isIn(const std::string &folder) {
  return fs::exists(fs::path(folder) / SingleFile) ||
         fs::exists(fs::path(folder) / IndexFile);
}

/// The shards that an index file names, sorted.
static std::set<std::string> shardsOf(const fs::path &index) {
  std::ifstream file(index);
  json document = json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object() || !document.contains("weight_map") ||
      !document["weight_map"].is_object())
    fail(Exit::Input, "{}: not JSON with a \"weight_map\"", index.string());
  std::set<std::string> shards;
  for (const auto &[name, shard] : document["weight_map"].items()) {
    if (!shard.is_string() ||
        shard.get<std::string>().find('/') != std::string::npos)
      fail(Exit::Input, "{}: \"{}\" names no file of this folder",
           index.string(), name);
    shards.insert(shard.get<std::string>());
  }
  return shards;
}

WeightFiles::WeightFiles(const std::string &path) {
  fs::path folder(path);
  if (!fs::is_directory(folder)) {
    add(path);
    return;
  }
  if (fs::exists(folder / IndexFile)) {
    for (const std::string &shard : shardsOf(folder / IndexFile))
      add(folder / shard);
    return;
  }
  if (!fs::exists(folder / SingleFile))
    fail(Exit::Input, "{}: has neither {} nor {}", path, SingleFile, IndexFile);
  add(folder / SingleFile);
}

WeightFiles::WeightFiles(const std::vector<std::string> &files) {
  for (const std::string &file : files)
    add(file);
}

void WeightFiles::add(const std::string &file) {
  const MappedFile &mapping = mappings.emplace_back(file);
  // Types that no parameter has (boolean masks and the like) are left out.
  std::map<std::string, std::string> others;
  for (auto &[name, tensor] :
       parseSafetensors({mapping.data(), mapping.bytes()}, file, &others)) {
    files[name] = file;
    all.insert_or_assign(name, std::move(tensor));
  }
}

static bool endsWith(const std::string &name, const std::string &end) {
  return name.size() >= end.size() &&
         !name.compare(name.size() - end.size(), end.size(), end);
}

/// Tensors that Hugging Face files carry and that are no parameters: masks,
/// rotary frequencies, the output table where it is the input table.
static bool isNoParameter(const std::string &name,
                          const std::set<std::string> &wanted) {
  for (const char *end : {".attn.bias", ".attn.masked_bias", ".attention.bias",
                          ".attention.masked_bias", "rotary_emb.inv_freq"})
    if (endsWith(name, end))
      return true;
  for (const char *head : {"lm_head.weight", "embed_out.weight"})
    if (name == head && !wanted.count(head))
      return true;
  return false;
}

/// Names under which files may store `name`, the first one the usual.
static std::vector<std::string> spellings(const std::string &name) {
  static const std::string Prefix = "transformer.";
  std::vector<std::string> result{name};
  if (name.starts_with(Prefix))
    result.push_back(name.substr(Prefix.size()));
  else
    result.push_back(Prefix + name);
  return result;
}

static std::string shapeText(const std::vector<int64_t> &shape) {
  return json(shape).dump();
}

static void checkShape(const Tensor &tensor, const std::string &stored,
                       const WeightFiles &weights) {
  const auto &shape = weights.tensors().at(stored).shape;
  if (shape != tensor.shape)
    fail(Exit::Input,
         "{}: tensor \"{}\" has the shape {}, but the program's has the shape "
         "{}: are these the weights of another model?",
         weights.fileOf(stored), stored, shapeText(shape),
         shapeText(tensor.shape));
}

/// Fails with the first tensor that is missing or too many, after a wrong
/// shape, which tells more where the files are another model's.
static void checkComplete(const std::vector<std::string> &missing,
                          const std::vector<std::string> &extra,
                          const std::string &path) {
  if (!missing.empty())
    fail(Exit::Input, "{}: tensor \"{}\" is missing{}{}", path, missing[0],
         extra.empty() ? ""
                       : "; the nearest in the file is \"" +
                             nearest(missing[0], extra) + "\"",
         missing.size() > 1
             ? fmt::format(" ({} more are missing)", missing.size() - 1)
             : "");
  if (!extra.empty())
    fail(Exit::Input, "{}: tensor \"{}\" is no parameter of this model", path,
         extra[0]);
}

void trireme::runtime::loadTensors(const Manifest &manifest,
                                   const WeightFiles &weights,
                                   const std::string &prefix,
                                   uint64_t Tensor::*place, bool strict,
                                   const Arena &arena) {
  std::set<std::string> wanted, used;
  for (const Tensor &tensor : manifest.tensors)
    wanted.insert(prefix + tensor.name);
  std::vector<std::string> missing, extra;
  std::vector<const StoredTensor *> found;
  for (const Tensor &tensor : manifest.tensors) {
    const StoredTensor *stored = nullptr;
    for (const std::string &name : spellings(tensor.name)) {
      auto entry = weights.tensors().find(prefix + name);
      if (entry == weights.tensors().end())
        continue;
      checkShape(tensor, entry->first, weights);
      used.insert(entry->first);
      stored = &entry->second;
      break;
    }
    if (!stored)
      missing.push_back(prefix + tensor.name);
    found.push_back(stored);
  }
  std::string path;
  for (const auto &[name, tensor] : weights.tensors()) {
    path = weights.fileOf(name);
    if (strict && !used.count(name) && !isNoParameter(name, wanted))
      extra.push_back(name);
  }
  checkComplete(missing, extra, path);
  for (size_t i = 0; i < found.size(); ++i)
    convertToFloat(*found[i], arena.at<float>(manifest.tensors[i].*place));
}

static void initialiseRandomly(const Manifest &manifest, uint64_t seed,
                               const Arena &arena) {
  for (const Tensor &tensor : manifest.tensors) {
    auto *target = arena.at<float>(tensor.parameter);
    parallelFor(tensor.elements, /*grain=*/1 << 16, Assignment::Static,
                [&](int64_t begin, int64_t end, int) {
                  if (tensor.normal)
                    normalValues(seed, tensor.name, tensor.value, begin, end,
                                 target + begin);
                  else
                    std::fill(target + begin, target + end,
                              float(tensor.value));
                });
  }
}

std::string trireme::runtime::initialise(const Manifest &manifest,
                                         const std::string &init, uint64_t seed,
                                         const Arena &arena) {
  std::string path = init;
  if (init == "auto") {
    const json &folder = manifest.document.at("source").at("folder");
    path = folder.is_string() ? folder.get<std::string>() : "";
    if (!path.empty() && !fs::is_directory(path))
      fail(Exit::Input,
           "{}: the model's folder is gone, so --init auto cannot tell where "
           "to start; say --init random or --init PATH",
           path);
    if (path.empty() || !WeightFiles::isIn(path))
      path = "random";
  }
  if (path == "random") {
    initialiseRandomly(manifest, seed, arena);
    return fmt::format("initialisation: random (seed {})", seed);
  }
  WeightFiles weights(path);
  loadTensors(manifest, weights, "", &Tensor::parameter, /*strict=*/true,
              arena);
  return fmt::format("initialisation: weights of {}", path);
}
