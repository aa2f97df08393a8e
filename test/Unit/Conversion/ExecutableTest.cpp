//===- ExecutableTest.cpp - Linking compiled programs ---------------------===//

#include "trireme/Target/Executable.h"
#include "mlir/Parser/Parser.h"
#include "trireme/Conversion/Passes.h"
#include "trireme/Pipelines/Registration.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <gtest/gtest.h>

using namespace trireme;

constexpr llvm::StringLiteral kProgram = R"(
  module attributes {runtime.manifest = "{}"} {
    func.func @train(%context: !llvm.ptr, %arena: !llvm.ptr) {
      %0 = runtime.buffer %arena at 64 strides []
      runtime.call "trireme_zero", %context(%0) [64]
      return
    }
    func.func @evaluate(%context: !llvm.ptr, %arena: !llvm.ptr) {
      return
    }
  })";

/// The object of kProgram.
static std::string makeObject() {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kProgram, &context);
  mlir::PassManager manager(&context);
  buildRuntimeToLLVMPipeline(manager, {});
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  if (!module || failed(manager.run(*module)) ||
      failed(emitObject(*module, TargetOptions(), stream)))
    return "";
  return std::string(object.data(), object.size());
}

/// The failure and message of an error that must be a LinkError.
static std::pair<LinkFailure, std::string> take(llvm::Error error) {
  std::pair<LinkFailure, std::string> result;
  bool failed = bool(error);
  EXPECT_TRUE(failed);
  llvm::handleAllErrors(std::move(error), [&](const LinkError &link) {
    llvm::raw_string_ostream stream(result.second);
    link.log(stream);
    result.first = link.getFailure();
  });
  return result;
}

class Executable : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("trireme-test", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }
  std::string in(llvm::StringRef name) { return (folder + "/" + name).str(); }
  llvm::SmallString<64> folder;
};

TEST_F(Executable, SaysThatTheRuntimeIsMissing) {
  auto [failure, message] = take(linkExecutable("", in("program"), folder));
  EXPECT_EQ(failure, LinkFailure::Missing);
  EXPECT_NE(message.find("libtrireme-runtime-cpu.a"), std::string::npos);
}

TEST_F(Executable, LeavesNothingBehindOnFailure) {
  if (!llvm::sys::fs::exists(findRuntimeDirectory() +
                             "/libtrireme-runtime-cpu.a"))
    GTEST_SKIP() << "the runtime is not built";
  auto [failure, message] =
      take(linkExecutable("no object", in("program"), findRuntimeDirectory()));
  EXPECT_EQ(failure, LinkFailure::Failed);
  std::error_code code;
  EXPECT_EQ(llvm::sys::fs::directory_iterator(folder, code),
            llvm::sys::fs::directory_iterator());
}

TEST_F(Executable, Links) {
  if (!llvm::sys::fs::exists(findRuntimeDirectory() +
                             "/libtrireme-runtime-cpu.a"))
    GTEST_SKIP() << "the runtime is not built";
  std::string object = makeObject();
  ASSERT_FALSE(object.empty());
  llvm::Error error =
      linkExecutable(object, in("program"), findRuntimeDirectory());
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  EXPECT_TRUE(llvm::sys::fs::can_execute(in("program")));
}

TEST_F(Executable, RefusesAnUnknownProcessor) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          message = diagnostic.str();
                                          return mlir::success();
                                        });
  auto module = mlir::parseSourceString<mlir::ModuleOp>("module {}", &context);
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  TargetOptions options;
  options.cpu = "abacus";
  EXPECT_TRUE(mlir::failed(emitObject(*module, options, stream)));
  EXPECT_NE(message.find("\"abacus\" is no processor"), std::string::npos);
}
