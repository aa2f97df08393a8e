//===- KernelEmitter.cpp - Vector code of one kernel ----------------------===//
//
// A step handles kLanes neighbouring elements as several vectors. Element e of
// a row goes to lane e % kLanes of an accumulator, and lanes are added in a
// tree by halves: the order depends on nothing but the number of elements.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "BodyAnalysis.h"
#include "MathExpansion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace trireme;
using train::RowKind;

/// Elements of a step, and lanes of a reduction. A power of two.
constexpr int64_t kLanes = 32;

namespace {
/// An operand, a result, or the partial sums of a result.
struct Buffer {
  RowKind kind;
  Type type;
  Value pointer;
  unsigned index; // of the operand or result
};

/// Elements [column, column + kLanes) of a row, as vectors.
struct Step {
  Value column;
  /// One a vector; null if all its elements exist. There are fewer vectors
  /// than usual where the last ones have no element.
  SmallVector<Value> masks;
  DenseMap<Value, SmallVector<Value>> values;
};

using StepBody =
    llvm::function_ref<SmallVector<Value>(Step &step, ValueRange accumulators)>;

struct KernelEmitter {
  KernelEmitter(OpBuilder &builder, runtime::KernelOp kernel,
                unsigned vectorBytes)
      : builder(builder), kernel(kernel), loc(kernel.getLoc()),
        analysis(kernel), body(&kernel.getBody().front()),
        width(vectorBytes / 4), vectors(kLanes / width) {}

  LogicalResult check();
  void emit(unsigned vectorBytes);

  // The function, from outside in.
  void loadBuffers(Value pointers);
  void emitScalars();
  void emitBlocks();
  SmallVector<Value> emitRange(Value from, Value to, ValueRange accumulators);
  SmallVector<Value> emitRow(Value row, ValueRange accumulators);
  SmallVector<Value> emitElements(Value from, Value to, ValueRange accumulators);
  void reduceRow(unsigned pass);
  SmallVector<Value> emitResults(Step &step, ValueRange accumulators);
  SmallVector<Value> emitColumns(ValueRange accumulators, StepBody stepBody);
  void storeSums(ValueRange accumulators, Value block);

  // One step.
  Step makeStep(Value column, int64_t elements);
  Step makeTailStep(Value column, Value elements);
  void computeStep(Step &step, ValueRange roots);
  SmallVector<Value> getVectors(Step &step, Value value);
  void emitElementOp(Step &step, Operation *op);
  void accumulate(train::Reduction kind, Step &step, Value value,
                  MutableArrayRef<Value> accumulators);
  SmallVector<Value> identities(train::Reduction kind, Type type);
  Value reduceLanes(train::Reduction kind, ArrayRef<Value> accumulators);
  Value combine(train::Reduction kind, Value a, Value b);

  // Uniform values, memory, constants.
  void emitUniform(Extent extent, unsigned pass);
  Value uniform(Value value) { return uniforms.lookup(value); }
  Value address(Value pointer, Type type, Value index);
  Value load(Value pointer, Type type);
  void store(Value value, Value pointer);
  Value loadVector(Value pointer, Type type, Value mask);
  void storeVector(Value value, Value pointer, Value mask);
  Value i64(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }
  Value splat(double value, Type type) {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(cast<VectorType>(vectorOf(type)),
                               Attribute(builder.getFloatAttr(type, value))));
  }
  Type vectorOf(Type type) { return VectorType::get({width}, type); }
  template <typename Op, typename... Args>
  Value make(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...);
  }

  OpBuilder &builder;
  runtime::KernelOp kernel;
  Location loc;
  BodyAnalysis analysis;
  Block *body;
  int64_t width;   // elements of a vector, whatever their type
  int64_t vectors; // of a step
  Value begin, end;
  SmallVector<Buffer> operands, results, partials;
  DenseMap<Value, Value> uniforms;
  /// Where the row's elements begin, by buffer.
  DenseMap<Value, Value> rowPointers;
};
} // namespace

//===----------------------------------------------------------------------===//
// Uniform values and memory
//===----------------------------------------------------------------------===//

