//===- File.h - whole files in and out --------------------------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_SUPPORT_FILE_H
#define TRIREME_SUPPORT_FILE_H

#include "trireme/Support/Error.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace trireme {

/// The contents of a configuration file (at most 16 MiB).
llvm::Expected<std::string> readTextFile(llvm::StringRef path);

/// Writes `contents` under a temporary name beside `path` and renames it, so
/// that no reader sees half of it and a failure leaves nothing behind. `-` is
/// stdout; what exists and is no ordinary file (a pipe, /dev/null) is written
/// in place.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef contents);

/// The same for contents that `write` streams, and that need not fit into
/// memory. An error of `write` leaves nothing behind.
llvm::Error
writeFile(llvm::StringRef path,
          llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write);

} // namespace trireme

#endif // TRIREME_SUPPORT_FILE_H
