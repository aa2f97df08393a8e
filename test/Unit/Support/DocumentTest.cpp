//===- DocumentTest.cpp - YAML and JSON with locations
//---------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trireme/Support/Document.h"

#include "gtest/gtest.h"

using namespace trireme;

static std::string errorOf(llvm::StringRef text) {
  llvm::Expected<Document> document = Document::parse(text, "r.yaml");
  return document ? "no error" : llvm::toString(document.takeError());
}

static DocumentNode parse(llvm::StringRef text) {
  llvm::Expected<Document> document = Document::parse(text, "r.yaml");
  if (document)
    return document->getRoot();
  ADD_FAILURE() << llvm::toString(document.takeError());
  return DocumentNode();
}

TEST(Document, ReadsYamlWithLines) {
  DocumentNode root = parse("# a comment\n"
                            "steps: 20\n"
                            "optimizer: {name: adamw, lr: 3e-4}\n"
                            "schedule:\n"
                            "  name: constant\n"
                            "list: [1, two, 3.5]\n");
  EXPECT_EQ(root.find("steps")->value.asInteger(), 20);
  EXPECT_EQ(root.find("steps")->line, 2u);
  const DocumentNode &optimizer = root.find("optimizer")->value;
  EXPECT_EQ(optimizer.find("lr")->value.asNumber(), 3e-4);
  EXPECT_EQ(optimizer.find("lr")->line, 3u);
  EXPECT_EQ(root.find("schedule")->value.find("name")->line, 5u);
  ASSERT_EQ(root.find("list")->value.elements.size(), 3u);
  EXPECT_EQ(root.find("list")->value.elements[1].describe(), "\"two\"");
}

TEST(Document, ReadsJson) {
  DocumentNode root =
      parse("{\"a\":1,\"b\":{\"c\":null,\"d\":[true,\"true\"]},\n\"e\":1e-05}");
  EXPECT_EQ(root.find("a")->value.asInteger(), 1);
  const DocumentNode &inner = root.find("b")->value;
  EXPECT_TRUE(inner.find("c")->value.isNull());
  EXPECT_EQ(inner.find("d")->value.elements[0].asBoolean(), true);
  EXPECT_EQ(inner.find("d")->value.elements[1].asText(), "true");
  EXPECT_EQ(root.find("e")->value.asNumber(), 1e-5);
  EXPECT_EQ(root.find("e")->line, 2u);
}

TEST(Document, KnowsScalars) {
  DocumentNode node;
  auto with = [&](const char *text) -> DocumentNode & {
    node.text = text;
    return node;
  };
  EXPECT_EQ(with("+7").asInteger(), 7);
  EXPECT_EQ(with("-7").asInteger(), -7);
  EXPECT_FALSE(with("+-7").asInteger());
  EXPECT_FALSE(with("7.0").asInteger());
  EXPECT_FALSE(with("9223372036854775808").asInteger());
  EXPECT_EQ(with("9223372036854775808").asNumber(), 9223372036854775808.0);
  EXPECT_FALSE(with("inf").asNumber());
  EXPECT_FALSE(with("nan").asNumber());
  EXPECT_FALSE(with("1e999").asNumber());
  EXPECT_FALSE(with("0x10").asNumber());
  EXPECT_TRUE(with("~").isNull());
  EXPECT_FALSE(with("no").asBoolean());
}

TEST(Document, AnEmptyFileIsAnEmptyMapping) {
  for (const char *text : {"", "\n\n", "# only a comment\n", "---\n"}) {
    DocumentNode root = parse(text);
    EXPECT_EQ(root.kind, DocumentNode::Kind::Mapping) << text;
    EXPECT_TRUE(root.entries.empty()) << text;
  }
}

TEST(Document, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(errorOf("a: 1\nb: 2\na: 3\n"),
            "r.yaml:3: \"a\": found a second time (first in line 1), expected "
            "once; remove one");
  EXPECT_NE(errorOf("a: &x 1\nb: *x\n").find("r.yaml:1: found an anchor"),
            std::string::npos);
  EXPECT_NE(errorOf("a: !!str 1\n").find("r.yaml:1: found the tag"),
            std::string::npos);
  EXPECT_NE(errorOf("a: 1\n---\nb: 2\n").find("a second document"),
            std::string::npos);
  EXPECT_NE(errorOf("a: [1, 2\n").find("r.yaml:"), std::string::npos);
  EXPECT_NE(errorOf(llvm::StringRef("a: \0", 4)).find("NUL byte at offset 3"),
            std::string::npos);
}

TEST(Document, BoundsDepth) {
  for (const char *opening : {"[", "- ", "? ", "{a: ", "{? "}) {
    std::string text;
    for (int i = 0; i < 100000; ++i)
      text += opening;
    EXPECT_NE(errorOf(text), "no error") << opening;
  }
}

TEST(Document, PrintsAsJson) {
  DocumentNode root = parse("a: [1, 2.5, x, null, true]\nb: {c: '3'}\n");
  EXPECT_EQ(root.toJSON(),
            llvm::json::Value(llvm::json::Object{
                {"a", llvm::json::Array{1, 2.5, "x", nullptr, true}},
                {"b", llvm::json::Object{{"c", "3"}}}}));
}
