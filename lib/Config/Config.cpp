//===- Config.cpp - reading recipes and plans -----------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trireme/Config/Config.h"

#include "Values.h"
#include "trireme/Support/Text.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace trireme;
using llvm::StringRef;
using llvm::Twine;

static StringRef nameOf(Key::File file) {
  return file == Key::File::Recipe ? "recipe" : "plan";
}

/// Whether `name` is a mapping of keys, such as `optimizer`.
static bool isGroup(Key::File file, StringRef name) {
  return llvm::any_of(getKeys(), [&](const Key &key) {
    return key.file == file && key.name.split('.').first == name &&
           key.isNested();
  });
}

//===----------------------------------------------------------------------===//
// Unknown keys
//===----------------------------------------------------------------------===//

/// The key of any file that `name` most likely means: another tool's spelling,
/// a nested key without its mapping, or the nearest name.
static const Key *guessKey(StringRef name) {
  auto find = [](StringRef name) {
    const Key *key = findKey(Key::File::Recipe, name);
    return key ? key : findKey(Key::File::Plan, name);
  };
  StringRef leaf =
      name.rsplit('.').second.empty() ? name : name.rsplit('.').second;
  for (StringRef spelling :
       {name, translateForeignKey(name), translateForeignKey(leaf)})
    if (const Key *key = find(spelling))
      return key;
  for (const Key &key : getKeys())
    if (key.isNested() && key.name.split('.').second == leaf)
      return &key;
  llvm::SmallVector<StringRef> names;
  for (const Key &key : getKeys()) {
    names.push_back(key.name);
    if (key.isNested() && !name.contains('.'))
      names.push_back(key.name.split('.').second);
  }
  StringRef nearest = nearestName(name, names);
  for (const Key &key : getKeys())
    if (key.name == nearest || key.name.split('.').second == nearest)
      return &key;
  return nullptr;
}

/// `unknown key "tensro", expected a plan key; the nearest is "tensor"`.
static std::string describeUnknown(StringRef name, StringRef where,
                                   const Key::File *file) {
  std::string text =
      ("unknown key " + quoted(name) + ", expected a " + where + " key").str();
  const Key *key = guessKey(name);
  if (!key)
    return text;
  text += llvm::formatv("; the nearest is \"{0}\"", key->name);
  if (file && key->file != *file)
    text += llvm::formatv(" of the {0}: give it there or as a flag",
                          nameOf(key->file));
  if (key->name == "micro_batch_size")
    text += " (micro-batches a step = global_batch_size / (data x "
            "micro_batch_size))";
  return text;
}

//===----------------------------------------------------------------------===//
// Files and flags
//===----------------------------------------------------------------------===//

llvm::Error ConfigReader::set(const Key &key, const DocumentNode &node,
                              StringRef place) {
  if (!storeValue(key, node, config))
    return badInput(place + "\"" + key.name + "\": found " + node.describe() +
                    ", expected " + key.expected);
  places[key.name] = place.str();
  return llvm::Error::success();
}

