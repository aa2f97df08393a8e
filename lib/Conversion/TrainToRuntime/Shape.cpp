//===- Shape.cpp - Constants, views and copies ----------------------------===//

#include "trireme/Conversion/TrainToRuntime/Lowering.h"

using namespace mlir;
using namespace trireme;
using namespace trireme::train;

static LogicalResult lowerFill(FillOp op, RuntimeEmitter &emit) {
  if (!op.getValue().isZero())
    return op.emitOpError()
           << "with the value " << op.getValue().convertToDouble()
           << " cannot be lowered, expected 0";
  emit.call(op.getLoc(), "trireme_zero", {emit.address(op.getResult())},
            {getByteSize(op.getType())});
  return success();
}

/// The result stands where the source stands, unless it was wanted elsewhere.
static LogicalResult lowerReshape(ReshapeOp op, RuntimeEmitter &emit) {
  emit.copyUpdated(op.getSource(), op.getResult());
  return success();
}

/// Tokens in chunks of one block are a reshape.
template <typename Op>
static LogicalResult lowerChunks(Op op, RuntimeEmitter &emit) {
  if (!getViewSource(op.getResult()))
    return op.emitOpError() << "with more than one block has no lowering";
  emit.copyUpdated(op.getSource(), op.getResult());
  return success();
}

namespace {
/// A tensor as [rows, slices, bytes of a slice].
struct Interleaved {
  int64_t rows, sliceBytes;

  Interleaved(Value whole, Value slice, int64_t dim) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(whole.getType()).getShape();
    rows = HostTensor::count(shape.take_front(dim));
    sliceBytes = getByteSize(slice.getType()) / rows;
  }
};
} // namespace

/// The place `bytes` further on.
static PlaceAttr shifted(PlaceAttr place, int64_t bytes) {
  return PlaceAttr::get(place.getContext(), place.getOffset() + bytes,
                        place.getStrides());
}

static LogicalResult lowerUnstack(UnstackOp op, RuntimeEmitter &emit) {
  int64_t count = op.getSlices().size();
  for (auto [index, slice] : llvm::enumerate(op.getSlices())) {
    Interleaved dims(op.getSource(), slice, op.getDim());
    PlaceAttr part =
        shifted(emit.placeOf(op.getSource()), index * dims.sliceBytes);
    emit.call(
        op.getLoc(), "trireme_copy", {emit.address(part), emit.address(slice)},
        {count * dims.sliceBytes, dims.sliceBytes, dims.rows, dims.sliceBytes});
  }
  return success();
}

static LogicalResult lowerStack(StackOp op, RuntimeEmitter &emit) {
  int64_t count = op.getSlices().size();
  for (auto [index, slice] : llvm::enumerate(op.getSlices())) {
    Interleaved dims(op.getResult(), slice, op.getDim());
    PlaceAttr part =
        shifted(emit.placeOf(op.getResult()), index * dims.sliceBytes);
    emit.call(
        op.getLoc(), "trireme_copy", {emit.address(slice), emit.address(part)},
        {dims.sliceBytes, count * dims.sliceBytes, dims.rows, dims.sliceBytes});
  }
  return success();
}

void trireme::registerShapeLowerings(LoweringRegistry &registry) {
  registry.add<FillOp>(lowerFill);
  registry.add<ReshapeOp>(lowerReshape);
  registry.add<ChunkOp>(lowerChunks<ChunkOp>);
  registry.add<UnchunkOp>(lowerChunks<UnchunkOp>);
  registry.add<UnstackOp>(lowerUnstack);
  registry.add<StackOp>(lowerStack);
}
