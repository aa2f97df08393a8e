//===- TextTest.cpp - helpers for messages
//---------------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trireme/Support/Text.h"
#include "trireme/Support/Error.h"

#include "gtest/gtest.h"

using namespace trireme;

TEST(Text, FindsTheNearestName) {
  EXPECT_EQ(nearestName("tensro", {"data", "tensor", "zero"}), "tensor");
  EXPECT_EQ(nearestName("Zero-Group", {"zero", "zero_group"}), "zero_group");
  EXPECT_EQ(nearestName("x", {}), "");
}

TEST(Text, PrintsBytes) {
  EXPECT_EQ(printBytes(0), "0 B");
  EXPECT_EQ(printBytes(1023), "1023 B");
  EXPECT_EQ(printBytes(1536), "1.50 KiB");
  EXPECT_EQ(printBytes(uint64_t(1) << 30), "1.00 GiB");
  EXPECT_EQ(printBytes(~uint64_t(0)), "16.00 EiB");
}

TEST(Text, FindsTheNearestDivisors) {
  EXPECT_EQ(nearestDivisors(8, 3), "2 or 4");
  EXPECT_EQ(nearestDivisors(8, 20), "8");
  EXPECT_EQ(nearestDivisors(7, 3), "1 or 7");
  EXPECT_EQ(nearestDivisors(1, 2), "1");
  EXPECT_EQ(nearestDivisors(0, 2), "1");
}

TEST(Text, QuotesAnything) {
  EXPECT_EQ(quoted("fast"), "\"fast\"");
  EXPECT_EQ(quoted("a\n\"b"), "\"a\\0A\\22b\"");
  EXPECT_LT(trireme::quoted(std::string(100000, 'x')).size(), 100u);
}
