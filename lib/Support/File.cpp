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

static llvm::Error writeInPlace(StringRef path, StringRef contents) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error, fs::OF_None);
  if (error)
    return cannotWrite(path, error.message());
  stream << contents;
  stream.flush();
  if (!stream.has_error())
    return llvm::Error::success();
  error = stream.error();
  stream.clear_error();
  return cannotWrite(path, error.message());
}

llvm::Error trireme::writeFile(StringRef path, StringRef contents) {
  // raw_fd_ostream takes "-" as stdout.
  if (path == "-" || (fs::exists(path) && !fs::is_regular_file(path)))
    return writeInPlace(path, contents);
  auto file = fs::TempFile::create(path + ".tmp-%%%%%%%%",
                                   fs::all_read | fs::all_write);
  if (!file)
    return cannotWrite(path, llvm::toString(file.takeError()));
  llvm::raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream << contents;
  stream.flush();
  if (stream.has_error()) {
    std::error_code error = stream.error();
    stream.clear_error();
    llvm::consumeError(file->discard());
    return cannotWrite(path, error.message());
  }
  if (llvm::Error error = file->keep(path))
    return cannotWrite(path, llvm::toString(std::move(error)));
  return llvm::Error::success();
}
