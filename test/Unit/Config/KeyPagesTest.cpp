//===- KeyPagesTest.cpp - the pages that list keys ------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables of docs/recipe.md and docs/plan.md are the table of keys.
//
//===----------------------------------------------------------------------===//

#include "trireme/Config/Config.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <charconv>

using namespace trireme;
using llvm::StringRef;

/// A default as people write it: the shortest digits of a number.
static std::string defaultOf(const Key &key) {
  Config config;
  llvm::json::Value value = printValue(key, config);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << value;
  if (std::optional<double> number = value.getAsNumber()) {
    char digits[32];
    auto end = std::to_chars(digits, digits + sizeof digits, *number).ptr;
    text.assign(digits, end);
  }
  return text;
}

/// The flags of a key; `--set` works for all.
static std::string flagsOf(const Key &key) {
  if (!key.isBuilt())
    return "";
  std::string flags;
  if (!key.isNested())
    flags += "`--" + key.name.str() + "`";
  llvm::for_each(flags, [](char &c) { c = c == '_' ? '-' : c; });
  if (!key.shortFlag.empty())
    flags += (flags.empty() ? "`--" : ", `--") + key.shortFlag.str() + "`";
  return flags.empty() ? "`--set`" : flags;
}

/// The rows that a page has to have, a line each.
static std::string rowsOf(Key::File file) {
  std::string rows;
  llvm::raw_string_ostream stream(rows);
  for (const Key &key : getKeys()) {
    if (key.file != file)
      continue;
    StringRef when = !key.isBuilt() ? "not in this version"
                     : key.moment == Key::Moment::CompileTime ? "compiling"
                                                              : "run time";
    stream << "| `" << key.name << "` | `" << defaultOf(key) << "` | "
           << key.expected << " | " << when << " | " << flagsOf(key) << " | "
           << key.help << " |\n";
  }
  return rows;
}

/// The rows of keys that the page has.
static std::string rowsIn(StringRef page) {
  std::string path = (TRIREME_SOURCE_DIR "/docs/" + page).str();
  auto text = llvm::MemoryBuffer::getFile(path);
  if (!text) {
    ADD_FAILURE() << path << ": " << text.getError().message();
    return "";
  }
  std::string rows;
  for (StringRef line : llvm::split((*text)->getBuffer(), '\n'))
    if (line.starts_with("| `"))
      rows += (line + "\n").str();
  return rows;
}

TEST(KeyPagesTest, RecipeHasAllKeys) {
  EXPECT_EQ(rowsIn("recipe.md"), rowsOf(Key::File::Recipe));
}

TEST(KeyPagesTest, PlanHasAllKeys) {
  EXPECT_EQ(rowsIn("plan.md"), rowsOf(Key::File::Plan));
}
