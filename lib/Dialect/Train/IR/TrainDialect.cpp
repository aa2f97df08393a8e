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

/// What an attribute of a name that we know must be, by its kind; null if it
/// is that, or if the name is another's.
static const char *findExpectation(StringRef name, Attribute value) {
  auto expect = [](bool fits, const char *what) {
    return fits ? nullptr : what;
  };
  if (name == kPlaceName)
    return expect(isa<PlaceAttr>(value), "#train.place");
  if (llvm::is_contained({kPlacesName, kCarryPlacesName, kWorkspaceName},
                         name)) {
    auto array = dyn_cast<ArrayAttr>(value);
    return expect(array && llvm::all_of(array, llvm::IsaPred<PlaceAttr>),
                  "an array of #train.place");
  }
  if (name == kGrainName) {
    auto grain = dyn_cast<IntegerAttr>(value);
    return expect(grain && grain.getType().isInteger(64) && grain.getInt() >= 1,
                  "a positive i64");
  }
  if (name == kArenaName)
    return expect(isa<DictionaryAttr>(value), "a dictionary");
  if (llvm::is_contained(
          {kHyperName, kResultName, kSourceName, kRecipeName, kPlanName}, name))
    return expect(isa<StringAttr>(value), "a string");
  return nullptr;
}

static LogicalResult verifyNamed(Operation *op, NamedAttribute attribute) {
  const char *expected =
      findExpectation(attribute.getName(), attribute.getValue());
  if (!expected)
    return success();
  return op->emitError() << "'" << attribute.getName().getValue() << "' is "
                         << attribute.getValue() << ", expected " << expected;
}

/// Whether `type` is a reshape of the tensor that `param` describes, with a
/// leading dim of layers if it is stacked; one that is not may have more rows,
/// which are pad.
static bool isStorageOf(ParamAttr param, RankedTensorType type) {
  if (param.isStacked()) {
    if (type.getRank() < 1)
      return false;
    return HostTensor::count(type.getShape().drop_front()) ==
           HostTensor::count(param.getShape());
  }
  ArrayRef<int64_t> shape = param.getShape();
  bool isPadded = type.getRank() > 0 && !shape.empty() &&
                  type.getDimSize(0) > shape[0] &&
                  HostTensor::count(type.getShape().drop_front()) ==
                      HostTensor::count(shape.drop_front());
  return isPadded ||
         HostTensor::count(type.getShape()) == HostTensor::count(shape);
}

LogicalResult TrainDialect::verifyRegionArgAttribute(Operation *op,
                                                     unsigned regionIndex,
                                                     unsigned argIndex,
                                                     NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[argIndex]);
  if (!type || !isCountable(type.getShape()))
    return op->emitError() << "argument " << argIndex << " of type "
                           << function.getArgumentTypes()[argIndex] << " has '"
                           << attribute.getName().getValue()
                           << "', expected a static tensor of 1 to 2^48 "
                              "elements";
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
    bool isBatch = llvm::is_contained(
        {Role::Tokens, Role::Targets, Role::Positions}, role.getValue());
    bool isScalar =
        role.getValue() == Role::Hyper || role.getValue() == Role::Seed;
    Type element = type.getElementType();
    if (isBatch ? !element.isInteger(32)
                : !isa<FloatType>(element) || (isScalar && type.getRank() != 0))
      return op->emitError() << "argument " << argIndex << " is a "
                             << stringifyRole(role.getValue()) << " of type "
                             << type << ", expected "
                             << (isBatch    ? "i32 elements"
                                 : isScalar ? "a float scalar"
                                            : "float elements");
    if (role.getValue() == Role::Hyper &&
        !function.getArgAttr(argIndex, kHyperName))
      return op->emitError() << "argument " << argIndex << " is a hyper but "
                             << "has no '" << kHyperName << "'";
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
    return verifyNamed(op, attribute);
  return op->emitError() << "unknown argument attribute '"
                         << attribute.getName().getValue() << "'";
}

LogicalResult
TrainDialect::verifyRegionResultAttribute(Operation *op, unsigned regionIndex,
                                          unsigned resultIndex,
                                          NamedAttribute attribute) {
  if (attribute.getName() == kResultName || attribute.getName() == kPlaceName)
    return verifyNamed(op, attribute);
  return op->emitError() << "unknown result attribute '"
                         << attribute.getName().getValue() << "'";
}

LogicalResult TrainDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  if (failed(verifyNamed(op, attribute)))
    return failure();
  auto places = dyn_cast<ArrayAttr>(attribute.getValue());
  if (attribute.getName() == kPlacesName &&
      places.size() != op->getNumResults())
    return op->emitOpError() << "has " << places.size() << " places for "
                             << op->getNumResults() << " results";
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

//===----------------------------------------------------------------------===//
// What passes ask of functions and values
//===----------------------------------------------------------------------===//

std::optional<Role> trireme::train::getRole(FunctionOpInterface function,
                                            unsigned index) {
  auto role = function.getArgAttrOfType<RoleAttr>(index, kRoleName);
  return role ? std::optional<Role>(role.getValue()) : std::nullopt;
}

bool trireme::train::isBatch(Role role) {
  return role == Role::Tokens || role == Role::Targets ||
         role == Role::Positions;
}

bool trireme::train::isSum(RowKind kind) {
  return kind == RowKind::Sum || kind == RowKind::ColumnSum;
}

Value trireme::train::createZeros(OpBuilder &builder, Location loc, Type type) {
  return FillOp::create(builder, loc, type, builder.getF64FloatAttr(0.0));
}

bool trireme::train::isZero(Value value) {
  auto fill = value.getDefiningOp<FillOp>();
  return fill && fill.getValue().isZero();
}
