//===- ConfigTest.cpp - recipes, plans and flags
//---------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trireme/Config/Config.h"

#include "gtest/gtest.h"

using namespace trireme;

namespace {
/// The exit code and message of an error; 0 and "" for success.
struct Outcome {
  int code = 0;
  std::string message;

  bool says(llvm::StringRef words) const {
    return llvm::StringRef(message).contains(words);
  }
};
} // namespace

static Outcome outcomeOf(llvm::Error error) {
  Outcome outcome;
  llvm::handleAllErrors(std::move(error), [&](const Failure &failure) {
    outcome = {int(failure.getCode()), failure.getMessage().str()};
  });
  return outcome;
}

static Outcome readRecipe(llvm::StringRef text, Config *result = nullptr) {
  llvm::Expected<Document> document = Document::parse(text, "r.yaml");
  if (!document)
    return outcomeOf(document.takeError());
  ConfigReader reader;
  if (llvm::Error error = reader.readRecipe(*document))
    return outcomeOf(std::move(error));
  llvm::Expected<Config> config = reader.finish();
  if (!config)
    return outcomeOf(config.takeError());
  if (result)
    *result = std::move(*config);
  return Outcome();
}

static Outcome readPlan(llvm::StringRef text) {
  llvm::Expected<Document> document = Document::parse(text, "p.yaml");
  if (!document)
    return outcomeOf(document.takeError());
  ConfigReader reader;
  if (llvm::Error error = reader.readPlan(*document))
    return outcomeOf(std::move(error));
  return outcomeOf(reader.finish().takeError());
}

static Outcome setFlag(llvm::StringRef name, llvm::StringRef text) {
  ConfigReader reader;
  if (llvm::Error error = reader.setFlag(name, text, "--flag"))
    return outcomeOf(std::move(error));
  return outcomeOf(reader.finish().takeError());
}

TEST(Config, ReadsTheDocumentedRecipe) {
  Config config;
  Outcome outcome = readRecipe(
      "global_batch_size: 16\nsequence_length: 64\nsteps: 20\nseed: 3\n"
      "precision: fp32\n"
      "optimizer: {name: adamw, lr: 0.001, beta1: 0.8, beta2: 0.99, "
      "eps: 1.0e-9, weight_decay: 0.2}\n"
      "schedule: {name: wsd, warmup_steps: 5, min_lr: 1e-5, decay_steps: 4, "
      "decay: sqrt}\n"
      "clip_grad_norm: 2\ndropout: 0.0\n"
      "documents: {separator: null, attention: across, positions: continue, "
      "loss_across: true}\n"
      "parameters: []\n"
      "loss_scale: {initial: 65536, growth_interval: 2000}\n",
      &config);
  EXPECT_EQ(outcome.message, "");
  const Recipe &recipe = config.recipe;
  EXPECT_EQ(recipe.globalBatchSize, 16);
  EXPECT_EQ(recipe.sequenceLength, 64);
  EXPECT_EQ(recipe.steps, 20);
  EXPECT_EQ(recipe.seed, 3);
  EXPECT_EQ(recipe.optimizer.lr, 1e-3);
  EXPECT_EQ(recipe.optimizer.beta1, 0.8);
  EXPECT_EQ(recipe.optimizer.beta2, 0.99);
  EXPECT_EQ(recipe.optimizer.eps, 1e-9);
  EXPECT_EQ(recipe.optimizer.weightDecay, 0.2);
  EXPECT_EQ(recipe.schedule.name, "wsd");
  EXPECT_EQ(recipe.schedule.warmupSteps, 5);
  EXPECT_EQ(recipe.schedule.minLr, 1e-5);
  EXPECT_EQ(recipe.schedule.decaySteps, 4);
  EXPECT_EQ(recipe.schedule.decay, "sqrt");
  EXPECT_EQ(recipe.clipGradNorm, 2);
  EXPECT_EQ(config.plan.microBatchSize, 16);
}

