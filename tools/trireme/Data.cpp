//===- Data.cpp - trireme data
//---------------------------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Token files are flat little-endian integers of two or four bytes.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Commands.h"
#include "Model.h"

#include "trireme/Support/File.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace trireme;
using llvm::StringRef;
namespace endian = llvm::support::endian;

/// Maps a file of any size.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mapFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return badInput(path + ": " + buffer.getError().message());
  return std::move(*buffer);
}

/// The flags that both subcommands have.
static void addFlags(CommandLine &line, std::vector<std::string> &files,
                     unsigned &tokenBytes) {
  line.addPositionals("FILE", files);
  addTokenBytes(line, tokenBytes);
}

//===----------------------------------------------------------------------===//
// tokenize
//===----------------------------------------------------------------------===//

static void appendToken(std::string &tokens, uint32_t token, unsigned bytes) {
  char raw[4];
  endian::write32le(raw, token);
  tokens.append(raw, bytes);
}

static llvm::Expected<ExitCode> runTokenize(Words words) {
  CommandLine line("data tokenize FILE... -o TOKENS.bin [flags]",
                   "Writes each byte of the files as one token.");
  std::vector<std::string> files;
  std::string output;
  unsigned tokenBytes = 2;
  int64_t separator = -1;
  addFlags(line, files, tokenBytes);
  line.addText("-o", "TOKENS.bin", "where to write", output);
  line.addCount("--separator", "token written behind each file, e.g. 256",
                separator);
  llvm::Expected<bool> goesOn = line.parse(words);
  if (!goesOn)
    return goesOn.takeError();
  if (!*goesOn)
    return ExitCode::Success;
  if (output.empty())
    return badCommandLine("missing -o TOKENS.bin, where to write");
  int64_t largest = tokenBytes == 2 ? 0xffff : 0x7fffffff;
  if (separator > largest)
    return badCommandLine(llvm::formatv("--separator: found {0}, expected at "
                                        "most {1} with --token-bytes {2}",
                                        separator, largest, tokenBytes));
  std::string tokens;
  for (StringRef file : files) {
    auto text = mapFile(file);
    if (!text)
      return text.takeError();
    tokens.reserve(tokens.size() + ((*text)->getBufferSize() + 1) * tokenBytes);
    for (unsigned char byte : (*text)->getBuffer())
      appendToken(tokens, byte, tokenBytes);
    if (separator >= 0)
      appendToken(tokens, uint32_t(separator), tokenBytes);
  }
  if (llvm::Error error = writeFile(output, tokens))
    return error;
  llvm::outs() << llvm::formatv("{0}: {1} tokens of {2} bytes\n", output,
                                tokens.size() / tokenBytes, tokenBytes);
  return ExitCode::Success;
}

//===----------------------------------------------------------------------===//
// inspect
//===----------------------------------------------------------------------===//

/// Prints one line of JSON about a token file.
static llvm::Error inspectFile(StringRef path, unsigned tokenBytes,
                               int64_t sequence) {
  auto file = mapFile(path);
  if (!file)
    return file.takeError();
  StringRef bytes = (*file)->getBuffer();
  if (bytes.size() % tokenBytes)
    return badInput(path +
                    llvm::formatv(": has {0} bytes, expected a multiple of "
                                  "{1}; is --token-bytes right?",
                                  bytes.size(), tokenBytes));
  uint64_t count = bytes.size() / tokenBytes;
  uint32_t largest = 0;
  llvm::DenseSet<uint64_t> seen;
  for (uint64_t index = 0; index < count; ++index) {
    const char *place = bytes.data() + index * tokenBytes;
    uint32_t token =
        tokenBytes == 2 ? endian::read16le(place) : endian::read32le(place);
    largest = std::max(largest, token);
    seen.insert(token);
  }
  llvm::json::OStream stream(llvm::outs());
  stream.object([&] {
    stream.attribute("file", llvm::json::fixUTF8(path));
    stream.attribute("tokens", int64_t(count));
    stream.attribute("token_bytes", int64_t(tokenBytes));
    stream.attribute("largest_token", int64_t(largest));
    stream.attribute("distinct_tokens", int64_t(seen.size()));
    stream.attribute("sequence_length", sequence);
    stream.attribute("samples",
                     count ? int64_t((count - 1) / uint64_t(sequence)) : 0);
  });
  llvm::outs() << '\n';
  return llvm::Error::success();
}

static llvm::Expected<ExitCode> runInspect(Words words) {
  CommandLine line("data inspect FILE... [flags]",
                   "Prints a line of JSON about each token file.");
  std::vector<std::string> files;
  unsigned tokenBytes = 2;
  int64_t sequence = 1024;
  addFlags(line, files, tokenBytes);
  line.addCount("--sequence-length",
                "count samples of this many tokens (default: 1024)", sequence);
  llvm::Expected<bool> goesOn = line.parse(words);
  if (!goesOn)
    return goesOn.takeError();
  if (!*goesOn)
    return ExitCode::Success;
  if (sequence < 1)
    return badCommandLine("--sequence-length: found 0, expected a positive "
                          "integer");
  for (StringRef file : files)
    if (llvm::Error error = inspectFile(file, tokenBytes, sequence))
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
