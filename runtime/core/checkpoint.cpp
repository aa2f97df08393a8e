#include "core/checkpoint.h"

#include "core/error.h"
#include "core/initialise.h"
#include "core/safetensors.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace trireme::runtime;
namespace fs = std::filesystem;

static constexpr uint64_t ShardBytes = uint64_t(4) << 30;

/// Cuts `tensors` into files of at most ShardBytes, writes them as
/// NAME-00001-of-0000N.safetensors and returns tensor name to file name.
static json writeShards(const fs::path &folder, const std::string &name,
                        const std::vector<TensorToWrite> &tensors) {
  std::vector<std::vector<TensorToWrite>> shards(1);
  uint64_t bytes = 0;
  for (const TensorToWrite &tensor : tensors) {
    uint64_t more = uint64_t(tensor.elements) * sizeof(float);
    if (bytes && bytes + more > ShardBytes) {
      shards.emplace_back();
      bytes = 0;
    }
    bytes += more;
    shards.back().push_back(tensor);
  }
  json map = json::object();
  for (size_t i = 0; i < shards.size(); ++i) {
    std::string file = fmt::format("{}-{:05}-of-{:05}.safetensors", name, i + 1,
                                   shards.size());
    writeSafetensors(folder / file, shards[i]);
    for (const TensorToWrite &tensor : shards[i])
      map[tensor.name] = file;
  }
  return map;
}

static TensorToWrite toWrite(const Tensor &tensor, const std::string &prefix,
                             uint64_t offset, const Arena &arena) {
  return {prefix + tensor.name, tensor.shape, tensor.elements,
          arena.at<float>(offset)};
}

static void writeParameters(const Manifest &manifest, const Arena &arena,
                            const fs::path &folder) {
  std::vector<TensorToWrite> tensors;
  int64_t elements = 0;
  for (const Tensor &tensor : manifest.tensors) {
    tensors.push_back(toWrite(tensor, "", tensor.parameter, arena));
    elements += tensor.elements;
  }
  json index;
  index["metadata"] = {{"total_size", elements * int64_t(sizeof(float))}};
  index["weight_map"] = writeShards(folder, "model", tensors);
  writeSynced(folder / "model.safetensors.index.json", index.dump(2) + "\n");
}

static void writeMoments(const Manifest &manifest, const Arena &arena,
                         const fs::path &folder) {
  std::vector<TensorToWrite> tensors;
  for (const Tensor &tensor : manifest.tensors) {
    tensors.push_back(toWrite(tensor, "exp_avg.", tensor.firstMoment, arena));
    tensors.push_back(
        toWrite(tensor, "exp_avg_sq.", tensor.secondMoment, arena));
  }
  writeShards(folder, "optimizer", tensors);
}

static void writeState(const Manifest &manifest, const fs::path &folder,
                       const Progress &progress, const json &recipe) {
  json state;
  state["format"] = 1;
  state["step"] = progress.step;
  state["samples"] = progress.samples;
  state["tokens"] = progress.tokens;
  // Random numbers are drawn by counter from the seed: it is the whole state.
  state["random"] = {{"generator", "philox4x32-10"},
                     {"seed", recipe.value("seed", json(1))}};
  state["recipe"] = recipe;
  state["plan"] = manifest.document.at("plan");
  state["model"] = manifest.document.at("model");
  state["program_hash"] = manifest.document.at("program_hash");
  writeSynced(folder / "state.json", state.dump(2) + "\n");
  const json &config = manifest.document.at("source").at("config");
  writeSynced(folder / "config.json",
              (config.is_object() ? config : json::object()).dump(2) + "\n");
}

static void syncFolder(const fs::path &folder) {
  int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0)
    return;
  fsync(file);
  close(file);
}

/// The step of a checkpoint's folder name, or -1.
static int64_t stepOf(const std::string &name) {
  static const std::string Prefix = "step-";
  if (!name.starts_with(Prefix) || name.size() < Prefix.size() + 8 ||
      name.size() > Prefix.size() + 18 ||
      name.find_first_not_of("0123456789", Prefix.size()) != std::string::npos)
    return -1;
  return std::stoll(name.substr(Prefix.size()));
}

