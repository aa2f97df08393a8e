//===- Attention.cpp - Positions and attention ----------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "trireme/Conversion/TrainToRuntime/Lowering.h"

using namespace mlir;
using namespace trireme;
using namespace trireme::train;

/// The manifest's entry of an attention and its gradient.
template <typename Op>
static FailureOr<int64_t> addAttention(Op op, RuntimeEmitter &emit) {
  if (op.getBlocks() != 1)
    return op.emitOpError()
           << "with " << op.getBlocks() << " blocks has no lowering";
  ArrayRef<int64_t> k = cast<RankedTensorType>(op.getK().getType()).getShape();
  ArrayRef<int64_t> q = cast<RankedTensorType>(op.getQ().getType()).getShape();
  llvm::json::Array windows;
  if (auto integer = dyn_cast<IntegerAttr>(op.getWindow())) {
    windows.push_back(integer.getInt());
  } else {
    for (int64_t window : cast<PerLayerAttr>(op.getWindow()).getValues())
      windows.push_back(window);
  }
  return ManifestTables::add(
      emit.tables.attentions,
      llvm::json::Object{{"batch", q[0]},
                         {"sequence", q[1]},
                         {"keys", k[1]},
                         {"kv_heads", q[2]},
                         {"group", q[3]},
                         {"head_dim", q[4]},
                         {"scale", op.getScale().convertToDouble()},
                         {"softcap", op.getSoftcap().convertToDouble()},
                         {"windows", std::move(windows)}},
      op.getLoc());
}

/// The layer, or 0 where one window serves all layers.
template <typename Op>
static Value getWindowIndex(Op op, RuntimeEmitter &emit) {
  if (isa<PerLayerAttr>(op.getWindow()))
    return emit.layer(op.getLoc());
  return arith::ConstantIndexOp::create(emit.builder, op.getLoc(), 0);
}

static LogicalResult lowerAttention(AttentionOp op, RuntimeEmitter &emit) {
  FailureOr<int64_t> table = addAttention(op, emit);
  if (failed(table))
    return failure();
  Value layer = getWindowIndex(op, emit);
  runtime::AttentionOp::create(
      emit.builder, op.getLoc(), emit.context, uint64_t(*table), layer,
      emit.address(op.getQ()), emit.address(op.getK()), emit.address(op.getV()),
      emit.address(op.getQPositions()), emit.address(op.getKPositions()),
      emit.address(op.getResult()), emit.address(op.getLogSum()));
  return success();
}

static LogicalResult lowerAttentionGrad(AttentionGradOp op,
                                        RuntimeEmitter &emit) {
  FailureOr<int64_t> table = addAttention(op, emit);
  if (failed(table))
    return failure();
  Value layer = getWindowIndex(op, emit);
  runtime::AttentionGradOp::create(
      emit.builder, op.getLoc(), emit.context, uint64_t(*table), layer,
      emit.address(op.getQ()), emit.address(op.getK()), emit.address(op.getV()),
      emit.address(op.getQPositions()), emit.address(op.getKPositions()),
      emit.address(op.getOutput()), emit.address(op.getLogSum()),
      emit.address(op.getGradient()), emit.address(op.getQGradient()),
      emit.address(op.getKGradient()), emit.address(op.getVGradient()));
  return success();
}

static LogicalResult lowerMergeAttention(MergeAttentionOp op,
                                         RuntimeEmitter &emit) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getLhs().getType()).getShape();
  emit.call(op.getLoc(), "trireme_merge_attention",
            {emit.address(op.getLhs()), emit.address(op.getLhsLogSum()),
             emit.address(op.getRhs()), emit.address(op.getRhsLogSum()),
             emit.address(op.getResult()), emit.address(op.getLogSum())},
            {shape[0], shape[1], shape[2] * shape[3], shape[4]});
  return success();
}

static LogicalResult lowerRotaryTable(RotaryTableOp op, RuntimeEmitter &emit) {
  auto positions = cast<RankedTensorType>(op.getPositions().getType());
  emit.call(op.getLoc(), "trireme_rotary_table",
            {emit.address(op.getPositions()), emit.address(op.getResult())},
            {positions.getNumElements(), op.getRope().getDims() / 2},
            op.getRope().getFrequencies());
  return success();
}

static LogicalResult lowerRotary(RotaryOp op, RuntimeEmitter &emit) {
  ArrayRef<int64_t> source =
      cast<RankedTensorType>(op.getSource().getType()).getShape();
  int64_t count =
      cast<RankedTensorType>(op.getTable().getType()).getShape().back();
  int64_t heads = HostTensor::count(source.drop_front(2).drop_back());
  emit.call(op.getLoc(), "trireme_rotary",
            {emit.address(op.getSource()), emit.address(op.getTable()),
             emit.address(op.getResult())},
            {source[0] * source[1], heads, source.back(), count,
             int64_t(op.getInverse())});
  return success();
}

void trireme::registerAttentionLowerings(LoweringRegistry &registry) {
  registry.add<AttentionOp>(lowerAttention);
  registry.add<AttentionGradOp>(lowerAttentionGrad);
  registry.add<MergeAttentionOp>(lowerMergeAttention);
  registry.add<RotaryTableOp>(lowerRotaryTable);
  registry.add<RotaryOp>(lowerRotary);
}
