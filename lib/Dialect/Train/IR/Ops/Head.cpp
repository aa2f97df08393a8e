//===- Head.cpp - The loss head and cross-entropy -------------------------===//

#include "Common.h"
#include <limits>

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
      cotangents[0], getSoftcapAttr(), getValidAttr());
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

/// Hidden and targets in chunks.
struct ChunkedTokens {
  SmallVector<int64_t> blocks;
  Value hidden, targets;

  ChunkedTokens(OpBuilder &builder, Location loc, Value whole, Value ids,
                int64_t chunks, ArrayRef<int64_t> cuts)
      : blocks(cuts) {
    int64_t leading = tensorType(ids).getRank();
    if (blocks.empty())
      blocks.assign(leading, 1);
    auto chunk = [&](Value value) -> Value {
      return ChunkOp::create(builder, loc, value, uint64_t(leading),
                             uint64_t(chunks), blocks);
    };
    hidden = chunk(whole);
    targets = chunk(ids);
  }
};

/// The values of one chunk that both heads need.
struct ChunkLogits {
  Value logits; ///< After the cap, if there is one.
  Value sum;    ///< Loss sum so far.
  Value logSum;
};

/// What stays the same from chunk to chunk.
struct HeadParts {
  Value weight, start;
  FloatAttr softcap;
  IntegerAttr valid;
};

/// logits = hidden weight^T, capped, and their cross-entropy added to `sum`.
static ChunkLogits buildLogits(OpBuilder &builder, Location loc,
                               const HeadParts &head, Value hidden,
                               Value targets, Value sum) {
  ChunkLogits chunk;
  chunk.logits = LinearOp::create(builder, loc, hidden, head.weight, Value(),
                                  uint64_t(1), false, true);
  if (head.softcap.getValueAsDouble() > 0)
    chunk.logits = SoftcapOp::create(builder, loc, chunk.logits, head.softcap);
  Value max =
      RowMaxOp::create(builder, loc, chunk.logits, head.start, head.valid);
  Value expSum = RowExpSumOp::create(builder, loc, chunk.logits, max,
                                     head.start, head.valid);
  Value picked =
      PickOp::create(builder, loc, chunk.logits, targets, head.start);
  auto loss = RowLossOp::create(builder, loc, max, expSum, picked, targets);
  chunk.logSum = loss.getLogSum();
  Value rows = SumOp::create(builder, loc, loss.getLoss());
  chunk.sum = AddOp::create(builder, loc, sum, rows);
  return chunk;
}

std::pair<int64_t, int64_t> CrossEntropyHeadOp::getLogitsShape() {
  return logitsShape(getTargets(), getWeight());
}

SmallVector<Value> CrossEntropyHeadOp::expand(OpBuilder &builder,
                                              int64_t chunks,
                                              ArrayRef<int64_t> blocks) {
  Location loc = getLoc();
  ChunkedTokens tokens(builder, loc, getHidden(), getTargets(), chunks, blocks);
  auto loop = LoopOp::create(builder, loc, "chunks", chunks, /*first=*/0,
                             /*reverse=*/false,
                             createZeros(builder, loc, getSum().getType()),
                             ValueRange{tokens.hidden, tokens.targets},
                             ValueRange{getWeight(), getStart()}, TypeRange{});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getLoopBody());
  auto each = loop.getEachArguments();
  auto with = loop.getWithArguments();
  ChunkLogits chunk = buildLogits(
      builder, loc, {with[0], with[1], getSoftcapAttr(), getValidAttr()},
      each[0], each[1], loop.getCarryArguments()[0]);
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
                                                  int64_t chunks,
                                                  ArrayRef<int64_t> blocks) {
  Location loc = getLoc();
  ChunkedTokens tokens(builder, loc, getHidden(), getTargets(), chunks, blocks);
  SmallVector<Value> carries{createZeros(builder, loc, getSum().getType()),
                             createZeros(builder, loc, getWeight().getType())};
  auto loop = LoopOp::create(
      builder, loc, "chunks", chunks, /*first=*/0,
      /*reverse=*/false, carries, ValueRange{tokens.hidden, tokens.targets},
      ValueRange{getWeight(), getStart(), getSeed()},
      TypeRange{LoopOp::getSliceType(tokens.hidden.getType())});
  Value hiddenGradient;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getLoopBody());
    auto each = loop.getEachArguments();
    auto with = loop.getWithArguments();
    auto carry = loop.getCarryArguments();
    ChunkLogits chunk = buildLogits(
        builder, loc, {with[0], with[1], getSoftcapAttr(), getValidAttr()},
        each[0], each[1], carry[0]);
    Value gradient =
        CrossEntropyGradOp::create(builder, loc, chunk.logits, each[1], with[1],
                                   chunk.logSum, with[2], getValidAttr());
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
  Value whole = UnchunkOp::create(builder, loc, getHiddenGradient().getType(),
                                  loop.getStackedResults()[0],
                                  uint64_t(tensorType(getTargets()).getRank()),
                                  uint64_t(chunks), tokens.blocks);
  return {loop.getCarryResults()[0], whole, loop.getCarryResults()[1]};
}

Value CrossEntropyHeadOp::getHeadWeight() { return getWeight(); }
int64_t CrossEntropyHeadOp::getVocabularyDim() { return 0; }
void CrossEntropyHeadOp::setValidRows(int64_t rows) { setValid(rows); }

Value CrossEntropyHeadGradOp::getHeadWeight() { return getWeight(); }
int64_t CrossEntropyHeadGradOp::getVocabularyDim() { return 0; }
void CrossEntropyHeadGradOp::setValidRows(int64_t rows) { setValid(rows); }

