#include "sources/sparql/engine/sort_key.h"

#include <gtest/gtest.h>

#include "sources/sparql/engine/expression_testing.h"
#include "sources/sparql/engine/term_functions.h"

namespace helve::sparql {
namespace {

// Ascending; terms on one line are equal.
constexpr std::string_view kAscending[] = {
    "_:a",
    "_:b",
    ":a",
    ":b",
    R"("NaN"^^xsd:double, "NaN"^^xsd:float)",
    R"("-INF"^^xsd:double)",
    "-9223372036854775809",
    "-1.5, -1.5e0",
    R"(0, 0.0, 0.0e0, "-0"^^xsd:double)",
    R"(1, 01, "1"^^xsd:byte, 1.0)",
    "1.5",
    "9007199254740992",
    "9007199254740993, 9007199254740993.0",
    "9223372036854775808",
    "1e300",
    R"("INF"^^xsd:double)",
    R"("")",
    R"("1", "1"^^xsd:token)",
    R"("a")",
    R"("a"@en, "a"@EN)",
    R"("a"@fr)",
    R"("b")",
    R"("é")",
    R"(false, "0"^^xsd:boolean)",
    "true",
    R"("-0001"^^xsd:gYear)",
    R"("2023-12-31"^^xsd:date)",
    R"("2024-01-01T00:00:00"^^xsd:dateTime, "2024-01-01T00:00:00Z"^^xsd:dateTime)",
    R"("2024-01-01"^^xsd:date)",
    R"("2024-01-01T01:00:00+00:30"^^xsd:dateTime)",
    R"("2024-01-02"^^xsd:date)",
    R"("03:00:00"^^xsd:time)",
    R"("04:00:00"^^xsd:time)",
    R"("--05"^^xsd:gMonth)",
    R"("-P1Y"^^xsd:yearMonthDuration)",
    R"("PT0S"^^xsd:dayTimeDuration, "P0M"^^xsd:yearMonthDuration)",
    R"("P27D"^^xsd:dayTimeDuration)",
    R"("P1M"^^xsd:yearMonthDuration, "P1M"^^xsd:duration)",
    R"("P2M"^^xsd:duration)",
    R"("P1Y"^^xsd:yearMonthDuration)",
    R"("a"^^:t)",
    R"("a"^^:u)",
    R"("x"^^xsd:integer)",
};

struct Keyed {
  std::size_t line;
  rdf::Term term;
  SortKey key;
};

TEST(SortKey, IsATotalOrder) {
  Evaluation evaluation;
  std::vector<Keyed> keys{{0, {}, SortKey::of(std::monostate(), evaluation.context())}};
  for (std::size_t line = 0; line < std::size(kAscending); ++line) {
    for (const rdf::Term& each : terms_of(kAscending[line])) {
      keys.push_back({line + 1, each, SortKey::of(each, evaluation.context())});
      // The shape of the value does not matter.
      const Id id = evaluation.context().to_id(each);
      EXPECT_TRUE(std::is_eq(keys.back().key.compare(SortKey::of(id, evaluation.context()))));
    }
  }
  for (const Keyed& a : keys) {
    for (const Keyed& b : keys) {
      EXPECT_EQ(a.key.compare(b.key), std::weak_ordering(a.line <=> b.line))
          << rdf::to_ntriples(a.term.view()) << " and " << rdf::to_ntriples(b.term.view());
    }
  }
}

TEST(SortKey, ExtendsTheOperators) {
  Evaluation evaluation;
  std::vector<rdf::Term> all;
  for (const std::string_view line : kAscending) {
    for (rdf::Term& each : terms_of(line)) all.push_back(std::move(each));
  }
  for (const rdf::Term& a : all) {
    for (const rdf::Term& b : all) {
      const auto is_less = less(a, b, evaluation.context());
      if (!is_less || !*is_less) continue;
      EXPECT_TRUE(std::is_lt(
          SortKey::of(a, evaluation.context()).compare(SortKey::of(b, evaluation.context()))))
          << rdf::to_ntriples(a.view()) << " and " << rdf::to_ntriples(b.view());
    }
  }
}

TEST(SortKey, KnowsItsMemory) {
  Evaluation evaluation;
  const auto bytes = [&](const Value& value) {
    return SortKey::of(value, evaluation.context()).memory_bytes();
  };
  EXPECT_EQ(bytes(term("1")), sizeof(SortKey));
  EXPECT_EQ(bytes(term(R"("short")")), sizeof(SortKey));
  EXPECT_GT(bytes(rdf::XsdValue::string(std::string(1'000, 'x'))), sizeof(SortKey) + 1'000);
}

}  // namespace
}  // namespace helve::sparql
