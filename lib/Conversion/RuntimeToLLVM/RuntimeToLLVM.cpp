//===- RuntimeToLLVM.cpp - The runtime dialect becomes calls --------------===//
//
// Every operation is one call of a function of program.h. Functions on
// (context, arena) become LLVM functions here; loops and index arithmetic in
// them are left to upstream's conversions.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "trireme/Conversion/Passes.h"
#include "trireme/Dialect/Runtime/IR/Runtime.h"

namespace trireme {
#define GEN_PASS_DEF_CONVERTRUNTIMETOLLVM
#include "trireme/Conversion/Passes.h.inc"
} // namespace trireme

using namespace mlir;
using namespace trireme;

/// TRIREME_PROGRAM_ABI of program.h.
constexpr int32_t kProgramAbi = 1;

namespace {
struct ConvertRuntimeToLLVM
    : public trireme::impl::ConvertRuntimeToLLVMBase<ConvertRuntimeToLLVM> {
  void runOnOperation() override;
};

/// Rewrites the operations of one module.
struct Converter {
  Converter(ModuleOp module)
      : module(module), builder(module.getContext()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())),
        nothing(LLVM::LLVMVoidType::get(module.getContext())) {}

  LogicalResult convert(Operation *op);
  LogicalResult convertFunction(func::FuncOp function);
  void addProgram(StringRef manifest);

private:
  void convertBuffer(runtime::BufferOp op);
  LogicalResult convertLaunch(runtime::LaunchOp op);
  LogicalResult convertCall(runtime::CallOp op);
  LogicalResult call(Operation *op, StringRef callee, ValueRange arguments);
  LLVM::GlobalOp addConstant(Location loc, StringRef name, Type type,
                             Attribute value);
  /// The table, the layer, then the operands after the context.
  SmallVector<Value> tableArguments(Value context, int64_t table,
                                    ValueRange rest);

  Value constant(Location loc, int64_t value, unsigned bits) {
    return LLVM::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(builder.getIntegerType(bits), value));
  }
  Value toI64(Location loc, Value index) {
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      index);
  }

  ModuleOp module;
  OpBuilder builder;
  Type pointer, nothing;
  /// Arrays of pointers for launches, one a function and size: a launch has
  /// ended when the next one writes them.
  DenseMap<std::pair<Operation *, unsigned>, Value> launchArrays;
  unsigned constants = 0;
};
} // namespace

/// Calls `callee`, declared at first use, in place of `op`.
LogicalResult Converter::call(Operation *op, StringRef callee,
                              ValueRange arguments) {
  auto type = LLVM::LLVMFunctionType::get(
      nothing, llvm::to_vector(arguments.getTypes()));
  Operation *symbol = SymbolTable::lookupSymbolIn(module, callee);
  auto function = dyn_cast_or_null<LLVM::LLVMFuncOp>(symbol);
  if (!symbol) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    function = LLVM::LLVMFuncOp::create(builder, module.getLoc(), callee, type);
    function.setNoUnwind(true);
  } else if (!function || function.getFunctionType() != type) {
    return op->emitOpError()
           << "calls \"" << callee << "\" as a function of type " << type
           << ", but the module has another one";
  }
  LLVM::CallOp::create(builder, op->getLoc(), function, arguments);
  op->erase();
  return success();
}

/// Adds a private constant.
LLVM::GlobalOp Converter::addConstant(Location loc, StringRef name, Type type,
                                      Attribute value) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  return LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                LLVM::Linkage::Private, name, value,
                                /*alignment=*/64);
}

void Converter::convertBuffer(runtime::BufferOp op) {
  Location loc = op.getLoc();
  Value address = op.getArena();
  Type byte = builder.getI8Type();
  for (auto [index, stride] : llvm::zip(op.getIndices(), op.getStrides())) {
    Value bytes = LLVM::MulOp::create(builder, loc, toI64(loc, index),
                                      constant(loc, stride, 64));
    address = LLVM::GEPOp::create(builder, loc, pointer, byte, address,
                                  ArrayRef<LLVM::GEPArg>{bytes});
  }
  // An offset may exceed the 32 bits of a constant index.
  if (op.getOffset() != 0)
    address = LLVM::GEPOp::create(
        builder, loc, pointer, byte, address,
        ArrayRef<LLVM::GEPArg>{constant(loc, op.getOffset(), 64)});
  op.replaceAllUsesWith(address);
  op.erase();
}

