// For tests of what the parser says: a mistake and the answer to it.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string_view>

#include "sources/sparql/algebra/parser.h"

namespace helve::sparql {

struct Mistake {
  std::string_view text;
  std::uint64_t column;  // in its only line
  std::string_view message;
  std::string_view hint;
};

inline void expect_answers(std::span<const Mistake> mistakes) {
  for (const Mistake& mistake : mistakes) {
    const auto parsed = parse_query(mistake.text);
    ASSERT_FALSE(parsed.has_value()) << mistake.text;
    const Error& error = parsed.error();
    EXPECT_EQ(error.code, ErrorCode::InvalidInput) << mistake.text;
    EXPECT_EQ(error.document, "query") << mistake.text;
    ASSERT_TRUE(error.position.has_value()) << mistake.text;
    EXPECT_EQ(error.position->line, 1U) << mistake.text;
    EXPECT_EQ(error.position->column, mistake.column) << mistake.text;
    EXPECT_EQ(error.message, mistake.message) << mistake.text;
    EXPECT_EQ(error.hint, mistake.hint) << mistake.text;
  }
}

}  // namespace helve::sparql
