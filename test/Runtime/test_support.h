// Shared by the runtime's tests: reproducible numbers, temporary folders,
// other thread counts.
#ifndef TRIREME_TEST_RUNTIME_TEST_SUPPORT_H
#define TRIREME_TEST_RUNTIME_TEST_SUPPORT_H

#include "core/error.h"
#include "core/philox.h"
#include "cpu/onednn.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace trireme::runtime {

/// `count` normal numbers; the same for the same `name`.
inline std::vector<float> randomValues(const std::string &name, int64_t count,
                                       double deviation = 1) {
  std::vector<float> values(count);
  normalValues(1, name, deviation, 0, count, values.data());
  return values;
}

/// A folder that is removed with the object.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "trireme-XXXXXX").string();
    root = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(root); }

  std::string path(const std::string &name) const {
    return (root / name).string();
  }
  std::string write(const std::string &name, const std::string &bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

private:
  std::filesystem::path root;
};

/// Expects that `statement` throws a Failure with `code` whose message has
/// `words`.
#define EXPECT_FAILURE(statement, expected, words)                             \
  try {                                                                        \
    statement;                                                                 \
    ADD_FAILURE() << "no failure";                                             \
  } catch (const ::trireme::runtime::Failure &failure) {                       \
    EXPECT_EQ(int(failure.code), int(expected)) << failure.what();             \
    EXPECT_NE(std::string(failure.what()).find(words), std::string::npos)      \
        << failure.what();                                                     \
  }

} // namespace trireme::runtime

#endif // TRIREME_TEST_RUNTIME_TEST_SUPPORT_H
