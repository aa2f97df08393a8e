//===- Runtime.h - The runtime dialect --------------------------*- C++ -*-===//

#ifndef TRIREME_DIALECT_RUNTIME_IR_RUNTIME_H
#define TRIREME_DIALECT_RUNTIME_IR_RUNTIME_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/SymbolTable.h"
#include "trireme/Dialect/Train/IR/Train.h"

#include "trireme/Dialect/Runtime/IR/RuntimeDialect.h.inc"

namespace trireme::runtime {
/// The module's attribute with the program's manifest (a string of JSON; see
/// docs/program-manifest.md).
inline constexpr llvm::StringLiteral kManifestName = "runtime.manifest";
} // namespace trireme::runtime

#define GET_OP_CLASSES
#include "trireme/Dialect/Runtime/IR/RuntimeOps.h.inc"

#endif // TRIREME_DIALECT_RUNTIME_IR_RUNTIME_H
