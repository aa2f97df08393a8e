//===- Loop.cpp - train.loop ----------------------------------------------===//

#include "Common.h"

using namespace mlir;
using namespace trireme::train;

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

RankedTensorType LoopOp::getSliceType(Type stack) {
  auto type = cast<RankedTensorType>(stack);
  return RankedTensorType::get(type.getShape().drop_front(),
                               type.getElementType());
}

RankedTensorType LoopOp::getStackType(Type slice, int64_t count) {
  auto type = cast<RankedTensorType>(slice);
  SmallVector<int64_t> shape{count};
  llvm::append_range(shape, type.getShape());
  return RankedTensorType::get(shape, type.getElementType());
}

YieldOp LoopOp::getYield() {
  return cast<YieldOp>(getLoopBody()->getTerminator());
}

MutableArrayRef<BlockArgument> LoopOp::getCarryArguments() {
  return getLoopBody()->getArguments().take_front(getCarries().size());
}

MutableArrayRef<BlockArgument> LoopOp::getEachArguments() {
  return getLoopBody()->getArguments().slice(getCarries().size(),
                                             getEaches().size());
}

MutableArrayRef<BlockArgument> LoopOp::getWithArguments() {
  return getLoopBody()->getArguments().take_back(getWiths().size());
}

ResultRange LoopOp::getCarryResults() {
  return getOutputs().take_front(getCarries().size());
}

ResultRange LoopOp::getStackedResults() {
  return getOutputs().drop_front(getCarries().size());
}

void LoopOp::inferResultTypes() {
  for (auto [result, carry] : llvm::zip_equal(getCarryResults(), getCarries()))
    result.setType(carry.getType());
  for (auto [result, slice] :
       llvm::zip_equal(getStackedResults(), getYield().getStacked()))
    result.setType(getStackType(slice.getType(), getCount()));
}

void LoopOp::build(OpBuilder &builder, OperationState &state, StringRef label,
                   int64_t count, int64_t first, bool reverse,
                   ValueRange carries, ValueRange eaches, ValueRange withs,
                   TypeRange stackedTypes) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.label = builder.getStringAttr(label);
  properties.count = builder.getI64IntegerAttr(count);
  properties.first = builder.getI64IntegerAttr(first);
  if (reverse)
    properties.reverse = builder.getUnitAttr();
  properties.operandSegmentSizes = {
      int32_t(carries.size()), int32_t(eaches.size()), int32_t(withs.size())};
  state.addOperands(carries);
  state.addOperands(eaches);
  state.addOperands(withs);
  state.addTypes(carries.getTypes());
  for (Type slice : stackedTypes)
    state.addTypes(getStackType(slice, count));
  Block &body = state.addRegion()->emplaceBlock();
  for (Value carry : carries)
    body.addArgument(carry.getType(), carry.getLoc());
  for (Value each : eaches)
    body.addArgument(getSliceType(each.getType()), each.getLoc());
  for (Value with : withs)
    body.addArgument(with.getType(), with.getLoc());
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult LoopOp::verify() {
  // C1
  if (int64_t(getCount()) < 1 || int64_t(getFirst()) < 0)
    return emitOpError() << "has count " << int64_t(getCount()) << " and first "
                         << int64_t(getFirst())
                         << ", expected count >= 1 and first >= 0";
  // C2
  for (auto [index, each] : llvm::enumerate(getEaches())) {
    ArrayRef<int64_t> shape = shapeOf(each);
    if (shape.empty() || shape[0] != int64_t(getCount()))
      return emitOpError() << "takes slices of operand " << index << " of type "
                           << each.getType() << " in " << int64_t(getCount())
                           << " iterations";
  }
  if (getOutputs().size() < getCarries().size())
    return emitOpError() << "has " << getOutputs().size() << " results for "
                         << getCarries().size() << " carries";
  return success();
}

