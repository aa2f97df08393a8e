//===- ConfigObject.cpp - typed reads of a JSON object --------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConfigObject.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace trireme;
using llvm::StringRef;
using llvm::Twine;

std::string trireme::describeValue(const llvm::json::Value *value) {
  if (!value)
    return "nothing";
  if (value->getAsArray())
    return "a list";
  if (value->getAsObject())
    return "an object";
  if (std::optional<StringRef> text = value->getAsString())
    return quoted(*text);
  std::string result;
  llvm::raw_string_ostream(result) << *value;
  return result;
}

const llvm::json::Value *ConfigObject::get(StringRef key) const {
  const llvm::json::Value *value = object.get(key);
  return value && value->kind() != llvm::json::Value::Null ? value : nullptr;
}

bool ConfigObject::has(StringRef key) const { return get(key) != nullptr; }

bool ConfigObject::isNull(StringRef key) const {
  return object.get(key) && !get(key);
}

void ConfigObject::failWith(const Twine &text) {
  if (message.empty())
    message = (file + ": " + text).str();
}

void ConfigObject::fail(StringRef key, const Twine &expected) {
  failWith("\"" + key + "\": found " + describeValue(object.get(key)) +
           ", expected " + expected);
}

llvm::Error ConfigObject::takeError() {
  return message.empty() ? llvm::Error::success() : badInput(message);
}

int64_t ConfigObject::getSize(StringRef key, int64_t most,
                              std::optional<int64_t> otherwise) {
  const llvm::json::Value *value = get(key);
  if (!value && otherwise)
    return *otherwise;
  std::optional<double> number =
      value ? value->getAsNumber() : std::optional<double>();
  if (number && *number >= 1 && *number <= double(most) &&
      std::floor(*number) == *number)
    return int64_t(*number);
  fail(key, "an integer from 1 to " + Twine(most));
  return 1;
}

double ConfigObject::getNumber(StringRef key, double otherwise, double least,
                               double most) {
  const llvm::json::Value *value = get(key);
  if (!value)
    return otherwise;
  std::optional<double> number = value->getAsNumber();
  // A negated test, so that NaN fails.
  if (number && *number >= least && *number <= most)
    return *number;
  llvm::json::Value low(least), high(most);
  fail(key,
       "a number from " + describeValue(&low) + " to " + describeValue(&high));
  return otherwise;
}

double ConfigObject::getPositive(StringRef key, double otherwise) {
  const llvm::json::Value *value = get(key);
  if (!value)
    return otherwise;
  std::optional<double> number = value->getAsNumber();
  if (number && *number > 0 && std::isfinite(*number))
    return *number;
  fail(key, "a number above 0");
  return otherwise;
}

std::optional<double>
ConfigObject::getPositiveOrNull(StringRef key,
                                std::optional<double> otherwise) {
  if (isNull(key))
    return std::nullopt;
  if (!has(key))
    return otherwise;
  return getPositive(key, /*otherwise=*/1.0);
}

bool ConfigObject::getBoolean(StringRef key, bool otherwise) {
  const llvm::json::Value *value = get(key);
  if (!value)
    return otherwise;
  if (std::optional<bool> boolean = value->getAsBoolean())
    return *boolean;
  fail(key, "true or false");
  return otherwise;
}

StringRef ConfigObject::getText(StringRef key, StringRef otherwise) {
  const llvm::json::Value *value = get(key);
  if (!value)
    return otherwise;
  if (std::optional<StringRef> text = value->getAsString())
    return *text;
  fail(key, "a text in quotes");
  return otherwise;
}

void ConfigObject::requireBoolean(StringRef key, bool supported, bool otherwise,
                                  StringRef why) {
  if (getBoolean(key, otherwise) != supported)
    fail(key, (supported ? "true" : "false") + Twine(": ") + why);
}
