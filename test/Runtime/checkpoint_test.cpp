#include "test_support.h"

#include "core/checkpoint.h"
#include "core/initialise.h"
#include "core/metrics.h"

#include <cmath>
#include <cstring>

using namespace trireme::runtime;
namespace fs = std::filesystem;

static Manifest manifest() {
  Manifest result;
  result.document = {{"plan", json::object()},
                     {"model", {{"name", "m"}}},
                     {"program_hash", "00"},
                     {"source", {{"folder", nullptr}, {"config", {{"a", 1}}}}}};
  result.arenaBytes = 4096;
  result.tensors = {
      {"transformer.wte.weight", {4, 8}, 32, -1, 0, 128, 256, {}, true, 0.02},
      {"transformer.h.0.bias", {8}, 8, 0, 384, 416, 448, {}, false, 1.0}};
  return result;
}

static void fill(const Arena &arena, const std::string &name) {
  auto values = randomValues(name, 1024);
  std::memcpy(arena.data(), values.data(), 4096);
}

static void save(const Manifest &manifest, const Arena &arena,
                 const std::string &folder, int64_t step, int64_t keep = 0) {
  saveCheckpoint(manifest, arena, folder, {step, 8 * step, 512 * step},
                 {{"seed", 1}}, keep);
}

TEST(Checkpoint, RoundTrip) {
  TemporaryFolder folder;
  Manifest model = manifest();
  Arena arena(4096), other(4096);
  fill(arena, "state");
  save(model, arena, folder.path("ck"), 9);
  auto found = findCheckpoint("auto", folder.path("ck"));
  ASSERT_TRUE(found);
  Progress progress = loadCheckpoint(model, *found, other);
  EXPECT_EQ(progress.step, 9);
  EXPECT_EQ(progress.samples, 72);
  EXPECT_EQ(progress.tokens, 4608);
  EXPECT_EQ(std::memcmp(arena.data(), other.data(), 480), 0);
  fs::path step = folder.path("ck/step-00000009");
  json index =
      json::parse(std::ifstream(step / "model.safetensors.index.json"));
  EXPECT_EQ(index["weight_map"].size(), 2u);
  EXPECT_EQ(json::parse(std::ifstream(step / "config.json"))["a"], 1);
}

// The newest whole checkpoint counts; a folder without state.json does not.
TEST(Checkpoint, FindsTheNewestWhole) {
  TemporaryFolder folder;
  Manifest model = manifest();
  Arena arena(4096);
  EXPECT_FALSE(findCheckpoint("auto", folder.path("ck")));
  EXPECT_FAILURE(findCheckpoint(folder.path("ck"), ""), Exit::Input, "ck");
  for (int64_t step : {1, 2, 10})
    save(model, arena, folder.path("ck"), step);
  fs::create_directories(folder.path("ck/step-00000099"));
  fs::create_directories(folder.path("ck/.step-00000100.tmp"));
  EXPECT_EQ(*findCheckpoint(folder.path("ck"), ""),
            folder.path("ck/step-00000010"));
  EXPECT_EQ(*findCheckpoint(folder.path("ck/step-00000002"), ""),
            folder.path("ck/step-00000002"));
}

TEST(Checkpoint, KeepsTheNewest) {
  TemporaryFolder folder;
  Manifest model = manifest();
  Arena arena(4096);
  for (int64_t step : {1, 2, 3, 3, 4})
    save(model, arena, folder.path("ck"), step, 2);
  std::vector<std::string> names;
  for (const auto &entry : fs::directory_iterator(folder.path("ck")))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names,
            (std::vector<std::string>{"step-00000003", "step-00000004"}));
}

TEST(Initialise, NamesWithAndWithoutTheirPrefix) {
  TemporaryFolder folder;
  Manifest model = manifest();
  Arena arena(4096);
  auto a = randomValues("a", 32), b = randomValues("b", 8);
  std::string path = folder.path("x.safetensors");
  // A tied head and masks are no parameters.
  writeSafetensors(path, {{"wte.weight", {4, 8}, 32, a.data()},
                          {"h.0.bias", {8}, 8, b.data()},
                          {"h.0.attn.bias", {8}, 8, b.data()},
                          {"lm_head.weight", {4, 8}, 32, a.data()}});
  initialise(model, path, 1, arena);
  EXPECT_EQ(arena.at<float>(0)[5], a[5]);
  EXPECT_EQ(arena.at<float>(384)[7], b[7]);
}

TEST(Initialise, WrongTensors) {
  TemporaryFolder folder;
  Manifest model = manifest();
  Arena arena(4096);
  auto a = randomValues("a", 32), b = randomValues("b", 8);
  TensorToWrite table{"wte.weight", {4, 8}, 32, a.data()},
      bias{"h.0.bias", {8}, 8, b.data()};
  auto load = [&](const std::vector<TensorToWrite> &tensors) {
    std::string path = folder.path("x.safetensors");
    writeSafetensors(path, tensors);
    initialise(model, path, 1, arena);
  };
  EXPECT_FAILURE(load({table}), Exit::Input, "\"transformer.h.0.bias\"");
  EXPECT_FAILURE(load({table, bias, {"more", {8}, 8, b.data()}}), Exit::Input,
                 "\"more\"");
  EXPECT_FAILURE(load({table, {"h.0.bais", {8}, 8, b.data()}}), Exit::Input,
                 "nearest in the file is \"h.0.bais\"");
  EXPECT_FAILURE(load({{"wte.weight", {8, 4}, 32, a.data()}, bias}),
                 Exit::Input, "shape [8,4]");
}

TEST(Initialise, Random) {
  Manifest model = manifest();
  Arena a(4096), b(4096), c(4096);
  initialise(model, "random", 1, a);
  initialise(model, "auto", 1, b);
  initialise(model, "random", 2, c);
  EXPECT_EQ(std::memcmp(a.data(), b.data(), 480), 0);
  EXPECT_NE(std::memcmp(a.data(), c.data(), 480), 0);
  EXPECT_EQ(a.at<float>(384)[3], 1.0f);
  model.document["source"]["folder"] = "/no/such/folder";
  EXPECT_FAILURE(initialise(model, "auto", 1, a), Exit::Input,
                 "/no/such/folder");
}

static std::string contents(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Numbers read back; non-finite ones are null; later lines are cut on resume.
TEST(Metrics, WritesAndCuts) {
  TemporaryFolder folder;
  std::string path = folder.path("m.jsonl");
  auto write = [&](int64_t from, int64_t to) {
    Metrics metrics(path, from);
    for (int64_t step = from + 1; step <= to; ++step) {
      metrics.begin(step);
      metrics.add("loss", 0.1 * double(step));
      metrics.add("bad", NAN);
      metrics.end();
    }
  };
  write(0, 3);
  EXPECT_EQ(contents(path).substr(0, contents(path).find('\n')),
            R"({"step": 1, "loss": 0.1, "bad": null})");
  std::ofstream(path, std::ios::app) << R"({"step": 4, "lo)";
  write(2, 4);
  std::ifstream file(path);
  std::vector<int64_t> steps;
  for (std::string line; std::getline(file, line);) {
    steps.push_back(json::parse(line)["step"]);
    EXPECT_EQ(json::parse(line)["loss"].get<double>(),
              0.1 * double(steps.back()));
  }
  EXPECT_EQ(steps, (std::vector<int64_t>{1, 2, 3, 4}));
  Metrics none("", 0);
  none.begin(1);
  none.end();
}
