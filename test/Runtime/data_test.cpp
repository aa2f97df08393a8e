#include "test_support.h"

#include "core/data_loader.h"

#include <cstring>

using namespace trireme::runtime;

/// `count` tokens of `width` bytes: first, first + 1, ...
static std::string tokens(int64_t count, int width, int64_t first = 0) {
  std::string bytes;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t value = uint32_t(first + i);
    bytes.append(reinterpret_cast<const char *>(&value), size_t(width));
  }
  return bytes;
}

static std::vector<int32_t> sample(const Samples &samples, int64_t index) {
  std::vector<int32_t> row(samples.sequence()), targets(samples.sequence());
  samples.read(index, row.data(), targets.data());
  row.insert(row.end(), targets.begin(), targets.end());
  return row;
}

TEST(TokenFile, FlatOfBothWidths) {
  TemporaryFolder folder;
  for (int width : {2, 4}) {
    TokenFile file(folder.write("a.bin", tokens(100, width)), width, 1000);
    ASSERT_EQ(file.tokens(), 100);
    EXPECT_EQ(file.token(99), 99);
  }
}

TEST(TokenFile, HeaderOfLlmC) {
  TemporaryFolder folder;
  std::string header(1024, '\0');
  uint32_t head[] = {20240520, 1, 70};
  std::memcpy(header.data(), head, sizeof head);
  TokenFile file(folder.write("a.bin", header + tokens(70, 2)), 4, 1000);
  ASSERT_EQ(file.tokens(), 70);
  EXPECT_EQ(file.token(69), 69);
  EXPECT_FAILURE(
      TokenFile(folder.write("b.bin", header + tokens(69, 2)), 2, 1000),
      Exit::Input, "b.bin");
}

TEST(TokenFile, Megatron) {
  TemporaryFolder folder;
  auto number = [](auto value) {
    return std::string(reinterpret_cast<const char *>(&value), sizeof value);
  };
  std::string index =
      std::string("MMIDIDX\0\0", 9) + number(uint64_t(1)) + number(uint8_t(8)) +
      number(uint64_t(2)) + number(uint64_t(3)) + number(int32_t(40)) +
      number(int32_t(60)) + number(int64_t(0)) + number(int64_t(80));
  folder.write("a.idx", index);
  TokenFile file(folder.write("a.bin", tokens(100, 2)), 4, 1000);
  EXPECT_EQ(file.tokens(), 100);
  EXPECT_EQ(file.token(50), 50);
  EXPECT_FAILURE(TokenFile(folder.write("a.bin", tokens(99, 2)), 2, 1000),
                 Exit::Input, "a.idx");
  folder.write("a.idx", index.substr(0, 40));
  EXPECT_FAILURE(TokenFile(folder.write("a.bin", tokens(100, 2)), 2, 1000),
                 Exit::Input, "a.idx");
}

TEST(TokenFile, Refusals) {
  TemporaryFolder folder;
  EXPECT_FAILURE(TokenFile(folder.path("none.bin"), 2, 10), Exit::Input,
                 "none.bin");
  EXPECT_FAILURE(TokenFile(folder.write("odd.bin", "123"), 2, 1 << 16),
                 Exit::Input, "token 1");
  EXPECT_FAILURE(TokenFile(folder.write("big.bin", tokens(11, 2)), 2, 10),
                 Exit::Input, "token 10 is 10");
  folder.write("m.mask.bin", "\1\1\1");
  EXPECT_FAILURE(TokenFile(folder.write("m.bin", tokens(4, 2)), 2, 10),
                 Exit::Input, "m.mask.bin");
  EXPECT_FAILURE(Samples({folder.write("s.bin", tokens(8, 2))}, 2, 100, 8),
                 Exit::Input, "9 tokens");
}

// Samples overlap by one token and never cross files.
TEST(Samples, OfSeveralFiles) {
  TemporaryFolder folder;
  Samples samples({folder.write("a.bin", tokens(14, 2)),
                   folder.write("b.bin", tokens(9, 2, 100))},
                  2, 1000, 4);
  ASSERT_EQ(samples.count(), 5); // 3 of 13 / 4, 2 of 8 / 4
  EXPECT_EQ(sample(samples, 0), (std::vector<int32_t>{0, 1, 2, 3, 1, 2, 3, 4}));
  EXPECT_EQ(sample(samples, 2),
            (std::vector<int32_t>{8, 9, 10, 11, 9, 10, 11, 12}));
  EXPECT_EQ(sample(samples, 4),
            (std::vector<int32_t>{104, 105, 106, 107, 105, 106, 107, 108}));
}

TEST(Samples, MaskedTargets) {
  TemporaryFolder folder;
  folder.write("a.mask.bin", std::string("\1\0\1\1\0", 5));
  Samples samples({folder.write("a.bin", tokens(5, 2))}, 2, 1000, 4);
  EXPECT_EQ(sample(samples, 0),
            (std::vector<int32_t>{0, 1, 2, 3, -100, 2, 3, -100}));
}

// Batches wrap to sample 0; evaluation's last one is padded instead.
TEST(Samples, BatchesWrapOrEnd) {
  TemporaryFolder folder;
  Samples samples({folder.write("a.bin", tokens(7, 2))}, 2, 1000, 2);
  ASSERT_EQ(samples.count(), 3);
  Batch batch(2, 2);
  readBatch(samples, 2, /*wrap=*/true, batch);
  EXPECT_EQ(batch.tokens, (std::vector<int32_t>{4, 5, 0, 1}));
  EXPECT_EQ(batch.targets, (std::vector<int32_t>{5, 6, 1, 2}));
  readBatch(samples, 2, /*wrap=*/false, batch);
  EXPECT_EQ(batch.targets, (std::vector<int32_t>{5, 6, -100, -100}));
}

TEST(Prefetcher, GivesBatchesInOrder) {
  TemporaryFolder folder;
  Samples samples({folder.write("a.bin", tokens(1000, 2))}, 2, 1000, 8);
  Prefetcher data(samples, 3, 6);
  Batch want(3, 8);
  for (int64_t i = 0; i < 300; ++i) {
    readBatch(samples, 6 + 3 * i, /*wrap=*/true, want);
    const Batch &got = data.next();
    ASSERT_EQ(got.tokens, want.tokens);
    ASSERT_EQ(got.targets, want.targets);
  }
}