llvm::Error ConfigReader::readMapping(Key::File file, const Document &document,
                                      const DocumentNode &mapping,
                                      StringRef prefix) {
  for (const DocumentNode::Entry &entry : mapping.entries) {
    std::string place =
        (document.getName() + ":" + Twine(entry.line) + ": ").str();
    std::string name = (prefix + entry.key).str();
    if (const Key *key = findKey(file, name)) {
      if (llvm::Error error = set(*key, entry.value, place))
        return error;
      continue;
    }
    if (!prefix.empty() || !isGroup(file, name))
      return badInput(place + describeUnknown(name, nameOf(file), &file));
    if (entry.value.kind != DocumentNode::Kind::Mapping)
      return badInput(place + "\"" + name + "\": found " +
                      entry.value.describe() + ", expected a mapping, e.g. {" +
                      "name: ...}");
    if (llvm::Error error =
            readMapping(file, document, entry.value, name + "."))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error ConfigReader::readFile(Key::File file, const Document &document) {
  const DocumentNode &root = document.getRoot();
  if (root.kind != DocumentNode::Kind::Mapping)
    return badInput(document.getName() + ":" + Twine(root.line) + ": found " +
                    root.describe() + ", expected a mapping of " +
                    nameOf(file) + " keys");
  return readMapping(file, document, root, /*prefix=*/"");
}

llvm::Error ConfigReader::readRecipe(const Document &document) {
  return readFile(Key::File::Recipe, document);
}

llvm::Error ConfigReader::readPlan(const Document &document) {
  return readFile(Key::File::Plan, document);
}

llvm::Error ConfigReader::readRecipe(StringRef path) {
  llvm::Expected<Document> document = Document::read(path);
  return document ? readRecipe(*document) : document.takeError();
}

llvm::Error ConfigReader::readPlan(StringRef path) {
  llvm::Expected<Document> document = Document::read(path);
  return document ? readPlan(*document) : document.takeError();
}

llvm::Error ConfigReader::setFlag(StringRef name, StringRef text,
                                  StringRef flag) {
  const Key *key = findKey(Key::File::Recipe, name);
  if (!key)
    key = findKey(Key::File::Plan, name);
  if (!key)
    return badCommandLine(flag + ": " +
                          describeUnknown(name, "recipe or plan", nullptr));
  llvm::Expected<Document> document = Document::parse(text, flag);
  DocumentNode node;
  if (document && !text.trim().empty())
    node = document->getRoot();
  else
    node.text = text.str();
  if (!document)
    llvm::consumeError(document.takeError());
  if (llvm::Error error = set(*key, node, (flag + ": ").str()))
    return badCommandLine(llvm::toString(std::move(error)));
  return llvm::Error::success();
}

llvm::Error ConfigReader::setFlag(StringRef assignment) {
  auto [name, value] = assignment.split('=');
  if (!assignment.contains('=') || name.empty())
    return badCommandLine("--set: found " + quoted(assignment) +
                          ", expected KEY=VALUE, e.g. optimizer.lr=3e-4");
  return setFlag(name, value, "--set");
}

//===----------------------------------------------------------------------===//
// The whole configuration
//===----------------------------------------------------------------------===//

std::string ConfigReader::placeOf(StringRef key) const {
  return places.lookup(key);
}

llvm::Error ConfigReader::checkBuilt() const {
  const Config defaults;
  for (const Key &key : getKeys()) {
    if (key.isBuilt())
      continue;
    llvm::json::Value found = printValue(key, config);
    llvm::json::Value expected = printValue(key, defaults);
    if (found == expected)
      continue;
    return unavailable(placeOf(key.name) +
                       llvm::formatv("\"{0}\": {1} is not built in this "
                                     "version, only {2}; leave the key out",
                                     key.name, found, expected));
  }
  return llvm::Error::success();
}

llvm::Error ConfigReader::checkSizes(const Config &config) const {
  int64_t batch = config.recipe.globalBatchSize, data = config.plan.data;
  if (batch % data)
    return badInput(placeOf("data") +
                    llvm::formatv("\"data\": {0} does not divide "
                                  "\"global_batch_size\": {1}; the nearest "
                                  "that does is {2}",
                                  data, batch, nearestDivisors(batch, data)));
  int64_t rows = batch / data, micro = *config.plan.microBatchSize;
  if (rows % micro)
    return badInput(placeOf("micro_batch_size") +
                    llvm::formatv("\"micro_batch_size\": {0} does not divide "
                                  "\"global_batch_size\": {1} / \"data\": {2}; "
                                  "the nearest that does is {3}",
                                  micro, batch, data,
                                  nearestDivisors(rows, micro)));
  return llvm::Error::success();
}

llvm::Error ConfigReader::checkSchedule(const Config &config) const {
  const Recipe::Schedule &schedule = config.recipe.schedule;
  if (schedule.minLr > config.recipe.optimizer.lr)
    return badInput(
        placeOf("schedule.min_lr") +
        llvm::formatv("\"schedule.min_lr\": found {0}, expected at "
                      "most \"optimizer.lr\", which is {1}",
                      llvm::json::Value(schedule.minLr),
                      llvm::json::Value(config.recipe.optimizer.lr)));
  if (schedule.name != "wsd")
    return llvm::Error::success();
  if (!schedule.decaySteps)
    return badInput(placeOf("schedule.name") +
                    "\"schedule.decay_steps\": not given, expected a positive "
                    "integer with the schedule \"wsd\", e.g. a tenth of "
                    "\"steps\"");
  if (*schedule.decaySteps + schedule.warmupSteps > config.recipe.steps)
    return badInput(
        placeOf("schedule.decay_steps") +
        llvm::formatv("\"schedule.decay_steps\": {0} and "
                      "\"schedule.warmup_steps\": {1} are together more than "
                      "\"steps\": {2}; make one of the two smaller",
                      *schedule.decaySteps, schedule.warmupSteps,
                      config.recipe.steps));
  return llvm::Error::success();
}

llvm::Expected<Config> ConfigReader::finish(const SequenceLimit *limit) const {
  if (llvm::Error error = checkBuilt())
    return error;
  Config result = config;
  std::optional<int64_t> &sequence = result.recipe.sequenceLength;
  if (!sequence)
    sequence = std::min<int64_t>(1024, limit ? limit->positions : 1024);
  if (limit && *sequence > limit->positions)
    return badInput(placeOf("sequence_length") +
                    llvm::formatv("\"sequence_length\": found {0}, expected at "
                                  "most {1}, the model's \"{2}\"",
                                  *sequence, limit->positions, limit->key));
  if (!result.plan.microBatchSize)
    result.plan.microBatchSize =
        std::max<int64_t>(1, result.recipe.globalBatchSize / result.plan.data);
  if (llvm::Error error = checkSizes(result))
    return error;
  if (llvm::Error error = checkSchedule(result))
    return error;
  return result;
}

llvm::json::Object trireme::toJSON(const Config &config, Key::File file) {
  llvm::json::Object result;
  for (const Key &key : getKeys()) {
    if (key.file != file)
      continue;
    if (!key.isNested()) {
      result[key.name] = printValue(key, config);
      continue;
    }
    auto [group, leaf] = key.name.split('.');
    llvm::json::Object *object = result.getObject(group);
    if (!object)
      object = result.insert({group, llvm::json::Object()})
                   .first->second.getAsObject();
    (*object)[leaf] = printValue(key, config);
  }
  return result;
}
