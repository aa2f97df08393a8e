//===- trireme.cpp - the driver -------------------------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "trireme/Support/Text.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace trireme;
using llvm::StringRef;

namespace {
struct Subcommand {
  llvm::StringLiteral name;
  llvm::StringLiteral help;
  llvm::Expected<ExitCode> (*run)(Words);
};
} // namespace

static constexpr Subcommand subcommands[] = {
    {"import", "write a model's forward loss in the train dialect", runImport},
    {"compile", "compile a model's training", runCompile},
    {"train", "compile and run on this machine", runTrain},
    {"interpret", "evaluate a program in float64", runInterpret},
    {"data", "make and look at token files", runData},
};

/// Subcommands that a later version brings.
static constexpr llvm::StringLiteral notBuilt[] = {"plan", "simulate", "diff",
                                                   "calibrate", "checkpoint"};

static void printHelp() {
  llvm::outs() << "usage: trireme SUBCOMMAND ...\n\n"
                  "Compiles transformer training to native programs. MODEL is "
                  "a Hugging Face folder,\na config.json, or an imported (and "
                  "edited) .mlir file.\n\n";
  for (const Subcommand &subcommand : subcommands)
    llvm::outs() << llvm::formatv("  {0,-12} {1}\n", subcommand.name,
                                  subcommand.help);
  llvm::outs()
      << "\ntrireme SUBCOMMAND --help lists its flags; trireme --version.\n\n"
         "  trireme data tokenize TEXT -o tokens.bin\n"
         "  trireme train MODEL --data tokens.bin --steps 100\n"
         "  trireme compile MODEL -o program && ./program --data tokens.bin\n\n"
         "Exit codes: 0 done; 1 a file or a value is wrong; 2 the command line "
         "is wrong;\n3 the run failed; 4 this build or machine lacks what was "
         "asked for.\n";
}

static llvm::Expected<ExitCode> run(Words words) {
  if (words.empty())
    return badCommandLine("missing a subcommand; trireme --help lists them");
  StringRef name = words.front();
  if (name == "--help" || name == "-h" || name == "help") {
    printHelp();
    return ExitCode::Success;
  }
  if (name == "--version") {
    llvm::outs() << "trireme " << TRIREME_VERSION << '\n';
    return ExitCode::Success;
  }
  llvm::SmallVector<StringRef> names;
  for (const Subcommand &subcommand : subcommands) {
    if (subcommand.name == name)
      return subcommand.run(words.drop_front());
    names.push_back(subcommand.name);
  }
  if (llvm::is_contained(notBuilt, name))
    return unavailable("\"" + name + "\" is not built in this version");
  return badCommandLine("unknown subcommand " + quoted(name) +
                        "; the nearest is \"" + nearestName(name, names) +
                        "\", --help lists all");
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::SmallVector<StringRef> words(argv + 1, argv + argc);
  llvm::Expected<ExitCode> code = run(words);
  llvm::outs().flush();
  return int(code ? *code : reportError(code.takeError(), "trireme"));
}
