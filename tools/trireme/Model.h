//===- Model.h - what subcommands do with a model ---------------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_TOOLS_TRIREME_MODEL_H
#define TRIREME_TOOLS_TRIREME_MODEL_H

#include "trireme/Config/Config.h"
#include "trireme/Import/ImportModel.h"

namespace trireme {

/// The shape of one micro-batch of a finished configuration.
inline BatchShape getBatchShape(const Config &config) {
  return {*config.plan.microBatchSize, *config.recipe.sequenceLength};
}

} // namespace trireme

#endif // TRIREME_TOOLS_TRIREME_MODEL_H
