//===- StepEmitter.cpp - One step of a kernel's loops ---------------------===//
//
// A step handles kLanes neighbouring elements as several vectors. Element e of
// a row goes to lane e % kLanes of an accumulator, and lanes are combined in a
// tree by halves: the order depends on nothing but the number of elements.
//
//===----------------------------------------------------------------------===//

#include "StepEmitter.h"
#include "MathExpansion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace trireme;

//===----------------------------------------------------------------------===//
// Constants, memory, uniform values
//===----------------------------------------------------------------------===//

Value StepEmitter::constant(TypedAttr value) {
  return arith::ConstantOp::create(builder, loc, value);
}

Value StepEmitter::i64(int64_t value) {
  return constant(builder.getI64IntegerAttr(value));
}

Value StepEmitter::splat(double value, Type type) {
  return constant(DenseElementsAttr::get(
      vectorOf(type), Attribute(builder.getFloatAttr(type, value))));
}

/// The numbers of a vector's elements in their step.
Value StepEmitter::laneNumbers(size_t vector) {
  SmallVector<int32_t> numbers;
  for (int64_t lane = 0; lane < width; ++lane)
    numbers.push_back(vector * width + lane);
  return constant(DenseElementsAttr::get(vectorOf(builder.getI32Type()),
                                         ArrayRef(numbers)));
}

Value StepEmitter::address(Value pointer, Type type, Value index) {
  return make<LLVM::GEPOp>(pointer.getType(), storedType(type), pointer,
                           ArrayRef<LLVM::GEPArg>{index});
}

Value StepEmitter::address(const Buffer &buffer, const Step &step,
                           size_t vector) {
  Value first =
      address(rowPointers.lookup(buffer.pointer), buffer.type, step.column);
  return make<LLVM::GEPOp>(first.getType(), storedType(buffer.type), first,
                           ArrayRef<LLVM::GEPArg>{int32_t(vector * width)});
}

Value StepEmitter::load(Value pointer, Type type) {
  Value value = make<LLVM::LoadOp>(storedType(type), pointer, bytesOf(type));
  if (!type.isInteger(1))
    return value;
  Value zero = constant(builder.getI8IntegerAttr(0));
  return make<arith::CmpIOp>(arith::CmpIPredicate::ne, value, zero);
}

void StepEmitter::store(Value value, Value pointer) {
  Type type = value.getType();
  if (type.isInteger(1))
    value = make<arith::ExtUIOp>(builder.getI8Type(), value);
  LLVM::StoreOp::create(builder, loc, value, pointer, bytesOf(type));
}

Value StepEmitter::loadVector(Value pointer, Type type, Value mask) {
  Type stored = vectorOf(storedType(type));
  Value zero = constant(builder.getZeroAttr(stored));
  Value value = mask ? make<LLVM::MaskedLoadOp>(stored, pointer, mask, zero,
                                                bytesOf(type))
                     : make<LLVM::LoadOp>(stored, pointer, bytesOf(type));
  if (!type.isInteger(1))
    return value;
  return make<arith::CmpIOp>(arith::CmpIPredicate::ne, value, zero);
}

void StepEmitter::storeVector(Value value, Value pointer, Value mask) {
  Type type = getElementTypeOrSelf(value.getType());
  if (type.isInteger(1))
    value = make<arith::ExtUIOp>(vectorOf(builder.getI8Type()), value);
  if (mask)
    LLVM::MaskedStoreOp::create(builder, loc, value, pointer, mask,
                                bytesOf(type));
  else
    LLVM::StoreOp::create(builder, loc, value, pointer, bytesOf(type));
}

void StepEmitter::emitUniform(Extent extent, unsigned pass) {
  for (Operation *op : analysis.uniformOps(extent, pass)) {
    if (op->getNumOperands() == 1)
      if (Value value = expandMath(builder, op, uniform(op->getOperand(0)))) {
        uniforms[op->getResult(0)] = value;
        continue;
      }
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, uniform(operand));
    Operation *clone = builder.clone(*op, mapping);
    for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults()))
      uniforms[from] = to;
  }
}

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

Step StepEmitter::makeStep(Value column, int64_t elements) {
  Step step;
  step.column = column;
  for (int64_t first = 0; first < elements; first += width) {
    Value &mask = step.masks.emplace_back();
    if (first + width <= elements)
      continue;
    SmallVector<bool> bits;
    for (int64_t lane = 0; lane < width; ++lane)
      bits.push_back(first + lane < elements);
    mask =
        constant(DenseElementsAttr::get(vectorOf(builder.getI1Type()), bits));
  }
  return step;
}

Step StepEmitter::makeTailStep(Value column, Value elements) {
  Step step;
  step.column = column;
  Type type = vectorOf(builder.getI32Type());
  Value count = make<arith::TruncIOp>(builder.getI32Type(), elements);
  count = make<vector::BroadcastOp>(type, count);
  for (int64_t j = 0; j < vectors; ++j)
    step.masks.push_back(
        make<arith::CmpIOp>(arith::CmpIPredicate::slt, laneNumbers(j), count));
  return step;
}

