//===- ModelConfig.cpp - a Hugging Face config, read ----------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trireme/Import/ModelConfig.h"

#include "Families.h"
#include "trireme/Import/Parameters.h"
#include "trireme/Support/File.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace trireme;
using llvm::StringRef;
using llvm::Twine;

/// The deepest nesting of lists and objects in a JSON text. LLVM's parser
/// recurses, so this is asked first.
static unsigned measureDepth(StringRef text) {
  unsigned depth = 0, deepest = 0;
  bool isInString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (isInString) {
      if (text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        isInString = false;
      continue;
    }
    if (text[i] == '"')
      isInString = true;
    else if (text[i] == '[' || text[i] == '{')
      deepest = std::max(deepest, ++depth);
    else if ((text[i] == ']' || text[i] == '}') && depth > 0)
      --depth;
  }
  return deepest;
}

llvm::Expected<ModelConfig> trireme::parseModelConfig(StringRef text,
                                                      StringRef file) {
  if (text.trim().empty())
    return badInput(file + ": is empty, expected a Hugging Face config in "
                           "JSON");
  if (unsigned depth = measureDepth(text); depth > 64)
    return badInput(file + ": values are nested " + Twine(depth) +
                    " deep, expected at most 64 levels");
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return badInput(file +
                    ": is not JSON: " + llvm::toString(value.takeError()));
  const llvm::json::Object *object = value->getAsObject();
  if (!object)
    return badInput(file + ": found " + describeValue(&*value) +
                    ", expected an object with \"model_type\"");
  ModelConfig config;
  ConfigObject reader(*object, file);
  readFamily(reader, config);
  if (reader.hasFailed())
    return reader.takeError();
  if (!countParameters(config))
    return badInput(file + ": the sizes give more than 2^50 parameters, "
                           "expected fewer; look at \"vocab_size\", the "
                           "hidden and intermediate sizes and the layers");
  config.text = text.str();
  return config;
}

/// Says that there is no such model, and how to get it if the path looks like
/// a name on the hub.
static llvm::Error noSuchModel(StringRef path) {
  std::string message = (path + ": no such file or folder, expected a Hugging "
                                "Face folder or a config.json")
                            .str();
  bool isHubId = path.count('/') <= 1 && !path.ends_with(".json") &&
                 !path.starts_with("/") && !path.starts_with(".") &&
                 !path.ends_with("/");
  if (isHubId) {
    StringRef folder = llvm::sys::path::filename(path);
    message +=
        ("; if it is a model of the Hugging Face hub, download it "
         "first: hf download " +
         path + " --local-dir " + folder + ", then give the folder " + folder)
            .str();
  }
  return badInput(message);
}

llvm::Expected<ModelConfig> trireme::readModelConfig(StringRef path) {
  if (!llvm::sys::fs::exists(path))
    return noSuchModel(path);
  llvm::SmallString<256> file(path), folder(path);
  if (std::error_code error = llvm::sys::fs::make_absolute(folder))
    return badInput(path + ": " + error.message());
  llvm::sys::path::remove_dots(folder, /*remove_dot_dot=*/true);
  if (llvm::sys::fs::is_directory(path)) {
    llvm::sys::path::append(file, "config.json");
    if (!llvm::sys::fs::exists(file))
      return badInput(path + ": has no config.json, expected a Hugging Face "
                             "folder");
  } else {
    llvm::sys::path::remove_filename(folder);
  }
  llvm::Expected<std::string> text = readTextFile(file);
  if (!text)
    return text.takeError();
  llvm::Expected<ModelConfig> config = parseModelConfig(*text, file);
  if (!config)
    return config.takeError();
  config->folder = StringRef(folder).rtrim('/').str();
  config->name = llvm::sys::path::filename(config->folder).str();
  return config;
}