TEST(Config, HasDefaults) {
  ConfigReader reader;
  SequenceLimit limit{"n_positions", 512};
  llvm::Expected<Config> config = reader.finish(&limit);
  ASSERT_TRUE(bool(config));
  EXPECT_EQ(config->recipe.globalBatchSize, 8);
  EXPECT_EQ(config->recipe.sequenceLength, 512);
  EXPECT_EQ(config->recipe.steps, 100);
  EXPECT_EQ(config->recipe.optimizer.lr, 3e-4);
  EXPECT_EQ(config->plan.microBatchSize, 8);
}

TEST(Config, ADefaultMayBeWrittenOut) {
  // Every key, built or not, printed and read back.
  Config defaults;
  for (Key::File file : {Key::File::Recipe, Key::File::Plan}) {
    llvm::json::Object object = toJSON(defaults, file);
    object.erase("sequence_length");
    object.erase("micro_batch_size");
    std::string text;
    llvm::raw_string_ostream(text) << llvm::json::Value(std::move(object));
    Outcome outcome =
        file == Key::File::Recipe ? readRecipe(text) : readPlan(text);
    EXPECT_EQ(outcome.message, "");
  }
}

TEST(Config, ToldWithFileAndLine) {
  Outcome outcome = readRecipe("global_batch_size: 8\nsequence_length: 64\n"
                               "optimizer: {name: adamw, lr: fast}\n");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.message, "r.yaml:3: \"optimizer.lr\": found \"fast\", "
                             "expected a number from 0, e.g. 3e-4");
}

TEST(Config, RefusesWrongValues) {
  for (const char *text : {"steps: 0",
                           "steps: 1.5",
                           "steps: '7'",
                           "seed: -1",
                           "steps: [1]",
                           "optimizer: {beta1: 1}",
                           "optimizer: {eps: 0}",
                           "optimizer: adamw",
                           "optimizer: {name: sgd}",
                           "schedule: {name: step}",
                           "steps: null",
                           "optimizer: {lr: .inf}",
                           "clip_grad_norm: -1",
                           "precision: fp64",
                           "dropout: 1",
                           "parameters: {}",
                           "parameters: [{train: false}]",
                           "global_batch_size: 99999999999999999999",
                           "[1, 2]",
                           "text"}) {
    Outcome outcome = readRecipe(text);
    EXPECT_EQ(outcome.code, 1) << text;
    EXPECT_TRUE(outcome.says("r.yaml:1: ")) << outcome.message;
    EXPECT_TRUE(outcome.says("expected ")) << outcome.message;
  }
  for (const char *text : {"zero: 4", "overlap: 1", "offload: [disk]",
                           "remat: some", "layers_per_stage: [-1]"})
    EXPECT_EQ(readPlan(text).code, 1) << text;
}

TEST(Config, NamesTheNearestKey) {
  EXPECT_TRUE(readPlan("tensro: 2").says("the nearest is \"tensor\""));
  EXPECT_TRUE(readRecipe("optimizer: {learning_rate: 1}")
                  .says("the nearest is \"optimizer.lr\""));
  EXPECT_TRUE(readRecipe("weight_decay: 0.1")
                  .says("the nearest is \"optimizer.weight_decay\""));
  EXPECT_TRUE(
      readRecipe("warmup: 3").says("the nearest is \"schedule.warmup_steps\""));
  Outcome outcome = readRecipe("gradient_accumulation_steps: 4");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.says("\"gradient_accumulation_steps\""));
  EXPECT_TRUE(outcome.says("\"micro_batch_size\" of the plan"));
  // A key of the other file.
  EXPECT_TRUE(readRecipe("tensor: 2").says("\"tensor\" of the plan"));
  EXPECT_TRUE(readPlan("steps: 2").says("\"steps\" of the recipe"));
}

TEST(Config, RefusesWhatIsNotBuilt) {
  for (const char *text :
       {"tensor: 2", "data: 2", "zero: 1", "remat: full",
        "sequence_parallel: true", "overlap: false", "layers_per_stage: [1, 2]",
        "bucket_mib: 50", "offload: [optimizer]", "capacity_factor: 1.5",
        "pipeline_schedule: gpipe", "reduction: fixed-order"}) {
    Outcome outcome = readPlan(text);
    EXPECT_EQ(outcome.code, 4) << text;
    EXPECT_TRUE(outcome.says("p.yaml:1: ")) << outcome.message;
    EXPECT_TRUE(outcome.says(llvm::StringRef(text).split(':').first));
  }
  for (const char *text :
       {"precision: bf16", "precision: {compute: bf16}", "dropout: 0.1",
        "dropout: config", "documents: {attention: within}",
        "parameters: [{match: '*.bias', train: false}]",
        "loss_scale: {initial: 2}"})
    EXPECT_EQ(readRecipe(text).code, 4) << text;
}