/// The type in memory.
static Type storedType(Type type) {
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

static unsigned bytesOf(Type type) {
  return storedType(type).getIntOrFloatBitWidth() / 8;
}

/// The address of element `index`.
Value KernelEmitter::address(Value pointer, Type type, Value index) {
  return make<LLVM::GEPOp>(pointer.getType(), storedType(type), pointer,
                           ArrayRef<LLVM::GEPArg>{index});
}

Value KernelEmitter::load(Value pointer, Type type) {
  Value value =
      make<LLVM::LoadOp>(storedType(type), pointer, bytesOf(type));
  if (!type.isInteger(1))
    return value;
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getI8IntegerAttr(0));
  return make<arith::CmpIOp>(arith::CmpIPredicate::ne, value, zero);
}

void KernelEmitter::store(Value value, Value pointer) {
  Type type = value.getType();
  if (type.isInteger(1))
    value = make<arith::ExtUIOp>(builder.getI8Type(), value);
  LLVM::StoreOp::create(builder, loc, value, pointer, bytesOf(type));
}

Value KernelEmitter::loadVector(Value pointer, Type type, Value mask) {
  Type stored = vectorOf(storedType(type));
  Value zero = arith::ConstantOp::create(
      builder, loc, cast<TypedAttr>(builder.getZeroAttr(stored)));
  Value value =
      mask ? make<LLVM::MaskedLoadOp>(stored, pointer, mask, zero,
                                      bytesOf(type))
           : make<LLVM::LoadOp>(stored, pointer, bytesOf(type));
  if (!type.isInteger(1))
    return value;
  return make<arith::CmpIOp>(arith::CmpIPredicate::ne, value, zero);
}

void KernelEmitter::storeVector(Value value, Value pointer, Value mask) {
  Type type = getElementTypeOrSelf(value.getType());
  if (type.isInteger(1))
    value = make<arith::ExtUIOp>(vectorOf(builder.getI8Type()), value);
  if (mask)
    LLVM::MaskedStoreOp::create(builder, loc, value, pointer, mask,
                                bytesOf(type));
  else
    LLVM::StoreOp::create(builder, loc, value, pointer, bytesOf(type));
}

/// Emits the scalar operations that can be computed after `pass` passes.
void KernelEmitter::emitUniform(Extent extent, unsigned pass) {
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

/// A step of `elements` elements, known when compiling.
Step KernelEmitter::makeStep(Value column, int64_t elements) {
  Step step;
  step.column = column;
  for (int64_t first = 0; first < elements; first += width) {
    Value &mask = step.masks.emplace_back();
    if (first + width <= elements)
      continue;
    SmallVector<bool> bits;
    for (int64_t lane = 0; lane < width; ++lane)
      bits.push_back(first + lane < elements);
    mask = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            cast<VectorType>(vectorOf(builder.getI1Type())), bits));
  }
  return step;
}

/// A step of fewer than kLanes elements, known when running.
Step KernelEmitter::makeTailStep(Value column, Value elements) {
  Step step;
  step.column = column;
  Type type = vectorOf(builder.getI32Type());
  Value count = make<arith::TruncIOp>(builder.getI32Type(), elements);
  count = make<vector::BroadcastOp>(type, count);
  for (int64_t j = 0; j < vectors; ++j) {
    SmallVector<int32_t> lanes;
    for (int64_t lane = 0; lane < width; ++lane)
      lanes.push_back(j * width + lane);
    Value numbers = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(cast<VectorType>(type), ArrayRef(lanes)));
    step.masks.push_back(
        make<arith::CmpIOp>(arith::CmpIPredicate::slt, numbers, count));
  }
  return step;
}

/// The vectors of a value in `step`; those of a uniform value are equal.
SmallVector<Value> KernelEmitter::getVectors(Step &step, Value value) {
  SmallVector<Value> &result = step.values[value];
  if (result.empty()) {
    Value scalar = uniform(value);
    assert(scalar && "elements are computed before they are used");
    result.assign(step.masks.size(),
                  make<vector::BroadcastOp>(vectorOf(value.getType()), scalar));
  }
  return result;
}

