//===- PadVocabulary.cpp - Vocabularies that split evenly -----------------===//
//
// Gives the tables that tokens look up in and the weights of heads rows of pad,
// and tells heads how many rows are none.
//
//===----------------------------------------------------------------------===//

#include "InferTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "trireme/Transforms/Optimizer/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace trireme::train {
#define GEN_PASS_DEF_PADVOCABULARY
#include "trireme/Transforms/Optimizer/Passes.h.inc"
} // namespace trireme::train

using namespace mlir;
using namespace trireme::train;

/// The argument of the function that the value is, through what loops only
/// read; null if it is none.
static BlockArgument findArgument(Value value) {
  while (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<LoopOp>(argument.getOwner()->getParentOp());
    if (!loop)
      return argument;
    unsigned first = loop.getCarries().size() + loop.getEaches().size();
    if (argument.getArgNumber() < first)
      break;
    value = loop->getOperand(argument.getArgNumber());
  }
  return {};
}

namespace {
struct PadVocabulary
    : public trireme::train::impl::PadVocabularyBase<PadVocabulary> {
  using PadVocabularyBase::PadVocabularyBase;

  /// Pads dim `dim` of `table`, an operand of `user`; how many rows are none.
  FailureOr<int64_t> pad(Operation *user, Value table, int64_t dim,
                         func::FuncOp forward);
  LogicalResult padTables(func::FuncOp forward);

  void runOnOperation() override {
    auto forward = getOperation().lookupSymbol<func::FuncOp>("forward");
    if (!forward || !forward.getBody().hasOneBlock()) {
      getOperation().emitError() << "has no function @forward of one block";
      return signalPassFailure();
    }
    if (multiple < 1) {
      getOperation().emitError() << "option multiple is " << multiple.getValue()
                                 << ", expected at least 1";
      return signalPassFailure();
    }
    Block &body = forward.getBody().front();
    if (failed(padTables(forward)) || failed(inferTypes(body, {})))
      return signalPassFailure();
    forward.setType(FunctionType::get(&getContext(), body.getArgumentTypes(),
                                      body.getTerminator()->getOperandTypes()));
  }
};
} // namespace

FailureOr<int64_t> PadVocabulary::pad(Operation *user, Value table, int64_t dim,
                                      func::FuncOp forward) {
  auto type = cast<RankedTensorType>(table.getType());
  BlockArgument argument = findArgument(table);
  auto param = argument ? forward.getArgAttrOfType<ParamAttr>(
                              argument.getArgNumber(), kParamName)
                        : ParamAttr();
  if (!param || dim != 0) {
    if (type.getDimSize(dim) % multiple == 0)
      return type.getDimSize(dim);
    return user->emitOpError()
           << "needs " << type.getDimSize(dim)
           << " rows that are no multiple of " << multiple.getValue()
           << ", but only the first dim of a parameter can be padded";
  }
  SmallVector<int64_t> shape(type.getShape());
  int64_t rows = param.getShape()[0];
  shape[0] = llvm::alignTo(rows, multiple);
  numPadded += shape[0] != type.getDimSize(0);
  argument.setType(RankedTensorType::get(shape, type.getElementType()));
  return rows;
}

LogicalResult PadVocabulary::padTables(func::FuncOp forward) {
  auto looksUpTokens = [&](LookupOpInterface lookup) {
    BlockArgument ids = findArgument(lookup.getLookupIds());
    return ids && getRole(forward, ids.getArgNumber()) == Role::Tokens;
  };
  WalkResult result = forward.walk([&](Operation *op) {
    if (auto lookup = dyn_cast<LookupOpInterface>(op);
        lookup && looksUpTokens(lookup) &&
        failed(pad(op, lookup.getLookupTable(), lookup.getLookupRowsDim(),
                   forward)))
      return WalkResult::interrupt();
    auto head = dyn_cast<HeadOpInterface>(op);
    if (!head)
      return WalkResult::advance();
    FailureOr<int64_t> rows =
        pad(op, head.getHeadWeight(), head.getVocabularyDim(), forward);
    if (failed(rows))
      return WalkResult::interrupt();
    head.setValidRows(*rows % multiple ? *rows : 0);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
