#include "test_support.h"

#include "core/settings.h"

#include <array>
#include <cmath>

using namespace trireme::runtime;

static Manifest manifest() {
  Manifest result;
  result.document["recipe"] = {
      {"global_batch_size", 8},
      {"sequence_length", 64},
      {"steps", 100},
      {"optimizer", {{"name", "adamw"}, {"lr", 1e-3}}},
      {"schedule", {{"name", "constant"}, {"warmup_steps", 5}}}};
  result.document["plan"] = {{"tensor", 1}};
  return result;
}

static Settings with(const std::vector<std::string> &changes) {
  return readSettings(manifest(), "", changes);
}

TEST(Settings, RunTimeKeysChange) {
  Settings settings =
      with({"optimizer.lr=5e-4", "schedule.name=cosine", "clip_grad_norm=null",
            "optimizer.beta2=0.99", "seed=7"});
  EXPECT_EQ(settings.schedule.lr, 5e-4);
  EXPECT_EQ(settings.schedule.kind, Schedule::Kind::Cosine);
  EXPECT_EQ(settings.maxNorm, 0);
  EXPECT_EQ(settings.beta2, 0.99);
  EXPECT_EQ(settings.seed, 7u);
  EXPECT_EQ(settings.recipe["optimizer"]["lr"], 5e-4);
}

TEST(Settings, CompileTimeKeysDoNot) {
  EXPECT_NO_THROW(
      with({"sequence_length=64", "tensor=1", "optimizer.name=adamw"}));
  EXPECT_FAILURE(with({"sequence_length=128"}), Exit::Input,
                 "compiled with 64, 128 was asked");
  EXPECT_FAILURE(with({"tensor=2"}), Exit::Input, "trireme compile");
}

TEST(Settings, WrongKeysAndValues) {
  EXPECT_FAILURE(with({"optimizer.larning=1"}), Exit::Input, "nearest");
  EXPECT_FAILURE(with({"sequence_lenght=64"}), Exit::Input,
                 "\"sequence_length\"");
  EXPECT_FAILURE(with({"optimizer.lr=fast"}), Exit::Input, "\"fast\"");
  EXPECT_FAILURE(with({"optimizer.lr=-1"}), Exit::Input, "optimizer.lr");
  EXPECT_FAILURE(with({"optimizer.beta1=1"}), Exit::Input, "optimizer.beta1");
  EXPECT_FAILURE(with({"steps=1.5"}), Exit::Input, "whole");
  EXPECT_FAILURE(with({"schedule.name=square"}), Exit::Input, "wsd");
}

TEST(Settings, RecipeFile) {
  TemporaryFolder folder;
  auto file = folder.write(
      "r.json", R"({"global_batch_size": 8, "optimizer": {"lr": 0.5}})");
  EXPECT_EQ(readSettings(manifest(), file, {}).schedule.lr, 0.5);
  EXPECT_FAILURE(
      readSettings(manifest(), folder.write("r.yaml", "steps: 3\n"), {}),
      Exit::Lacking, "r.yaml");
}

static Schedule schedule(Schedule::Kind kind) {
  Schedule result;
  result.kind = kind;
  result.lr = 1;
  result.minLr = 0.1;
  result.steps = 20;
  result.warmupSteps = 5;
  result.decaySteps = 10;
  return result;
}

TEST(Schedule, WarmUp) {
  for (auto kind : {Schedule::Kind::Constant, Schedule::Kind::Linear,
                    Schedule::Kind::Cosine})
    for (int64_t step = 0; step < 5; ++step)
      EXPECT_EQ(schedule(kind).rate(step), double(step + 1) / 5);
  EXPECT_EQ(schedule(Schedule::Kind::Constant).rate(19), 1);
}

TEST(Schedule, Decays) {
  auto linear = schedule(Schedule::Kind::Linear);
  EXPECT_DOUBLE_EQ(linear.rate(9), 0.1 + 0.9 * (1 - 5.0 / 15));
  EXPECT_DOUBLE_EQ(linear.rate(19), 0.1);
  EXPECT_DOUBLE_EQ(linear.rate(500), 0.1);
  auto cosine = schedule(Schedule::Kind::Cosine);
  EXPECT_DOUBLE_EQ(cosine.rate(9),
                   0.1 + 0.45 * (1 + std::cos(M_PI * 5.0 / 15)));
  EXPECT_DOUBLE_EQ(cosine.rate(19), 0.1);
}

TEST(Schedule, WarmupStableDecay) {
  auto wsd = schedule(Schedule::Kind::WarmupStableDecay);
  EXPECT_EQ(wsd.rate(9), 1);
  EXPECT_DOUBLE_EQ(wsd.rate(10), 0.1 + 0.9 * 0.9);
  EXPECT_DOUBLE_EQ(wsd.rate(19), 0.1);
  wsd.decay = Schedule::Decay::SquareRoot;
  EXPECT_DOUBLE_EQ(wsd.rate(12), 0.1 + 0.9 * (1 - std::sqrt(0.3)));
}

// The first block of the generator's published test vectors.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                                     0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6,
                                     0x6d5451fd}));
}

TEST(Philox, NormalMoments) {
  auto values = randomValues("moments", 1 << 20);
  double sums[5] = {};
  for (double value : values)
    for (int power = 1; power <= 4; ++power)
      sums[power] += std::pow(value, power) / double(values.size());
  EXPECT_NEAR(sums[1], 0, 0.005);
  EXPECT_NEAR(sums[2], 1, 0.01);
  EXPECT_NEAR(sums[3], 0, 0.02);
  EXPECT_NEAR(sums[4], 3, 0.05);
}

// Any part of a sequence is the same numbers.
TEST(Philox, PartsAgree) {
  auto all = randomValues("x", 100);
  std::vector<float> part(37);
  normalValues(1, "x", 1, 40, 77, part.data());
  EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + 40));
  normalValues(2, "x", 1, 40, 77, part.data());
  EXPECT_FALSE(std::equal(part.begin(), part.end(), all.begin() + 40));
}
