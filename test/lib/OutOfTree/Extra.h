//===- Extra.h - A dialect outside of the tree ------------------*- C++ -*-===//

#ifndef EXTRA_H
#define EXTRA_H

#include "trireme/Dialect/Train/IR/Train.h"

#include "ExtraDialect.h.inc"

#define GET_OP_CLASSES
#include "Extra.h.inc"

#endif // EXTRA_H