SmallVector<Value> StepEmitter::getVectors(Step &step, Value value) {
  SmallVector<Value> &result = step.values[value];
  if (result.empty()) {
    Value scalar = uniform(value);
    assert(scalar && "elements are computed before they are used");
    result.assign(step.masks.size(),
                  make<vector::BroadcastOp>(vectorOf(value.getType()), scalar));
  }
  return result;
}

void StepEmitter::emitColumn(Step &step, Value result) {
  Value first = make<vector::BroadcastOp>(
      vectorOf(builder.getI32Type()),
      make<arith::TruncIOp>(builder.getI32Type(), step.column));
  for (size_t j = 0; j < step.masks.size(); ++j)
    step.values[result].push_back(make<arith::AddIOp>(first, laneNumbers(j)));
}

void StepEmitter::emitElementOp(Step &step, Operation *op) {
  if (isa<train::ColumnOp>(op)) {
    emitColumn(step, op->getResult(0));
    return;
  }
  SmallVector<SmallVector<Value>> sources;
  for (Value operand : op->getOperands())
    sources.push_back(getVectors(step, operand));
  for (size_t j = 0; j < step.masks.size(); ++j) {
    if (sources.size() == 1)
      if (Value value = expandMath(builder, op, sources[0][j])) {
        step.values[op->getResult(0)].push_back(value);
        continue;
      }
    IRMapping mapping;
    for (auto [operand, source] : llvm::zip(op->getOperands(), sources))
      mapping.map(operand, source[j]);
    Operation *clone = builder.clone(*op, mapping);
    for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults())) {
      to.setType(vectorOf(from.getType()));
      step.values[from].push_back(to);
    }
  }
}

void StepEmitter::computeStep(Step &step, ValueRange roots) {
  SmallVector<BlockArgument> arguments;
  SmallVector<Operation *> ops = analysis.elementOps(roots, arguments);
  for (BlockArgument argument : arguments) {
    const Buffer &buffer = operands[argument.getArgNumber()];
    for (auto [j, mask] : llvm::enumerate(step.masks))
      step.values[argument].push_back(
          loadVector(address(buffer, step, j), buffer.type, mask));
  }
  for (Operation *op : ops)
    emitElementOp(step, op);
}

void StepEmitter::prefetchNextRow(const Step &step) {
  constexpr int64_t lineBytes = 64;
  for (const Buffer &buffer : operands) {
    if (buffer.kind != train::RowKind::Full)
      continue;
    Value first =
        address(rowPointers.lookup(buffer.pointer), buffer.type, step.column);
    int64_t bytes = bytesOf(buffer.type);
    for (int64_t line = 0; line < kLanes * bytes; line += lineBytes) {
      Value place = make<LLVM::GEPOp>(
          first.getType(), builder.getI8Type(), first,
          ArrayRef<LLVM::GEPArg>{int32_t(kernel.getColumns() * bytes + line)});
      LLVM::Prefetch::create(builder, loc, place, /*rw=*/0, /*hint=*/3,
                             /*cache=*/1);
    }
  }
}

Value StepEmitter::combine(train::Reduction kind, Value a, Value b) {
  if (kind == train::Reduction::Sum)
    return make<arith::AddFOp>(a, b);
  // One instruction; a NaN is passed over, which the sums of a softmax show.
  Value greater = make<arith::CmpFOp>(arith::CmpFPredicate::OGT, b, a);
  return make<arith::SelectOp>(greater, b, a);
}

static double identityOf(train::Reduction kind) {
  return kind == train::Reduction::Sum
             ? 0.0
             : -std::numeric_limits<double>::infinity();
}

SmallVector<Value> StepEmitter::identities(train::Reduction kind, Type type) {
  return SmallVector<Value>(vectors, splat(identityOf(kind), type));
}

void StepEmitter::accumulate(train::Reduction kind, Step &step, Value value,
                             MutableArrayRef<Value> accumulators) {
  SmallVector<Value> added = getVectors(step, value);
  for (auto [j, mask] : llvm::enumerate(step.masks)) {
    Value vector = added[j];
    if (mask)
      vector = make<arith::SelectOp>(mask, vector,
                                     splat(identityOf(kind), value.getType()));
    accumulators[j] = combine(kind, accumulators[j], vector);
  }
}

Value StepEmitter::reduceLanes(train::Reduction kind,
                               ArrayRef<Value> accumulators) {
  SmallVector<Value> left(accumulators);
  while (left.size() > 1) {
    size_t half = left.size() / 2;
    for (size_t j = 0; j < half; ++j)
      left[j] = combine(kind, left[j], left[j + half]);
    left.truncate(half);
  }
  Value vector = left.front();
  for (int64_t half = width / 2; half > 0; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < half; ++lane) {
      low.push_back(lane);
      high.push_back(half + lane);
    }
    vector = combine(kind, make<vector::ShuffleOp>(vector, vector, low),
                     make<vector::ShuffleOp>(vector, vector, high));
  }
  return make<vector::ExtractOp>(vector, ArrayRef<int64_t>{0});
}
