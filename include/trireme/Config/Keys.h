//===- Keys.h - the keys of recipes and plans -------------------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row of data a key. Files, flags, the manifest's JSON and all messages
// are derived from these rows.
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_CONFIG_KEYS_H
#define TRIREME_CONFIG_KEYS_H

#include "trireme/Config/Recipe.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <limits>
#include <variant>

namespace trireme {

struct Config {
  Recipe recipe;
  Plan plan;
};

/// Where a key's value is stored.
using Slot = std::variant<bool *, int64_t *, double *, std::string *,
                          std::optional<int64_t> *, std::optional<double> *,
                          llvm::json::Value *>;

/// The values that a key may have.
struct Range {
  double least = std::numeric_limits<double>::lowest();
  double most = std::numeric_limits<double>::max();
  /// Excludes `least` itself.
  bool isOpenBelow = false;
  /// Excludes `most` itself.
  bool isOpenAbove = false;
};

/// A recipe or plan key.
struct Key {
  enum class File { Recipe, Plan };
  enum class Moment { CompileTime, RunTime };
  enum class State { Built, NotYet };

  /// As in a file, with a dot between a mapping and its keys.
  llvm::StringLiteral name;
  File file;
  Moment moment;
  State state;
  Slot (*slot)(Config &);
  /// What a message says was expected.
  llvm::StringLiteral expected;
  /// The line of `--help`.
  llvm::StringLiteral help;
  /// Numbers only.
  Range range = {};
  /// Text only: the names that it may have, separated by blanks; empty for
  /// any text.
  llvm::StringLiteral choices = "";
  /// A second flag besides the key's name, without dashes; may be empty.
  llvm::StringLiteral shortFlag = "";

  bool isBuilt() const { return state == State::Built; }
  /// Nested keys have no flag of their own, only a short one or `--set`.
  bool isNested() const { return name.contains('.'); }
};

/// All keys in the order of the documentation.
llvm::ArrayRef<Key> getKeys();

/// The row of the key `name` in `file`, or null.
const Key *findKey(Key::File file, llvm::StringRef name);

/// The value of `key` as JSON.
llvm::json::Value printValue(const Key &key, const Config &config);

/// Gives `key` its default in `config`.
void resetValue(const Key &key, Config &config);

/// What a key of another tool, or one given at the wrong place, is called
/// here: ("learning_rate") -> "optimizer.lr". Empty if nothing is known.
llvm::StringRef translateForeignKey(llvm::StringRef name);

} // namespace trireme

#endif // TRIREME_CONFIG_KEYS_H
