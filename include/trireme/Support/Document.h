//===- Document.h - YAML or JSON with locations -----------------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recipes, plans and clusters are YAML or JSON files; LLVM's YAML parser reads
// both. A Document is the tree of one such file in which every node knows its
// line. Scalars keep their text; what they mean is asked when a key with a
// type reads them. Anchors, aliases, tags, keys that are not scalars, and keys
// given twice are errors.
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_SUPPORT_DOCUMENT_H
#define TRIREME_SUPPORT_DOCUMENT_H

#include "trireme/Support/Error.h"

#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace trireme {

/// A scalar, list or mapping of a document.
struct DocumentNode {
  enum class Kind { Scalar, List, Mapping };
  struct Entry;

  Kind kind = Kind::Scalar;
  /// Counted from 1.
  unsigned line = 1;
  /// A scalar's text, without quotes.
  std::string text;
  /// Quoted scalars are always text.
  bool isQuoted = false;
  /// A list's elements.
  std::vector<DocumentNode> elements;
  /// A mapping's entries in the order of the file.
  std::vector<Entry> entries;

  /// True for an empty plain scalar, `null` and `~`.
  bool isNull() const;
  /// `true` and `false`, in YAML's three spellings.
  std::optional<bool> asBoolean() const;
  /// A decimal integer of 64 bits.
  std::optional<int64_t> asInteger() const;
  /// A finite decimal number; `3e-4` is one.
  std::optional<double> asNumber() const;
  /// The text of a scalar that is neither null, boolean nor number.
  std::optional<llvm::StringRef> asText() const;

  /// The entry named `key` of a mapping, or null.
  const Entry *find(llvm::StringRef key) const;
  /// What a message says was found: `"fast"`, `3`, `null`, `a list`, ...
  std::string describe() const;
  /// The same tree as JSON.
  llvm::json::Value toJSON() const;
};

/// A key and its value.
struct DocumentNode::Entry {
  std::string key;
  unsigned line = 1;
  DocumentNode value;
};

/// One YAML or JSON file.
class Document {
public:
  /// Reads a file; an unreadable one is an error.
  static llvm::Expected<Document> read(llvm::StringRef path);
  /// Parses `text`; `name` stands for the file in messages. An empty text is
  /// an empty mapping.
  static llvm::Expected<Document> parse(llvm::StringRef text,
                                        llvm::StringRef name);

  const DocumentNode &getRoot() const { return root; }
  llvm::StringRef getName() const { return name; }

private:
  std::string name;
  DocumentNode root;
};

} // namespace trireme

#endif // TRIREME_SUPPORT_DOCUMENT_H
