//===- FilesTest.cpp - Tensors, tokens and recipes from files -------------===//

#include "Interpret/Recipe.h"
#include "Interpret/Safetensors.h"
#include "Interpret/TokenFiles.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <cmath>
#include <fstream>

using namespace llvm;
using namespace trireme;

namespace {

/// A folder that goes with its test.
class Files : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("trireme-interpret", folder));
  }
  void TearDown() override { sys::fs::remove_directories(folder); }

  std::string write(StringRef name, StringRef bytes) {
    SmallString<128> path(folder);
    sys::path::append(path, name);
    std::ofstream(path.c_str(), std::ios::binary) << bytes.str();
    return path.str().str();
  }

  SmallString<128> folder;
};

std::string littleEndian(uint64_t value, unsigned bytes) {
  std::string result;
  for (unsigned i = 0; i < bytes; ++i)
    result += char(value >> (8 * i));
  return result;
}

std::string safetensors(StringRef header, StringRef data) {
  return littleEndian(header.size(), 8) + header.str() + data.str();
}

template <typename T> std::string getError(Expected<T> value) {
  EXPECT_FALSE(bool(value));
  return value ? "" : toString(value.takeError());
}

void expectContains(StringRef text, std::initializer_list<StringRef> words) {
  for (StringRef word : words)
    EXPECT_TRUE(text.contains(word)) << text.str() << " lacks " << word.str();
}

//===----------------------------------------------------------------------===//
// Safetensors
//===----------------------------------------------------------------------===//

using SafetensorsTest = Files;

TEST_F(SafetensorsTest, ReadsAllTypes) {
  std::string data = littleEndian(0x3ff8000000000000, 8) + // 1.5
                     littleEndian(0xc0200000, 4) +         // -2.5
                     littleEndian(0x3c00, 2) +             // 1 in half
                     littleEndian(0x4040, 2);              // 3 in bfloat16
  std::string path = write("a.safetensors", safetensors(R"({
      "__metadata__": {"format": "pt"},
      "d": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]},
      "f": {"dtype": "F32", "shape": [1, 1], "data_offsets": [8, 12]},
      "h": {"dtype": "F16", "shape": [], "data_offsets": [12, 14]},
      "b": {"dtype": "BF16", "shape": [1], "data_offsets": [14, 16]}})",
                                                        data));
  Expected<TensorFiles> files = TensorFiles::open(path);
  ASSERT_TRUE(bool(files)) << toString(files.takeError());
  EXPECT_EQ(files->getNames(), (std::vector<std::string>{"b", "d", "f", "h"}));
  EXPECT_EQ(cantFail(files->read("d", {1})).values[0], 1.5);
  EXPECT_EQ(cantFail(files->read("f", {1, 1})).values[0], -2.5);
  EXPECT_EQ(cantFail(files->read("h", {})).values[0], 1);
  EXPECT_EQ(cantFail(files->read("b", {1})).values[0], 3);
  expectContains(getError(files->read("f", {1})),
                 {"a.safetensors", "\"f\"", "[1, 1]", "[1]"});
  expectContains(getError(files->read("ff", {1})), {"\"ff\"", "nearest"});
}

TEST_F(SafetensorsTest, NamesOfGPT2) {
  std::string path =
      write("a.safetensors",
            safetensors(R"({"wte.weight": {"dtype": "F32", "shape": [1],
                      "data_offsets": [0, 4]},
                      "transformer.wpe.weight": {"dtype": "F32", "shape": [1],
                      "data_offsets": [0, 4]}})",
                        littleEndian(0x3f800000, 4)));
  Expected<TensorFiles> files = TensorFiles::open(path);
  ASSERT_TRUE(bool(files)) << toString(files.takeError());
  EXPECT_TRUE(files->contains("transformer.wte.weight"));
  EXPECT_EQ(files->getStoredName("transformer.wte.weight"), "wte.weight");
  EXPECT_TRUE(files->contains("wpe.weight"));
  EXPECT_FALSE(files->contains("wte"));
}

