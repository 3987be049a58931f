#include "agent/loops/signature.h"

#include <gmock/gmock.h>

namespace helve::agent {
namespace {

TEST(Signature, NamesWithTypes) {
  const auto read =
      parse_signature("context, question: str -> sparql, rows: list[dict[str, int]], n: int");
  ASSERT_TRUE(read.has_value()) << read.error().to_string();
  EXPECT_THAT(read->inputs, ::testing::ElementsAre("context", "question"));
  ASSERT_EQ(read->outputs.size(), 3U);
  EXPECT_EQ(read->outputs[0].type, "object");
  EXPECT_EQ(read->outputs[1].type, "list");
  EXPECT_EQ(submit_text(*read), "SUBMIT(sparql, rows: list, n: int)");
  EXPECT_TRUE(parse_signature("-> answer").has_value());
}

TEST(Signature, WhatIsWrongIsSaid) {
  const auto message = [](std::string_view text) {
    const auto read = parse_signature(text);
    return read ? std::string("taken") : read.error().message;
  };
  EXPECT_EQ(message("answer"), "the signature is wrong: there is no ->");
  EXPECT_EQ(message("question ->"), "the signature is wrong: '' is no name");
  EXPECT_EQ(message("q -> a b"), "the signature is wrong: 'a b' is no name");
  EXPECT_EQ(message("q -> a, a"), "the signature is wrong: a is there twice");
  EXPECT_THAT(message("q -> a: text"),
              ::testing::HasSubstr("'text' is no type; there are str, int"));
  EXPECT_NE(message("q -> a\x1b[2J"), "taken");
  EXPECT_NE(message(std::string(3'000, 'a') + " -> b"), "taken");
}

}  // namespace
}  // namespace helve::agent
