//===- File.cpp - whole files in and out ----------------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trireme/Support/File.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace trireme;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;

llvm::Expected<std::string> trireme::readTextFile(StringRef path) {
  constexpr uint64_t most = 16 << 20;
  fs::file_status status;
  if (std::error_code error = fs::status(path, status))
    return badInput(path + ": " + error.message());
  if (fs::is_directory(status))
    return badInput(path + ": found a folder, expected a file");
  if (status.getSize() > most)
    return badInput(path + ": has " + Twine(status.getSize()) +
                    " bytes, expected a configuration of at most 16 MiB");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return badInput(path + ": " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

static llvm::Error cannotWrite(StringRef path, const Twine &reason) {
  return badInput(path + ": cannot be written: " + reason);
}

using Writer = llvm::function_ref<llvm::Error(llvm::raw_ostream &)>;

/// Streams what `write` writes; says whether all of it arrived.
static llvm::Error writeTo(llvm::raw_fd_ostream &stream, StringRef path,
                           Writer write) {
  llvm::Error error = write(stream);
  stream.flush();
  std::error_code code = stream.error();
  stream.clear_error();
  if (error)
    return error;
  return code ? cannotWrite(path, code.message()) : llvm::Error::success();
}

static llvm::Error writeInPlace(StringRef path, Writer write) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error, fs::OF_None);
  if (error)
    return cannotWrite(path, error.message());
  return writeTo(stream, path, write);
}

llvm::Error trireme::writeFile(StringRef path, StringRef contents) {
  return writeFile(path, [contents](llvm::raw_ostream &stream) {
    stream << contents;
    return llvm::Error::success();
  });
}

llvm::Error trireme::writeFile(StringRef path, Writer write) {
  if (fs::is_directory(path))
    return cannotWrite(path, "found a folder, expected the name of a file");
  // raw_fd_ostream takes "-" as stdout.
  if (path == "-" || (fs::exists(path) && !fs::is_regular_file(path)))
    return writeInPlace(path, write);
  auto file = fs::TempFile::create(path + ".tmp-%%%%%%%%",
                                   fs::all_read | fs::all_write);
  if (!file)
    return cannotWrite(path, llvm::toString(file.takeError()));
  llvm::raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  if (llvm::Error error = writeTo(stream, path, write)) {
    llvm::consumeError(file->discard());
    return error;
  }
  if (llvm::Error error = file->keep(path))
    return cannotWrite(path, llvm::toString(std::move(error)));
  return llvm::Error::success();
}
