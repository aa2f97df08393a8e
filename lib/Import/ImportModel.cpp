//===- ImportModel.cpp - from a config to the train dialect ---------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Embedding, a loop over the layers whose body exists once, final norm, head.
// Every tensor of the checkpoint is an argument; those of the layers are
// stacked. A tied head reads the embedding's argument a second time.
//
//===----------------------------------------------------------------------===//

#include "trireme/Import/ImportModel.h"

#include "LayerBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace trireme;
using llvm::StringRef;

namespace {
/// Builds the forward function of a model.
class Importer {
public:
  Importer(MLIRContext &context, const ModelConfig &config, BatchShape batch)
      : builder(&context), config(config), batch(batch),
        parameters(listParameters(config)) {}

  OwningOpRef<ModuleOp> build();

private:
  Location named(StringRef name) {
    return NameLoc::get(builder.getStringAttr(name));
  }
  /// [rows, sequence] of int32.
  RankedTensorType getTokenType() {
    return RankedTensorType::get({batch.rows, batch.sequence},
                                 builder.getI32Type());
  }
  RankedTensorType getStorageType(const ModelParameter &parameter);
  DictionaryAttr getArgumentAttributes(const ModelParameter &parameter);
  DictionaryAttr getRoleAttributes(train::Role role);
  DictionaryAttr getResultAttributes(StringRef name);
  train::RopeAttr getRope();

  func::FuncOp buildSignature();
  Value buildEmbedding(Value tokens, Value positions, Value start,
                       const ParameterValues &values);
  Value buildLayers(Value hidden, Value positions, Block &entry);

  OpBuilder builder;
  const ModelConfig &config;
  BatchShape batch;
  std::vector<ModelParameter> parameters;
};
} // namespace

/// Arguments before the parameters: tokens, targets, positions.
static constexpr unsigned numInputs = 3;

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

RankedTensorType Importer::getStorageType(const ModelParameter &parameter) {
  auto shape = llvm::to_vector(parameter.headShape);
  if (parameter.isPerLayer)
    shape.insert(shape.begin(), config.layers);
  return RankedTensorType::get(shape, builder.getF32Type());
}

DictionaryAttr Importer::getRoleAttributes(train::Role role) {
  return builder.getDictionaryAttr(builder.getNamedAttr(
      train::kRoleName, train::RoleAttr::get(builder.getContext(), role)));
}

DictionaryAttr
Importer::getArgumentAttributes(const ModelParameter &parameter) {
  auto init = parameter.isRandom ? train::Initializer::Normal
                                 : train::Initializer::Constant;
  auto param = train::ParamAttr::get(
      builder.getContext(), builder.getStringAttr(parameter.name),
      parameter.shape, init, builder.getF64FloatAttr(parameter.value));
  auto role =
      train::RoleAttr::get(builder.getContext(), train::Role::Parameter);
  return builder.getDictionaryAttr(
      {builder.getNamedAttr(train::kParamName, param),
       builder.getNamedAttr(train::kRoleName, role)});
}

DictionaryAttr Importer::getResultAttributes(StringRef name) {
  return builder.getDictionaryAttr(
      builder.getNamedAttr(train::kResultName, builder.getStringAttr(name)));
}