LogicalResult LoopOp::verifyRegions() {
  auto yield = dyn_cast<YieldOp>(getLoopBody()->getTerminator());
  if (!yield)
    return emitOpError() << "must end in train.yield";
  // C3
  size_t arguments =
      getCarries().size() + getEaches().size() + getWiths().size();
  if (getLoopBody()->getNumArguments() != arguments)
    return emitOpError() << "has a body of " << getLoopBody()->getNumArguments()
                         << " arguments for " << arguments << " operands";
  auto check = [&](Value argument, Type expected) -> LogicalResult {
    if (argument.getType() != expected)
      return emitOpError() << "has a body argument of type "
                           << argument.getType() << ", expected " << expected;
    return success();
  };
  for (auto [argument, carry] :
       llvm::zip_equal(getCarryArguments(), getCarries()))
    if (failed(check(argument, carry.getType())))
      return failure();
  for (auto [argument, each] : llvm::zip_equal(getEachArguments(), getEaches()))
    if (failed(check(argument, getSliceType(each.getType()))))
      return failure();
  for (auto [argument, with] : llvm::zip_equal(getWithArguments(), getWiths()))
    if (failed(check(argument, with.getType())))
      return failure();
  // C4
  if (yield.getCarries().getTypes() != getCarries().getTypes() ||
      getCarryResults().getTypes() != getCarries().getTypes())
    return emitOpError() << "yields carries of types "
                         << yield.getCarries().getTypes() << ", expected "
                         << getCarries().getTypes();
  if (yield.getStacked().size() != getStackedResults().size())
    return emitOpError() << "yields " << yield.getStacked().size()
                         << " slices for " << getStackedResults().size()
                         << " stacked results";
  for (auto [slice, result] :
       llvm::zip_equal(yield.getStacked(), getStackedResults()))
    if (result.getType() != getStackType(slice.getType(), getCount()))
      return emitOpError() << "stacks slices of type " << slice.getType()
                           << " into " << result.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Text: "label" count N [first F] [reverse] carry(...) each(...) with(...)
//       stacked(types) { body }
//===----------------------------------------------------------------------===//

/// keyword(%argument = %operand : type, ...), if the keyword is there.
static ParseResult
parseBindings(OpAsmParser &parser, StringRef keyword,
              SmallVectorImpl<OpAsmParser::Argument> &arguments,
              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
              SmallVectorImpl<Type> &types) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  return parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        return failure(parser.parseArgument(arguments.emplace_back()) ||
                       parser.parseEqual() ||
                       parser.parseOperand(operands.emplace_back()) ||
                       parser.parseColonType(types.emplace_back()));
      });
}

ParseResult LoopOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  auto &properties = state.getOrAddProperties<Properties>();
  int64_t count = 0, first = 0;
  if (parser.parseAttribute(properties.label) || parser.parseKeyword("count") ||
      parser.parseInteger(count))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("first")) &&
      parser.parseInteger(first))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("reverse")))
    properties.reverse = builder.getUnitAttr();
  properties.count = builder.getI64IntegerAttr(count);
  properties.first = builder.getI64IntegerAttr(first);

  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands[3];
  SmallVector<Type> types[3];
  constexpr StringLiteral keywords[] = {"carry", "each", "with"};
  for (unsigned i = 0; i < 3; ++i) {
    SMLoc loc = parser.getCurrentLocation();
    size_t before = arguments.size();
    if (parseBindings(parser, keywords[i], arguments, operands[i], types[i]) ||
        parser.resolveOperands(operands[i], types[i], loc, state.operands))
      return failure();
    for (auto [argument, type] : llvm::zip_equal(
             MutableArrayRef(arguments).drop_front(before), types[i])) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || (i == 1 && tensor.getRank() == 0))
        return parser.emitError(loc)
               << "\"" << keywords[i] << "\" needs ranked tensors, found "
               << type;
      argument.type = i == 1 ? Type(getSliceType(type)) : type;
    }
    properties.operandSegmentSizes[i] = int32_t(operands[i].size());
  }
  state.addTypes(types[0]);
  if (succeeded(parser.parseOptionalKeyword("stacked"))) {
    SmallVector<Type> stacked;
    if (parser.parseLParen() || parser.parseTypeList(stacked) ||
        parser.parseRParen())
      return failure();
    state.addTypes(stacked);
  }
  return failure(parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
                 parser.parseRegion(*state.addRegion(), arguments));
}

void LoopOp::print(OpAsmPrinter &printer) {
  printer << " " << getLabelAttr() << " count " << int64_t(getCount());
  if (getFirst())
    printer << " first " << int64_t(getFirst());
  if (getReverse())
    printer << " reverse";
  auto bindings = [&](StringRef keyword, ArrayRef<BlockArgument> arguments,
                      OperandRange operands) {
    if (operands.empty())
      return;
    printer << " " << keyword << "(";
    llvm::interleaveComma(
        llvm::zip_equal(arguments, operands), printer, [&](auto pair) {
          auto [argument, operand] = pair;
          printer << argument << " = " << operand << " : " << operand.getType();
        });
    printer << ")";
  };
  bindings("carry", getCarryArguments(), getCarries());
  bindings("each", getEachArguments(), getEaches());
  bindings("with", getWithArguments(), getWiths());
  if (!getStackedResults().empty())
    printer << " stacked(" << getStackedResults().getTypes() << ")";
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {"label", "count", "first", "reverse", "operandSegmentSizes"});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}
