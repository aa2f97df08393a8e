//===- Text.h - small helpers for messages ----------------------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_SUPPORT_TEXT_H
#define TRIREME_SUPPORT_TEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace trireme {

/// The candidate with the smallest edit distance to `found` (the first of
/// several), empty only if there are no candidates. Case and the difference
/// of `-` and `_` do not count.
llvm::StringRef nearestName(llvm::StringRef found,
                            llvm::ArrayRef<llvm::StringRef> candidates);

/// Bytes in the largest binary unit that leaves at least 1:
///   0 -> "0 B", 1536 -> "1.50 KiB", 1 << 30 -> "1.00 GiB".
std::string printBytes(uint64_t bytes);

/// The divisors of `value` nearest to `wanted` from below and above, as a
/// message lists them: (8, 3) -> "2 or 4", (8, 20) -> "8".
std::string nearestDivisors(int64_t value, int64_t wanted);

} // namespace trireme

#endif // TRIREME_SUPPORT_TEXT_H