//===----------------------------------------------------------------------===//
// Rows of logits
//===----------------------------------------------------------------------===//

/// Checks logits [rows, vocabulary] and one value a row.
static LogicalResult checkLogits(std::optional<Location> location, Value logits,
                                 Value perRow, StringRef what) {
  ArrayRef<int64_t> l = shapeOf(logits), r = shapeOf(perRow);
  // C1
  if (l.size() != 2 || r.size() != 1 || l[0] != r[0])
    return emitOptionalError(location, "has logits of shape [", l, "] and ",
                             what, " of shape [", r, "]");
  return success();
}

/// The type of one value a row.
static Type rowType(Value logits) {
  return withShape(logits, shapeOf(logits).take_front(1));
}

/// Whether the element's column is the row's target.
static Value isTarget(RowEmitter &emit, Value target, Value start) {
  Value column =
      ColumnOp::create(emit.builder, emit.loc, emit.builder.getI32Type());
  Value local = arith::SubIOp::create(emit.builder, emit.loc, target, start);
  return emit.equal(column, local);
}

/// `value`, or `other` where the element's column is pad.
static Value whereValid(RowEmitter &emit, Value value, double other,
                        Value start, int64_t valid) {
  if (valid <= 0)
    return value;
  Value column =
      ColumnOp::create(emit.builder, emit.loc, emit.builder.getI32Type());
  Value local = arith::SubIOp::create(emit.builder, emit.loc,
                                      emit.integer(valid, start), start);
  Value isValid = arith::CmpIOp::create(
      emit.builder, emit.loc, arith::CmpIPredicate::slt, column, local);
  return emit.select(isValid, value, emit.c(other, value));
}

LogicalResult RowMaxOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> logits = shapeOf(adaptor.getLogits());
  // C1
  if (logits.size() != 2)
    return emitOptionalError(location, "has logits of shape [", logits,
                             "], expected [rows, vocabulary]");
  types.push_back(rowType(adaptor.getLogits()));
  return success();
}

int64_t RowMaxOp::getColumnDims() { return 1; }

RowKind RowMaxOp::getOperandRowKind(unsigned index) {
  return index == 0 ? RowKind::Full : RowKind::Scalar;
}

RowKind RowMaxOp::getResultRowKind(unsigned) { return RowKind::Row; }

SmallVector<Value> RowMaxOp::emitRow(OpBuilder &builder, ValueRange e) {
  RowEmitter emit{builder, getLoc()};
  return {emit.max(whereValid(
      emit, e[0], -std::numeric_limits<double>::infinity(), e[1], getValid()))};
}

LogicalResult RowExpSumOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  if (failed(
          checkLogits(location, adaptor.getLogits(), adaptor.getMax(), "max")))
    return failure();
  types.push_back(rowType(adaptor.getLogits()));
  return success();
}

int64_t RowExpSumOp::getColumnDims() { return 1; }

RowKind RowExpSumOp::getOperandRowKind(unsigned index) {
  constexpr RowKind kinds[] = {RowKind::Full, RowKind::Row, RowKind::Scalar};
  return kinds[index];
}

RowKind RowExpSumOp::getResultRowKind(unsigned) { return RowKind::Row; }

SmallVector<Value> RowExpSumOp::emitRow(OpBuilder &builder, ValueRange e) {
  RowEmitter emit{builder, getLoc()};
  Value weight = emit.unary<math::ExpOp>(emit.sub(e[0], e[1]));
  return {emit.sum(whereValid(emit, weight, 0.0, e[2], getValid()))};
}

LogicalResult PickOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  if (failed(checkLogits(location, adaptor.getLogits(), adaptor.getTargets(),
                         "targets")))
    return failure();
  types.push_back(rowType(adaptor.getLogits()));
  return success();
}

int64_t PickOp::getColumnDims() { return 1; }

RowKind PickOp::getOperandRowKind(unsigned index) {
  constexpr RowKind kinds[] = {RowKind::Full, RowKind::Row, RowKind::Scalar};
  return kinds[index];
}

RowKind PickOp::getResultRowKind(unsigned) { return RowKind::Row; }

SmallVector<Value> PickOp::emitRow(OpBuilder &builder, ValueRange e) {
  RowEmitter emit{builder, getLoc()};
  return {emit.sum(
      emit.select(isTarget(emit, e[1], e[2]), e[0], emit.c(0.0, e[0])))};
}

LogicalResult RowLossOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> rows = shapeOf(adaptor.getMax());
  ArrayRef<int64_t> targets = shapeOf(adaptor.getTargets());
  // C1
  if (rows != targets)
    return emitOptionalError(location, "has rows of shape [", rows,
                             "] and targets of shape [", targets, "]");
  types.assign(2, adaptor.getMax().getType());
  return success();
}

SmallVector<Value> RowLossOp::emitRow(OpBuilder &builder, ValueRange e) {
  RowEmitter emit{builder, getLoc()};
  Value logSum = emit.add(e[0], emit.unary<math::LogOp>(e[1]));
  Value ignored = emit.equal(e[3], emit.integer(kIgnoredTarget, e[3]));
  Value loss =
      emit.select(ignored, emit.c(0.0, logSum), emit.sub(logSum, e[2]));
  return {loss, logSum};
}

LogicalResult CrossEntropyGradOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(checkLogits(location, adaptor.getLogits(), adaptor.getTargets(),
                         "targets")))
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
  gradient = emit.select(ignored, zero, gradient);
  return {whereValid(emit, gradient, 0.0, e[2], getValid())};
}
