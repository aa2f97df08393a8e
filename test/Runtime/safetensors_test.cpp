#include "test_support.h"

#include "core/safetensors.h"
#include "core/token_file.h"

#include <cmath>
#include <cstring>

using namespace trireme::runtime;

/// A file with `header` and `bytes` bytes of data.
static std::string fileWith(const std::string &header, size_t bytes) {
  uint64_t length = header.size();
  std::string file(reinterpret_cast<const char *>(&length), sizeof length);
  return file + header + std::string(bytes, '\1');
}

static std::map<std::string, StoredTensor> parse(const std::string &file) {
  return parseSafetensors(
      {reinterpret_cast<const uint8_t *>(file.data()), file.size()}, "x.st");
}

TEST(Safetensors, RoundTrip) {
  TemporaryFolder folder;
  auto a = randomValues("a", 6), b = randomValues("b", 5);
  std::string path = folder.path("x.safetensors");
  writeSafetensors(path, {{"a", {2, 3}, 6, a.data()}, {"b", {5}, 5, b.data()}});
  MappedFile file(path);
  auto tensors = parseSafetensors({file.data(), file.bytes()}, path);
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors["a"].shape, (std::vector<int64_t>{2, 3}));
  std::vector<float> back(6);
  convertToFloat(tensors["a"], back.data());
  EXPECT_EQ(back, a);
  uint64_t header;
  std::memcpy(&header, file.data(), 8);
  EXPECT_EQ(header % 8, 0u);
}

TEST(Safetensors, HalfPrecision) {
  std::string header =
      R"({"h":{"dtype":"F16","shape":[5],"data_offsets":[0,10]},
    "b":{"dtype":"BF16","shape":[2],"data_offsets":[10,14]}})";
  std::string file = fileWith(header, 0);
  uint16_t values[] = {0x3c00, 0xc000, 0x0001, 0x7c00, 0x3555, 0x3f80, 0xc049};
  file.append(reinterpret_cast<const char *>(values), sizeof values);
  auto tensors = parse(file);
  float half[5], brain[2];
  convertToFloat(tensors["h"], half);
  convertToFloat(tensors["b"], brain);
  EXPECT_EQ(half[0], 1.0f);
  EXPECT_EQ(half[1], -2.0f);
  EXPECT_EQ(half[2], 0x1p-24f);
  EXPECT_EQ(half[3], INFINITY);
  EXPECT_EQ(half[4], 0x1.554p-2f);
  EXPECT_EQ(brain[0], 1.0f);
  EXPECT_EQ(brain[1], -3.140625f);
}

// Each malformed file is refused with exit code 1 and the file's name.
TEST(Safetensors, MalformedFiles) {
  auto tensor = [](const std::string &members) {
    return fileWith("{\"a\":{" + members + "}}", 16);
  };
  const std::string files[] = {
      "",
      "short",
      "hello world, this is text",
      std::string(8, '\xff') + "{}",
      fileWith("[1,2]", 0),
      fileWith("{\"a\":", 0),
      fileWith("{\"a\":3}", 0),
      fileWith("{\"a\":\"\xff\"}", 0),
      fileWith(std::string(100000, '['), 0),
      tensor(R"("shape":[4],"data_offsets":[0,16])"),
      tensor(R"("dtype":"F64","shape":[2],"data_offsets":[0,16])"),
      tensor(R"("dtype":"F32","data_offsets":[0,16])"),
      tensor(R"("dtype":"F32","shape":[4])"),
      tensor(R"("dtype":"F32","shape":[4],"data_offsets":[0])"),
      tensor(R"("dtype":"F32","shape":[4],"data_offsets":[0,17])"),
      tensor(R"("dtype":"F32","shape":[4],"data_offsets":[16,0])"),
      tensor(R"("dtype":"F32","shape":[4],"data_offsets":[-16,0])"),
      tensor(R"("dtype":"F32","shape":[5],"data_offsets":[0,16])"),
      tensor(R"("dtype":"F32","shape":[-4],"data_offsets":[0,16])"),
      tensor(R"("dtype":"F32","shape":[4.0],"data_offsets":[0,16])"),
      tensor(
          R"("dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0])"),
      tensor(
          R"("dtype":"F32","shape":[4],"data_offsets":[18446744073709551600,16])"),
      tensor(R"("dtype":"BF16","shape":[7],"data_offsets":[0,15])"),
  };
  for (const std::string &file : files)
    EXPECT_FAILURE(parse(file), Exit::Input, "x.st");
}
