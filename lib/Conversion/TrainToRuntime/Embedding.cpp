//===- Embedding.cpp - Rows of tables -------------------------------------===//

#include "trireme/Conversion/TrainToRuntime/Lowering.h"

using namespace mlir;
using namespace trireme;
using namespace trireme::train;

/// Lowers `least` to `rows`; 0 stands for no bound.
static void bound(int64_t &least, int64_t rows) {
  least = least ? std::min(least, rows) : rows;
}

/// Rows of a table but those that are pad.
static int64_t countRows(Value table) {
  int64_t rows = cast<RankedTensorType>(table.getType()).getDimSize(0);
  ParamAttr param = getArgumentParam(table);
  if (!param || param.getShape().empty())
    return rows;
  return std::min(rows, param.getShape()[0]);
}

static LogicalResult lowerEmbedding(EmbeddingOp op, RuntimeEmitter &emit) {
  auto table = cast<RankedTensorType>(op.getTable().getType());
  auto ids = cast<RankedTensorType>(op.getIds().getType());
  std::optional<Role> role = getArgumentRole(op.getIds());
  if (role == Role::Tokens)
    bound(emit.tables.vocabulary, countRows(op.getTable()));
  emit.call(op.getLoc(), "trireme_embedding",
            {emit.address(op.getTable()), emit.address(op.getIds()),
             emit.address(op.getStart()), emit.address(op.getResult())},
            {ids.getNumElements(),
             HostTensor::count(table.getShape().drop_front()),
             table.getDimSize(0)});
  return success();
}

static LogicalResult lowerEmbeddingGrad(EmbeddingGradOp op,
                                        RuntimeEmitter &emit) {
  Value result = op.getResult();
  if (op.getAccumulator())
    emit.copyUpdated(op.getAccumulator(), result);
  else
    emit.call(op.getLoc(), "trireme_zero", {emit.address(result)},
              {getByteSize(result.getType())});
  auto table = cast<RankedTensorType>(result.getType());
  auto ids = cast<RankedTensorType>(op.getIds().getType());
  emit.call(op.getLoc(), "trireme_embedding_gradient",
            {emit.address(op.getIds()), emit.address(op.getGradient()),
             emit.address(op.getStart()), emit.address(result)},
            {ids.getNumElements(),
             HostTensor::count(table.getShape().drop_front()),
             table.getDimSize(0)});
  return success();
}

void trireme::registerEmbeddingLowerings(LoweringRegistry &registry) {
  registry.add<EmbeddingOp>(lowerEmbedding);
  registry.add<EmbeddingGradOp>(lowerEmbeddingGrad);
}
