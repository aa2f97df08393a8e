//===- Linear.cpp - Matrix products ---------------------------------------===//

#include "trireme/Conversion/TrainToRuntime/Lowering.h"

using namespace mlir;
using namespace trireme;
using namespace trireme::train;

/// Elements of the first and of the other dims of a tensor.
static std::pair<int64_t, int64_t> splitCount(Value value, int64_t leading) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  return {HostTensor::count(shape.take_front(leading)),
          HostTensor::count(shape.drop_front(leading))};
}

static LogicalResult lowerLinear(LinearOp op, RuntimeEmitter &emit) {
  int64_t contract = op.getContract();
  int64_t lhsRank = cast<RankedTensorType>(op.getLhs().getType()).getRank();
  int64_t rhsRank = cast<RankedTensorType>(op.getRhs().getType()).getRank();
  auto [lhsRows, lhsColumns] = splitCount(
      op.getLhs(), op.getLhsTransposed() ? contract : lhsRank - contract);
  auto [rhsRows, rhsColumns] = splitCount(
      op.getRhs(), op.getRhsTransposed() ? rhsRank - contract : contract);
  Value accumulator = op.getAccumulator();
  if (accumulator)
    emit.copyUpdated(accumulator, op.getResult());
  int64_t table = ManifestTables::add(
      emit.tables.gemms,
      llvm::json::Object{{"m", op.getLhsTransposed() ? lhsColumns : lhsRows},
                         {"n", op.getRhsTransposed() ? rhsRows : rhsColumns},
                         {"k", op.getLhsTransposed() ? lhsRows : lhsColumns},
                         {"lhs_transposed", op.getLhsTransposed()},
                         {"rhs_transposed", op.getRhsTransposed()},
                         {"accumulate", bool(accumulator)},
                         {"bias", false}},
      op.getLoc());
  runtime::GemmOp::create(emit.builder, op.getLoc(), emit.context,
                          uint64_t(table), emit.address(op.getLhs()),
                          emit.address(op.getRhs()),
                          emit.address(op.getResult()));
  return success();
}

void trireme::registerLinearLowerings(LoweringRegistry &registry) {
  registry.add<LinearOp>(lowerLinear);
}
