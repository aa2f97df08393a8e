//===- recipe_fuzzer.cpp - any text as a recipe and a plan
//-----------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trireme/Config/Config.h"

#include "llvm/Support/raw_ostream.h"

using namespace trireme;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  llvm::Expected<Document> document = Document::parse(text, "fuzz.yaml");
  if (!document) {
    llvm::consumeError(document.takeError());
    return 0;
  }
  for (bool isPlan : {false, true}) {
    ConfigReader reader;
    if (llvm::Error error = isPlan ? reader.readPlan(*document)
                                   : reader.readRecipe(*document)) {
      llvm::consumeError(std::move(error));
      continue;
    }
    SequenceLimit limit{"max_position_embeddings", 64};
    llvm::Expected<Config> config = reader.finish(&limit);
    if (!config) {
      llvm::consumeError(config.takeError());
      continue;
    }
    // What was read can be printed and read again.
    for (Key::File file : {Key::File::Recipe, Key::File::Plan}) {
      std::string printed;
      llvm::raw_string_ostream(printed)
          << llvm::json::Value(toJSON(*config, file));
      ConfigReader again;
      llvm::Expected<Document> copy = Document::parse(printed, "copy.json");
      if (!copy ||
          llvm::errorToBool(file == Key::File::Plan ? again.readPlan(*copy)
                                                    : again.readRecipe(*copy)))
        __builtin_trap();
    }
  }
  return 0;
}
