//===- Linear.cpp - Contractions and biases -------------------------------===//

#include "Common.h"

using namespace mlir;
using namespace trireme::train;

//===----------------------------------------------------------------------===//
// linear
//===----------------------------------------------------------------------===//

/// The contracted and the other dims of an operand; `leading` says on which
/// side the contracted ones are.
static std::pair<ArrayRef<int64_t>, ArrayRef<int64_t>>
splitDims(ArrayRef<int64_t> shape, int64_t contract, bool leading) {
  if (leading)
    return {shape.take_front(contract), shape.drop_front(contract)};
  return {shape.take_back(contract), shape.drop_back(contract)};
}

LogicalResult LinearOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  int64_t contract = adaptor.getContract();
  ArrayRef<int64_t> lhs = shapeOf(adaptor.getLhs());
  ArrayRef<int64_t> rhs = shapeOf(adaptor.getRhs());
  // C1
  if (contract < 1 || contract > int64_t(lhs.size()) ||
      contract > int64_t(rhs.size()))
    return emitOptionalError(location, "contracts ", contract,
                             " dims of operands of rank ", lhs.size(), " and ",
                             rhs.size());
  auto [lhsInner, lhsOuter] =
      splitDims(lhs, contract, adaptor.getLhsTransposed());
  auto [rhsInner, rhsOuter] =
      splitDims(rhs, contract, !adaptor.getRhsTransposed());
  // C2
  if (lhsInner != rhsInner)
    return emitOptionalError(location, "contracts dims [", lhsInner,
                             "] with dims [", rhsInner, "]");
  SmallVector<int64_t> shape(lhsOuter);
  llvm::append_range(shape, rhsOuter);
  types.push_back(withShape(adaptor.getLhs(), shape));
  return success();
}

LogicalResult LinearOp::verify() {
  // C3
  if (getAccumulator() && getAccumulator().getType() != getType())
    return emitOpError() << "has an accumulator of type "
                         << getAccumulator().getType() << ", but the result is "
                         << getType();
  return success();
}

Value LinearOp::getAccumulatorValue() { return getAccumulator(); }

void LinearOp::setAccumulator(Value accumulator) {
  getAccumulatorMutable().assign(accumulator);
}

// With Y[M,N] = A[M,K] B[K,N], dA = dY B^T and dB = A^T dY; where an operand is
// stored transposed, so is its gradient computed.
LogicalResult LinearOp::buildDerivative(OpBuilder &builder,
                                        ArrayRef<Value> cotangents,
                                        SmallVectorImpl<Value> &operands) {
  if (getAccumulator())
    return emitOpError() << "with an accumulator has no derivative";
  Value dy = cotangents[0];
  int64_t contract = getContract();
  int64_t lhsOuter = tensorType(getLhs()).getRank() - contract;
  int64_t rhsOuter = tensorType(getRhs()).getRank() - contract;
  // A gradient would be a product that contracts no dim.
  if (lhsOuter == 0 || rhsOuter == 0)
    return emitOpError() << "contracts all dims of operand "
                         << (lhsOuter == 0 ? 0 : 1) << " of type "
                         << getOperand(lhsOuter == 0 ? 0 : 1).getType()
                         << ", for which it has no derivative";
  auto linear = [&](Value lhs, Value rhs, int64_t dims, bool lhsTransposed,
                    bool rhsTransposed) -> Value {
    return LinearOp::create(builder, getLoc(), lhs, rhs, Value(),
                            static_cast<uint64_t>(dims), lhsTransposed,
                            rhsTransposed);
  };
  Value lhsGradient =
      getLhsTransposed()
          ? linear(getRhs(), dy, rhsOuter, getRhsTransposed(), true)
          : linear(dy, getRhs(), rhsOuter, false, !getRhsTransposed());
  Value rhsGradient =
      getRhsTransposed()
          ? linear(dy, getLhs(), lhsOuter, true, getLhsTransposed())
          : linear(getLhs(), dy, lhsOuter, !getLhsTransposed(), false);
  operands.assign({lhsGradient, rhsGradient});
  return success();
}

//===----------------------------------------------------------------------===//
// add_bias, sum_leading
//===----------------------------------------------------------------------===//

LogicalResult AddBiasOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> source = shapeOf(adaptor.getSource());
  ArrayRef<int64_t> bias = shapeOf(adaptor.getBias());
  // C1
  if (bias.size() > source.size() || source.take_back(bias.size()) != bias)
    return emitOptionalError(location, "adds a bias of shape [", bias,
                             "] to a source of shape [", source, "]");
  types.push_back(adaptor.getSource().getType());
  return success();
}

LogicalResult AddBiasOp::buildDerivative(OpBuilder &builder,
                                         ArrayRef<Value> cotangents,
                                         SmallVectorImpl<Value> &operands) {
  int64_t leading =
      tensorType(getSource()).getRank() - tensorType(getBias()).getRank();
  if (leading == 0) {
    operands.assign({cotangents[0], cotangents[0]});
    return success();
  }
  operands.assign(
      {cotangents[0], SumLeadingOp::create(builder, getLoc(), cotangents[0],
                                           static_cast<uint64_t>(leading))});
  return success();
}

int64_t AddBiasOp::getColumnDims() { return tensorType(getBias()).getRank(); }

RowKind AddBiasOp::getOperandRowKind(unsigned index) {
  return index == 0 ? RowKind::Full : RowKind::Column;
}

SmallVector<Value> AddBiasOp::emitRow(OpBuilder &builder, ValueRange e) {
  return {RowEmitter{builder, getLoc()}.add(e[0], e[1])};
}

LogicalResult SumLeadingOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> location,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> source = shapeOf(adaptor.getSource());
  int64_t dims = adaptor.getDims();
  // C1
  if (dims < 1 || dims > int64_t(source.size()))
    return emitOptionalError(location, "sums ", dims,
                             " dims of a source of rank ", source.size());
  types.push_back(withShape(adaptor.getSource(), source.drop_front(dims)));
  return success();
}

int64_t SumLeadingOp::getColumnDims() {
  return tensorType(getSource()).getRank() - int64_t(getDims());
}

RowKind SumLeadingOp::getResultRowKind(unsigned) { return RowKind::ColumnSum; }

SmallVector<Value> SumLeadingOp::emitRow(OpBuilder &, ValueRange e) {
  return {e[0]};
}
