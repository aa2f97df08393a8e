//===- Head.cpp - The loss head and cross-entropy -------------------------===//

#include "Common.h"

using namespace mlir;
using namespace trireme::train;

//===----------------------------------------------------------------------===//
// The head as one op
//===----------------------------------------------------------------------===//

/// Checks hidden [..., features], weight [vocabulary, features], targets [...].
static LogicalResult checkHead(std::optional<Location> location, Value hidden,
                               Value weight, Value targets) {
  ArrayRef<int64_t> h = shapeOf(hidden), w = shapeOf(weight);
  ArrayRef<int64_t> t = shapeOf(targets);
  // C1
  if (h.empty() || w.size() != 2 || h.back() != w[1] || h.drop_back() != t)
    return emitOptionalError(location, "has hidden of shape [", h,
                             "], weight of shape [", w,
                             "] and targets of shape [", t, "]");
  return success();
}

LogicalResult CrossEntropyHeadOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(checkHead(location, adaptor.getHidden(), adaptor.getWeight(),
                       adaptor.getTargets())))
    return failure();
  types.assign(2, withShape(adaptor.getHidden(), {}));
  return success();
}

// The gradient op yields the loss sum as well, so that the forward op is dead
// where all that reads the sum (the function's return) stands behind it.
LogicalResult
CrossEntropyHeadOp::buildDerivative(OpBuilder &builder,
                                    ArrayRef<Value> cotangents,
                                    SmallVectorImpl<Value> &operands) {
  if (cotangents[1])
    return emitOpError() << "has no derivative of its count";
  auto grad = CrossEntropyHeadGradOp::create(
      builder, getLoc(), getHidden(), getWeight(), getTargets(), getStart(),
      cotangents[0], getSoftcapAttr());
  getSum().replaceUsesWithIf(grad.getSum(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return user->getBlock() == grad->getBlock() && grad->isBeforeInBlock(user);
  });
  operands.assign(
      {grad.getHiddenGradient(), grad.getWeightGradient(), Value(), Value()});
  return success();
}

LogicalResult CrossEntropyHeadGradOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(checkHead(location, adaptor.getHidden(), adaptor.getWeight(),
                       adaptor.getTargets())))
    return failure();
  types.assign({withShape(adaptor.getHidden(), {}),
                adaptor.getHidden().getType(), adaptor.getWeight().getType()});
  return success();
}

//===----------------------------------------------------------------------===//
// Expansion to chunks
//===----------------------------------------------------------------------===//

static std::pair<int64_t, int64_t> logitsShape(Value targets, Value weight) {
  return {tensorType(targets).getNumElements(), shapeOf(weight)[0]};
}

/// `value` with its `leading` first dims seen as [chunks, rest].
static Value intoChunks(OpBuilder &builder, Location loc, Value value,
                        int64_t leading, int64_t chunks) {
  ArrayRef<int64_t> shape = shapeOf(value);
  int64_t rows = HostTensor::count(shape.take_front(leading));
  SmallVector<int64_t> chunked{chunks, rows / chunks};
  llvm::append_range(chunked, shape.drop_front(leading));
  return ReshapeOp::create(builder, loc, withShape(value, chunked), value);
}

/// The values of one chunk that both heads need.
struct ChunkLogits {
  Value logits; ///< After the cap, if there is one.
  Value sum;    ///< Loss sum so far.
  Value logSum;
};

/// logits = hidden weight^T, capped, and their cross-entropy added to `sum`.
static ChunkLogits buildLogits(OpBuilder &builder, Location loc, Value hidden,
                               Value weight, Value targets, Value start,
                               Value sum, FloatAttr softcap) {
  ChunkLogits chunk;
  chunk.logits = LinearOp::create(builder, loc, hidden, weight, Value(),
                                  uint64_t(1), false, true);
  if (softcap.getValueAsDouble() > 0)
    chunk.logits = SoftcapOp::create(builder, loc, chunk.logits, softcap);
  auto entropy =
      CrossEntropyOp::create(builder, loc, chunk.logits, targets, start);
  chunk.logSum = entropy.getLogSum();
  Value rows = SumOp::create(builder, loc, entropy.getLoss());
  chunk.sum = AddOp::create(builder, loc, sum, rows);
  return chunk;
}

