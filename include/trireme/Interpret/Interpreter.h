//===- Interpreter.h - Running programs in float64 --------------*- C++ -*-===//
//
// The evaluator: runs functions of the train dialect in double precision, each
// operation by its EvaluatableOpInterface. It is the oracle of tests and of
// `trireme interpret`, and shares no code with passes or lowerings.
//
// Functions that end in an exit code use those of the command line: 0 done, 1
// the input is wrong or outputs differ, 3 a loss is not finite, 4 not
// supported. Their messages go to `errors`, those about an operation to the
// context's diagnostic handler.
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_INTERPRET_INTERPRETER_H
#define TRIREME_INTERPRET_INTERPRETER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "trireme/Dialect/Train/IR/HostTensor.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <string>
#include <vector>

namespace trireme {

/// Evaluates `function` (of one block) on `arguments`, one a function argument
/// and shaped as its type says. Emits a diagnostic at the operation at fault.
llvm::LogicalResult
evaluateFunction(mlir::FunctionOpInterface function,
                 llvm::ArrayRef<train::HostTensor> arguments,
                 llvm::SmallVectorImpl<train::HostTensor> &results);

/// Random arguments for `function` that respect what each is by its
/// `train.role`: tokens below the rows of the table they look up, targets with
/// some -100, second moments not negative, and so on. A value depends on the
/// seed and on what the argument is (role and parameter's name), not on its
/// place, so that two programs of one model get the same inputs.
llvm::SmallVector<train::HostTensor>
makeRandomArguments(mlir::FunctionOpInterface function, uint64_t seed);

/// The smallest number of rows of the parameters that argument `index` (token
/// ids or targets) looks up, 0 if it looks up none.
int64_t findLookupBound(mlir::FunctionOpInterface function, unsigned index);

/// Evaluates every public function of `module` on random arguments and prints
/// a line a result: its name, shape, L2 norm and first value.
int interpretProgram(mlir::ModuleOp module, uint64_t seed,
                     llvm::raw_ostream &output, llvm::raw_ostream &errors);

struct AgainstOptions {
  uint64_t seed = 0;
  /// Relative to the largest magnitude in a result.
  double tolerance = 1e-10;
};

/// Evaluates every public function that both modules have on the same random
/// arguments and compares all results, by `train.result` where they have one,
/// else by place. Says on `output` what was compared; the first result that
/// differs is named on `errors`.
int interpretAgainst(mlir::ModuleOp a, mlir::ModuleOp b,
                     const AgainstOptions &options, llvm::raw_ostream &output,
                     llvm::raw_ostream &errors);

struct TrainingOptions {
  std::vector<std::string> dataFiles; ///< Flat token files, in order.
  unsigned tokenBytes = 2;            ///< 2 or 4.
  std::string init;        ///< Safetensors file or Hugging Face folder.
  int64_t steps = 0;       ///< Optimizer steps; 0: the recipe's `steps`.
  std::string metricsFile; ///< JSON Lines; empty: standard output.
};

/// Trains with `@train` of a `step` module, whose recipe stands in the
/// attribute `train.recipe` (a string of JSON).
int interpretTraining(mlir::ModuleOp module, const TrainingOptions &options,
                      llvm::raw_ostream &errors);

} // namespace trireme

#endif // TRIREME_INTERPRET_INTERPRETER_H
