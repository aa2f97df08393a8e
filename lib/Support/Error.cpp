//===- Error.cpp - errors with an exit code -------------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trireme/Support/Error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace trireme;

char Failure::ID = 0;

std::error_code Failure::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

llvm::Error trireme::badInput(const llvm::Twine &message) {
  return llvm::make_error<Failure>(ExitCode::BadInput, message.str());
}

llvm::Error trireme::badCommandLine(const llvm::Twine &message) {
  return llvm::make_error<Failure>(ExitCode::BadCommandLine, message.str());
}

llvm::Error trireme::unavailable(const llvm::Twine &message) {
  return llvm::make_error<Failure>(ExitCode::Unavailable, message.str());
}

ExitCode trireme::reportError(llvm::Error error, llvm::StringRef program) {
  std::optional<ExitCode> code;
  auto report = [&](ExitCode found, llvm::StringRef message) {
    llvm::errs() << program << ": error: " << message << '\n';
    if (!code)
      code = found;
  };
  llvm::handleAllErrors(
      std::move(error),
      [&](const Failure &failure) {
        report(failure.getCode(), failure.getMessage());
      },
      [&](const llvm::ErrorInfoBase &other) {
        report(ExitCode::BadInput, other.message());
      });
  return code.value_or(ExitCode::Success);
}

std::string trireme::quoted(llvm::StringRef text) {
  constexpr size_t longest = 80;
  std::string result;
  llvm::raw_string_ostream stream(result);
  stream << '"';
  if (text.size() <= longest) {
    llvm::printEscapedString(text, stream);
  } else {
    llvm::printEscapedString(text.take_front(longest / 2), stream);
    stream << "...";
    llvm::printEscapedString(text.take_back(longest / 4), stream);
  }
  stream << '"';
  return result;
}
