//===- Values.cpp - typed values of keys ----------------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace trireme;
using llvm::StringRef;

/// Whether `number` lies in the key's range.
static bool isInRange(const Range &range, double number) {
  if (range.isOpenBelow ? number <= range.least : number < range.least)
    return false;
  return range.isOpenAbove ? number < range.most : number <= range.most;
}

/// Whether `text` is one of the key's choices.
static bool isChoice(const Key &key, StringRef text) {
  llvm::SmallVector<StringRef> choices;
  key.choices.split(choices, ' ');
  return !text.empty() && llvm::is_contained(choices, text);
}

static std::optional<int64_t> readInteger(const Key &key,
                                          const DocumentNode &node) {
  std::optional<int64_t> value = node.asInteger();
  if (!value || !isInRange(key.range, *value))
    return std::nullopt;
  return value;
}

static std::optional<double> readNumber(const Key &key,
                                        const DocumentNode &node) {
  std::optional<double> value = node.asNumber();
  if (!value || !isInRange(key.range, *value))
    return std::nullopt;
  return value;
}

/// A mapping of the precisions of the parts.
static bool isPrecisionMapping(const Key &key, const DocumentNode &node) {
  for (const DocumentNode::Entry &entry : node.entries) {
    if (entry.key == "fp8")
      continue;
    if (!llvm::is_contained(
            {"compute", "master", "gradient_reduction", "optimizer_state"},
            entry.key))
      return false;
    std::optional<StringRef> text = entry.value.asText();
    if (!text || !isChoice(key, *text))
      return false;
  }
  return node.kind == DocumentNode::Kind::Mapping;
}

/// A list of mappings {match, train, weight_decay, lr_scale}.
static bool isParameterList(const DocumentNode &node) {
  for (const DocumentNode &rule : node.elements) {
    if (rule.kind != DocumentNode::Kind::Mapping || !rule.find("match"))
      return false;
    for (const DocumentNode::Entry &entry : rule.entries)
      if (!llvm::is_contained({"match", "train", "weight_decay", "lr_scale"},
                              entry.key))
        return false;
  }
  return node.kind == DocumentNode::Kind::List;
}

/// Values that are not one scalar of one type.
static bool isStructured(const Key &key, const DocumentNode &node) {
  std::optional<StringRef> text = node.asText();
  if (key.name == "precision")
    return text ? isChoice(key, *text) : isPrecisionMapping(key, node);
  if (key.name == "dropout")
    return text ? isChoice(key, *text) : readNumber(key, node).has_value();
  if (key.name == "parameters")
    return isParameterList(node);
  if (key.name == "layers_per_stage")
    return node.isNull() ||
           (node.kind == DocumentNode::Kind::List &&
            llvm::all_of(node.elements, [](const DocumentNode &element) {
              return element.asInteger().value_or(-1) >= 0;
            }));
  // Lists of choices.
  return node.kind == DocumentNode::Kind::List &&
         llvm::all_of(node.elements, [&](const DocumentNode &element) {
           return element.asText() && isChoice(key, *element.asText());
         });
}

namespace {
/// Stores a node in a slot of each type; false if it does not fit.
struct Store {
  const Key &key;
  const DocumentNode &node;

  template <typename T>
  static bool assign(const std::optional<T> &value, T *slot) {
    if (value)
      *slot = *value;
    return value.has_value();
  }
  template <typename T>
  bool assignOrNull(const std::optional<T> &value, std::optional<T> *slot) {
    if (value || node.isNull())
      *slot = value;
    return value || node.isNull();
  }

  bool operator()(bool *slot) { return assign(node.asBoolean(), slot); }
  bool operator()(int64_t *slot) {
    return assign(readInteger(key, node), slot);
  }
  bool operator()(double *slot) { return assign(readNumber(key, node), slot); }
  bool operator()(std::optional<int64_t> *slot) {
    return assignOrNull(readInteger(key, node), slot);
  }
  bool operator()(std::optional<double> *slot) {
    return assignOrNull(readNumber(key, node), slot);
  }
  bool operator()(std::string *slot) {
    std::optional<StringRef> text = node.asText();
    if (!text || text->empty() ||
        (!key.choices.empty() && !isChoice(key, *text)))
      return false;
    *slot = text->str();
    return true;
  }
  bool operator()(llvm::json::Value *slot) {
    if (!isStructured(key, node))
      return false;
    *slot = node.toJSON();
    return true;
  }
};

/// Prints a slot of each type.
struct Print {
  llvm::json::Value operator()(const llvm::json::Value *slot) { return *slot; }
  template <typename T>
  llvm::json::Value operator()(const std::optional<T> *slot) {
    return *slot ? llvm::json::Value(**slot) : llvm::json::Value(nullptr);
  }
  template <typename T> llvm::json::Value operator()(const T *slot) {
    return *slot;
  }
};
} // namespace

bool trireme::storeValue(const Key &key, const DocumentNode &node,
                         Config &config) {
  return std::visit(Store{key, node}, key.slot(config));
}

llvm::json::Value trireme::printValue(const Key &key, const Config &config) {
  // Slots are only read here.
  return std::visit(Print(), key.slot(const_cast<Config &>(config)));
}

void trireme::resetValue(const Key &key, Config &config) {
  Config defaults;
  Slot from = key.slot(defaults);
  std::visit([&](auto *to) { *to = *std::get<decltype(to)>(from); },
             key.slot(config));
}