LogicalResult Converter::convertLaunch(runtime::LaunchOp op) {
  Location loc = op.getLoc();
  Operation *kernel = SymbolTable::lookupSymbolIn(module, op.getKernelAttr());
  if (!isa_and_nonnull<LLVM::LLVMFuncOp>(kernel))
    return op.emitOpError() << "launches @" << op.getKernel()
                            << ", which is no function of the module";
  Operation *function = op->getParentOfType<LLVM::LLVMFuncOp>();
  unsigned count = op.getPointers().size();
  Value &array = launchArrays[{function, count}];
  if (!array) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&function->getRegion(0).front());
    array = LLVM::AllocaOp::create(builder, loc, pointer, pointer,
                                   constant(loc, count, 32));
  }
  for (auto [index, value] : llvm::enumerate(op.getPointers())) {
    Value place = LLVM::GEPOp::create(builder, loc, pointer, pointer, array,
                                      ArrayRef<LLVM::GEPArg>{int32_t(index)});
    LLVM::StoreOp::create(builder, loc, value, place);
  }
  Value address =
      LLVM::AddressOfOp::create(builder, loc, pointer, op.getKernel());
  return call(op, "trireme_launch",
              {op.getContext(), constant(loc, op.getTable(), 32), address,
               array, constant(loc, op.getCount(), 64),
               constant(loc, op.getGrain(), 64)});
}

LogicalResult Converter::convertCall(runtime::CallOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> arguments = {op.getContext()};
  llvm::append_range(arguments, op.getPointers());
  if (std::optional<ArrayRef<double>> values = op.getConstants()) {
    auto data = DenseElementsAttr::get(
        RankedTensorType::get({int64_t(values->size())}, builder.getF64Type()),
        *values);
    auto type = LLVM::LLVMArrayType::get(builder.getF64Type(), values->size());
    auto global = addConstant(
        loc, "trireme_constants_" + std::to_string(constants++), type, data);
    Value address = LLVM::AddressOfOp::create(builder, loc, global);
    size_t place = std::min<size_t>(2, arguments.size());
    arguments.insert(arguments.begin() + place, address);
  }
  for (int64_t value : op.getIntegers())
    arguments.push_back(constant(loc, value, 64));
  return call(op, op.getCallee(), arguments);
}

SmallVector<Value> Converter::tableArguments(Value context, int64_t table,
                                             ValueRange rest) {
  Location loc = context.getLoc();
  SmallVector<Value> arguments = {context, constant(loc, table, 32)};
  for (Value value : rest)
    arguments.push_back(isa<IndexType>(value.getType()) ? toI64(loc, value)
                                                        : value);
  return arguments;
}

LogicalResult Converter::convert(Operation *op) {
  builder.setInsertionPoint(op);
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](runtime::BufferOp buffer) {
        convertBuffer(buffer);
        return success();
      })
      .Case([&](runtime::GemmOp gemm) {
        Value bias = LLVM::ZeroOp::create(builder, op->getLoc(), pointer);
        return call(op, "trireme_gemm",
                    tableArguments(gemm.getContext(), gemm.getTable(),
                                   {gemm.getLhs(), gemm.getRhs(), bias,
                                    gemm.getResult()}));
      })
      .Case([&](runtime::AttentionOp attention) {
        return call(op, "trireme_attention_forward",
                    tableArguments(attention.getContext(), attention.getTable(),
                                   op->getOperands().drop_front()));
      })
      .Case([&](runtime::AttentionGradOp attention) {
        return call(op, "trireme_attention_backward",
                    tableArguments(attention.getContext(), attention.getTable(),
                                   op->getOperands().drop_front()));
      })
      .Case([&](runtime::LaunchOp launch) { return convertLaunch(launch); })
      .Case([&](runtime::CallOp call) { return convertCall(call); })
      .Case([&](func::ReturnOp) {
        LLVM::ReturnOp::create(builder, op->getLoc(), ValueRange());
        op->erase();
        return success();
      })
      .Case([&](func::CallOp inner) {
        auto function = SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(
            op, inner.getCalleeAttr());
        LLVM::CallOp::create(builder, op->getLoc(), function,
                             op->getOperands());
        op->erase();
        return success();
      })
      .Default([](Operation *) { return success(); });
}

