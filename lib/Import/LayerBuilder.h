//===- LayerBuilder.h - the operations of a transformer ---------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_LIB_IMPORT_LAYERBUILDER_H
#define TRIREME_LIB_IMPORT_LAYERBUILDER_H

#include "trireme/Dialect/Train/IR/Train.h"
#include "trireme/Import/Parameters.h"

#include "mlir/IR/Builders.h"

#include <map>

namespace trireme {

/// The tensors of a model by their role, with the modules that they belong to.
class ParameterValues {
public:
  void set(const ModelParameter &parameter, mlir::Value value);
  /// Null where the model has no such tensor.
  mlir::Value get(ParameterRole role) const;
  /// The path of the module that holds the tensor.
  mlir::Location getModule(ParameterRole role) const;

private:
  struct Entry {
    mlir::Value value;
    mlir::Location module;
  };
  std::map<ParameterRole, Entry> entries;
};

/// What a layer reads besides its parameters.
struct LayerInputs {
  mlir::Value positions;
  /// Cosines and sines; null without rotary embedding.
  mlir::Value rotaryTable;
};

/// Builds the parts of a decoder-only transformer at a builder's place.
class LayerBuilder {
public:
  LayerBuilder(mlir::OpBuilder &builder, const ModelConfig &config,
               const ParameterValues &parameters)
      : builder(builder), config(config), parameters(parameters) {}

  /// One layer: attention and MLP with their norms and residuals.
  mlir::Value buildLayer(mlir::Value hidden, const LayerInputs &inputs);

  /// The config's norm with the tensors of the given roles (`bias` only of
  /// layer norms).
  mlir::Value buildNorm(mlir::Value source, ParameterRole weight,
                        ParameterRole bias);

private:
  /// Queries [batch, sequence, kv heads, group, head], keys and values
  /// without the group.
  struct Projections {
    mlir::Value queries, keys, values;
  };

  Projections buildFusedProjections(mlir::Value source);
  Projections buildProjections(mlir::Value source);
  mlir::Value buildAttention(mlir::Value source, const LayerInputs &inputs);
  mlir::Value buildMlp(mlir::Value source);
  mlir::Value buildActivation(mlir::Location loc, mlir::Value source);
  /// The product with a weight over the last `contract` dims of `source`, plus
  /// the bias if the model has it.
  mlir::Value buildLinear(mlir::Value source, ParameterRole weight,
                          ParameterRole bias, int64_t contract);
  mlir::Value buildAdd(mlir::Value lhs, mlir::Value rhs);
  /// One integer, or one for each layer where they differ.
  mlir::Attribute getWindow();
  /// The module `levels` above the one that holds the tensor.
  mlir::Location getParentModule(ParameterRole role, unsigned levels);

  mlir::OpBuilder &builder;
  const ModelConfig &config;
  const ParameterValues &parameters;
};

} // namespace trireme

#endif // TRIREME_LIB_IMPORT_LAYERBUILDER_H
