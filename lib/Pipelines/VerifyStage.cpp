//===- VerifyStage.cpp - What a stage ensures -----------------------------===//
//
// One function a stage, each a list of checks with an error at the op at fault.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "trireme/Dialect/Runtime/IR/Runtime.h"
#include "trireme/Dialect/Train/IR/Train.h"
#include "trireme/Pipelines/Passes.h"
#include "llvm/ADT/StringSet.h"

namespace trireme {
#define GEN_PASS_DEF_VERIFYSTAGE
#include "trireme/Pipelines/Passes.h.inc"
} // namespace trireme

using namespace mlir;
using namespace trireme;
using namespace trireme::train;

/// The function `name`, with a body; an error without it.
static FailureOr<func::FuncOp> findFunction(ModuleOp module, StringRef name) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (function && !function.isExternal())
    return function;
  module.emitError() << "has no function @" << name;
  return failure();
}

/// Whether every argument has a role.
static LogicalResult verifyRoles(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!function.getArgAttrOfType<RoleAttr>(i, kRoleName))
      return function.emitOpError()
             << "argument " << i << " has no '" << kRoleName << "'";
  return success();
}

static LogicalResult verifyForward(ModuleOp module) {
  FailureOr<func::FuncOp> forward = findFunction(module, "forward");
  if (failed(forward) || failed(verifyRoles(*forward)))
    return failure();
  if (forward->getNumResults() != 2)
    return forward->emitOpError()
           << "returns " << forward->getNumResults()
           << " values, expected the loss sum and the count of targets";
  return success();
}

/// Whether @train returns every state that it takes.
static LogicalResult verifyState(func::FuncOp train) {
  llvm::StringSet<> returned;
  for (unsigned i = 0; i < train.getNumResults(); ++i) {
    auto name = train.getResultAttrOfType<StringAttr>(i, kResultName);
    if (!name)
      return train.emitOpError()
             << "result " << i << " has no '" << kResultName << "'";
    returned.insert(name.getValue());
  }
  for (unsigned i = 0; i < train.getNumArguments(); ++i) {
    auto role = train.getArgAttrOfType<RoleAttr>(i, kRoleName);
    auto param = train.getArgAttrOfType<ParamAttr>(i, kParamName);
    if (!param)
      continue;
    std::string name =
        (stringifyRole(role.getValue()) + ":" + param.getName()).str();
    if (!returned.contains(name))
      return train.emitOpError() << "does not return \"" << name << "\"";
  }
  return success();
}

static LogicalResult verifyStep(ModuleOp module) {
  FailureOr<func::FuncOp> train = findFunction(module, "train");
  FailureOr<func::FuncOp> evaluate = findFunction(module, "evaluate");
  if (failed(train) || failed(evaluate) || failed(verifyRoles(*train)) ||
      failed(verifyRoles(*evaluate)))
    return failure();
  return verifyState(*train);
}

static LogicalResult verifyRuntime(ModuleOp module) {
  if (!module->getAttrOfType<StringAttr>(runtime::kManifestName))
    return module.emitError() << "has no '" << runtime::kManifestName << "'";
  for (StringRef name : {"train", "evaluate"})
    if (failed(findFunction(module, name)))
      return failure();
  WalkResult result = module.walk([](Operation *op) {
    for (Type type : op->getResultTypes())
      if (isa<TensorType>(type)) {
        op->emitOpError() << "still makes a tensor, of type " << type;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult verifyLLVM(ModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) {
    if (op == module || isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
      return WalkResult::advance();
    op->emitOpError() << "is not of the LLVM dialect";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct VerifyStage : public trireme::impl::VerifyStageBase<VerifyStage> {
  using VerifyStageBase::VerifyStageBase;
  void runOnOperation() override {
    auto verify = llvm::StringSwitch<LogicalResult (*)(ModuleOp)>(stage)
                      .Case("forward", verifyForward)
                      .Case("step", verifyStep)
                      .Case("runtime", verifyRuntime)
                      .Case("llvm", verifyLLVM)
                      .Default(nullptr);
    if (!verify) {
      getOperation().emitError()
          << "unknown stage \"" << stage.getValue() << "\"";
      return signalPassFailure();
    }
    if (failed(verify(getOperation())))
      return signalPassFailure();
    getOperation()->setAttr(kStageName, StringAttr::get(&getContext(), stage));
  }
};
} // namespace
