//===- Extra.cpp - A dialect outside of the tree --------------------------===//
//
// squared_relu says its derivative, its meaning and its scalar form, from which
// kernels are made. swap_halves brings its own lowering to the runtime.
//
//===----------------------------------------------------------------------===//

#include "Extra.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "trireme/Conversion/TrainToRuntime/Lowering.h"

using namespace mlir;
using namespace extra;
namespace train = trireme::train;

#include "ExtraDialect.cpp.inc"

#define GET_OP_CLASSES
#include "Extra.cpp.inc"

//===----------------------------------------------------------------------===//
// squared_relu
//===----------------------------------------------------------------------===//

// d max(x, 0)^2 = 2 max(x, 0) dx.
LogicalResult SquaredReluOp::buildDerivative(OpBuilder &builder,
                                             ArrayRef<Value> cotangents,
                                             SmallVectorImpl<Value> &operands) {
  Value positive = train::ReluOp::create(builder, getLoc(), getSource());
  Value slope = train::ScaleOp::create(builder, getLoc(), positive,
                                       builder.getF64FloatAttr(2.0));
  operands.push_back(
      train::MulOp::create(builder, getLoc(), cotangents[0], slope));
  return success();
}

LogicalResult
SquaredReluOp::evaluate(ArrayRef<const train::HostTensor *> operands,
                        MutableArrayRef<train::HostTensor> results, int64_t) {
  for (auto [x, y] : llvm::zip_equal(operands[0]->values, results[0].values))
    y = x > 0 ? x * x : 0;
  return success();
}

SmallVector<Value> SquaredReluOp::emitRow(OpBuilder &builder,
                                          ValueRange elements) {
  Value x = elements[0];
  Value zero = arith::ConstantOp::create(
      builder, getLoc(), builder.getFloatAttr(x.getType(), 0.0));
  Value isPositive = arith::CmpFOp::create(builder, getLoc(),
                                           arith::CmpFPredicate::OGT, x, zero);
  Value square = arith::MulFOp::create(builder, getLoc(), x, x);
  return {arith::SelectOp::create(builder, getLoc(), isPositive, square, zero)};
}

//===----------------------------------------------------------------------===//
// swap_halves
//===----------------------------------------------------------------------===//

static int64_t columnsOf(SwapHalvesOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  return type.getRank() ? type.getShape().back() : 1;
}

LogicalResult SwapHalvesOp::verify() {
  // C1
  if (columnsOf(*this) % 2)
    return emitOpError() << "swaps halves of " << columnsOf(*this)
                         << " columns, expected an even number";
  return success();
}

LogicalResult SwapHalvesOp::buildDerivative(OpBuilder &builder,
                                            ArrayRef<Value> cotangents,
                                            SmallVectorImpl<Value> &operands) {
  operands.push_back(SwapHalvesOp::create(builder, getLoc(), cotangents[0]));
  return success();
}

LogicalResult
SwapHalvesOp::evaluate(ArrayRef<const train::HostTensor *> operands,
                       MutableArrayRef<train::HostTensor> results, int64_t) {
  int64_t columns = columnsOf(*this), half = columns / 2;
  for (int64_t i = 0; i < results[0].size(); ++i) {
    int64_t column = i % columns;
    int64_t other = column < half ? column + half : column - half;
    results[0].values[i] = operands[0]->values[i - column + other];
  }
  return success();
}

/// Two strided copies of halves of rows.
static LogicalResult lowerSwapHalves(SwapHalvesOp op,
                                     trireme::RuntimeEmitter &emit) {
  int64_t bytes = train::getByteSize(op.getType());
  int64_t rows =
      cast<RankedTensorType>(op.getType()).getNumElements() / columnsOf(op);
  int64_t row = bytes / rows, half = row / 2;
  auto shifted = [&](Value tensor, int64_t by) {
    train::PlaceAttr place = emit.placeOf(tensor);
    return emit.address(train::PlaceAttr::get(
        op.getContext(), place.getOffset() + by, place.getStrides()));
  };
  for (int64_t from : {int64_t(0), half})
    emit.call(
        op.getLoc(), "trireme_copy",
        {shifted(op.getSource(), from), shifted(op.getResult(), half - from)},
        {row, row, rows, half});
  return success();
}

namespace {
struct Lowerings : public trireme::LoweringDialectInterface {
  using LoweringDialectInterface::LoweringDialectInterface;
  void registerLowerings(trireme::LoweringRegistry &registry) const override {
    registry.add<SwapHalvesOp>(lowerSwapHalves);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The dialect
//===----------------------------------------------------------------------===//

void ExtraDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Extra.cpp.inc"
      >();
  addInterfaces<Lowerings>();
}