train::RopeAttr Importer::getRope() {
  static constexpr StringRef scalings[] = {"none", "linear", "llama3"};
  const Rope &rope = *config.rope;
  auto number = [&](double value) { return builder.getF64FloatAttr(value); };
  return train::RopeAttr::get(
      builder.getContext(), rope.dims, number(rope.theta),
      scalings[int(rope.scaling)], number(rope.factor),
      number(rope.lowFrequencyFactor), number(rope.highFrequencyFactor),
      rope.originalPositions);
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

func::FuncOp Importer::buildSignature() {
  SmallVector<Type> types(numInputs, getTokenType());
  SmallVector<Attribute> attributes{getRoleAttributes(train::Role::Tokens),
                                    getRoleAttributes(train::Role::Targets),
                                    getRoleAttributes(train::Role::Positions)};
  SmallVector<Location> locations{named("tokens"), named("targets"),
                                  named("positions")};
  for (const ModelParameter &parameter : parameters) {
    types.push_back(getStorageType(parameter));
    attributes.push_back(getArgumentAttributes(parameter));
    locations.push_back(named(parameter.name));
  }
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  auto function =
      func::FuncOp::create(builder, named("forward"), "forward",
                           builder.getFunctionType(types, {scalar, scalar}));
  function.setArgAttrsAttr(builder.getArrayAttr(attributes));
  function.setResAttrsAttr(builder.getArrayAttr(
      {getResultAttributes("loss_sum"), getResultAttributes("target_count")}));
  function.getBody().emplaceBlock().addArguments(types, locations);
  return function;
}

Value Importer::buildEmbedding(Value tokens, Value positions, Value start,
                               const ParameterValues &values) {
  Location loc = values.getModule(ParameterRole::TokenEmbedding);
  Value hidden = train::EmbeddingOp::create(
      builder, loc, values.get(ParameterRole::TokenEmbedding), tokens, start);
  if (config.embeddingScale != 1.0)
    hidden = train::ScaleOp::create(
        builder, loc, hidden, builder.getF64FloatAttr(config.embeddingScale));
  if (Value table = values.get(ParameterRole::PositionEmbedding)) {
    loc = values.getModule(ParameterRole::PositionEmbedding);
    Value places =
        train::EmbeddingOp::create(builder, loc, table, positions, start);
    hidden = train::AddOp::create(builder, loc, hidden, places);
  }
  return hidden;
}

Value Importer::buildLayers(Value hidden, Value positions, Block &entry) {
  LayerInputs inputs{positions, Value()};
  SmallVector<Value> withs{positions};
  if (config.rope) {
    SmallVector<int64_t> shape{batch.rows, batch.sequence, 2,
                               config.rope->dims / 2};
    withs.push_back(train::RotaryTableOp::create(
        builder, named("rotary_emb"),
        RankedTensorType::get(shape, builder.getF32Type()), positions,
        getRope()));
  }
  SmallVector<Value> stacks;
  SmallVector<const ModelParameter *> stacked;
  for (auto [index, parameter] : llvm::enumerate(parameters)) {
    if (!parameter.isPerLayer)
      continue;
    stacked.push_back(&parameter);
    stacks.push_back(entry.getArgument(numInputs + index));
  }
  auto loop = train::LoopOp::create(
      builder, named("layers"), "layers", config.layers, /*first=*/0,
      /*reverse=*/false, ValueRange(hidden), stacks, withs, TypeRange());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getLoopBody());
  ParameterValues values;
  for (auto [parameter, slice] :
       llvm::zip_equal(stacked, loop.getEachArguments()))
    values.set(*parameter, slice);
  inputs.positions = loop.getWithArguments()[0];
  if (config.rope)
    inputs.rotaryTable = loop.getWithArguments()[1];
  Value next = LayerBuilder(builder, config, values)
                   .buildLayer(loop.getCarryArguments()[0], inputs);
  train::YieldOp::create(builder, named("layers"), ValueRange(next),
                         ValueRange());
  return loop.getCarryResults()[0];
}

OwningOpRef<ModuleOp> Importer::build() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToStart(module->getBody());
  func::FuncOp function = buildSignature();
  Block &entry = function.getBody().front();
  builder.setInsertionPointToStart(&entry);
  Value tokens = entry.getArgument(0), targets = entry.getArgument(1);
  Value positions = entry.getArgument(2);
  ParameterValues values;
  for (auto [index, parameter] : llvm::enumerate(parameters))
    if (!parameter.isPerLayer)
      values.set(parameter, entry.getArgument(numInputs + index));

  // Tables are whole here; what splits them sets where a part starts.
  Value start =
      train::FillOp::create(builder, named("forward"),
                            RankedTensorType::get({}, builder.getI32Type()),
                            builder.getF64FloatAttr(0.0));
  Value hidden = buildEmbedding(tokens, positions, start, values);
  hidden = buildLayers(hidden, positions, entry);
  hidden = LayerBuilder(builder, config, values)
               .buildNorm(hidden, ParameterRole::FinalNormWeight,
                          ParameterRole::FinalNormBias);
  ParameterRole head = config.tiedEmbeddings ? ParameterRole::TokenEmbedding
                                             : ParameterRole::HeadWeight;
  auto loss = train::CrossEntropyHeadOp::create(
      builder, values.getModule(head), hidden, values.get(head), targets, start,
      builder.getF64FloatAttr(config.finalSoftcap.value_or(0.0)),
      builder.getI64IntegerAttr(0));
  func::ReturnOp::create(builder, named("forward"),
                         ValueRange{loss.getSum(), loss.getCount()});
  return module;
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

/// Whether the largest tensor of the forward function has at most 2^50
/// elements, so that no later product of sizes overflows.
static bool isComputable(const ModelConfig &config, BatchShape batch) {
  int64_t width =
      std::max({config.vocabulary, 3 * config.hidden, config.intermediate,
                config.heads * config.headDim});
  int64_t elements = 0;
  return !llvm::MulOverflow(batch.rows, batch.sequence, elements) &&
         !llvm::MulOverflow(elements, width, elements) &&
         elements <= (int64_t(1) << 50);
}

llvm::Expected<OwningOpRef<ModuleOp>>
trireme::importModel(MLIRContext &context, const ModelConfig &config,
                     BatchShape batch) {
  if (!isComputable(config, batch))
    return badInput(llvm::formatv(
        "\"micro_batch_size\": {0} sequences of {1} tokens give tensors of "
        "more than 2^50 elements with this model; make the micro-batch or "
        "\"sequence_length\" smaller",
        batch.rows, batch.sequence));
  context.loadDialect<func::FuncDialect, train::TrainDialect>();
  OwningOpRef<ModuleOp> module = Importer(context, config, batch).build();
  if (failed(verify(*module)))
    return badInput("the import of " + stringifyFamily(config.family) +
                    " is not valid; this is a fault of the compiler");
  return module;
}
