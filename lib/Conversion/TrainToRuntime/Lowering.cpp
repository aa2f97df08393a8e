//===- Lowering.cpp - What lowerings share --------------------------------===//

#include "trireme/Conversion/TrainToRuntime/Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace trireme;
using namespace trireme::train;

StringRef trireme::getModulePath(Location location) {
  StringRef path;
  location->walk([&](Location part) {
    auto name = dyn_cast<NameLoc>(part);
    if (!name)
      return WalkResult::advance();
    path = name.getName().getValue();
    return WalkResult::interrupt();
  });
  return path;
}

int64_t ManifestTables::add(llvm::json::Array &table, llvm::json::Object entry,
                            Location location) {
  if (StringRef path = getModulePath(location); !path.empty())
    entry["at"] = path;
  llvm::json::Value value(std::move(entry));
  for (auto [index, known] : llvm::enumerate(table))
    if (known == value)
      return index;
  table.push_back(std::move(value));
  return table.size() - 1;
}

/// How many loops enclose the loop.
static unsigned getDepth(LoopOp loop) {
  unsigned depth = 0;
  for (Operation *parent = loop->getParentOp(); parent;
       parent = parent->getParentOp())
    depth += isa<LoopOp>(parent);
  return depth;
}

PlaceAttr RuntimeEmitter::placeOf(Value tensor) {
  if (auto result = dyn_cast<OpResult>(tensor)) {
    auto places = result.getOwner()->getAttrOfType<ArrayAttr>(kPlacesName);
    return cast<PlaceAttr>(places[result.getResultNumber()]);
  }
  auto argument = cast<BlockArgument>(tensor);
  unsigned index = argument.getArgNumber();
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto function = dyn_cast<func::FuncOp>(parent))
    return function.getArgAttrOfType<PlaceAttr>(index, kPlaceName);
  auto loop = cast<LoopOp>(parent);
  unsigned carries = loop.getCarries().size();
  if (index < carries)
    return cast<PlaceAttr>(
        loop->getAttrOfType<ArrayAttr>(kCarryPlacesName)[index]);
  PlaceAttr operand = placeOf(loop->getOperand(index));
  if (index < carries + loop.getEaches().size())
    return operand.getSlice(getDepth(loop), getByteSize(argument.getType()));
  return operand;
}

Value RuntimeEmitter::address(PlaceAttr place) {
  SmallVector<Value> indices;
  SmallVector<int64_t> strides;
  for (auto [depth, stride] : llvm::enumerate(place.getStrides()))
    if (stride) {
      indices.push_back(iterations[depth]);
      strides.push_back(stride);
    }
  return runtime::BufferOp::create(builder, arena.getLoc(), arena.getType(),
                                   arena, uint64_t(place.getOffset()), indices,
                                   strides);
}

Value RuntimeEmitter::address(Value tensor) { return address(placeOf(tensor)); }

void RuntimeEmitter::call(Location loc, StringRef callee, ValueRange pointers,
                          ArrayRef<int64_t> integers,
                          ArrayRef<double> constants) {
  auto call = runtime::CallOp::create(
      builder, loc, callee, context, pointers, integers,
      constants.empty() ? DenseF64ArrayAttr()
                        : builder.getDenseF64ArrayAttr(constants));
  (void)call;
}

void RuntimeEmitter::copy(Location loc, PlaceAttr from, PlaceAttr to,
                          int64_t bytes) {
  if (from == to)
    return;
  // Rows for the parallel-for: the largest power of two that divides.
  int64_t row = std::min<int64_t>(bytes & -bytes, 1 << 16);
  if (row < 1024)
    row = bytes;
  call(loc, "trireme_copy", {address(from), address(to)},
       {row, row, bytes / row, row});
}

void RuntimeEmitter::copyUpdated(Value operand, Value result) {
  copy(result.getLoc(), placeOf(operand), placeOf(result),
       getByteSize(result.getType()));
}

Value RuntimeEmitter::layer(Location loc) {
  for (size_t depth = loops.size(); depth-- > 0;) {
    if (loops[depth].getLabel() != "layers")
      continue;
    Value first =
        arith::ConstantIndexOp::create(builder, loc, loops[depth].getFirst());
    return arith::AddIOp::create(builder, loc, iterations[depth], first);
  }
  return arith::ConstantIndexOp::create(builder, loc, 0);
}

/// The operand that an argument of a loop's body stands for, through all
/// enclosing loops; carries stay what they are.
static Value getOuterValue(Value value) {
  while (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<LoopOp>(argument.getOwner()->getParentOp());
    unsigned index = argument.getArgNumber();
    if (!loop || index < loop.getCarries().size())
      break;
    value = loop->getOperand(index);
  }
  return value;
}

/// The function's argument that the value is a part of, or none: the function
/// is then null.
static std::pair<func::FuncOp, unsigned> findArgument(Value value) {
  value = getOuterValue(value);
  while (Value source = getViewSource(value))
    value = getOuterValue(source);
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return {};
  return {dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()),
          argument.getArgNumber()};
}

std::optional<Role> trireme::getArgumentRole(Value value) {
  auto [function, index] = findArgument(value);
  return function ? getRole(function, index) : std::nullopt;
}

ParamAttr trireme::getArgumentParam(Value value) {
  auto [function, index] = findArgument(value);
  return function ? function.getArgAttrOfType<ParamAttr>(index, kParamName)
                  : ParamAttr();
}

void trireme::registerTrainLowerings(LoweringRegistry &registry) {
  registerLinearLowerings(registry);
  registerAttentionLowerings(registry);
  registerEmbeddingLowerings(registry);
  registerShapeLowerings(registry);
  registerRowsLowerings(registry);
}
