//===- Shape.cpp - Constants and changes of shape in float64 --------------===//

#include "Evaluation.h"

using namespace mlir;
using namespace trireme::train;

LogicalResult FillOp::evaluate(Operands, Results results, int64_t) {
  results[0].values.assign(results[0].size(), getValue().convertToDouble());
  return success();
}

LogicalResult ReshapeOp::evaluate(Operands operands, Results results, int64_t) {
  results[0].values = operands[0]->values;
  return success();
}

namespace {
/// How the tokens of a tensor stand in chunks.
struct ChunkOrder {
  SmallVector<int64_t> tokens; ///< Dims of tokens of the tensor given.
  SmallVector<int64_t> blocks; ///< Blocks of each that it has.
  int64_t chunks;

  /// `whole` is the type of the op, of which `given` may be one rank's block,
  /// made of some of the blocks.
  ChunkOrder(ArrayRef<int64_t> whole, ArrayRef<int64_t> given,
             ArrayRef<int64_t> blocksOfWhole, int64_t chunks)
      : tokens(given.take_front(blocksOfWhole.size())), chunks(chunks) {
    for (auto [dim, count] : llvm::enumerate(blocksOfWhole))
      blocks.push_back(count / (whole[dim] / given[dim]));
  }

  /// Whether what is given is made of whole blocks, cut into chunks.
  bool isWhole() const {
    int64_t rest = 1;
    for (auto [dim, count] : llvm::zip_equal(tokens, blocks))
      rest *= count ? dim / count : 0;
    return rest > 0 && rest % chunks == 0;
  }

  /// The row of the result in chunks of the token at `index`.
  int64_t getRow(int64_t index) const {
    int64_t block = 0, rest = 0, allBlocks = 1, allRest = 1;
    for (size_t d = tokens.size(); d-- > 0; index /= tokens[d]) {
      int64_t place = index % tokens[d], size = tokens[d] / blocks[d];
      block += place / size * allBlocks;
      rest += place % size * allRest;
      allBlocks *= blocks[d];
      allRest *= size;
    }
    int64_t size = allRest / chunks; // Of a block's part of a chunk.
    return (rest / size * allBlocks + block) * size + rest % size;
  }
};
} // namespace

/// The shape that a value has in the IR.
static ArrayRef<int64_t> typeShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

LogicalResult ChunkOp::evaluate(Operands operands, Results results, int64_t) {
  const HostTensor &source = *operands[0];
  ChunkOrder order(typeShape(getSource()), source.shape, getBlocks(),
                   getChunks());
  if (!order.isWhole())
    return emitOpError("cannot be evaluated on a part of a block");
  int64_t tokens = HostTensor::count(order.tokens);
  int64_t width = source.size() / tokens;
  for (int64_t i = 0; i < tokens; ++i)
    std::copy_n(source.data() + i * width, width,
                results[0].data() + order.getRow(i) * width);
  return success();
}

LogicalResult UnchunkOp::evaluate(Operands operands, Results results, int64_t) {
  HostTensor &result = results[0];
  ChunkOrder order(typeShape(getResult()), result.shape, getBlocks(),
                   getChunks());
  if (!order.isWhole())
    return emitOpError("cannot be evaluated on a part of a block");
  int64_t tokens = HostTensor::count(order.tokens);
  int64_t width = result.size() / tokens;
  for (int64_t i = 0; i < tokens; ++i)
    std::copy_n(operands[0]->data() + order.getRow(i) * width, width,
                result.data() + i * width);
  return success();
}

/// Copies between one tensor with a dim of `slices` slices and the slices:
/// `copy(slice, place in the slice, place in the tensor, elements)` for each
/// contiguous piece.
template <typename Copy>
static void forEachPiece(int64_t outer, int64_t slices, int64_t inner,
                         Copy copy) {
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t s = 0; s < slices; ++s)
      copy(s, o * inner, (o * slices + s) * inner, inner);
}

LogicalResult UnstackOp::evaluate(Operands operands, Results results, int64_t) {
  const HostTensor &source = *operands[0];
  ArrayRef<int64_t> shape = source.shape;
  forEachPiece(HostTensor::count(shape.take_front(getDim())), shape[getDim()],
               HostTensor::count(shape.drop_front(getDim() + 1)),
               [&](int64_t slice, int64_t to, int64_t from, int64_t count) {
                 std::copy_n(source.data() + from, count,
                             results[slice].data() + to);
               });
  return success();
}

LogicalResult StackOp::evaluate(Operands operands, Results results, int64_t) {
  ArrayRef<int64_t> shape = operands[0]->shape;
  forEachPiece(HostTensor::count(shape.take_front(getDim())), operands.size(),
               HostTensor::count(shape.drop_front(getDim())),
               [&](int64_t slice, int64_t from, int64_t to, int64_t count) {
                 std::copy_n(operands[slice]->data() + from, count,
                             results[0].data() + to);
               });
  return success();
}