TEST(Config, ReadsFlags) {
  EXPECT_EQ(setFlag("micro_batch_size", "4").code, 0);
  EXPECT_EQ(setFlag("optimizer.lr", "3e-4").code, 0);
  EXPECT_EQ(setFlag("offload", "[]").code, 0);
  EXPECT_EQ(setFlag("offload", "[optimizer]").code, 4);
  EXPECT_EQ(setFlag("tensor", "2").code, 4);
  EXPECT_EQ(setFlag("tensor", "").code, 2);
  EXPECT_EQ(setFlag("tensor", "[").code, 2);
  EXPECT_EQ(setFlag("tensor", "x: {").code, 2);
  Outcome outcome = setFlag("optimizer.lrr", "1");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(outcome.says("the nearest is \"optimizer.lr\""));
}

TEST(Config, FlagsOverrideFiles) {
  ConfigReader reader;
  llvm::Expected<Document> plan = Document::parse("{\"tensor\": 2}", "p.json");
  ASSERT_TRUE(bool(plan));
  EXPECT_FALSE(llvm::errorToBool(reader.readPlan(*plan)));
  EXPECT_FALSE(llvm::errorToBool(reader.setFlag("tensor=1")));
  EXPECT_EQ(outcomeOf(reader.finish().takeError()).message, "");
  EXPECT_EQ(outcomeOf(reader.setFlag("tensor")).code, 2);
}

TEST(Config, ChecksWhatBelongsTogether) {
  Outcome outcome = setFlag("micro_batch_size", "3");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.message,
            "--flag: \"micro_batch_size\": 3 does not divide "
            "\"global_batch_size\": 8 / \"data\": 1; the nearest that does is "
            "2 or 4");
  EXPECT_TRUE(readRecipe("schedule: {name: wsd}").says("decay_steps"));
  EXPECT_TRUE(readRecipe("steps: 10\nschedule: {name: wsd, decay_steps: 6, "
                         "warmup_steps: 5}")
                  .says("\"steps\": 10"));
  EXPECT_TRUE(readRecipe("schedule: {min_lr: 1}").says("optimizer.lr"));

  ConfigReader reader;
  EXPECT_FALSE(llvm::errorToBool(reader.setFlag("sequence_length=64")));
  SequenceLimit limit{"n_positions", 32};
  outcome = outcomeOf(reader.finish(&limit).takeError());
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.message, "--set: \"sequence_length\": found 64, expected "
                             "at most 32, the model's \"n_positions\"");
}

TEST(Config, StartsFromABase) {
  Config base;
  base.recipe.optimizer.lr = 0.5;
  base.plan.microBatchSize = 2;
  ConfigReader reader(base);
  EXPECT_FALSE(llvm::errorToBool(reader.setFlag("steps=7")));
  llvm::Expected<Config> config = reader.finish();
  ASSERT_TRUE(bool(config));
  EXPECT_EQ(config->recipe.optimizer.lr, 0.5);
  EXPECT_EQ(config->recipe.steps, 7);
  EXPECT_EQ(config->plan.microBatchSize, 2);
  for (const Key &key : getKeys())
    resetValue(key, *config);
  for (Key::File file : {Key::File::Recipe, Key::File::Plan})
    EXPECT_EQ(llvm::json::Value(toJSON(*config, file)),
              llvm::json::Value(toJSON(Config(), file)));
}

TEST(Config, KeysAreWellFormed) {
  for (const Key &key : getKeys()) {
    EXPECT_EQ(findKey(key.file, key.name), &key);
    EXPECT_FALSE(key.help.empty()) << key.name.str();
    EXPECT_FALSE(key.expected.empty()) << key.name.str();
  }
}
