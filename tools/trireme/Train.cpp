//===- Train.cpp - trireme train ------------------------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles into a cache and becomes the program. What is fixed when compiling
// makes the cache's key; what is not is given to the program as flags, so that
// another learning rate does not compile again.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Compiler.h"

#include "trireme/Pipelines/Registration.h"
#include "trireme/Support/File.h"

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <cerrno>
#include <unistd.h>

using namespace trireme;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Flags of the program
//===----------------------------------------------------------------------===//

namespace {
/// A flag that the compiled program takes.
struct ProgramFlag {
  StringRef name, valueName, help;
  bool takesMany = false;
};
} // namespace

static constexpr ProgramFlag programFlags[] = {
    {"--data", "FILE...", "token files, read one after another", true},
    {"--init", "PATH", "auto, random, a safetensors file or a folder"},
    {"--eval-data", "[NAME=]FILE...", "token files to evaluate on", true},
    {"--eval-every", "N", "evaluate after every N steps"},
    {"--eval-steps", "K", "batches of an evaluation at most"},
    {"--save", "DIR", "folder for checkpoints"},
    {"--save-every", "N", "save after every N steps"},
    {"--keep", "K", "keep the newest K checkpoints"},
    {"--resume", "DIR|auto", "go on from a checkpoint"},
    {"--metrics", "FILE", "JSON Lines, a line a step"},
    {"--log-every", "N", "print every N steps"},
    {"--trace", "FILE", "Chrome trace of what was done when"},
    {"--trace-steps", "A:B", "steps to trace"},
    {"--on-nonfinite", "stop|ignore", "on a NaN or infinite loss or gradient"},
    {"--token-bytes", "2|4", "bytes of a token in files"},
    {"--max-minutes", "M", "end at a step's end after M minutes"},
    // Not in help: the program says what it has of these.
    {"--tensorboard", "DIR", ""},
    {"--timeout", "SECONDS", ""},
    {"--shuffle-seed", "N", ""},
    {"--check-arena", "", ""},
};

/// Adds the program's flags; each is handed on through `words`.
static void addProgramFlags(CommandLine &line,
                            std::vector<std::string> &words) {
  for (const ProgramFlag &row : programFlags) {
    Flag flag{{row.name.str()}, row.valueName.str(), row.help.str(), {}};
    flag.takesMany = row.takesMany;
    flag.set = [&words, &row](StringRef text) -> llvm::Error {
      words.push_back(row.name.str());
      if (!row.valueName.empty())
        words.push_back(text.str());
      return llvm::Error::success();
    };
    line.add(std::move(flag));
  }
}

/// `--set` for each run-time key whose value is not the default with which
/// the program was compiled; they are set back to it in `config`.
static std::vector<std::string> takeRunTimeKeys(Config &config) {
  std::vector<std::string> words;
  for (const Key &key : getKeys()) {
    if (key.moment != Key::Moment::RunTime)
      continue;
    llvm::json::Value value = printValue(key, config);
    resetValue(key, config);
    if (value == printValue(key, config))
      continue;
    std::string word = (key.name + "=").str();
    llvm::raw_string_ostream stream(word);
    if (std::optional<StringRef> text = value.getAsString())
      stream << *text;
    else
      stream << value;
    words.push_back("--set");
    words.push_back(word);
  }
  return words;
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

/// $TRIREME_CACHE_DIR or ~/.cache/trireme.
static llvm::Expected<std::string> findCacheFolder() {
  llvm::SmallString<128> folder;
  if (const char *name = ::getenv("TRIREME_CACHE_DIR"); name && *name)
    folder = name;
  else if (llvm::sys::path::cache_directory(folder))
    llvm::sys::path::append(folder, "trireme");
  else
    return badInput("there is no home folder for compiled programs, expected "
                    "$TRIREME_CACHE_DIR or $HOME");
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return badInput(folder.str() + ": " + error.message());
  return folder.str().str();
}

/// The name of a compiled program: its text, what compiles it, and the
/// processor that it is for.
static std::string nameProgram(Program &program,
                               const CompileOptions &options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  program.getModule()->print(stream);
  stream << '\0' << options.workspaceMib << '\0' << options.processor << '\0'
         << llvm::sys::getHostCPUName();
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  std::vector<StringRef> names;
  for (const auto &feature : features)
    if (feature.second)
      names.push_back(feature.first());
  llvm::sort(names);
  for (StringRef name : names)
    stream << ' ' << name;
  llvm::SHA256 hash;
  hash.update(text);
  std::string self = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  if (auto compiler = llvm::MemoryBuffer::getFile(self))
    hash.update((*compiler)->getBuffer());
  return llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, 32);
}

/// Compiles the program unless the cache has it; its path.
static llvm::Expected<std::string> compileCached(Program &program,
                                                 CompileOptions &options) {
  llvm::Expected<std::string> folder = findCacheFolder();
  if (!folder)
    return folder.takeError();
  llvm::SmallString<128> path(*folder);
  llvm::sys::path::append(path, nameProgram(program, options));
  options.output = path.str().str();
  if (llvm::sys::fs::can_execute(path))
    return options.output;
  if (llvm::Error error = compileProgram(program, options))
    return error;
  return options.output;
}

//===----------------------------------------------------------------------===//
// The subcommand
//===----------------------------------------------------------------------===//

/// Refuses to be one of several tasks that a launcher started.
static llvm::Error checkLaunch() {
  for (const char *name : {"SLURM_STEP_NUM_TASKS", "WORLD_SIZE",
                           "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char *text = ::getenv(name);
    int64_t tasks = 0;
    if (!text || StringRef(text).getAsInteger(10, tasks) || tasks <= 1)
      continue;
    return badCommandLine(
        llvm::Twine(name) + "=" + text +
        ": trireme train starts the ranks itself; under a launcher compile "
        "once with trireme compile, then launch the program");
  }
  return llvm::Error::success();
}

/// Becomes the program; returns only if that fails.
static llvm::Error become(const std::string &path,
                          const std::vector<std::string> &words) {
  std::vector<char *> arguments{const_cast<char *>(path.c_str())};
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  llvm::outs().flush();
  ::execv(path.c_str(), arguments.data());
  return badInput(path + ": cannot be started: " + llvm::sys::StrError(errno));
}

llvm::Expected<ExitCode> trireme::runTrain(Words words) {
  CommandLine line("train MODEL --data FILE... [flags]",
                   "Compiles the training of a model and runs it on this "
                   "machine. Programs are kept in\n$TRIREME_CACHE_DIR or "
                   "~/.cache/trireme.");
  std::string model;
  CompileOptions options;
  ConfigFlags flags;
  std::vector<std::string> programWords;
  line.addPositional("MODEL", model);
  addProgramFlags(line, programWords);
  addCompileFlags(line, options);
  flags.addTo(line, ConfigFlags::Listed::All);
  line.acceptMLIRFlags();
  llvm::Expected<bool> goesOn = line.parse(words);
  if (!goesOn)
    return goesOn.takeError();
  if (!*goesOn)
    return ExitCode::Success;
  if (llvm::Error error = checkLaunch())
    return error;
  if (!llvm::is_contained(programWords, "--data"))
    return badCommandLine("missing --data FILE, the tokens to train on");

  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<Program> program = loadProgram(context, model, flags);
  if (!program)
    return program.takeError();
  for (std::string &word : takeRunTimeKeys(program->config))
    programWords.push_back(std::move(word));
  annotate(*program);
  llvm::Expected<std::string> path = compileCached(*program, options);
  if (!path)
    return path.takeError();
  return become(*path, programWords);
}
