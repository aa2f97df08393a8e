//===- Data.cpp - trireme data --------------------------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tokenize writes are flat little-endian integers of two or four bytes.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Commands.h"
#include "Model.h"
#include "TokenFile.h"

#include "trireme/Support/File.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace trireme;
using llvm::StringRef;
namespace endian = llvm::support::endian;

/// The flags that both subcommands have.
static void addFlags(CommandLine &line, std::vector<std::string> &files,
                     unsigned &tokenBytes) {
  line.addPositionals("FILE", files);
  addTokenBytes(line, tokenBytes);
}

//===----------------------------------------------------------------------===//
// tokenize
//===----------------------------------------------------------------------===//

namespace {
/// What to write as tokens, and how.
struct Tokenization {
  std::vector<std::string> files;
  int64_t separator = -1; ///< Written behind each file; none if negative.
  unsigned tokenBytes = 2;
};
} // namespace

static void writeToken(llvm::raw_ostream &stream, uint32_t token,
                       unsigned bytes) {
  char raw[4];
  endian::write32le(raw, token);
  stream.write(raw, bytes);
}

/// Streams the files' bytes as tokens; counts them.
static llvm::Error writeTokens(llvm::raw_ostream &stream,
                               const Tokenization &wanted, uint64_t &count) {
  for (StringRef file : wanted.files) {
    auto text = mapFile(file);
    if (!text)
      return text.takeError();
    for (unsigned char byte : (*text)->getBuffer())
      writeToken(stream, byte, wanted.tokenBytes);
    count += (*text)->getBufferSize();
    if (wanted.separator < 0)
      continue;
    writeToken(stream, uint32_t(wanted.separator), wanted.tokenBytes);
    ++count;
  }
  return llvm::Error::success();
}

/// Refuses to write over a text that is to be read.
static llvm::Error checkOutput(StringRef output, const Tokenization &wanted) {
  for (StringRef file : wanted.files)
    if (llvm::sys::fs::equivalent(file, output))
      return badCommandLine("-o " + output +
                            " is one of the files to read, expected another "
                            "name, e.g. tokens.bin");
  return llvm::Error::success();
}

static llvm::Expected<ExitCode> runTokenize(Words words) {
  CommandLine line("data tokenize FILE... -o TOKENS.bin [flags]",
                   "Writes each byte of the files as one token: a vocabulary "
                   "of 256, and of 257 with\n--separator 256.");
  Tokenization wanted;
  std::string output;
  addFlags(line, wanted.files, wanted.tokenBytes);
  line.addText("-o", "TOKENS.bin", "where to write", output);
  line.addCount("--separator", "token written behind each file, e.g. 256",
                wanted.separator);
  llvm::Expected<bool> goesOn = line.parse(words);
  if (!goesOn)
    return goesOn.takeError();
  if (!*goesOn)
    return ExitCode::Success;
  if (output.empty())
    return badCommandLine("missing -o TOKENS.bin, where to write");
  int64_t largest = wanted.tokenBytes == 2 ? 0xffff : 0x7fffffff;
  if (wanted.separator > largest)
    return badCommandLine(llvm::formatv("--separator: found {0}, expected at "
                                        "most {1} with --token-bytes {2}",
                                        wanted.separator, largest,
                                        wanted.tokenBytes));
  if (llvm::Error error = checkOutput(output, wanted))
    return error;
  uint64_t count = 0;
  auto write = [&](llvm::raw_ostream &stream) {
    return writeTokens(stream, wanted, count);
  };
  if (llvm::Error error = writeFile(output, write))
    return error;
  // Tokens on stdout stay alone there.
  llvm::raw_ostream &said = output == "-" ? llvm::errs() : llvm::outs();
  said << llvm::formatv("{0}: {1} tokens of {2} bytes\n", output, count,
                        wanted.tokenBytes);
  return ExitCode::Success;
}

//===----------------------------------------------------------------------===//
// inspect
//===----------------------------------------------------------------------===//

/// How often each token occurs.
using Histogram = llvm::DenseMap<uint64_t, uint64_t>;

