//===- TrainingTest.cpp - Training from files in the evaluator ------------===//

#include "Harness.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "trireme/Transforms/Autodiff/Passes.h"
#include "trireme/Transforms/Optimizer/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <fstream>

using namespace mlir;
using namespace trireme;
using namespace trireme::test;

namespace {

const char *kForward = R"(
module attributes {train.recipe = "{\"steps\": 3, \"clip_grad_norm\": 1.0,
    \"optimizer\": {\"lr\": 0.5, \"beta1\": 0.9, \"beta2\": 0.95,
    \"eps\": 1e-8, \"weight_decay\": 0.0}, \"schedule\": {\"name\":
    \"constant\", \"warmup_steps\": 2, \"decay_steps\": null},
    \"documents\": {\"positions\": \"continue\"}}"} {
  func.func @forward(
      %ids: tensor<1x2xi32> {train.role = #train.role<tokens>},
      %t: tensor<1x2xi32> {train.role = #train.role<targets>},
      %w: tensor<3x2xf32> {train.role = #train.role<parameter>,
          train.param = #train.param<"embed", [3, 2], normal 0.5>},
      %s: tensor<2x2xf32> {train.role = #train.role<parameter>,
          train.param = #train.param<"h.{}.gain", [2], constant 1.0>})
      -> (tensor<f32>, tensor<f32>) {
    %z = train.fill 0.0 : tensor<i32>
    %h = train.embedding %w, %ids start %z
        : tensor<3x2xf32>, tensor<1x2xi32>, tensor<i32>
    %x = train.loop "layers" count 2 carry(%c = %h : tensor<1x2x2xf32>)
        each(%g = %s : tensor<2x2xf32>) {
      %n, %r = train.rms_norm %c, %g eps 1.0e-05
          : tensor<1x2x2xf32>, tensor<2xf32>
      train.yield carry(%n : tensor<1x2x2xf32>)
    }
    %0, %1 = train.cross_entropy_head %x, %w targets %t start %z
        : tensor<1x2x2xf32>, tensor<3x2xf32>, tensor<1x2xi32>, tensor<i32>
    return %0, %1 : tensor<f32>, tensor<f32>
  }
})";

class Training : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(
        llvm::sys::fs::createUniqueDirectory("trireme-training", folder));
    // A string of JSON may not have line breaks in the IR's text.
    std::string text = kForward;
    for (size_t i = text.find("\"{"); text[i] != '}' || text[i + 1] != '"'; ++i)
      if (text[i] == '\n')
        text[i] = ' ';
    module = parse(text);
    ASSERT_TRUE(module);
    PassManager passes(&getContext());
    passes.addPass(train::createDifferentiate());
    passes.addPass(train::createAddOptimizer());
    ASSERT_TRUE(succeeded(passes.run(*module)));

    // Tokens 0 1 2 0 1 2 ... and parameters, one tensor a layer.
    std::string tokens;
    for (int i = 0; i < 13; ++i)
      tokens += std::string{char(i % 3), 0};
    options.dataFiles = {write("tokens.bin", tokens)};
    options.init = write("init.safetensors", getParameters(R"(
        "h.1.gain": {"dtype": "F32", "shape": [2], "data_offsets": [8, 16]})"));
    options.metricsFile = getPath("metrics.jsonl");
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string getPath(StringRef name) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }
  std::string write(StringRef name, StringRef bytes) {
    std::ofstream(getPath(name), std::ios::binary) << bytes.str();
    return getPath(name);
  }
  /// A safetensors file whose numbers are all 1, the table's one of them 2.
  static std::string getParameters(StringRef last) {
    std::string header = R"({
        "embed": {"dtype": "F32", "shape": [3, 2], "data_offsets": [0, 24]},
        "h.0.gain": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},)" +
                         last.str() + "}";
    std::string bytes(8, '\0'), one("\0\0\x80\x3f", 4), two("\0\0\0\x40", 4);
    bytes[0] = char(header.size());
    bytes[1] = char(header.size() >> 8);
    return bytes + header + one + one + one + one + two + one;
  }
  int run(std::string &errors) {
    llvm::raw_string_ostream stream(errors);
    return interpretTraining(*module, options, stream);
  }

  SmallString<128> folder;
  OwningOpRef<ModuleOp> module;
  TrainingOptions options;
};

TEST_F(Training, WritesMetricsOfEachStep) {
  std::string errors;
  ASSERT_EQ(run(errors), 0) << errors;
  auto buffer = llvm::MemoryBuffer::getFile(options.metricsFile);
  ASSERT_TRUE(bool(buffer));
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().trim().split(lines, '\n');
  ASSERT_EQ(lines.size(), 3u);
  double last = 10;
  for (auto [index, line] : llvm::enumerate(lines)) {
    llvm::json::Value value = llvm::cantFail(llvm::json::parse(line));
    const llvm::json::Object &step = *value.getAsObject();
    EXPECT_EQ(step.getInteger("step"), int64_t(index) + 1);
    EXPECT_EQ(step.getInteger("tokens"), 2 * (int64_t(index) + 1));
    EXPECT_EQ(step.getNumber("lr"), index == 0 ? 0.25 : 0.5);
    EXPECT_GT(*step.getNumber("grad_norm"), 0);
    // The state is taken over from step to step.
    EXPECT_NE(*step.getNumber("loss"), last);
    last = *step.getNumber("loss");
  }
}

TEST_F(Training, MasksAndWrongFiles) {
  options.steps = 1;
  std::string errors;
  write("tokens.mask.bin", std::string(13, '\0'));
  EXPECT_EQ(run(errors), 0) << errors;
  auto buffer = llvm::MemoryBuffer::getFile(options.metricsFile);
  ASSERT_TRUE(bool(buffer));
  EXPECT_TRUE((*buffer)->getBuffer().contains("\"loss\":0,\"grad_norm\":0"));

  options.init = write("missing.safetensors", getParameters(R"(
      "h.2.gain": {"dtype": "F32", "shape": [2], "data_offsets": [8, 16]})"));
  EXPECT_EQ(run(errors), 1);
  EXPECT_NE(errors.find("no tensor \"h.1.gain\""), std::string::npos) << errors;

  errors.clear();
  options.init = write("extra.safetensors", getParameters(R"(
      "h.1.gain": {"dtype": "F32", "shape": [2], "data_offsets": [8, 16]},
      "other": {"dtype": "F32", "shape": [2], "data_offsets": [8, 16]})"));
  EXPECT_EQ(run(errors), 1);
  EXPECT_NE(errors.find("\"other\""), std::string::npos) << errors;
}

} // namespace
