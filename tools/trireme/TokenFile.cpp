//===- TokenFile.cpp - the formats of token files -------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TokenFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace trireme;
using llvm::StringRef;
namespace endian = llvm::support::endian;

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
trireme::mapFile(StringRef path) {
  if (llvm::sys::fs::is_directory(path))
    return badInput(path + ": found a folder, expected a file");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return badInput(path + ": " + buffer.getError().message());
  return std::move(*buffer);
}

StringRef trireme::stringifyFormat(TokenFile::Format format) {
  switch (format) {
  case TokenFile::Format::Flat:
    return "flat";
  case TokenFile::Format::LlmC:
    return "llm.c";
  case TokenFile::Format::Megatron:
    return "megatron";
  }
  return "";
}

/// Whether bytes, at least a few words of them, hold none of the control bytes
/// that tokens of two or four bytes are full of.
static bool holdText(StringRef bytes) {
  constexpr size_t least = 64, looked = 4096;
  return bytes.size() >= least &&
         llvm::all_of(bytes.take_front(looked), [](unsigned char byte) {
           return byte >= ' ' || (byte >= '\t' && byte <= '\r');
         });
}

llvm::Error TokenFile::readHeader(StringRef path) {
  // llm.c: 256 int32, of which magic, version, tokens.
  constexpr size_t headerBytes = 1024;
  if (tokens.size() >= headerBytes) {
    uint32_t magic = endian::read32le(tokens.data());
    uint32_t version = endian::read32le(tokens.data() + 4);
    bool isGPT2 = magic == 20240520 && version == 1;
    bool isLlama3 = magic == 20240801 && version == 7;
    if (isGPT2 || isLlama3) {
      format = Format::LlmC;
      tokenBytes = isGPT2 ? 2 : 4;
      uint64_t count = endian::read32le(tokens.data() + 8);
      tokens = tokens.drop_front(headerBytes);
      if (tokens.size() == count * tokenBytes)
        return llvm::Error::success();
      return badInput(path +
                      llvm::formatv(": the header tells of {0} tokens of {1} "
                                    "bytes, but {2} bytes follow it",
                                    count, tokenBytes, tokens.size()));
    }
  }
  if (holdText(tokens))
    return badInput(path +
                    ": holds text, expected tokens: trireme data "
                    "tokenize " +
                    path + " -o tokens.bin makes a token of each byte");
  if (tokens.size() % tokenBytes == 0)
    return llvm::Error::success();
  return badInput(path + llvm::formatv(": has {0} bytes, expected a multiple "
                                       "of {1}; is --token-bytes right?",
                                       tokens.size(), tokenBytes));
}

llvm::Error TokenFile::readIndex(StringRef path, StringRef indexPath) {
  auto index = mapFile(indexPath);
  if (!index)
    return index.takeError();
  StringRef bytes = (*index)->getBuffer();
  constexpr size_t headerBytes = 34; // magic, version, type, two counts
  if (bytes.size() < headerBytes ||
      !bytes.starts_with(StringRef("MMIDIDX\0\0", 9)) ||
      endian::read64le(bytes.data() + 9) != 1)
    return badInput(indexPath + ": not a Megatron index of version 1");
  uint8_t type = bytes[17];
  if (type != 4 && type != 8)
    return badInput(indexPath + llvm::formatv(": tokens of type {0}, expected "
                                              "4 (int32) or 8 (uint16)",
                                              type));
  format = Format::Megatron;
  tokenBytes = type == 4 ? 4 : 2;
  uint64_t sequences = endian::read64le(bytes.data() + 18);
  if (sequences > (bytes.size() - headerBytes) / sizeof(int32_t))
    return badInput(indexPath + llvm::formatv(": tells of {0} sequences, but "
                                              "has {1} bytes",
                                              sequences, bytes.size()));
  uint64_t count = 0;
  for (uint64_t i = 0; i < sequences; ++i)
    count += endian::read32le(bytes.data() + headerBytes + 4 * i);
  if (count * tokenBytes != tokens.size())
    return badInput(indexPath +
                    llvm::formatv(": tells of {0} tokens of {1} bytes, but "
                                  "{2} has {3} bytes",
                                  count, tokenBytes, path, tokens.size()));
  // The second count is of the borders between documents.
  uint64_t borders = endian::read64le(bytes.data() + 26);
  documents = borders ? borders - 1 : 0;
  return llvm::Error::success();
}

llvm::Expected<TokenFile> TokenFile::open(StringRef path, unsigned tokenBytes) {
  TokenFile result;
  result.tokenBytes = tokenBytes;
  auto file = mapFile(path);
  if (!file)
    return file.takeError();
  result.file = std::move(*file);
  result.tokens = result.file->getBuffer();
  llvm::SmallString<128> index(path);
  llvm::sys::path::replace_extension(index, ".idx");
  bool hasIndex = index != path && llvm::sys::fs::exists(index);
  if (llvm::Error error =
          hasIndex ? result.readIndex(path, index) : result.readHeader(path))
    return error;
  return result;
}

uint32_t TokenFile::operator[](uint64_t index) const {
  const char *place = tokens.data() + index * tokenBytes;
  return tokenBytes == 2 ? endian::read16le(place) : endian::read32le(place);
}
