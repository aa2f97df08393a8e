#include "core/manifest.h"

#include "core/error.h"

using namespace trireme::runtime;

static int64_t product(const std::vector<int64_t> &shape) {
  int64_t result = 1;
  for (int64_t size : shape)
    result *= size;
  return result;
}

/// Replaces the `{}` of a stacked parameter's name by the layer.
static std::string layerName(const std::string &name, int64_t layer) {
  size_t place = name.find("{}");
  if (place == std::string::npos)
    fail(Exit::Lacking,
         "the program's manifest is broken: stacked parameter \"{}\" has no "
         "\"{{}}\" in its name",
         name);
  return name.substr(0, place) + std::to_string(layer) + name.substr(place + 2);
}

/// Checks that [offset, offset + bytes) lies in the arena and is aligned.
static uint64_t place(const json &offset, uint64_t bytes, uint64_t alignment,
                      uint64_t arena) {
  auto value = offset.get<uint64_t>();
  if (value % alignment || bytes > arena || value > arena - bytes)
    fail(Exit::Lacking,
         "the program's manifest is broken: offset {} of {} bytes is not a "
         "multiple of {} or lies outside the arena of {} bytes",
         value, bytes, alignment, arena);
  return value;
}

static void addParameter(const json &entry, Manifest &manifest) {
  auto name = entry.at("name").get<std::string>();
  auto shape = entry.at("shape").get<std::vector<int64_t>>();
  auto stack = entry.value("stack", int64_t(0));
  int64_t elements = product(shape);
  uint64_t bytes = uint64_t(elements) * sizeof(float);
  uint64_t all = bytes * uint64_t(std::max<int64_t>(stack, 1));
  auto offset = [&](const char *key) {
    return place(entry.at(key), all, sizeof(float), manifest.arenaBytes);
  };
  const json &init = entry.at("init");
  Tensor tensor{name,
                shape,
                elements,
                /*layer=*/-1,
                offset("parameter"),
                offset("first_moment"),
                offset("second_moment"),
                std::nullopt,
                init.at("kind").get<std::string>() == "normal",
                init.at("value").get<double>()};
  if (entry.contains("gradient"))
    tensor.gradient = offset("gradient");
  if (stack == 0)
    return manifest.tensors.push_back(tensor);
  for (int64_t layer = 0; layer < stack; ++layer) {
    tensor.name = layerName(name, layer);
    tensor.layer = layer;
    manifest.tensors.push_back(tensor);
    tensor.parameter += bytes;
    tensor.firstMoment += bytes;
    tensor.secondMoment += bytes;
    if (tensor.gradient)
      *tensor.gradient += bytes;
  }
}

static void readPlaces(Manifest &manifest) {
  const json &document = manifest.document;
  auto offset = [&](const char *group, const char *key, uint64_t bytes,
                    uint64_t alignment) {
    return place(document.at(group).at(key), bytes, alignment,
                 manifest.arenaBytes);
  };
  uint64_t inputBytes = uint64_t(manifest.stepTokens()) * sizeof(int32_t);
  auto input = [&](const char *key) {
    return offset("inputs", key, inputBytes, sizeof(int32_t));
  };
  auto scalar = [&](const char *key) {
    return offset("scalars", key, sizeof(double), sizeof(double));
  };
  auto output = [&](const char *key) {
    return offset("outputs", key, sizeof(float), sizeof(float));
  };
  manifest.inputs = {input("tokens"), input("targets"), input("positions")};
  manifest.scalars = {scalar("lr"),           scalar("beta1"),
                      scalar("beta2"),        scalar("eps"),
                      scalar("weight_decay"), scalar("max_norm"),
                      scalar("step"),         scalar("update_nonfinite")};
  manifest.outputs = {output("loss"), output("grad_norm"), output("eval_sum"),
                      output("eval_count")};
}

static void readShapes(Manifest &manifest) {
  for (const json &kernel : manifest.document.at("kernels"))
    manifest.kernels.push_back(kernel.at("name").get<std::string>());
  for (const json &gemm : manifest.document.at("gemms"))
    manifest.gemms.push_back(
        {gemm.at("m"), gemm.at("n"), gemm.at("k"), gemm.at("lhs_transposed"),
         gemm.at("rhs_transposed"), gemm.at("accumulate"), gemm.at("bias")});
  for (const json &attention : manifest.document.at("attentions"))
    manifest.attentions.push_back(
        {attention.at("batch"), attention.at("sequence"), attention.at("keys"),
         attention.at("kv_heads"), attention.at("group"),
         attention.at("head_dim"), attention.at("scale"),
         attention.at("softcap"),
         attention.at("windows").get<std::vector<int64_t>>()});
}

/// The part that always lives, and the gaps in it, of 64 bytes each.
static void readGaps(const json &arena, Manifest &manifest) {
  manifest.fixedBytes = place(arena.at("fixed"), /*bytes=*/0, /*alignment=*/64,
                              manifest.arenaBytes);
  for (const json &offset : arena.at("canaries"))
    manifest.canaries.push_back(
        place(offset, /*bytes=*/64, /*alignment=*/64, manifest.arenaBytes));
}

static Manifest parse(const trireme_program &program) {
  Manifest manifest;
  manifest.document =
      json::parse(program.manifest, program.manifest + program.manifest_bytes);
  const json &document = manifest.document;
  if (int abi = document.at("abi"); abi != TRIREME_PROGRAM_ABI)
    fail(Exit::Lacking,
         "the program's manifest has version {}, this runtime reads {}: "
         "compile the program again",
         abi, TRIREME_PROGRAM_ABI);
  manifest.microBatches = document.at("micro_batches");
  manifest.microBatchSize = document.at("micro_batch_size");
  manifest.globalBatch = manifest.microBatches * manifest.microBatchSize;
  manifest.sequence = document.at("sequence_length");
  manifest.vocabulary = document.at("vocabulary");
  manifest.arenaBytes = document.at("arena").at("bytes");
  manifest.workspaceMib = document.at("workspace_mib");
  readGaps(document.at("arena"), manifest);
  readPlaces(manifest);
  for (const json &entry : document.at("parameters"))
    addParameter(entry, manifest);
  readShapes(manifest);
  return manifest;
}

Manifest trireme::runtime::parseManifest(const trireme_program &program) {
  if (program.abi_version != TRIREME_PROGRAM_ABI)
    fail(Exit::Lacking,
         "the program was compiled for runtime version {}, this is version "
         "{}: compile the program again",
         program.abi_version, TRIREME_PROGRAM_ABI);
  try {
    return parse(program);
  } catch (const json::exception &error) {
    fail(Exit::Lacking, "the program's manifest is broken: {}", error.what());
  }
}