/// Whole checkpoints in `folder`, oldest first.
static std::vector<std::pair<int64_t, fs::path>>
checkpointsIn(const std::string &folder) {
  std::vector<std::pair<int64_t, fs::path>> found;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(folder, error))
    if (int64_t step = stepOf(entry.path().filename());
        step >= 0 && fs::exists(entry.path() / "state.json"))
      found.emplace_back(step, entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

static void createFolder(const fs::path &folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    fail(Exit::Input, "{}: the folder cannot be created: {}", folder.string(),
         error.message());
}

void trireme::runtime::prepareFolder(const std::string &folder) {
  createFolder(folder);
  if (access(folder.c_str(), W_OK | X_OK))
    fail(Exit::Input, "{}: checkpoints cannot be written there: {}", folder,
         std::strerror(errno));
}

std::string trireme::runtime::saveCheckpoint(const Manifest &manifest,
                                             const Arena &arena,
                                             const std::string &folder,
                                             const Progress &progress,
                                             const json &recipe, int64_t keep) {
  std::string name = fmt::format("step-{:08}", progress.step);
  fs::path target = fs::path(folder) / name;
  fs::path temporary = fs::path(folder) / ("." + name + ".tmp");
  fs::path old = fs::path(folder) / ("." + name + ".old");
  std::error_code ignored;
  fs::remove_all(temporary, ignored);
  fs::remove_all(old, ignored);
  createFolder(temporary);
  try {
    writeParameters(manifest, arena, temporary);
    writeMoments(manifest, arena, temporary);
    writeState(manifest, temporary, progress, recipe);
  } catch (const Failure &) {
    fs::remove_all(temporary, ignored);
    throw;
  }
  syncFolder(temporary);
  std::error_code error;
  if (fs::exists(target))
    fs::rename(target, old, ignored);
  fs::rename(temporary, target, error);
  if (error)
    fail(Exit::Run, "{}: cannot be renamed to {}: {}", temporary.string(),
         target.string(), error.message());
  syncFolder(folder);
  fs::remove_all(old, ignored);
  auto all = checkpointsIn(folder);
  for (size_t i = 0; keep > 0 && i + size_t(keep) < all.size(); ++i)
    fs::remove_all(all[i].second, ignored);
  return target;
}

std::optional<std::string>
trireme::runtime::findCheckpoint(const std::string &where,
                                 const std::string &save) {
  bool automatic = where == "auto";
  fs::path folder = automatic ? save : where;
  if (!automatic && fs::exists(folder / "state.json"))
    return folder;
  auto all = checkpointsIn(folder);
  if (!all.empty())
    return all.back().second;
  if (automatic)
    return std::nullopt;
  fail(Exit::Input,
       "{}: found no checkpoint: neither state.json nor folders step-* with "
       "one",
       where);
}

static Progress readState(const fs::path &path) {
  std::ifstream file(path);
  json state = json::parse(file, nullptr, /*allow_exceptions=*/false);
  auto read = [&](const char *key) {
    if (!state.is_object() || !state.contains(key) ||
        !state[key].is_number_unsigned() ||
        state[key].get<uint64_t>() > INT64_MAX)
      fail(Exit::Input, "{}: found no whole number \"{}\"", path.string(), key);
    return state[key].get<int64_t>();
  };
  return {read("step"), read("samples"), read("tokens")};
}

/// Optimizer shards have no index: all files of the name belong.
static WeightFiles openMoments(const fs::path &folder) {
  std::vector<std::string> files;
  for (const auto &entry : fs::directory_iterator(folder)) {
    std::string name = entry.path().filename();
    if (name.starts_with("optimizer-") && name.ends_with(".safetensors"))
      files.push_back(entry.path());
  }
  if (files.empty())
    fail(Exit::Input, "{}: has no optimizer-*.safetensors", folder.string());
  std::sort(files.begin(), files.end());
  return WeightFiles(files);
}

Progress trireme::runtime::loadCheckpoint(const Manifest &manifest,
                                          const std::string &path,
                                          const Arena &arena) {
  Progress progress = readState(fs::path(path) / "state.json");
  loadTensors(manifest, WeightFiles(path), "", &Tensor::parameter,
              /*strict=*/true, arena);
  WeightFiles moments = openMoments(path);
  loadTensors(manifest, moments, "exp_avg.", &Tensor::firstMoment,
              /*strict=*/false, arena);
  loadTensors(manifest, moments, "exp_avg_sq.", &Tensor::secondMoment,
              /*strict=*/false, arena);
  return progress;
}
