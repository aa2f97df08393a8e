//===- Document.cpp - YAML or JSON with locations -------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's parser makes nodes as they are visited, so a depth limit here bounds
// its recursion as well. Keys are refused before they are visited unless they
// are scalars.
//
//===----------------------------------------------------------------------===//

#include "trireme/Support/Document.h"

#include "trireme/Support/File.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

#include <charconv>
#include <cmath>

using namespace trireme;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

bool DocumentNode::isNull() const {
  return kind == Kind::Scalar && !isQuoted &&
         llvm::is_contained({"", "~", "null", "Null", "NULL"}, text);
}

std::optional<bool> DocumentNode::asBoolean() const {
  if (kind != Kind::Scalar || isQuoted)
    return std::nullopt;
  if (llvm::is_contained({"true", "True", "TRUE"}, text))
    return true;
  if (llvm::is_contained({"false", "False", "FALSE"}, text))
    return false;
  return std::nullopt;
}

/// Parses all of `text` as a decimal number of type T.
template <typename T> static std::optional<T> parseNumber(StringRef text) {
  if (text.starts_with("+")) {
    text = text.drop_front();
    if (text.starts_with("-"))
      return std::nullopt;
  }
  // from_chars would also accept "inf" and "nan".
  if (text.find_first_not_of("0123456789+-.eE") != StringRef::npos)
    return std::nullopt;
  T value{};
  auto [end, error] = std::from_chars(text.begin(), text.end(), value);
  if (error != std::errc() || end != text.end())
    return std::nullopt;
  return value;
}

std::optional<int64_t> DocumentNode::asInteger() const {
  if (kind != Kind::Scalar || isQuoted)
    return std::nullopt;
  return parseNumber<int64_t>(text);
}

std::optional<double> DocumentNode::asNumber() const {
  if (kind != Kind::Scalar || isQuoted)
    return std::nullopt;
  std::optional<double> value = parseNumber<double>(text);
  if (!value || !std::isfinite(*value))
    return std::nullopt;
  return value;
}

std::optional<StringRef> DocumentNode::asText() const {
  if (kind != Kind::Scalar)
    return std::nullopt;
  if (!isQuoted && (isNull() || asBoolean() || asNumber()))
    return std::nullopt;
  return StringRef(text);
}

const DocumentNode::Entry *DocumentNode::find(StringRef key) const {
  for (const Entry &entry : entries)
    if (entry.key == key)
      return &entry;
  return nullptr;
}

std::string DocumentNode::describe() const {
  switch (kind) {
  case Kind::List:
    return "a list";
  case Kind::Mapping:
    return "a mapping";
  case Kind::Scalar:
    break;
  }
  if (isNull())
    return "null";
  return asText() ? quoted(text) : text;
}

llvm::json::Value DocumentNode::toJSON() const {
  if (kind == Kind::List) {
    llvm::json::Array array;
    for (const DocumentNode &element : elements)
      array.push_back(element.toJSON());
    return array;
  }
  if (kind == Kind::Mapping) {
    llvm::json::Object object;
    for (const Entry &entry : entries)
      object[llvm::json::fixUTF8(entry.key)] = entry.value.toJSON();
    return object;
  }
  if (isNull())
    return nullptr;
  if (std::optional<bool> boolean = asBoolean())
    return *boolean;
  if (std::optional<int64_t> integer = asInteger())
    return *integer;
  if (std::optional<double> number = asNumber())
    return *number;
  return llvm::json::fixUTF8(text);
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
/// Turns LLVM's lazily parsed nodes into a tree of ours.
class Reader {
public:
  Reader(StringRef text, StringRef name)
      : name(name), stream(text, sources, /*ShowColors=*/false) {
    sources.setDiagHandler(
        [](const llvm::SMDiagnostic &diagnostic, void *reader) {
          static_cast<Reader *>(reader)->keep(diagnostic);
        },
        this);
  }

  llvm::Expected<DocumentNode> read();

private:
  static constexpr unsigned deepest = 64;

  /// Remembers the parser's first complaint.
  void keep(const llvm::SMDiagnostic &diagnostic) {
    if (message.empty())
      fail(std::max(diagnostic.getLineNo(), 1), diagnostic.getMessage());
  }

  /// Remembers the first fault; always false.
  bool fail(unsigned line, const Twine &text) {
    if (message.empty())
      message = (name + ":" + Twine(line) + ": " + text).str();
    return false;
  }

  unsigned lineOf(llvm::yaml::Node &node) {
    llvm::SMLoc start = node.getSourceRange().Start;
    return start.isValid() ? sources.getLineAndColumn(start).first : 1;
  }

  bool convert(llvm::yaml::Node *node, DocumentNode &result, unsigned depth);
  bool convertMapping(llvm::yaml::MappingNode &mapping, DocumentNode &result,
                      unsigned depth);
  bool convertList(llvm::yaml::SequenceNode &list, DocumentNode &result,
                   unsigned depth);

  StringRef name;
  llvm::SourceMgr sources;
  llvm::yaml::Stream stream;
  std::string message;
};
} // namespace

