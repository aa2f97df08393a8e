//===- Error.h - errors with an exit code -----------------------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever can fail because of its input returns llvm::Error or
// llvm::Expected with one message for people: the file, the key or line, what
// was found, what was expected, and how to mend it. The error also carries
// the exit code with which a tool should end.
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_SUPPORT_ERROR_H
#define TRIREME_SUPPORT_ERROR_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace trireme {

/// The exit codes of every tool.
enum class ExitCode : int {
  Success = 0,
  BadInput = 1,
  BadCommandLine = 2,
  RunFailed = 3,
  /// This build or machine lacks what was asked for.
  Unavailable = 4
};

/// A message and the exit code that it asks for.
class Failure : public llvm::ErrorInfo<Failure> {
public:
  static char ID;

  Failure(ExitCode code, std::string message)
      : code(code), message(std::move(message)) {}

  ExitCode getCode() const { return code; }
  llvm::StringRef getMessage() const { return message; }
  void log(llvm::raw_ostream &stream) const override { stream << message; }
  std::error_code convertToErrorCode() const override;

private:
  ExitCode code;
  std::string message;
};

/// The input is wrong: exit code 1.
llvm::Error badInput(const llvm::Twine &message);
/// The command line is wrong: exit code 2.
llvm::Error badCommandLine(const llvm::Twine &message);
/// Asked for what this version or machine does not have: exit code 4.
llvm::Error unavailable(const llvm::Twine &message);

/// Prints each message of `error` to stderr as `program: error: message` and
/// returns the exit code of the first. Errors of other classes count as
/// BadInput, no error as Success.
ExitCode reportError(llvm::Error error, llvm::StringRef program);

/// `text` in double quotes, with control characters escaped and the middle of
/// a long text left out, so that any input can be shown in a message.
std::string quoted(llvm::StringRef text);

} // namespace trireme

#endif // TRIREME_SUPPORT_ERROR_H
