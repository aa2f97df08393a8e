//===- TrainDialect.cpp - The train dialect -------------------------------===//

#include "trireme/Dialect/Train/IR/Train.h"

using namespace mlir;
using namespace trireme::train;

#include "trireme/Dialect/Train/IR/TrainDialect.cpp.inc"

void TrainDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "trireme/Dialect/Train/IR/TrainOps.cpp.inc"
      >();
}

/// Whether `type` is a reshape of the tensor that `param` describes, with a
/// leading dim of layers if it is stacked.
static bool isStorageOf(ParamAttr param, RankedTensorType type) {
  if (param.isStacked()) {
    if (type.getRank() < 1)
      return false;
    return HostTensor::count(type.getShape().drop_front()) ==
           HostTensor::count(param.getShape());
  }
  return HostTensor::count(type.getShape()) ==
         HostTensor::count(param.getShape());
}

LogicalResult TrainDialect::verifyRegionArgAttribute(Operation *op,
                                                     unsigned regionIndex,
                                                     unsigned argIndex,
                                                     NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitError() << "'" << attribute.getName()
                           << "' belongs on the arguments of functions";
  auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[argIndex]);
  if (!type)
    return op->emitError() << "argument " << argIndex
                           << " has a role but is no ranked tensor";
  if (attribute.getName() == kParamName) {
    auto param = dyn_cast<ParamAttr>(attribute.getValue());
    if (!param)
      return op->emitError() << "'" << kParamName << "' must be #train.param";
    if (!isStorageOf(param, type))
      return op->emitError() << "argument " << argIndex << " has type " << type
                             << ", which is no reshape of the tensor \""
                             << param.getName() << "\"";
    return success();
  }
  if (attribute.getName() == kRoleName) {
    auto role = dyn_cast<RoleAttr>(attribute.getValue());
    if (!role)
      return op->emitError() << "'" << kRoleName << "' must be #train.role";
    bool needsParam = role.getValue() == Role::Parameter ||
                      role.getValue() == Role::FirstMoment ||
                      role.getValue() == Role::SecondMoment;
    if (needsParam && !function.getArgAttr(argIndex, kParamName))
      return op->emitError() << "argument " << argIndex << " is a "
                             << stringifyRole(role.getValue())
                             << " but has no '" << kParamName << "'";
    return success();
  }
  if (attribute.getName() == kHyperName || attribute.getName() == kPlaceName)
    return success();
  return op->emitError() << "unknown argument attribute '"
                         << attribute.getName() << "'";
}

LogicalResult TrainDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute) {
  return success();
}

//===----------------------------------------------------------------------===//
// Names in text
//===----------------------------------------------------------------------===//

void trireme::train::nameAfterLocation(
    Value value, function_ref<void(Value, StringRef)> setName) {
  auto location = dyn_cast<NameLoc>(value.getLoc());
  if (!location)
    return;
  StringRef name = location.getName().getValue();
  StringRef last = name.rsplit('.').second;
  if (last == "weight" || last == "bias") {
    // A parameter: the module's name says more.
    StringRef module = name.rsplit('.').first.rsplit('.').second;
    if (!module.empty())
      return setName(value, (module + "_" + last).str());
  }
  if (last == "{}") // A layer's residual stream.
    return setName(value, "layer");
  setName(value, last.empty() ? name : last);
}

void trireme::train::nameResults(Operation *op,
                                 function_ref<void(Value, StringRef)> setName) {
  if (op->getNumResults())
    nameAfterLocation(op->getResult(0), setName);
}
