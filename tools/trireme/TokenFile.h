//===- TokenFile.h - the formats of token files -----------------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_TOOLS_TRIREME_TOKENFILE_H
#define TRIREME_TOOLS_TRIREME_TOKENFILE_H

#include "trireme/Support/Error.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>

namespace trireme {

/// A mapped file of tokens: flat little-endian integers, the same behind
/// llm.c's header, or Megatron's `.bin` beside its `.idx`.
class TokenFile {
public:
  enum class Format { Flat, LlmC, Megatron };

  /// Opens `path`; a header's or an index's width wins over `tokenBytes`.
  static llvm::Expected<TokenFile> open(llvm::StringRef path,
                                        unsigned tokenBytes);

  Format getFormat() const { return format; }
  unsigned getTokenBytes() const { return tokenBytes; }
  uint64_t size() const { return tokens.size() / tokenBytes; }
  uint32_t operator[](uint64_t index) const;
  /// Documents that a Megatron index counts.
  std::optional<uint64_t> getDocuments() const { return documents; }

private:
  llvm::Error readHeader(llvm::StringRef path);
  llvm::Error readIndex(llvm::StringRef path, llvm::StringRef index);

  std::unique_ptr<llvm::MemoryBuffer> file;
  llvm::StringRef tokens; ///< The tokens' bytes.
  Format format = Format::Flat;
  unsigned tokenBytes = 2;
  std::optional<uint64_t> documents;
};

llvm::StringRef stringifyFormat(TokenFile::Format format);

/// Maps a file of any size.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mapFile(llvm::StringRef path);

} // namespace trireme

#endif // TRIREME_TOOLS_TRIREME_TOKENFILE_H