llvm::Expected<DocumentNode> Reader::read() {
  DocumentNode root;
  root.kind = DocumentNode::Kind::Mapping;
  bool good = true;
  unsigned count = 0;
  for (auto document = stream.begin(); good && document != stream.end();
       ++document) {
    llvm::yaml::Node *node = document->getRoot();
    if (!node || stream.failed())
      break;
    if (count++ == 0)
      good = convert(node, root, /*depth=*/0);
    else if (!llvm::isa<llvm::yaml::NullNode>(node))
      good = fail(lineOf(*node), "a second document starts here, expected one "
                                 "document in a file; remove it");
  }
  if (!message.empty())
    return badInput(message);
  if (!good || stream.failed())
    return badInput(name + ": is not YAML or JSON");
  return root;
}

bool Reader::convert(llvm::yaml::Node *node, DocumentNode &result,
                     unsigned depth) {
  if (!node || stream.failed())
    return false;
  result.line = lineOf(*node);
  if (depth > deepest)
    return fail(result.line, "values are nested more than " + Twine(deepest) +
                                 " deep, expected at most 4 levels");
  if (!node->getAnchor().empty() || llvm::isa<llvm::yaml::AliasNode>(node))
    return fail(result.line, "found an anchor or alias, expected a plain "
                             "value; write the value out");
  if (!node->getRawTag().empty())
    return fail(result.line, "found the tag " + quoted(node->getRawTag()) +
                                 ", expected a plain value; remove the tag");
  if (llvm::isa<llvm::yaml::NullNode>(node)) {
    // The root of an empty file stays an empty mapping.
    if (depth > 0)
      result.kind = DocumentNode::Kind::Scalar;
    return true;
  }
  if (auto *scalar = llvm::dyn_cast<llvm::yaml::ScalarNode>(node)) {
    llvm::SmallString<64> storage;
    result.kind = DocumentNode::Kind::Scalar;
    StringRef raw = scalar->getRawValue();
    result.isQuoted = raw.starts_with("\"") || raw.starts_with("'");
    result.text = scalar->getValue(storage).str();
    return !stream.failed() && message.empty();
  }
  if (auto *block = llvm::dyn_cast<llvm::yaml::BlockScalarNode>(node)) {
    result.kind = DocumentNode::Kind::Scalar;
    result.isQuoted = true;
    result.text = block->getValue().str();
    return true;
  }
  if (auto *mapping = llvm::dyn_cast<llvm::yaml::MappingNode>(node))
    return convertMapping(*mapping, result, depth);
  if (auto *list = llvm::dyn_cast<llvm::yaml::SequenceNode>(node))
    return convertList(*list, result, depth);
  return fail(result.line, "found an unknown construct, expected a value");
}

bool Reader::convertMapping(llvm::yaml::MappingNode &mapping,
                            DocumentNode &result, unsigned depth) {
  result.kind = DocumentNode::Kind::Mapping;
  llvm::StringMap<unsigned> seen;
  for (auto it = mapping.begin(); it != mapping.end(); ++it) {
    llvm::yaml::Node *key = it->getKey();
    if (!key || stream.failed())
      return false;
    DocumentNode::Entry entry;
    entry.line = lineOf(*key);
    if (!llvm::isa<llvm::yaml::ScalarNode>(key))
      return fail(entry.line, "found a key that is not a word");
    DocumentNode name;
    if (!convert(key, name, depth + 1))
      return false;
    entry.key = std::move(name.text);
    auto [earlier, isNew] = seen.try_emplace(entry.key, entry.line);
    if (!isNew)
      return fail(entry.line,
                  quoted(entry.key) + ": found a second time (first in line " +
                      Twine(earlier->second) + "), expected once; remove one");
    if (!convert(it->getValue(), entry.value, depth + 1))
      return false;
    result.entries.push_back(std::move(entry));
  }
  return !stream.failed();
}

bool Reader::convertList(llvm::yaml::SequenceNode &list, DocumentNode &result,
                         unsigned depth) {
  result.kind = DocumentNode::Kind::List;
  for (auto it = list.begin(); it != list.end(); ++it)
    if (!convert(&*it, result.elements.emplace_back(), depth + 1))
      return false;
  return !stream.failed();
}

llvm::Expected<Document> Document::parse(StringRef text, StringRef name) {
  if (size_t offset = text.find('\0'); offset != StringRef::npos)
    return badInput(name + ":" +
                    Twine(text.take_front(offset).count('\n') + 1) +
                    ": found a NUL byte at offset " + Twine(offset) +
                    ", expected YAML or JSON text");
  // The parser looks behind the end of its input for a terminator.
  std::string terminated = text.str();
  Document document;
  document.name = name.str();
  llvm::Expected<DocumentNode> root = Reader(terminated, name).read();
  if (!root)
    return root.takeError();
  document.root = std::move(*root);
  return document;
}

llvm::Expected<Document> Document::read(StringRef path) {
  llvm::Expected<std::string> text = readTextFile(path);
  if (!text)
    return text.takeError();
  return parse(*text, path);
}
