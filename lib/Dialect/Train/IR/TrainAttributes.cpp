//===- TrainAttributes.cpp - Attributes of the train dialect --------------===//

#include "trireme/Dialect/Train/IR/Train.h"
#include <cmath>
#include <numbers>

using namespace mlir;
using namespace trireme::train;

#include "trireme/Dialect/Train/IR/TrainEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "trireme/Dialect/Train/IR/TrainAttributes.cpp.inc"

void TrainDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "trireme/Dialect/Train/IR/TrainAttributes.cpp.inc"
      >();
}

bool trireme::train::isCountable(ArrayRef<int64_t> shape) {
  constexpr int64_t most = int64_t(1) << 48;
  int64_t count = 1;
  for (int64_t dim : shape) {
    if (dim < 1 || dim > most / count)
      return false;
    count *= dim;
  }
  return true;
}

LogicalResult
trireme::train::checkOperandTypes(std::optional<Location> location,
                                  ValueRange operands) {
  for (auto [index, operand] : llvm::enumerate(operands)) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || !type.hasStaticShape())
      return emitOptionalError(location, "has operand ", index, " of type ",
                               operand.getType(),
                               ", expected a statically shaped tensor");
  }
  return success();
}

int64_t trireme::train::countStored(ParamAttr param, RankedTensorType type) {
  int64_t layers = param.isStacked() ? type.getDimSize(0) : 1;
  return layers * HostTensor::count(param.getShape());
}

LogicalResult ParamAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                StringRef name, ArrayRef<int64_t> shape,
                                Initializer, FloatAttr) {
  if (name.empty())
    return emitError() << "a parameter needs a name";
  if (!isCountable(shape))
    return emitError() << "\"" << name << "\" has the shape [" << shape
                       << "], expected 1 to 2^48 elements";
  return success();
}

LogicalResult RopeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t dims, FloatAttr theta, StringRef scaling,
                               FloatAttr factor, FloatAttr low, FloatAttr high,
                               int64_t original) {
  if (dims < 2 || dims % 2)
    return emitError() << "dims is " << dims << ", expected an even number";
  if (!(theta.getValueAsDouble() > 0))
    return emitError() << "theta is " << theta.getValueAsDouble()
                       << ", expected a positive number";
  if (scaling != "none" && scaling != "linear" && scaling != "llama3")
    return emitError() << "scaling is \"" << scaling
                       << "\", expected none, linear or llama3";
  if (!(factor.getValueAsDouble() > 0))
    return emitError() << "factor is " << factor.getValueAsDouble()
                       << ", expected a positive number";
  double lowest = low.getValueAsDouble(), highest = high.getValueAsDouble();
  if (scaling == "llama3" &&
      (!(lowest > 0) || !(highest > lowest) || original < 1))
    return emitError() << "llama3 has low " << lowest << ", high " << highest
                       << " and original " << original
                       << ", expected 0 < low < high and original >= 1";
  return success();
}

SmallVector<double> RopeAttr::getFrequencies() const {
  double factor = getFactor().getValueAsDouble();
  double low = getLow().getValueAsDouble(), high = getHigh().getValueAsDouble();
  SmallVector<double> frequencies;
  for (int64_t j = 0; j < getDims() / 2; ++j) {
    double f = std::pow(getTheta().getValueAsDouble(),
                        -2.0 * double(j) / double(getDims()));
    if (getScaling() == "linear") {
      f /= factor;
    } else if (getScaling() == "llama3") {
      // Llama 3.1, as in Hugging Face's _compute_llama3_parameters.
      double original = double(getOriginal());
      double wave = 2 * std::numbers::pi / f;
      if (wave > original / low) {
        f /= factor;
      } else if (wave >= original / high) {
        double smooth = (original / wave - low) / (high - low);
        f = (1 - smooth) * f / factor + smooth * f;
      }
    }
    frequencies.push_back(f);
  }
  return frequencies;
}

int64_t trireme::train::getLayerValue(Attribute attribute, int64_t layer) {
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getInt();
  auto values = cast<PerLayerAttr>(attribute).getValues();
  return layer < int64_t(values.size()) ? values[layer] : 0;
}

PlaceAttr PlaceAttr::getSlice(unsigned depth, int64_t stride) const {
  SmallVector<int64_t> strides(getStrides());
  if (strides.size() <= depth)
    strides.resize(depth + 1, 0);
  strides[depth] += stride;
  return get(getContext(), getOffset(), strides);
}

int64_t trireme::train::getByteSize(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  unsigned bits = type.getElementType().getIntOrFloatBitWidth();
  return type.getNumElements() * std::max<int64_t>(1, bits / 8);
}
