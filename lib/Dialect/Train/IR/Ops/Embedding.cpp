//===- Embedding.cpp - embedding and its gradient -------------------------===//

#include "Common.h"

using namespace mlir;
using namespace trireme::train;

LogicalResult EmbeddingOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> table = shapeOf(adaptor.getTable());
  // C1
  if (table.size() < 2)
    return emitOptionalError(location, "has a table of rank ", table.size(),
                             ", expected rows of values");
  SmallVector<int64_t> shape(shapeOf(adaptor.getIds()));
  llvm::append_range(shape, table.drop_front());
  types.push_back(withShape(adaptor.getTable(), shape));
  return success();
}

LogicalResult EmbeddingOp::buildDerivative(OpBuilder &builder,
                                           ArrayRef<Value> cotangents,
                                           SmallVectorImpl<Value> &operands) {
  Value gradient =
      EmbeddingGradOp::create(builder, getLoc(), getTable().getType(), getIds(),
                              cotangents[0], getStart(), Value());
  operands.assign({gradient, Value(), Value()});
  return success();
}

Value EmbeddingOp::getLookupTable() { return getTable(); }
int64_t EmbeddingOp::getLookupRowsDim() { return 0; }
Value EmbeddingOp::getLookupIds() { return getIds(); }

LogicalResult EmbeddingGradOp::verify() {
  // C1
  if (shapeOf(getResult()).empty())
    return emitOpError() << "makes " << getType() << ", expected a table";
  SmallVector<int64_t> expected(shapeOf(getIds()));
  llvm::append_range(expected, shapeOf(getResult()).drop_front());
  if (shapeOf(getGradient()) != ArrayRef<int64_t>(expected))
    return emitOpError() << "has a gradient of shape ["
                         << shapeOf(getGradient()) << "], expected ["
                         << expected << "]";
  // C2
  if (getAccumulator() && getAccumulator().getType() != getType())
    return emitOpError() << "has an accumulator of type "
                         << getAccumulator().getType() << ", but the result is "
                         << getType();
  return success();
}

Value EmbeddingGradOp::getAccumulatorValue() { return getAccumulator(); }

void EmbeddingGradOp::setAccumulator(Value accumulator) {
  getAccumulatorMutable().assign(accumulator);
}
