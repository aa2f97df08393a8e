//===- Chunk.cpp - Tokens in chunks ---------------------------------------===//

#include "Common.h"

using namespace mlir;
using namespace trireme::train;

/// The shape of `shape` in chunks; emits an error where there is none.
static FailureOr<SmallVector<int64_t>>
chunkShape(std::optional<Location> location, ArrayRef<int64_t> shape,
           int64_t leading, int64_t chunks, ArrayRef<int64_t> blocks) {
  // C1
  if (leading < 1 || leading > int64_t(shape.size()) ||
      int64_t(blocks.size()) != leading) {
    (void)emitOptionalError(location, "has ", leading, " dims of tokens and [",
                            blocks, "] blocks for a tensor of rank ",
                            shape.size());
    return failure();
  }
  ArrayRef<int64_t> tokens = shape.take_front(leading);
  int64_t rest = 1;
  // C2
  bool divides = chunks > 0;
  for (auto [dim, count] : llvm::zip_equal(tokens, blocks)) {
    divides = divides && count > 0 && dim % count == 0;
    rest *= divides ? dim / count : 0;
  }
  if (!divides || rest % chunks) {
    (void)emitOptionalError(location, "cuts tokens [", tokens, "] into [",
                            blocks, "] blocks of ", chunks, " chunks");
    return failure();
  }
  SmallVector<int64_t> result{chunks, HostTensor::count(tokens) / chunks};
  llvm::append_range(result, shape.drop_front(leading));
  return result;
}

LogicalResult ChunkOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  FailureOr<SmallVector<int64_t>> shape =
      chunkShape(location, shapeOf(adaptor.getSource()), adaptor.getLeading(),
                 adaptor.getChunks(), adaptor.getBlocks());
  if (failed(shape))
    return failure();
  types.push_back(withShape(adaptor.getSource(), *shape));
  return success();
}

LogicalResult UnchunkOp::verify() {
  // C1
  FailureOr<SmallVector<int64_t>> shape = chunkShape(
      getLoc(), shapeOf(getResult()), getLeading(), getChunks(), getBlocks());
  if (failed(shape))
    return failure();
  // C2
  RankedTensorType expected = withShape(getResult(), *shape);
  if (getSource().getType() != expected)
    return emitOpError() << "makes " << getType() << " of "
                         << getSource().getType() << ", expected " << expected;
  return success();
}
