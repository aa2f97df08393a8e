//===- Config.h - reading recipes and plans ---------------------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ConfigReader takes a recipe file, a plan file and flags in any order;
// flags override files. finish() refuses what this version does not build,
// fills in the defaults that depend on the model, and checks what keys have to
// do with each other.
//
//   ConfigReader reader;
//   if (Error error = reader.readRecipe("recipe.yaml")) ...
//   if (Error error = reader.setFlag("micro_batch_size", "4", "--mbs")) ...
//   Expected<Config> config = reader.finish({"max_position_embeddings", 2048});
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_CONFIG_CONFIG_H
#define TRIREME_CONFIG_CONFIG_H

#include "trireme/Config/Keys.h"
#include "trireme/Support/Document.h"

#include "llvm/ADT/StringMap.h"

namespace trireme {

/// The longest sequence of a model and the config's key that says so.
struct SequenceLimit {
  llvm::StringRef key;
  int64_t positions;
};

class ConfigReader {
public:
  /// Keys that nothing sets have the values of `base`.
  explicit ConfigReader(Config base = Config()) : config(std::move(base)) {}

  llvm::Error readRecipe(llvm::StringRef path);
  llvm::Error readPlan(llvm::StringRef path);
  llvm::Error readRecipe(const Document &document);
  llvm::Error readPlan(const Document &document);

  /// Sets the recipe or plan key `name` from a flag's text (a scalar, or a
  /// list or mapping in YAML); `flag` is what the user wrote, for messages.
  /// Wrong names and values are a wrong command line (exit 2).
  llvm::Error setFlag(llvm::StringRef name, llvm::StringRef text,
                      llvm::StringRef flag);
  /// `KEY=VALUE` of `--set`.
  llvm::Error setFlag(llvm::StringRef assignment);

  /// The values so far, unchecked.
  const Config &get() const { return config; }
  /// The whole configuration; `limit` is null where the model is not known.
  llvm::Expected<Config> finish(const SequenceLimit *limit = nullptr) const;

private:
  llvm::Error readFile(Key::File file, const Document &document);
  llvm::Error readMapping(Key::File file, const Document &document,
                          const DocumentNode &mapping, llvm::StringRef prefix);
  llvm::Error set(const Key &key, const DocumentNode &node,
                  llvm::StringRef place);
  /// `place: ` of the last value given to a key, empty for a default.
  std::string placeOf(llvm::StringRef key) const;
  llvm::Error checkBuilt() const;
  llvm::Error checkSizes(const Config &config) const;
  llvm::Error checkSchedule(const Config &config) const;

  Config config;
  llvm::StringMap<std::string> places;
};

/// All keys of the recipe or the plan with their values, nested as in a file.
llvm::json::Object toJSON(const Config &config, Key::File file);

} // namespace trireme

#endif // TRIREME_CONFIG_CONFIG_H
