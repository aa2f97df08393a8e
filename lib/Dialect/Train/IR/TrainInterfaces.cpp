//===- TrainInterfaces.cpp - Interfaces of the train dialect --------------===//

#include "trireme/Dialect/Train/IR/Train.h"

using namespace mlir;

#include "trireme/Dialect/Train/IR/TrainInterfaces.cpp.inc"