std::pair<int64_t, int64_t> CrossEntropyHeadOp::getLogitsShape() {
  return logitsShape(getTargets(), getWeight());
}

SmallVector<Value> CrossEntropyHeadOp::expand(OpBuilder &builder,
                                              int64_t chunks) {
  Location loc = getLoc();
  int64_t leading = tensorType(getTargets()).getRank();
  Value hidden = intoChunks(builder, loc, getHidden(), leading, chunks);
  Value targets = intoChunks(builder, loc, getTargets(), leading, chunks);
  auto loop = LoopOp::create(builder, loc, "chunks", chunks, /*first=*/0,
                             /*reverse=*/false,
                             createZeros(builder, loc, getSum().getType()),
                             ValueRange{hidden, targets},
                             ValueRange{getWeight(), getStart()}, TypeRange{});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getLoopBody());
  auto each = loop.getEachArguments();
  auto with = loop.getWithArguments();
  ChunkLogits chunk =
      buildLogits(builder, loc, each[0], with[0], each[1], with[1],
                  loop.getCarryArguments()[0], getSoftcapAttr());
  YieldOp::create(builder, loc, chunk.sum, ValueRange{});
  builder.setInsertionPointAfter(loop);
  Value count =
      CountTargetsOp::create(builder, loc, getCount().getType(), getTargets());
  return {loop.getCarryResults()[0], count};
}

std::pair<int64_t, int64_t> CrossEntropyHeadGradOp::getLogitsShape() {
  return logitsShape(getTargets(), getWeight());
}

SmallVector<Value> CrossEntropyHeadGradOp::expand(OpBuilder &builder,
                                                  int64_t chunks) {
  Location loc = getLoc();
  int64_t leading = tensorType(getTargets()).getRank();
  Value hidden = intoChunks(builder, loc, getHidden(), leading, chunks);
  Value targets = intoChunks(builder, loc, getTargets(), leading, chunks);
  SmallVector<Value> carries{createZeros(builder, loc, getSum().getType()),
                             createZeros(builder, loc, getWeight().getType())};
  auto loop =
      LoopOp::create(builder, loc, "chunks", chunks, /*first=*/0,
                     /*reverse=*/false, carries, ValueRange{hidden, targets},
                     ValueRange{getWeight(), getStart(), getSeed()},
                     TypeRange{LoopOp::getSliceType(hidden.getType())});
  Value hiddenGradient;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getLoopBody());
    auto each = loop.getEachArguments();
    auto with = loop.getWithArguments();
    auto carry = loop.getCarryArguments();
    ChunkLogits chunk = buildLogits(builder, loc, each[0], with[0], each[1],
                                    with[1], carry[0], getSoftcapAttr());
    Value gradient = CrossEntropyGradOp::create(
        builder, loc, chunk.logits, each[1], with[1], chunk.logSum, with[2]);
    if (getSoftcap().convertToDouble() > 0)
      gradient = SoftcapGradOp::create(builder, loc, chunk.logits, gradient,
                                       getSoftcapAttr());
    hiddenGradient = LinearOp::create(builder, loc, gradient, with[0], Value(),
                                      uint64_t(1), false, false);
    Value weightGradient = LinearOp::create(builder, loc, gradient, each[0],
                                            carry[1], uint64_t(1), true, false);
    YieldOp::create(builder, loc, ValueRange{chunk.sum, weightGradient},
                    hiddenGradient);
  }
  Value whole = ReshapeOp::create(builder, loc, getHiddenGradient().getType(),
                                  loop.getStackedResults()[0]);
  return {loop.getCarryResults()[0], whole, loop.getCarryResults()[1]};
}

