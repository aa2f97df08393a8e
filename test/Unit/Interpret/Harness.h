//===- Harness.h - Functions of the train dialect in tests ------*- C++ -*-===//

#ifndef TRIREME_TEST_UNIT_INTERPRET_HARNESS_H
#define TRIREME_TEST_UNIT_INTERPRET_HARNESS_H

#include "mlir/IR/OwningOpRef.h"
#include "trireme/Interpret/Interpreter.h"
#include <string>

namespace trireme::test {

/// A context with all dialects that programs of tests use.
mlir::MLIRContext &getContext();

/// Parses a module; a null module is a failure of the test.
mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text);

/// A tensor of given values.
train::HostTensor tensor(llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<double> values);

/// Evaluates the first function of the module on `arguments`; an error is a
/// failure of the test.
llvm::SmallVector<train::HostTensor>
evaluate(llvm::StringRef text, llvm::ArrayRef<train::HostTensor> arguments);

/// The diagnostics of evaluating the first function; empty if it succeeds.
std::string evaluateError(llvm::StringRef text,
                          llvm::ArrayRef<train::HostTensor> arguments);

/// Fails the test unless the values agree within `tolerance`.
void expectNear(llvm::ArrayRef<double> found, llvm::ArrayRef<double> expected,
                double tolerance = 1e-12);

struct DerivativeOptions {
  /// Values of arguments by index, where random ones would not do.
  std::vector<std::pair<unsigned, train::HostTensor>> values;
  /// Float arguments that are no parameters (tables of constants).
  llvm::ArrayRef<unsigned> constants;
  /// The name of an operation that the derivative must contain.
  llvm::StringRef contains;
};

/// Checks `train-differentiate` on the first function of the module: the
/// cotangents of all float arguments, for random cotangents of all results,
/// against central finite differences of the function itself.
void checkDerivative(llvm::StringRef text,
                     const DerivativeOptions &options = {});

} // namespace trireme::test

#endif // TRIREME_TEST_UNIT_INTERPRET_HARNESS_H