void KernelEmitter::emitElementOp(Step &step, Operation *op) {
  if (isa<train::ColumnOp>(op)) {
    Type type = vectorOf(builder.getI32Type());
    Value first = make<vector::BroadcastOp>(
        type, make<arith::TruncIOp>(builder.getI32Type(), step.column));
    SmallVector<Value> numbers;
    for (size_t j = 0; j < step.masks.size(); ++j) {
      SmallVector<int32_t> lanes;
      for (int64_t lane = 0; lane < width; ++lane)
        lanes.push_back(j * width + lane);
      Value offsets = arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(cast<VectorType>(type), ArrayRef(lanes)));
      numbers.push_back(make<arith::AddIOp>(first, offsets));
    }
    step.values[op->getResult(0)] = numbers;
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

/// Computes what `roots` need: first all loads, then all arithmetic.
void KernelEmitter::computeStep(Step &step, ValueRange roots) {
  SmallVector<BlockArgument> arguments;
  SmallVector<Operation *> ops = analysis.elementOps(roots, arguments);
  for (BlockArgument argument : arguments) {
    const Buffer &buffer = operands[argument.getArgNumber()];
    for (auto [j, mask] : llvm::enumerate(step.masks)) {
      Value place =
          address(rowPointers.lookup(buffer.pointer), buffer.type, step.column);
      place = make<LLVM::GEPOp>(
          place.getType(), storedType(buffer.type), place,
          ArrayRef<LLVM::GEPArg>{int32_t(j * width)});
      step.values[argument].push_back(loadVector(place, buffer.type, mask));
    }
  }
  for (Operation *op : ops)
    emitElementOp(step, op);
}

Value KernelEmitter::combine(train::Reduction kind, Value a, Value b) {
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

SmallVector<Value> KernelEmitter::identities(train::Reduction kind, Type type) {
  return SmallVector<Value>(vectors, splat(identityOf(kind), type));
}

/// Combines `value` of this step into `accumulators`, one a vector.
void KernelEmitter::accumulate(train::Reduction kind, Step &step, Value value,
                               MutableArrayRef<Value> accumulators) {
  SmallVector<Value> added = getVectors(step, value);
  for (auto [j, mask] : llvm::enumerate(step.masks)) {
    Value vector = added[j];
    if (mask)
      vector = make<arith::SelectOp>(
          mask, vector, splat(identityOf(kind), value.getType()));
    accumulators[j] = combine(kind, accumulators[j], vector);
  }
}

/// Combines all lanes by halves.
Value KernelEmitter::reduceLanes(train::Reduction kind,
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

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Runs `stepBody` over a row's columns; returns the last accumulators.
SmallVector<Value> KernelEmitter::emitColumns(ValueRange accumulators,
                                              StepBody stepBody) {
  int64_t columns = kernel.getColumns();
  int64_t whole = columns / kLanes * kLanes;
  SmallVector<Value> current(accumulators);
  if (whole == kLanes) {
    Step step = makeStep(i64(0), kLanes);
    current = stepBody(step, current);
  } else if (whole > 0) {
    auto loop = scf::ForOp::create(
        builder, loc, i64(0), i64(whole), i64(kLanes), current,
        [&](OpBuilder &, Location, Value column, ValueRange iterated) {
          Step step = makeStep(column, kLanes);
          SmallVector<Value> next = stepBody(step, iterated);
          scf::YieldOp::create(builder, loc, next);
        });
    current.assign(loop.result_begin(), loop.result_end());
  }
  if (columns > whole) {
    Step step = makeStep(i64(whole), columns - whole);
    current = stepBody(step, current);
  }
  return current;
}

/// Computes the reductions of a pass over the row.
void KernelEmitter::reduceRow(unsigned pass) {
  SmallVector<train::ReduceOp> reductions = analysis.reductionsIn(pass);
  SmallVector<Value> roots, accumulators;
  for (train::ReduceOp op : reductions) {
    roots.push_back(op.getValue());
    llvm::append_range(accumulators, identities(op.getKind(), op.getType()));
  }
  accumulators =
      emitColumns(accumulators, [&](Step &step, ValueRange iterated) {
        SmallVector<Value> next(iterated);
        computeStep(step, roots);
        for (auto [index, op] : llvm::enumerate(reductions))
          accumulate(op.getKind(), step, op.getValue(),
                     MutableArrayRef(next).slice(index * vectors, vectors));
        return next;
      });
  for (auto [index, op] : llvm::enumerate(reductions))
    uniforms[op.getResult()] = reduceLanes(
        op.getKind(), ArrayRef(accumulators).slice(index * vectors, vectors));
}

/// Stores and adds up the results of a step; `accumulators` are those of all
/// `sum` results.
SmallVector<Value> KernelEmitter::emitResults(Step &step,
                                              ValueRange accumulators) {
  OperandRange yielded = body->getTerminator()->getOperands();
  SmallVector<Value> roots, next(accumulators);
  for (const Buffer &result : results)
    if (result.kind == RowKind::Full || result.kind == RowKind::Sum ||
        result.kind == RowKind::ColumnSum)
      roots.push_back(yielded[result.index]);
  computeStep(step, roots);
  auto place = [&](const Buffer &buffer, size_t j) -> Value {
    Value first =
        address(rowPointers.lookup(buffer.pointer), buffer.type, step.column);
    return make<LLVM::GEPOp>(first.getType(), storedType(buffer.type), first,
                             ArrayRef<LLVM::GEPArg>{int32_t(j * width)});
  };
  for (const Buffer &result : results) {
    if (result.kind != RowKind::Full)
      continue;
    SmallVector<Value> vectors = getVectors(step, yielded[result.index]);
    for (auto [j, mask] : llvm::enumerate(step.masks))
      storeVector(vectors[j], place(result, j), mask);
  }
  size_t sums = 0;
  for (const Buffer &partial : partials) {
    Value value = yielded[partial.index];
    if (partial.kind == RowKind::Sum) {
      accumulate(train::Reduction::Sum, step, value,
                 MutableArrayRef(next).slice(sums++ * vectors, vectors));
      continue;
    }
    SmallVector<Value> added = getVectors(step, value);
    for (auto [j, mask] : llvm::enumerate(step.masks)) {
      Value target = place(partial, j);
      Value sum = make<arith::AddFOp>(
          loadVector(target, partial.type, mask), added[j]);
      storeVector(sum, target, mask);
    }
  }
  return next;
}

/// One row: the passes that reduce, the pass for results, the row's scalars.
SmallVector<Value> KernelEmitter::emitRow(Value row, ValueRange accumulators) {
  for (auto &list : {operands, results})
    for (const Buffer &buffer : list)
      if (buffer.kind == RowKind::Full)
        rowPointers[buffer.pointer] =
            address(buffer.pointer, buffer.type,
                    make<arith::MulIOp>(row, i64(kernel.getColumns())));
  for (const Buffer &buffer : operands)
    if (buffer.kind == RowKind::Row)
      uniforms[body->getArgument(buffer.index)] =
          load(address(buffer.pointer, buffer.type, row), buffer.type);
  emitUniform(Extent::Row, 0);
  for (unsigned pass = 0; pass < analysis.reducingPasses; ++pass) {
    reduceRow(pass);
    emitUniform(Extent::Row, pass + 1);
  }
  SmallVector<Value> next(accumulators);
  if (!partials.empty() || llvm::any_of(results, [](const Buffer &result) {
        return result.kind == RowKind::Full;
      }))
    next = emitColumns(accumulators, [&](Step &step, ValueRange iterated) {
      return emitResults(step, iterated);
    });
  for (const Buffer &result : results)
    if (result.kind == RowKind::Row)
      store(uniform(body->getTerminator()->getOperand(result.index)),
            address(result.pointer, result.type, row));
  return next;
}

/// Elements [from, to) of a flat kernel.
SmallVector<Value> KernelEmitter::emitElements(Value from, Value to,
                                               ValueRange accumulators) {
  Value count = make<arith::SubIOp>(to, from);
  Value rest = make<arith::AndIOp>(count, i64(kLanes - 1));
  Value whole = make<arith::SubIOp>(to, rest);
  auto loop = scf::ForOp::create(
      builder, loc, from, whole, i64(kLanes), accumulators,
      [&](OpBuilder &, Location, Value element, ValueRange iterated) {
        Step step = makeStep(element, kLanes);
        SmallVector<Value> next = emitResults(step, iterated);
        scf::YieldOp::create(builder, loc, next);
      });
  Value hasRest = make<arith::CmpIOp>(arith::CmpIPredicate::ne, rest, i64(0));
  auto tail = scf::IfOp::create(
      builder, loc, hasRest,
      [&](OpBuilder &, Location) {
        Step step = makeTailStep(whole, rest);
        SmallVector<Value> next = emitResults(step, loop.getResults());
        scf::YieldOp::create(builder, loc, next);
      },
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(builder, loc, loop.getResults());
      });
  return tail.getResults();
}

/// Rows (elements) [from, to); returns the accumulators of `sum` results.
SmallVector<Value> KernelEmitter::emitRange(Value from, Value to,
                                            ValueRange accumulators) {
  if (kernel.getFlat())
    return emitElements(from, to, accumulators);
  auto loop = scf::ForOp::create(
      builder, loc, from, to, i64(1), accumulators,
      [&](OpBuilder &, Location, Value row, ValueRange iterated) {
        SmallVector<Value> next = emitRow(row, iterated);
        scf::YieldOp::create(builder, loc, next);
      });
  return loop.getResults();
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

void KernelEmitter::loadBuffers(Value pointers) {
  Type pointer = pointers.getType();
  unsigned count = 0;
  auto loadNext = [&]() -> Value {
    Value place = make<LLVM::GEPOp>(pointer, pointer, pointers,
                                    ArrayRef<LLVM::GEPArg>{int32_t(count++)});
    return make<LLVM::LoadOp>(pointer, place);
  };
  auto add = [&](SmallVector<Buffer> &list, ArrayAttr kinds, ArrayAttr types) {
    for (auto [index, kind] : llvm::enumerate(kinds))
      list.push_back({getCodeKind(kernel, kind),
                      cast<TypeAttr>(types[index]).getValue(), loadNext(),
                      unsigned(index)});
  };
  add(operands, kernel.getOperandKinds(), kernel.getOperandTypes());
  add(results, kernel.getResultKinds(), kernel.getResultTypes());
  for (const Buffer &result : results)
    if (result.kind == RowKind::ColumnSum || result.kind == RowKind::Sum)
      partials.push_back({result.kind, builder.getF32Type(), loadNext(),
                          result.index});
  // Buffers whose elements do not depend on the row; emitRow moves the others.
  for (auto &list : {operands, results, partials})
    for (const Buffer &buffer : list)
      rowPointers[buffer.pointer] = buffer.pointer;
}

/// Loads scalar operands, computes what depends on them alone, and stores the
/// scalar results (in the call of the first rows only).
void KernelEmitter::emitScalars() {
  for (const Buffer &buffer : operands)
    if (buffer.kind == RowKind::Scalar)
      uniforms[body->getArgument(buffer.index)] =
          load(buffer.pointer, buffer.type);
  emitUniform(Extent::Scalar, 0);
  auto isScalar = [](const Buffer &result) {
    return result.kind == RowKind::Scalar;
  };
  if (llvm::none_of(results, isScalar))
    return;
  Value isFirst = make<arith::CmpIOp>(arith::CmpIPredicate::eq, begin, i64(0));
  scf::IfOp::create(builder, loc, isFirst, [&](OpBuilder &, Location) {
    for (const Buffer &result : llvm::make_filter_range(results, isScalar))
      store(uniform(body->getTerminator()->getOperand(result.index)),
            result.pointer);
    scf::YieldOp::create(builder, loc);
  });
}

/// Writes the partial sums of a block.
void KernelEmitter::storeSums(ValueRange accumulators, Value block) {
  SmallVector<Value> all(accumulators);
  size_t sums = 0;
  for (const Buffer &partial : partials) {
    if (partial.kind != RowKind::Sum)
      continue;
    Value sum = reduceLanes(train::Reduction::Sum,
                            ArrayRef(all).slice(sums++ * vectors, vectors));
    store(sum, address(partial.pointer, partial.type, block));
  }
}

/// [begin, end), in blocks of the grain where there are partial sums.
void KernelEmitter::emitBlocks() {
  if (llvm::all_of(results, [](const Buffer &result) {
        return result.kind == RowKind::Scalar;
      }))
    return;
  if (partials.empty()) {
    emitRange(begin, end, {});
    return;
  }
  Value grain = i64(kernel.getGrain());
  scf::ForOp::create(
      builder, loc, begin, end, grain, ValueRange(),
      [&](OpBuilder &, Location, Value from, ValueRange) {
        Value to =
            make<arith::MinSIOp>(make<arith::AddIOp>(from, grain), end);
        Value block = make<arith::DivSIOp>(from, grain);
        SmallVector<Value> accumulators;
        for (const Buffer &partial : partials) {
          if (partial.kind == RowKind::Sum) {
            llvm::append_range(
                accumulators,
                identities(train::Reduction::Sum, partial.type));
            continue;
          }
          int64_t columns = kernel.getColumns();
          Value first = address(partial.pointer, partial.type,
                                make<arith::MulIOp>(block, i64(columns)));
          rowPointers[partial.pointer] = first;
          Value zero = arith::ConstantOp::create(builder, loc,
                                                 builder.getI8IntegerAttr(0));
          LLVM::MemsetOp::create(builder, loc, first, zero,
                                 i64(columns * bytesOf(partial.type)),
                                 /*isVolatile=*/false);
        }
        storeSums(emitRange(from, to, accumulators), block);
        scf::YieldOp::create(builder, loc);
      });
}

/// Reports what cannot be emitted.
LogicalResult KernelEmitter::check() {
  auto isKnown = [](Type type) {
    return type.isF32() || type.isF64() || type.isInteger(32) ||
           type.isInteger(1);
  };
  for (ArrayAttr types : {kernel.getOperandTypes(), kernel.getResultTypes()})
    for (Type type : types.getAsValueRange<TypeAttr>())
      if (!isKnown(type))
        return kernel.emitOpError()
               << "has elements of type " << type
               << ", expected f32, f64, i32 or i1";
  if (kernel.getFlat() && analysis.reducingPasses > 0)
    return kernel.emitOpError() << "is flat, but has a reduction along rows";
  for (auto [index, value] :
       llvm::enumerate(body->getTerminator()->getOperands())) {
    RowKind kind = getCodeKind(kernel, kernel.getResultKinds()[index]);
    bool isSum = kind == RowKind::Sum || kind == RowKind::ColumnSum;
    if (isSum && !value.getType().isF32())
      return kernel.emitOpError()
             << "result " << index << " sums elements of type "
             << value.getType() << ", expected f32";
    Extent allowed = kind == RowKind::Scalar ? Extent::Scalar
                     : kind == RowKind::Row  ? Extent::Row
                                             : Extent::Element;
    if (analysis.extentOf(value) > allowed)
      return kernel.emitOpError()
             << "result " << index << " is " << train::stringifyRowKind(kind)
             << ", but its value varies within it";
  }
  return success();
}

void KernelEmitter::emit(unsigned vectorBytes) {
  OpBuilder::InsertionGuard guard(builder);
  MLIRContext *context = builder.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i64Type = builder.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, i64Type, i64Type});
  auto function =
      LLVM::LLVMFuncOp::create(builder, loc, kernel.getSymName(), type,
                               LLVM::Linkage::Internal);
  std::string bits = std::to_string(vectorBytes * 8);
  function.setPreferVectorWidth(bits);
  function.setNoUnwind(true);
  function.setFramePointerAttr(LLVM::FramePointerKindAttr::get(
      context, LLVM::framePointerKind::FramePointerKind::None));
  function.setPassthroughAttr(builder.getArrayAttr(
      {builder.getStrArrayAttr({"min-legal-vector-width", bits})}));
  Block *entry = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  begin = entry->getArgument(1);
  end = entry->getArgument(2);
  loadBuffers(entry->getArgument(0));
  emitScalars();
  emitBlocks();
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

LogicalResult trireme::emitKernel(OpBuilder &builder, runtime::KernelOp kernel,
                                  unsigned vectorBytes) {
  KernelEmitter emitter(builder, kernel, vectorBytes);
  if (failed(emitter.check()))
    return failure();
  emitter.emit(vectorBytes);
  return success();
}
