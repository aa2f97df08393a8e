//===- Object.cpp - LLVM IR and objects -----------------------------------===//

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "trireme/Target/Executable.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace trireme;

void trireme::registerLLVMTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

/// A machine for `cpu`; null, with a message in `error`, if there is none.
static std::unique_ptr<llvm::TargetMachine> createMachine(StringRef cpu,
                                                          std::string &error) {
  static const bool initialized = !llvm::InitializeNativeTarget() &&
                                  !llvm::InitializeNativeTargetAsmPrinter();
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  const llvm::Target *target =
      initialized ? llvm::TargetRegistry::lookupTarget(triple, error) : nullptr;
  if (!target)
    return nullptr;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, "", ""));
  if (cpu != "native" && !subtarget->isCPUStringValid(cpu)) {
    error = "\"" + cpu.str() + "\" is no processor of " + triple.str();
    return nullptr;
  }
  std::string name = cpu.str(), features;
  if (cpu == "native") {
    name = llvm::sys::getHostCPUName().str();
    for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
      if (!features.empty())
        features += ',';
      features += feature.second ? '+' : '-';
      features += feature.first();
    }
  }
  llvm::TargetOptions options;
  // The IR says what is fused (design: every value is rounded to its type).
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, name, features, options, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Default));
}

unsigned trireme::getVectorBytes(StringRef cpu) {
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(cpu, error);
  return machine && machine->getMCSubtargetInfo()->checkFeatures("+avx512f")
             ? 64
             : 32;
}

unsigned trireme::getHostVectorBytes() { return getVectorBytes("native"); }

namespace {
/// A module as LLVM IR, optimized for a machine.
struct OptimizedModule {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
};
} // namespace

/// LLVM's pipeline at O2. Kernels come as vector code, so that its vectorizers
/// have nothing to gain.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
}

/// Translates and optimizes `module`; emits an error on failure.
static LogicalResult translate(ModuleOp module, const TargetOptions &options,
                               OptimizedModule &result) {
  std::string error;
  result.machine = createMachine(options.cpu, error);
  if (!result.machine)
    return module.emitError() << "cannot emit code: " << error;
  result.module = translateModuleToLLVMIR(module, result.context, "trireme");
  if (!result.module)
    return module.emitError() << "cannot be translated to LLVM IR";
  result.module->setTargetTriple(result.machine->getTargetTriple());
  result.module->setDataLayout(result.machine->createDataLayout());
  result.module->setPICLevel(llvm::PICLevel::BigPIC);
  optimize(*result.module, *result.machine);
  return success();
}

LogicalResult trireme::emitLLVMIR(ModuleOp module, const TargetOptions &options,
                                  raw_ostream &stream) {
  OptimizedModule optimized;
  if (failed(translate(module, options, optimized)))
    return failure();
  optimized.module->print(stream, nullptr);
  return success();
}

LogicalResult trireme::emitObject(ModuleOp module, const TargetOptions &options,
                                  llvm::raw_pwrite_stream &stream) {
  OptimizedModule optimized;
  if (failed(translate(module, options, optimized)))
    return failure();
  llvm::legacy::PassManager manager;
  if (optimized.machine->addPassesToEmitFile(manager, stream, nullptr,
                                             llvm::CodeGenFileType::ObjectFile))
    return module.emitError() << "cannot emit an object for "
                              << optimized.machine->getTargetTriple().str();
  manager.run(*optimized.module);
  return success();
}
