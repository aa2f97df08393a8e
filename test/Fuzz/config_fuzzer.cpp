//===- config_fuzzer.cpp - any text as a model's config
//--------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trireme/Import/ModelConfig.h"
#include "trireme/Import/Parameters.h"

using namespace trireme;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  llvm::Expected<ModelConfig> config = parseModelConfig(text, "fuzz.json");
  if (!config) {
    llvm::consumeError(config.takeError());
    return 0;
  }
  // What was accepted has a parameter count and a window for each layer.
  if (!countParameters(*config) ||
      int64_t(config->windows.size()) != config->layers)
    __builtin_trap();
  return 0;
}