/// Makes an LLVM function of a function of pointers that returns nothing.
LogicalResult Converter::convertFunction(func::FuncOp function) {
  FunctionType type = function.getFunctionType();
  if (type.getNumResults() != 0 ||
      llvm::any_of(type.getInputs(),
                   [&](Type input) { return input != pointer; }))
    return function.emitOpError()
           << "has type " << type << ", expected pointers and no result";
  builder.setInsertionPoint(function);
  auto converted = LLVM::LLVMFuncOp::create(
      builder, function.getLoc(), function.getSymName(),
      LLVM::LLVMFunctionType::get(nothing, type.getInputs()),
      function.isExternal() ? LLVM::Linkage::External
                            : LLVM::Linkage::Internal);
  converted.setNoUnwind(true);
  converted.getBody().takeBody(function.getBody());
  function.erase();
  return success();
}

/// Adds `trireme_compiled_program`, the struct trireme_program of program.h.
void Converter::addProgram(StringRef manifest) {
  Location loc = module.getLoc();
  auto text = addConstant(
      loc, "trireme_manifest",
      LLVM::LLVMArrayType::get(builder.getI8Type(), manifest.size()),
      builder.getStringAttr(manifest));
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  auto type = LLVM::LLVMStructType::getLiteral(
      module.getContext(), {i32, i32, pointer, i64, pointer, pointer});
  builder.setInsertionPointToEnd(module.getBody());
  auto program = LLVM::GlobalOp::create(
      builder, loc, type, /*isConstant=*/true, LLVM::Linkage::External,
      "trireme_compiled_program", Attribute());
  Block *block = builder.createBlock(&program.getInitializerRegion());
  builder.setInsertionPointToStart(block);
  Value fields[] = {
      constant(loc, kProgramAbi, 32),
      constant(loc, 0, 32),
      LLVM::AddressOfOp::create(builder, loc, text),
      constant(loc, manifest.size(), 64),
      LLVM::AddressOfOp::create(builder, loc, pointer, "train"),
      LLVM::AddressOfOp::create(builder, loc, pointer, "evaluate")};
  Value value = LLVM::UndefOp::create(builder, loc, type);
  for (auto [index, field] : llvm::enumerate(fields))
    value =
        LLVM::InsertValueOp::create(builder, loc, value, field, int64_t(index));
  LLVM::ReturnOp::create(builder, loc, value);
}

void ConvertRuntimeToLLVM::runOnOperation() {
  ModuleOp module = getOperation();
  Converter converter(module);
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  for (func::FuncOp function : functions)
    if (failed(converter.convertFunction(function)))
      return signalPassFailure();
  SmallVector<Operation *> ops;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    function.walk([&](Operation *op) {
      if (isa_and_nonnull<runtime::RuntimeDialect, func::FuncDialect>(
              op->getDialect()))
        ops.push_back(op);
    });
  for (Operation *op : ops)
    if (failed(converter.convert(op)))
      return signalPassFailure();
  auto manifest = module->getAttrOfType<StringAttr>(runtime::kManifestName);
  if (!manifest)
    return;
  for (StringRef name : {"train", "evaluate"})
    if (!module.lookupSymbol<LLVM::LLVMFuncOp>(name)) {
      module.emitError() << "has a manifest, but no function @" << name;
      return signalPassFailure();
    }
  converter.addProgram(manifest);
  module->removeAttr(runtime::kManifestName);
}
