//===- Rows.cpp - Kernels and their launches ------------------------------===//
//
// A train.rows becomes a runtime.kernel and a launch; sums over rows get a
// second stage.
//
//===----------------------------------------------------------------------===//

#include "trireme/Conversion/TrainToRuntime/Lowering.h"

using namespace mlir;
using namespace trireme;
using namespace trireme::train;

static RowKind kindAt(ArrayAttr kinds, unsigned index) {
  return cast<RowKindAttr>(kinds[index]).getValue();
}

/// Rows (elements, if flat) of a block of the kernel's parallel-for.
static int64_t getGrain(RowsOp op, int64_t launchElements) {
  bool sums = llvm::any_of(op.getResultKinds(), [](Attribute kind) {
    return isSum(cast<RowKindAttr>(kind).getValue());
  });
  if (sums)
    return op->getAttrOfType<IntegerAttr>(kGrainName).getInt();
  return llvm::divideCeil(launchElements, op.getColumns());
}

static ArrayAttr elementTypes(OpBuilder &builder, ValueRange values) {
  SmallVector<Attribute> types;
  for (Value value : values)
    types.push_back(TypeAttr::get(
        cast<RankedTensorType>(value.getType()).getElementType()));
  return builder.getArrayAttr(types);
}

/// A kernel with the body of `op`. Equal kernels become one in
/// `runtime-merge-kernels`.
static runtime::KernelOp createKernel(RowsOp op, int64_t grain,
                                      RuntimeEmitter &emit) {
  StringRef name = op.getName();
  unsigned namesakes = llvm::count_if(
      emit.module.getOps<runtime::KernelOp>(), [&](runtime::KernelOp other) {
        return other.getSymName().starts_with(name);
      });
  std::string symbol = name.str();
  if (namesakes)
    symbol += "_" + std::to_string(namesakes);
  OpBuilder builder = OpBuilder::atBlockBegin(emit.module.getBody());
  // A flat kernel is for any number of elements.
  int64_t rows = op.getFlat() ? 1 : op.getRows();
  auto kernel = runtime::KernelOp::create(
      builder, op.getLoc(), symbol, rows, op.getColumns(), grain, op.getFlat(),
      op.getOperandKinds(), elementTypes(builder, op.getInputs()),
      op.getResultKinds(), elementTypes(builder, op.getOutputs()));
  IRMapping mapping;
  op.getBody().cloneInto(&kernel.getBody(), mapping);
  return kernel;
}

/// How many reductions follow one another in the body: the longest chain.
static int64_t countPasses(RowsOp op) {
  DenseMap<Value, int64_t> level;
  int64_t passes = 1;
  for (Operation &nested : op.getBody().front()) {
    int64_t deepest = 0;
    for (Value operand : nested.getOperands())
      deepest = std::max(deepest, level.lookup(operand));
    deepest += isa<ReduceOp>(nested);
    passes = std::max(passes, deepest + 1);
    for (Value result : nested.getResults())
      level[result] = deepest;
  }
  return passes;
}

/// Bytes that a kernel moves beyond reading operands and writing results once:
/// partial sums, written and read, and further passes over rows too long to
/// stay in a second-level cache.
static int64_t getExtraBytes(RowsOp op, int64_t grain) {
  constexpr int64_t cacheBytes = 512 << 10;
  int64_t blocks = llvm::divideCeil(op.getRows(), grain);
  int64_t extra = 0, row = 0;
  for (auto [result, kind] :
       llvm::zip_equal(op.getOutputs(), op.getResultKinds()))
    if (isSum(cast<RowKindAttr>(kind).getValue()))
      extra += 2 * blocks * getByteSize(result.getType());
  for (auto [operand, kind] :
       llvm::zip_equal(op.getInputs(), op.getOperandKinds()))
    if (cast<RowKindAttr>(kind).getValue() == RowKind::Full)
      row += getByteSize(operand.getType()) / op.getRows();
  if (row > cacheBytes)
    extra += (countPasses(op) - 1) * row * op.getRows();
  return extra;
}

static LogicalResult lowerRows(RowsOp op, RuntimeEmitter &emit) {
  Location loc = op.getLoc();
  int64_t grain = getGrain(op, emit.launchElements);
  runtime::KernelOp kernel = createKernel(op, grain, emit);

  // What is updated in place is read where it is written.
  SmallVector<Value> read(op.getInputs());
  for (auto [result, operand] :
       llvm::zip_equal(op.getOutputs(), op.getUpdated()))
    if (operand >= 0) {
      emit.copyUpdated(op.getInputs()[operand], result);
      read[operand] = result;
    }
  int64_t bytes = 0;
  SmallVector<Value> pointers;
  for (Value value :
       llvm::concat<Value>(read, SmallVector<Value>(op.getOutputs()))) {
    pointers.push_back(emit.address(value));
    bytes += getByteSize(value.getType());
  }
  SmallVector<Value> partials;
  if (auto workspace = op->getAttrOfType<ArrayAttr>(kWorkspaceName))
    for (Attribute place : workspace)
      partials.push_back(emit.address(cast<PlaceAttr>(place)));
  llvm::append_range(pointers, partials);

  int64_t table = emit.tables.kernels.size();
  llvm::json::Object entry{{"name", kernel.getSymName()},
                           {"bytes", bytes},
                           {"bytes_moved", bytes + getExtraBytes(op, grain)}};
  if (StringRef path = getModulePath(loc); !path.empty())
    entry["at"] = path;
  emit.tables.kernels.push_back(std::move(entry));
  int64_t count = op.getRows();
  runtime::LaunchOp::create(emit.builder, loc, emit.context,
                            kernel.getSymName(), uint64_t(table), pointers,
                            uint64_t(count), uint64_t(grain));
  // The second stage of sums.
  unsigned next = 0;
  for (auto [index, result] : llvm::enumerate(op.getOutputs())) {
    if (!isSum(kindAt(op.getResultKinds(), index)))
      continue;
    if (!cast<RankedTensorType>(result.getType()).getElementType().isF32())
      return op.emitOpError() << "sums to " << result.getType()
                              << ", but only f32 sums can be lowered";
    emit.call(loc, "trireme_sum_partials",
              {partials[next++], emit.address(result)},
              {int64_t(llvm::divideCeil(count, grain)),
               cast<RankedTensorType>(result.getType()).getNumElements()});
  }
  return success();
}

void trireme::registerRowsLowerings(LoweringRegistry &registry) {
  registry.add<RowsOp>(lowerRows);
}
