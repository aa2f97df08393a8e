//===- InputFile.h - Files that the evaluator reads -------------*- C++ -*-===//

#ifndef TRIREME_LIB_INTERPRET_INPUTFILE_H
#define TRIREME_LIB_INTERPRET_INPUTFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <string>

namespace trireme {

/// An error with the parts as its message.
template <typename... Parts> llvm::Error fail(Parts &&...parts) {
  std::string message;
  llvm::raw_string_ostream os(message);
  (os << ... << parts);
  return llvm::createStringError(message);
}

/// The bytes of a file; an error that names it if it cannot be read.
inline llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
openFile(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail(path, ": cannot be read: ", buffer.getError().message());
  return std::move(*buffer);
}

} // namespace trireme

#endif // TRIREME_LIB_INTERPRET_INPUTFILE_H