//===----------------------------------------------------------------------===//
// cross_entropy on rows
//===----------------------------------------------------------------------===//

static LogicalResult checkLogits(std::optional<Location> location, Value logits,
                                 Value targets) {
  ArrayRef<int64_t> l = shapeOf(logits), t = shapeOf(targets);
  // C1
  if (l.size() != 2 || t.size() != 1 || l[0] != t[0])
    return emitOptionalError(location, "has logits of shape [", l,
                             "] and targets of shape [", t, "]");
  return success();
}

LogicalResult CrossEntropyOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  if (failed(checkLogits(location, adaptor.getLogits(), adaptor.getTargets())))
    return failure();
  types.assign(2, withShape(adaptor.getLogits(),
                            shapeOf(adaptor.getLogits()).drop_back()));
  return success();
}

int64_t CrossEntropyOp::getColumnDims() { return 1; }

RowKind CrossEntropyOp::getOperandRowKind(unsigned index) {
  constexpr RowKind kinds[] = {RowKind::Full, RowKind::Row, RowKind::Scalar};
  return kinds[index];
}

RowKind CrossEntropyOp::getResultRowKind(unsigned) { return RowKind::Row; }

/// Whether the element's column is the row's target.
static Value isTarget(RowEmitter &emit, Value target, Value start) {
  Value column =
      ColumnOp::create(emit.builder, emit.loc, emit.builder.getI32Type());
  Value local = arith::SubIOp::create(emit.builder, emit.loc, target, start);
  return emit.equal(column, local);
}

SmallVector<Value> CrossEntropyOp::emitRow(OpBuilder &builder, ValueRange e) {
  RowEmitter emit{builder, getLoc()};
  Value logit = e[0], target = e[1];
  Value zero = emit.c(0.0, logit);
  Value max = emit.max(logit);
  Value sum = emit.sum(emit.unary<math::ExpOp>(emit.sub(logit, max)));
  Value logSum = emit.add(max, emit.unary<math::LogOp>(sum));
  Value chosen =
      emit.sum(emit.select(isTarget(emit, target, e[2]), logit, zero));
  Value ignored = emit.equal(target, emit.integer(kIgnoredTarget, target));
  return {emit.select(ignored, zero, emit.sub(logSum, chosen)), logSum};
}

LogicalResult CrossEntropyGradOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(checkLogits(location, adaptor.getLogits(), adaptor.getTargets())))
    return failure();
  ArrayRef<int64_t> sums = shapeOf(adaptor.getLogSum());
  // C1
  if (sums != shapeOf(adaptor.getTargets()))
    return emitOptionalError(location, "has log_sum of shape [", sums,
                             "] for targets of shape [",
                             shapeOf(adaptor.getTargets()), "]");
  types.push_back(adaptor.getLogits().getType());
  return success();
}

int64_t CrossEntropyGradOp::getColumnDims() { return 1; }

RowKind CrossEntropyGradOp::getOperandRowKind(unsigned index) {
  constexpr RowKind kinds[] = {RowKind::Full, RowKind::Row, RowKind::Scalar,
                               RowKind::Row, RowKind::Scalar};
  return kinds[index];
}

SmallVector<Value> CrossEntropyGradOp::emitRow(OpBuilder &builder,
                                               ValueRange e) {
  RowEmitter emit{builder, getLoc()};
  Value target = e[1], logSum = e[3], seed = e[4];
  Value zero = emit.c(0.0, e[0]);
  Value probability = emit.unary<math::ExpOp>(emit.sub(e[0], logSum));
  Value one =
      emit.select(isTarget(emit, target, e[2]), emit.c(1.0, e[0]), zero);
  Value gradient = emit.mul(emit.sub(probability, one), seed);
  Value ignored = emit.equal(target, emit.integer(kIgnoredTarget, target));
  return {emit.select(ignored, zero, gradient)};
}
