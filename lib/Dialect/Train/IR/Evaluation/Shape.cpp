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