TEST_F(SafetensorsTest, FoldersWithAnIndex) {
  const char *header =
      R"({"%": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})";
  auto part = [&](StringRef name) {
    std::string text = header;
    text.replace(text.find('%'), 1, name.str());
    return safetensors(text, littleEndian(0x3f800000, 4));
  };
  write("one.safetensors", part("a"));
  write("two.safetensors", part("b"));
  std::string index = R"({"weight_map": {"a": "one.safetensors",
                                         "b": "two.safetensors"}})";
  write("model.safetensors.index.json", index);
  Expected<TensorFiles> files = TensorFiles::open(folder);
  ASSERT_TRUE(bool(files)) << toString(files.takeError());
  EXPECT_EQ(files->getNames(), (std::vector<std::string>{"a", "b"}));

  write("model.safetensors.index.json",
        R"({"weight_map": {"a": "../one.safetensors"}})");
  expectContains(getError(TensorFiles::open(folder)), {"names no file"});
}

TEST_F(SafetensorsTest, BrokenFiles) {
  auto error = [&](StringRef bytes) {
    return getError(TensorFiles::open(write("bad.safetensors", bytes)));
  };
  expectContains(error("abc"), {"bad.safetensors", "3 bytes"});
  expectContains(error("hello world, this is text"), {"no safetensors"});
  expectContains(error(std::string(8, '\xff') + "{}"), {"truncated"});
  expectContains(error(safetensors("{", "")), {"no JSON"});
  expectContains(error(safetensors("[]", "")), {"no JSON object"});
  expectContains(error(safetensors(R"({"a": {"dtype": "F32"}})", "")),
                 {"\"a\"", "shape"});
  expectContains(error(safetensors(
                     R"({"a": {"dtype": "F32", "shape": [-1],
                         "data_offsets": [0, 4]}})",
                     "0123")),
                 {"\"a\"", "shape"});
  expectContains(error(safetensors(
                     R"({"a": {"dtype": "F32", "shape": [2],
                         "data_offsets": [0, 8]}})",
                     "0123")),
                 {"truncated"});
  expectContains(error(safetensors(
                     R"({"a": {"dtype": "F32", "shape": [4294967296,
                         4294967296, 4], "data_offsets": [0, 4]}})",
                     "0123")),
                 {"4 bytes"});
  expectContains(getError(TensorFiles::open("/nonexistent")),
                 {"/nonexistent", "cannot be read"});
}

//===----------------------------------------------------------------------===//
// Token files
//===----------------------------------------------------------------------===//

using TokenFilesTest = Files;

std::string countingTokens(int count, unsigned bytes) {
  std::string result;
  for (int i = 0; i < count; ++i)
    result += littleEndian(i, bytes);
  return result;
}

TEST_F(TokenFilesTest, SamplesWrapAndNeverCrossFiles) {
  // Samples of 4: 3 of the first file (13 tokens), 1 of the second (8).
  std::vector<std::string> paths{write("a.bin", countingTokens(13, 4)),
                                 write("b.bin", countingTokens(8, 4))};
  Expected<TokenFiles> files = TokenFiles::open(paths, 4, 4);
  ASSERT_TRUE(bool(files)) << toString(files.takeError());
  double tokens[4], targets[4];
  int64_t starts[] = {0, 4, 8, 0, 0, 4};
  for (auto [index, start] : enumerate(starts)) {
    ASSERT_FALSE(bool(files->getSample(index, 0, tokens, targets)));
    for (int j = 0; j < 4; ++j) {
      EXPECT_EQ(tokens[j], double(start + j));
      EXPECT_EQ(targets[j], double(start + j + 1));
    }
  }
}

