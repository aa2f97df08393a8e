//===- Text.cpp - small helpers for messages ------------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trireme/Support/Text.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace trireme;
using llvm::StringRef;
using llvm::Twine;

/// Lower case with underscores.
static std::string plain(StringRef name) {
  std::string result = name.take_front(128).lower();
  std::replace(result.begin(), result.end(), '-', '_');
  return result;
}

StringRef trireme::nearestName(StringRef found,
                               llvm::ArrayRef<StringRef> candidates) {
  std::string wanted = plain(found);
  StringRef nearest;
  unsigned smallest = ~0u;
  for (StringRef candidate : candidates) {
    unsigned distance = StringRef(wanted).edit_distance(plain(candidate));
    if (distance < smallest) {
      smallest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string trireme::printBytes(uint64_t bytes) {
  static constexpr const char *units[] = {"B",   "KiB", "MiB", "GiB",
                                          "TiB", "PiB", "EiB"};
  double value = bytes;
  unsigned unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  std::string result;
  llvm::raw_string_ostream stream(result);
  stream << llvm::format(unit == 0 ? "%.0f %s" : "%.2f %s", value, units[unit]);
  return result;
}

std::string trireme::nearestDivisors(int64_t value, int64_t wanted) {
  if (value <= 0)
    return "1";
  int64_t below = 0, above = 0;
  auto see = [&](int64_t divisor) {
    if (divisor <= wanted)
      below = std::max(below, divisor);
    else if (above == 0 || divisor < above)
      above = divisor;
  };
  // Divisors come in pairs, one of which is at most the square root; beyond
  // the bound only the trivial ones are named.
  constexpr int64_t bound = 1 << 20;
  see(value);
  for (int64_t divisor = 1; divisor <= value / divisor && divisor <= bound;
       ++divisor) {
    if (value % divisor == 0) {
      see(divisor);
      see(value / divisor);
    }
  }
  if (below == 0)
    return Twine(above).str();
  if (above == 0)
    return Twine(below).str();
  return (Twine(below) + " or " + Twine(above)).str();
}
