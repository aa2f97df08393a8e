//===- CommandLine.cpp - flags of a subcommand ----------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "trireme/Support/Text.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>

using namespace trireme;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Kinds of flags
//===----------------------------------------------------------------------===//

void CommandLine::addText(StringRef name, StringRef valueName, StringRef help,
                          std::string &value) {
  add({{name.str()}, valueName.str(), help.str(), [&value](StringRef text) {
         value = text.str();
         return llvm::Error::success();
       }});
}

void CommandLine::addCount(StringRef name, StringRef help, int64_t &value) {
  auto set = [&value, name = name.str()](StringRef text) -> llvm::Error {
    int64_t number = 0;
    if (text.getAsInteger(10, number) || number < 0)
      return badCommandLine(name + ": found " + quoted(text) +
                            ", expected an integer from 0");
    value = number;
    return llvm::Error::success();
  };
  add({{name.str()}, "N", help.str(), set});
}

void CommandLine::addSwitch(StringRef name, StringRef help, bool &value) {
  auto set = [&value, name = name.str()](StringRef text) -> llvm::Error {
    if (text != "true" && text != "false")
      return badCommandLine(name + ": found " + quoted(text) +
                            ", expected no value");
    value = text == "true";
    return llvm::Error::success();
  };
  add({{name.str()}, "", help.str(), set});
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

const Flag *CommandLine::find(StringRef name) const {
  for (const Flag &flag : flags)
    if (llvm::is_contained(flag.names, name))
      return &flag;
  return nullptr;
}

llvm::Error CommandLine::unknownFlag(StringRef name) const {
  llvm::SmallVector<StringRef> names;
  for (const Flag &flag : flags)
    if (!flag.help.empty())
      names.append(flag.names.begin(), flag.names.end());
  StringRef nearest = nearestName(name, names);
  std::string message = ("unknown flag " + name).str();
  if (!nearest.empty())
    message += ("; the nearest is " + nearest).str();
  return badCommandLine(message + "; --help lists all");
}

/// Parses the flag at `words[index]` and moves `index` to the last word that
/// belongs to it.
llvm::Error CommandLine::parseFlag(llvm::ArrayRef<StringRef> words,
                                   size_t &index) {
  StringRef word = words[index];
  if (acceptsMLIRFlags && word.starts_with("--mlir-")) {
    flagsOfMLIR.push_back(word.str());
    return llvm::Error::success();
  }
  auto [name, value] = word.split('=');
  const Flag *flag = find(name);
  if (!flag)
    return unknownFlag(name);
  if (word.contains('='))
    return flag->set(value);
  if (flag->valueName.empty())
    return flag->set("true");
  if (index + 1 == words.size() ||
      (flag->takesMany && words[index + 1].starts_with("-")))
    return badCommandLine(name + ": expected a value, " + flag->valueName);
  do {
    if (llvm::Error error = flag->set(words[++index]))
      return error;
  } while (flag->takesMany && index + 1 < words.size() &&
           !words[index + 1].starts_with("-"));
  return llvm::Error::success();
}

llvm::Error CommandLine::parsePositional(StringRef word, size_t &count) {
  if (count == positionals.size() && rest) {
    rest->push_back(word.str());
    return llvm::Error::success();
  }
  if (count == positionals.size())
    return badCommandLine("found " + quoted(word) +
                          ", expected no further name; usage: trireme " +
                          usage);
  *positionals[count++].value = word.str();
  return llvm::Error::success();
}

llvm::Error CommandLine::giveToMLIR() const {
  if (!acceptsMLIRFlags)
    return llvm::Error::success();
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  std::vector<const char *> arguments{"trireme"};
  for (const std::string &flag : flagsOfMLIR)
    arguments.push_back(flag.c_str());
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (llvm::cl::ParseCommandLineOptions(arguments.size(), arguments.data(),
                                        /*Overview=*/"", &stream))
    return llvm::Error::success();
  return badCommandLine(StringRef(message).trim());
}

llvm::Expected<bool> CommandLine::parse(llvm::ArrayRef<StringRef> words) {
  size_t numPositionals = 0;
  bool onlyNames = false;
  for (size_t index = 0; index < words.size(); ++index) {
    StringRef word = words[index];
    llvm::Error error = llvm::Error::success();
    if (!onlyNames && (word == "--help" || word == "-h")) {
      llvm::consumeError(std::move(error));
      printHelp();
      return false;
    }
    if (!onlyNames && word == "--")
      onlyNames = true;
    else if (!onlyNames && word.starts_with("-") && word != "-")
      error = parseFlag(words, index);
    else
      error = parsePositional(word, numPositionals);
    if (error)
      return error;
  }
  if (numPositionals < positionals.size())
    return badCommandLine("missing " + positionals[numPositionals].name +
                          "; usage: trireme " + usage);
  if (rest && rest->empty())
    return badCommandLine("missing " + restName + "; usage: trireme " + usage);
  if (llvm::Error error = giveToMLIR())
    return error;
  return true;
}

void CommandLine::printHelp() const {
  llvm::raw_ostream &stream = llvm::outs();
  stream << "usage: trireme " << usage << "\n\n" << summary << "\n\n";
  auto print = [&](const std::string &left, StringRef right) {
    stream << llvm::formatv("  {0,-36} {1}\n", left, right);
  };
  for (const Flag &flag : flags) {
    if (flag.help.empty())
      continue;
    std::string left = llvm::join(flag.names, ", ");
    if (!flag.valueName.empty())
      left += " " + flag.valueName;
    print(left, flag.help);
  }
  if (acceptsMLIRFlags)
    print("--mlir-...", "MLIR's flags, e.g. --mlir-print-ir-after-all, "
                        "--mlir-timing");
  print("--help", "print this and end");
}

//===----------------------------------------------------------------------===//
// Recipe and plan
//===----------------------------------------------------------------------===//

/// Whether a key's flag is listed in a subcommand's help.
static bool isListed(const Key &key, ConfigFlags::Listed listed) {
  if (!key.isBuilt())
    return false;
  if (listed == ConfigFlags::Listed::All)
    return true;
  return key.moment == Key::Moment::CompileTime;
}

/// A key's line of help with its default, if it has one that is a constant.
static std::string describe(const Key &key) {
  std::string text = key.help.str();
  llvm::json::Value value = printValue(key, Config());
  if (value.getAsNull())
    return text;
  text += " (default: ";
  if (std::optional<double> number = value.getAsNumber()) {
    char digits[32];
    text.append(
        digits,
        std::to_chars(std::begin(digits), std::end(digits), *number).ptr);
  } else {
    llvm::raw_string_ostream(text) << value;
  }
  return text + ")";
}

void ConfigFlags::addTo(CommandLine &line, Listed listed) {
  line.addText("--recipe", "FILE", "recipe in YAML or JSON", recipe);
  line.addText("--plan", "FILE", "plan in YAML or JSON", plan);
  // Asked only for the types of its members.
  Config types;
  for (const Key &key : getKeys()) {
    std::vector<std::string> names;
    if (!key.isNested()) {
      std::string name = "--" + key.name.str();
      std::replace(name.begin(), name.end(), '_', '-');
      names.push_back(std::move(name));
    }
    if (!key.shortFlag.empty())
      names.push_back("--" + key.shortFlag.str());
    if (names.empty())
      continue;
    bool isSwitch = std::holds_alternative<bool *>(key.slot(types));
    Flag flag;
    flag.valueName = isSwitch ? "" : "VALUE";
    flag.help = isListed(key, listed) ? describe(key) : "";
    flag.set = [this, &key, name = names.front()](StringRef value) {
      assignments.push_back({key.name.str(), value.str(), name});
      return llvm::Error::success();
    };
    flag.names = std::move(names);
    line.add(std::move(flag));
  }
  line.add({{"--set"},
            "KEY=VALUE",
            "any key of the recipe or plan, e.g. optimizer.lr=3e-4",
            [this](StringRef text) {
              assignments.push_back({/*key=*/"", text.str(), "--set"});
              return llvm::Error::success();
            }});
}

llvm::Expected<Config> ConfigFlags::read(const SequenceLimit *limit,
                                         Config base) const {
  ConfigReader reader(std::move(base));
  if (!recipe.empty())
    if (llvm::Error error = reader.readRecipe(recipe))
      return error;
  if (!plan.empty())
    if (llvm::Error error = reader.readPlan(plan))
      return error;
  for (const Assignment &assignment : assignments)
    if (llvm::Error error =
            assignment.key.empty()
                ? reader.setFlag(assignment.value)
                : reader.setFlag(assignment.key, assignment.value,
                                 assignment.flag))
      return error;
  return reader.finish(limit);
}