TEST_F(TokenFilesTest, MaskTakesTargetsAway) {
  std::string path = write("a.bin", countingTokens(5, 2));
  write("a.mask.bin", StringRef("\1\1\0\1\0", 5));
  Expected<TokenFiles> files = TokenFiles::open(path, 2, 4);
  ASSERT_TRUE(bool(files)) << toString(files.takeError());
  double tokens[4], targets[4];
  ASSERT_FALSE(bool(files->getSample(0, 0, tokens, targets)));
  EXPECT_EQ(std::vector<double>(tokens, tokens + 4),
            (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(std::vector<double>(targets, targets + 4),
            (std::vector<double>{1, -100, 3, -100}));

  write("a.mask.bin", "\1");
  expectContains(getError(TokenFiles::open(path, 2, 4)),
                 {"a.mask.bin", "1 bytes", "5"});
}

TEST_F(TokenFilesTest, BadFiles) {
  auto error = [&](StringRef bytes) {
    std::string path = write("bad.bin", bytes);
    return getError(TokenFiles::open(path, 2, 4));
  };
  expectContains(error("abc"), {"bad.bin", "3 bytes"});
  expectContains(error(""), {"bad.bin", "0 tokens", "5"});
  expectContains(error("01234567"), {"bad.bin", "4 tokens", "5"});

  std::string path = write("bad.bin", countingTokens(9, 2));
  Expected<TokenFiles> files = TokenFiles::open(path, 2, 4);
  ASSERT_TRUE(bool(files)) << toString(files.takeError());
  double tokens[4], targets[4];
  expectContains(toString(files->getSample(1, 8, tokens, targets)),
                 {"bad.bin", "token 8 is 8", "8 tokens"});
}

//===----------------------------------------------------------------------===//
// Recipes
//===----------------------------------------------------------------------===//

RecipeValues parseRecipe(StringRef schedule) {
  std::string text = R"({"steps": 10, "clip_grad_norm": null,
      "optimizer": {"name": "adamw", "lr": 1.0, "beta1": 0.9, "beta2": 0.95,
                    "eps": 1e-8, "weight_decay": 0.1},
      "documents": {"positions": "continue"}, "schedule": )" +
                     schedule.str() + "}";
  return cantFail(RecipeValues::parse(text));
}

TEST(Recipe, Schedules) {
  RecipeValues constant = parseRecipe(
      R"({"name": "constant", "warmup_steps": 4, "min_lr": 0.2,
          "decay_steps": null, "decay": "linear"})");
  EXPECT_EQ(constant.maxNorm, 0);
  EXPECT_EQ(constant.getLearningRate(0), 0.25);
  EXPECT_EQ(constant.getLearningRate(3), 1);
  EXPECT_EQ(constant.getLearningRate(9), 1);

  RecipeValues linear = parseRecipe(
      R"({"name": "linear", "warmup_steps": 2, "min_lr": 0.2,
          "decay_steps": null, "decay": "linear"})");
  EXPECT_DOUBLE_EQ(linear.getLearningRate(5), 0.2 + 0.8 * 0.5);
  EXPECT_DOUBLE_EQ(linear.getLearningRate(9), 0.2);

  RecipeValues cosine = parseRecipe(
      R"({"name": "cosine", "warmup_steps": 0, "min_lr": 0.0,
          "decay_steps": null, "decay": "linear"})");
  EXPECT_DOUBLE_EQ(cosine.getLearningRate(4), 0.5);
  EXPECT_NEAR(cosine.getLearningRate(9), 0, 1e-15);

  for (auto [decay, middle] :
       {std::pair("linear", 0.5), std::pair("cosine", 0.5),
        std::pair("sqrt", 1 - std::sqrt(0.5))}) {
    RecipeValues wsd =
        parseRecipe((R"({"name": "wsd", "warmup_steps": 0, "min_lr": 0.0,
            "decay_steps": 4, "decay": ")" +
                     StringRef(decay) + "\"}")
                        .str());
    EXPECT_EQ(wsd.getLearningRate(5), 1);
    EXPECT_DOUBLE_EQ(wsd.getLearningRate(7), middle);
    EXPECT_NEAR(wsd.getLearningRate(9), 0, 1e-15);
  }
}

TEST(Recipe, Errors) {
  expectContains(getError(RecipeValues::parse("{")), {"JSON"});
  expectContains(getError(RecipeValues::parse("{\"steps\": 1.5}")),
                 {"train.recipe"});
}

} // namespace
