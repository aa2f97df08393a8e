//===- FileTest.cpp - whole files in and out
//-------------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trireme/Support/File.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

using namespace trireme;
namespace fs = llvm::sys::fs;

namespace {
/// A folder of its own for each test.
class File : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("trireme-unit", folder));
  }
  void TearDown() override { fs::remove_directories(folder); }

  std::string path(llvm::StringRef name) {
    llvm::SmallString<128> result = folder;
    llvm::sys::path::append(result, name);
    return result.str().str();
  }
  unsigned countFiles() {
    std::error_code error;
    unsigned count = 0;
    for (fs::directory_iterator it(folder, error), end; it != end && !error;
         it.increment(error))
      ++count;
    return count;
  }

  llvm::SmallString<128> folder;
};
} // namespace

TEST_F(File, WritesAndReadsBack) {
  for (const char *text : {"one\n", "two\n"}) {
    EXPECT_FALSE(llvm::errorToBool(writeFile(path("f"), text)));
    llvm::Expected<std::string> found = readTextFile(path("f"));
    ASSERT_TRUE(bool(found));
    EXPECT_EQ(*found, text);
  }
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(File, LeavesNothingBehind) {
  std::string target = path("no/such/folder/f");
  std::string message = llvm::toString(writeFile(target, "x"));
  EXPECT_NE(message.find(target + ": cannot be written"), std::string::npos);
  ASSERT_FALSE(fs::create_directory(path("d")));
  EXPECT_TRUE(llvm::errorToBool(writeFile(path("d"), "x")));
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(File, WritesToADevice) {
  EXPECT_FALSE(llvm::errorToBool(writeFile("/dev/null", "x")));
  EXPECT_TRUE(fs::exists("/dev/null") && !fs::is_regular_file("/dev/null"));
}

TEST_F(File, SaysWhatCannotBeRead) {
  EXPECT_NE(llvm::toString(readTextFile(path("f")).takeError())
                .find(path("f") + ": No such file"),
            std::string::npos);
  EXPECT_NE(llvm::toString(readTextFile(folder).takeError()).find("a folder"),
            std::string::npos);
}
