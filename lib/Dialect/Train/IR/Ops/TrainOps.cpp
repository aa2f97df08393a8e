//===- TrainOps.cpp - Generated methods of the ops ------------------------===//

#include "Common.h"

using namespace mlir;
using namespace trireme::train;

#define GET_OP_CLASSES
#include "trireme/Dialect/Train/IR/TrainOps.cpp.inc"
