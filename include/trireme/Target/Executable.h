//===- Executable.h - Objects and executables -------------------*- C++ -*-===//

#ifndef TRIREME_TARGET_EXECUTABLE_H
#define TRIREME_TARGET_EXECUTABLE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace trireme {

struct TargetOptions {
  /// "native", or a processor's name that LLVM knows: "x86-64-v3",
  /// "x86-64-v4".
  std::string cpu = "native";
};

/// Adds the translations of dialects that the functions below need.
void registerLLVMTranslations(mlir::DialectRegistry &registry);

/// Bytes of a vector register of `cpu` that are worth using: 64 with AVX-512,
/// else 32.
unsigned getVectorBytes(llvm::StringRef cpu);

/// Those of this machine.
unsigned getHostVectorBytes();

/// Writes optimized LLVM IR of a module of the LLVM dialect.
mlir::LogicalResult emitLLVMIR(mlir::ModuleOp module,
                               const TargetOptions &options,
                               llvm::raw_ostream &stream);

/// Writes a position-independent object of a module of the LLVM dialect.
mlir::LogicalResult emitObject(mlir::ModuleOp module,
                               const TargetOptions &options,
                               llvm::raw_pwrite_stream &stream);

/// Why there is no executable.
enum class LinkFailure {
  /// Something that linking needs is not on this machine: a compiler driver,
  /// lld, the runtime's library (exit code 4).
  Missing,
  /// The linker refused.
  Failed
};

class LinkError : public llvm::ErrorInfo<LinkError> {
public:
  static char ID;
  LinkError(LinkFailure failure, std::string message)
      : failure(failure), text(std::move(message)) {}
  void log(llvm::raw_ostream &stream) const override { stream << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
  LinkFailure getFailure() const { return failure; }

private:
  LinkFailure failure;
  std::string text;
};

/// The folder of libtrireme-runtime-cpu.a: `../lib` of the running executable
/// if the library is there, else the build's.
std::string findRuntimeDirectory();

/// Links `object` (a file's content) with the runtime in `runtimeDirectory`,
/// by the arguments in its file trireme-runtime-cpu.link. `output` is replaced
/// when all is done, and left alone on failure.
llvm::Error linkExecutable(llvm::StringRef object, llvm::StringRef output,
                           llvm::StringRef runtimeDirectory);

} // namespace trireme

#endif // TRIREME_TARGET_EXECUTABLE_H
