//===- ImportModel.h - from a config to the train dialect -------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_IMPORT_IMPORTMODEL_H
#define TRIREME_IMPORT_IMPORTMODEL_H

#include "trireme/Import/ModelConfig.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace trireme {

/// The shape of the batch that a forward function takes.
struct BatchShape {
  /// Sequences.
  int64_t rows;
  /// Tokens of a sequence.
  int64_t sequence;
};

/// The loss of one batch in the train dialect: a module with
///
///   func.func @forward(%tokens, %targets, %positions, parameters...)
///       -> (sum of the losses, number of targets)
///
/// whose layers are one `train.loop "layers"` over stacked parameters. It
/// depends on what the config means, not on how or where it is written. The
/// context must have the train and func dialects loaded or registered.
/// Locations are the paths of Hugging Face's modules.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importModel(mlir::MLIRContext &context, const ModelConfig &config,
            BatchShape batch);

} // namespace trireme

#endif // TRIREME_IMPORT_IMPORTMODEL_H
