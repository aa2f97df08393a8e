//===- CommandLine.h - flags of a subcommand --------------------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_TOOLS_TRIREME_COMMANDLINE_H
#define TRIREME_TOOLS_TRIREME_COMMANDLINE_H

#include "trireme/Config/Config.h"

#include <functional>
#include <string>
#include <vector>

namespace trireme {

/// A flag of a subcommand.
struct Flag {
  /// With dashes; the first is the one that help shows first.
  std::vector<std::string> names;
  /// What help calls the value; empty for a switch.
  std::string valueName;
  /// Empty: works, but help does not list it.
  std::string help;
  /// Called with each value, and with "true" for a switch without one.
  std::function<llvm::Error(llvm::StringRef)> set;
  /// Takes all words up to the next flag.
  bool takesMany = false;
};

/// Parses the words behind a subcommand. Wrong ones are errors of exit code 2
/// that name the flag.
class CommandLine {
public:
  /// `usage` stands behind "usage: trireme ", `summary` below it.
  CommandLine(std::string usage, std::string summary)
      : usage(std::move(usage)), summary(std::move(summary)) {}

  void add(Flag flag) { flags.push_back(std::move(flag)); }
  /// A flag that stores its value.
  void addText(llvm::StringRef name, llvm::StringRef valueName,
               llvm::StringRef help, std::string &value);
  /// A flag that stores a natural number.
  void addCount(llvm::StringRef name, llvm::StringRef help, int64_t &value);
  /// A flag that turns `value` on.
  void addSwitch(llvm::StringRef name, llvm::StringRef help, bool &value);
  /// A name between other words.
  void addPositional(llvm::StringRef name, std::string &value) {
    positionals.push_back({name.str(), &value});
  }
  /// One or more names.
  void addPositionals(llvm::StringRef name, std::vector<std::string> &values) {
    restName = name.str();
    rest = &values;
  }
  /// `--mlir-...` flags are MLIR's own and given to it.
  void acceptMLIRFlags() { acceptsMLIRFlags = true; }

  /// Returns false after `--help`, which is printed.
  llvm::Expected<bool> parse(llvm::ArrayRef<llvm::StringRef> words);

private:
  struct Positional {
    std::string name;
    std::string *value;
  };

  const Flag *find(llvm::StringRef name) const;
  llvm::Error parseFlag(llvm::ArrayRef<llvm::StringRef> words, size_t &index);
  llvm::Error parsePositional(llvm::StringRef word, size_t &count);
  llvm::Error unknownFlag(llvm::StringRef name) const;
  llvm::Error giveToMLIR() const;
  void printHelp() const;

  std::string usage, summary;
  std::vector<Flag> flags;
  std::vector<Positional> positionals;
  /// What takes further names; null if nothing does.
  std::string restName;
  std::vector<std::string> *rest = nullptr;
  bool acceptsMLIRFlags = false;
  std::vector<std::string> flagsOfMLIR;
};

/// Recipe, plan and the flags of their keys.
class ConfigFlags {
public:
  /// Which keys help lists. All keys work as flags.
  enum class Listed { Shape, All };

  void addTo(CommandLine &line, Listed listed);
  /// Reads the files and sets the flags; other keys are as in `base`.
  llvm::Expected<Config> read(const SequenceLimit *limit,
                              Config base = Config()) const;

private:
  /// A key's value and the flag that gave it; without a key, KEY=VALUE.
  struct Assignment {
    std::string key, value, flag;
  };

  std::string recipe, plan;
  std::vector<Assignment> assignments;
};

} // namespace trireme

#endif // TRIREME_TOOLS_TRIREME_COMMANDLINE_H