/// The loss in nats of predicting each token by its frequency alone.
static double computeEntropy(const Histogram &histogram, uint64_t count) {
  std::vector<uint64_t> occurrences;
  for (auto [token, times] : histogram)
    occurrences.push_back(times);
  llvm::sort(occurrences); // the sum does not depend on the map's order
  double entropy = 0;
  for (uint64_t times : occurrences)
    entropy -=
        double(times) / double(count) * std::log(double(times) / double(count));
  return entropy;
}

/// Documents that end with `separator`, and one more behind the last.
static uint64_t countDocuments(const TokenFile &file,
                               const Histogram &histogram, uint32_t separator) {
  bool isOpen = file.size() && file[file.size() - 1] != separator;
  return histogram.lookup(separator) + isOpen;
}

namespace {
/// What inspect is told.
struct Inspection {
  unsigned tokenBytes = 2;
  int64_t sequence = 1024;
  int64_t separator = -1; ///< Documents are not counted if negative.
};
} // namespace

/// Prints one line of JSON about a token file.
static llvm::Error inspectFile(StringRef path, const Inspection &wanted) {
  llvm::Expected<TokenFile> file = TokenFile::open(path, wanted.tokenBytes);
  if (!file)
    return file.takeError();
  uint64_t count = file->size();
  uint32_t largest = 0;
  Histogram histogram;
  for (uint64_t index = 0; index < count; ++index) {
    uint32_t token = (*file)[index];
    largest = std::max(largest, token);
    ++histogram[token];
  }
  std::optional<uint64_t> documents = file->getDocuments();
  if (wanted.separator >= 0)
    documents = countDocuments(*file, histogram, uint32_t(wanted.separator));

  llvm::json::OStream stream(llvm::outs());
  stream.object([&] {
    stream.attribute("file", llvm::json::fixUTF8(path));
    stream.attribute("format", stringifyFormat(file->getFormat()));
    stream.attribute("tokens", int64_t(count));
    stream.attribute("token_bytes", int64_t(file->getTokenBytes()));
    if (documents)
      stream.attribute("documents", int64_t(*documents));
    stream.attribute("largest_token", int64_t(largest));
    stream.attribute("distinct_tokens", int64_t(histogram.size()));
    stream.attribute("unigram_entropy_nats", computeEntropy(histogram, count));
    stream.attribute("sequence_length", wanted.sequence);
    stream.attribute("samples",
                     count ? int64_t((count - 1) / uint64_t(wanted.sequence))
                           : 0);
  });
  llvm::outs() << '\n';
  return llvm::Error::success();
}

static llvm::Expected<ExitCode> runInspect(Words words) {
  CommandLine line("data inspect FILE... [flags]",
                   "Prints a line of JSON about each token file: flat, with "
                   "llm.c's header, or\nMegatron's .bin beside its .idx. A "
                   "model's vocab_size must be above largest_token;\n"
                   "unigram_entropy_nats is the loss of a model that knows "
                   "only how often each token occurs.");
  std::vector<std::string> files;
  Inspection wanted;
  addFlags(line, files, wanted.tokenBytes);
  line.addCount("--separator", "count documents that end with this token",
                wanted.separator);
  line.addCount("--sequence-length",
                "count samples of this many tokens (default: 1024)",
                wanted.sequence);
  llvm::Expected<bool> goesOn = line.parse(words);
  if (!goesOn)
    return goesOn.takeError();
  if (!*goesOn)
    return ExitCode::Success;
  if (wanted.sequence < 1)
    return badCommandLine("--sequence-length: found 0, expected a positive "
                          "integer");
  for (StringRef file : files)
    if (llvm::Error error = inspectFile(file, wanted))
      return error;
  return ExitCode::Success;
}

llvm::Expected<ExitCode> trireme::runData(Words words) {
  if (words.empty())
    return badCommandLine("data: expected tokenize or inspect");
  StringRef name = words.front();
  if (name == "tokenize")
    return runTokenize(words.drop_front());
  if (name == "inspect")
    return runInspect(words.drop_front());
  if (name == "--help" || name == "-h") {
    llvm::outs() << "usage: trireme data tokenize|inspect ...\n\n"
                    "  tokenize     write files as tokens, a byte each\n"
                    "  inspect      print what token files hold\n";
    return ExitCode::Success;
  }
  return badCommandLine("data: found " + quoted(name) +
                        ", expected tokenize or inspect");
}
