//===- AccumulateInPlace.cpp - Accumulators into their makers -------------===//
//
// Starts from every add(accumulator, gradient) whose accumulator is a carry of
// the enclosing loop and pushes the accumulator down the gradient's use-def
// chain: through sums and reshapes, into loops, to an op that adds in place
// (AccumulatingOpInterface). The add disappears.
//
//===----------------------------------------------------------------------===//

#include "trireme/Dialect/Train/IR/Train.h"
#include "trireme/Transforms/Optimizer/Passes.h"

namespace trireme::train {
#define GEN_PASS_DEF_ACCUMULATEINPLACE
#include "trireme/Transforms/Optimizer/Passes.h.inc"
} // namespace trireme::train

using namespace mlir;
using namespace trireme::train;

static Value sink(Value accumulator, Value gradient, OpBuilder &builder);

/// The add that joins `carry` with something else, if that is its only use.
static AddOp getOnlyAdd(BlockArgument carry) {
  if (!carry.hasOneUse())
    return {};
  return dyn_cast<AddOp>(*carry.user_begin());
}

/// Whether the loop's body does nothing with a carry but add to it.
static bool isSumCarry(LoopOp loop, unsigned index) {
  Value next = loop.getYield().getCarries()[index];
  BlockArgument carry = loop.getCarryArguments()[index];
  // The chain of accumulating ops from the carry to what is yielded.
  Value value = carry;
  while (value != next) {
    if (!value.hasOneUse())
      return false;
    Operation *user = *value.user_begin();
    auto accumulating = dyn_cast<AccumulatingOpInterface>(user);
    bool adds = accumulating && accumulating.getAccumulatorValue() == value;
    if (!adds && !isa<AddOp>(user))
      return false;
    value = user->getResult(0);
  }
  return true;
}

/// The loop with one more `each` operand, which the body yields to the stacked
/// result `stack` after adding the old slice to it.
static Value sinkIntoStack(LoopOp loop, unsigned stack, Value accumulator) {
  OpBuilder builder(loop);
  SmallVector<Value> eaches(loop.getEaches());
  eaches.push_back(accumulator);
  Block *body = loop.getLoopBody();
  unsigned place = loop.getCarries().size() + loop.getEaches().size();
  BlockArgument slice = body->insertArgument(
      place, LoopOp::getSliceType(accumulator.getType()), accumulator.getLoc());
  loop.getEachesMutable().assign(eaches);
  YieldOp yield = loop.getYield();
  OpBuilder inner(yield);
  Value sum = sink(slice, yield.getStacked()[stack], inner);
  loop.getYield().getStackedMutable()[stack].set(sum);
  return loop.getStackedResults()[stack];
}

/// A value equal to accumulator + gradient, in place where possible. `builder`
/// stands where both are defined.
static Value sink(Value accumulator, Value gradient, OpBuilder &builder) {
  auto plain = [&]() -> Value {
    return AddOp::create(builder, gradient.getLoc(), accumulator, gradient);
  };
  Operation *op = gradient.getDefiningOp();
  if (!op || !gradient.hasOneUse() ||
      op->getBlock() != builder.getInsertionBlock())
    return plain();
  // The accumulator has to be there before the op: it is a block argument or
  // an op made by this function just before.
  if (Operation *maker = accumulator.getDefiningOp())
    if (maker->getBlock() != op->getBlock() || !maker->isBeforeInBlock(op))
      return plain();
  if (auto add = dyn_cast<AddOp>(op)) {
    Value first = add.getLhs(), second = add.getRhs();
    Operation *a = first.getDefiningOp(), *b = second.getDefiningOp();
    if (!a || !b || a->getBlock() != b->getBlock())
      return plain();
    if (b->isBeforeInBlock(a))
      std::swap(first, second);
    if (first == second)
      return plain();
    OpBuilder::InsertionGuard guard(builder);
    // What cannot be sunk is added where the old sum stood.
    builder.setInsertionPoint(add);
    Value sum = sink(accumulator, first, builder);
    sum = sink(sum, second, builder);
    return sum;
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    if (!reshape.getSource().getDefiningOp())
      return plain();
    OpBuilder before(op->getContext());
    // As early as it can be, so that it is there before all that may take it.
    before.setInsertionPointAfterValue(accumulator);
    Value flat = ReshapeOp::create(before, op->getLoc(),
                                   reshape.getSource().getType(), accumulator);
    OpBuilder after(op);
    Value sum = sink(flat, reshape.getSource(), after);
    return ReshapeOp::create(after, op->getLoc(), gradient.getType(), sum);
  }
  if (auto accumulating = dyn_cast<AccumulatingOpInterface>(op)) {
    if (accumulating.getAccumulatorValue())
      return plain();
    accumulating.setAccumulator(accumulator);
    return gradient;
  }
  if (auto loop = dyn_cast<LoopOp>(op)) {
    unsigned index = cast<OpResult>(gradient).getResultNumber();
    if (index >= loop.getCarries().size())
      return sinkIntoStack(loop, index - loop.getCarries().size(), accumulator);
    if (isZero(loop.getCarries()[index]) && isSumCarry(loop, index)) {
      loop.getCarriesMutable()[index].set(accumulator);
      return gradient;
    }
  }
  return plain();
}

/// Sinks the additions to the carries of `loop`; how many.
static unsigned sinkCarries(LoopOp loop) {
  unsigned sunk = 0;
  for (BlockArgument carry : loop.getCarryArguments()) {
    AddOp add = getOnlyAdd(carry);
    if (!add)
      continue;
    Value gradient = add.getLhs() == carry ? add.getRhs() : add.getLhs();
    OpBuilder builder(add);
    Value sum = sink(carry, gradient, builder);
    auto made = sum.getDefiningOp<AddOp>();
    bool plain = made && (made.getLhs() == carry || made.getRhs() == carry);
    sunk += !plain;
    add.getResult().replaceAllUsesExcept(sum, sum.getDefiningOp());
    add.erase();
  }
  return sunk;
}

namespace {
struct AccumulateInPlace
    : public trireme::train::impl::AccumulateInPlaceBase<AccumulateInPlace> {
  void runOnOperation() override {
    getOperation().walk([&](LoopOp loop) {
      if (loop.getLabel() == "micro_batches")
        numSunk += sinkCarries(loop);
    });
  }
};
} // namespace
