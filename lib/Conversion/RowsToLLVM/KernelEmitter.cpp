//===- KernelEmitter.cpp - Vector code of one kernel ----------------------===//
//
// The loops over blocks, rows and columns around the steps of StepEmitter.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "StepEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace trireme;
using train::RowKind;

namespace {
using StepBody =
    llvm::function_ref<SmallVector<Value>(Step &step, ValueRange accumulators)>;

/// From outside in. Accumulators are those of all `sum` results, each as many
/// as a step has vectors.
struct KernelEmitter : public StepEmitter {
  using StepEmitter::StepEmitter;

  LogicalResult check();
  void emit();

private:
  /// Whether a row has a pass for results.
  bool hasElementResults() const {
    return llvm::any_of(results, [](const Buffer &result) {
      return result.kind != RowKind::Row && result.kind != RowKind::Scalar;
    });
  }
  void loadBuffers(Value pointers);
  void emitScalars();
  void emitBlocks();
  void emitBlock(Value from, Value to, Value block);
  SmallVector<Value> emitRange(Value from, Value to, ValueRange accumulators);
  SmallVector<Value> emitRow(Value row, ValueRange accumulators);
  SmallVector<Value> emitElements(Value from, Value to,
                                  ValueRange accumulators);
  void reduceRow(unsigned pass);
  SmallVector<Value> emitResults(Step &step, ValueRange accumulators);
  SmallVector<Value> emitColumns(ValueRange accumulators, StepBody stepBody);

  Value begin, end;
};
} // namespace

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
  accumulators = emitColumns(accumulators, [&](Step &step,
                                               ValueRange iterated) {
    SmallVector<Value> next(iterated);
    computeStep(step, roots);
    if (!hasElementResults() && pass > 0 && pass + 1 == analysis.reducingPasses)
      prefetchNextRow(step);
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
  if (analysis.reducingPasses > 0)
    prefetchNextRow(step);
  for (const Buffer &result : results) {
    if (result.kind != RowKind::Full)
      continue;
    SmallVector<Value> vectors = getVectors(step, yielded[result.index]);
    for (auto [j, mask] : llvm::enumerate(step.masks))
      storeVector(vectors[j], address(result, step, j), mask);
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
      Value target = address(partial, step, j);
      Value sum =
          make<arith::AddFOp>(loadVector(target, partial.type, mask), added[j]);
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
  if (hasElementResults())
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
      partials.push_back(
          {result.kind, builder.getF32Type(), loadNext(), result.index});
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

/// Rows [from, to), which are block `block`, and its partial sums.
void KernelEmitter::emitBlock(Value from, Value to, Value block) {
  SmallVector<Value> accumulators;
  for (const Buffer &partial : partials) {
    if (partial.kind == RowKind::Sum) {
      llvm::append_range(accumulators,
                         identities(train::Reduction::Sum, partial.type));
      continue;
    }
    int64_t columns = kernel.getColumns();
    Value first = address(partial.pointer, partial.type,
                          make<arith::MulIOp>(block, i64(columns)));
    rowPointers[partial.pointer] = first;
    LLVM::MemsetOp::create(builder, loc, first,
                           constant(builder.getI8IntegerAttr(0)),
                           i64(columns * bytesOf(partial.type)),
                           /*isVolatile=*/false);
  }
  accumulators = emitRange(from, to, accumulators);
  size_t sums = 0;
  for (const Buffer &partial : partials) {
    if (partial.kind != RowKind::Sum)
      continue;
    Value sum =
        reduceLanes(train::Reduction::Sum,
                    ArrayRef(accumulators).slice(sums++ * vectors, vectors));
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
  scf::ForOp::create(builder, loc, begin, end, grain, ValueRange(),
                     [&](OpBuilder &, Location, Value from, ValueRange) {
                       Value to = make<arith::MinSIOp>(
                           make<arith::AddIOp>(from, grain), end);
                       emitBlock(from, to, make<arith::DivSIOp>(from, grain));
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
        return kernel.emitOpError() << "has elements of type " << type
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

void KernelEmitter::emit() {
  OpBuilder::InsertionGuard guard(builder);
  MLIRContext *context = builder.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i64Type = builder.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, i64Type, i64Type});
  auto function = LLVM::LLVMFuncOp::create(builder, loc, kernel.getSymName(),
                                           type, LLVM::Linkage::Internal);
  std::string bits = std::to_string(width * 32);
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
  emitter.emit();
  return success();
}
