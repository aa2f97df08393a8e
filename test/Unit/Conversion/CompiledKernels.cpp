//===- CompiledKernels.cpp - Kernels of MLIR text, ready to call ----------===//

#include "CompiledKernels.h"
#include "mlir/Parser/Parser.h"
#include "trireme/Conversion/Passes.h"
#include "trireme/Pipelines/Registration.h"
#include "trireme/Target/Executable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include <chrono>
#include <random>

using namespace mlir;
using namespace trireme;
using namespace trireme::test;

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::vector<KernelTarget> test::getRunnableTargets() {
  std::vector<KernelTarget> targets = {{"x86-64-v3", 32}};
  if (getHostVectorBytes() == 64)
    targets.push_back({"x86-64-v4", 64});
  return targets;
}

CompiledKernels::CompiledKernels(StringRef text, const KernelTarget &target) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string source;
  for (StringRef kind :
       {"full", "row", "column", "scalar", "column_sum", "sum"})
    source += "#" + kind.str() + " = #train<row_kind " + kind.str() + ">\n";
  source += text;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  if (!module)
    llvm::report_fatal_error("the kernels cannot be parsed");
  double start = now();
  PassManager manager(&context);
  RuntimeToLLVMPipelineOptions options;
  options.vectorBytes = target.vectorBytes;
  buildRuntimeToLLVMPipeline(manager, options);
  if (failed(manager.run(*module)))
    llvm::report_fatal_error("the kernels cannot be lowered");
  for (auto function : module->getOps<LLVM::LLVMFuncOp>())
    function.setLinkage(LLVM::Linkage::External);
  passSeconds = now() - start;

  start = now();
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  TargetOptions targetOptions;
  targetOptions.cpu = target.cpu;
  if (failed(emitObject(*module, targetOptions, stream)))
    llvm::report_fatal_error("the kernels cannot be compiled");
  codeSeconds = now() - start;

  llvm::ExitOnError exitOnError("JIT: ");
  jit = exitOnError(llvm::orc::LLJITBuilder().create());
  jit->getMainJITDylib().addGenerator(exitOnError(
      llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
          jit->getDataLayout().getGlobalPrefix())));
  exitOnError(jit->addObjectFile(
      std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object))));
}

CompiledKernels::~CompiledKernels() = default;

Kernel CompiledKernels::get(StringRef name) const {
  llvm::ExitOnError exitOnError("JIT: ");
  return exitOnError(jit->lookup(name)).toPtr<Kernel>();
}

std::string
test::withNumbers(StringRef text,
                  llvm::ArrayRef<std::pair<StringRef, int64_t>> numbers) {
  std::string result = text.str();
  for (auto [name, number] : numbers) {
    std::string mark = "$" + name.str();
    for (size_t at = result.find(mark); at != std::string::npos;
         at = result.find(mark))
      result.replace(at, mark.size(), std::to_string(number));
  }
  return result;
}

std::vector<float> test::makeNumbers(int64_t count, float low, float high,
                                     unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> numbers(count);
  for (float &number : numbers)
    number = distribution(generator);
  return numbers;
}
