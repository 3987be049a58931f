#include "sources/sparql/engine/accumulator.h"

#include <gtest/gtest.h>

#include "sources/sparql/engine/expression_testing.h"

namespace helve::sparql {
namespace {

using K = AggregateKind;

Aggregate aggregate(K kind, std::optional<std::string> separator = std::nullopt) {
  return {kind, false, {variable("x")}, std::move(separator)};
}

// Over terms as for terms_of; "?" before them adds an error.
std::string run(const Aggregate& what, std::string_view turtle) {
  Evaluation evaluation;
  Accumulator accumulator(what, evaluation.context());
  if (turtle.starts_with('?')) {
    EXPECT_TRUE(accumulator.add(std::monostate(), evaluation.context()).has_value());
    turtle.remove_prefix(1);
  }
  for (const rdf::Term& each : terms_of(turtle)) {
    // Ids and terms in turn.
    const Value value =
        each.value.size() % 2 == 0 ? Value(each) : Value(evaluation.context().to_id(each));
    EXPECT_TRUE(accumulator.add(value, evaluation.context()).has_value());
  }
  return evaluation.show(accumulator.finish(evaluation.context()));
}

struct AggregateCase {
  K kind;
  std::string_view values;
  std::string_view expected;
};

constexpr AggregateCase kCases[] = {
    {K::Count, "", "0"},
    {K::Count, "1, 1, :x", "3"},
    {K::Count, "? 1, _:x", "2"},
    {K::Sum, "", "0"},
    {K::Sum, "1, 2, 3", "6"},
    {K::Sum, "1, 2.5", "3.5"},
    {K::Sum, "1, 2.5, 1e0", "4.5E0"},
    {K::Sum, R"(1, "1"^^xsd:float)", R"("2.0E0"^^xsd:float)"},
    {K::Sum, R"(1, "2")", "error"},
    {K::Sum, "1, _:x", "error"},
    {K::Sum, "? 1", "error"},
    {K::Sum, R"("P1D"^^xsd:dayTimeDuration)", "error"},
    {K::Avg, "", "0"},
    {K::Avg, "1, 2", "1.5"},
    {K::Avg, "1, 3", "2.0"},
    {K::Avg, "1.0, 2.2, 3.5, 2.2, 2.2", "2.22"},
    {K::Avg, "1e2, 2e3", "1.05E3"},
    {K::Avg, "1, _:b2, 3, 4", "error"},
    {K::Avg, "? 1", "error"},
    {K::Min, "", "error"},
    {K::Min, "3, 1, 2", "1"},
    {K::Min, "2, 1.0, 1", "1.0"},
    {K::Min, R"("b", "a", "c"@en)", R"("a")"},
    {K::Min, R"(1, "a", :x)", ":x"},
    {K::Min, R"("2024-01-02"^^xsd:date, "2024-01-01"^^xsd:date)", R"("2024-01-01"^^xsd:date)"},
    {K::Min, "? 1", "error"},
    {K::Max, "1, 3.0e4, 2", "3.0e4"},
    {K::Max, R"(1, "a", :x)", R"("a")"},
    {K::Max, "? 1", "error"},
    {K::Sample, "", "error"},
    {K::Sample, ":x, 1", ":x"},
    {K::Sample, "? 1, 2", "1"},
    {K::GroupConcat, "", R"("")"},
    {K::GroupConcat, R"("a", "b")", R"("a b")"},
    {K::GroupConcat, R"("a"@en, 1, :x)", R"("a 1 http://example.org/x")"},
    {K::GroupConcat, R"("", "")", R"(" ")"},
    {K::GroupConcat, R"("a", _:b)", "error"},
    {K::GroupConcat, R"(? "a")", "error"},
};

TEST(Accumulator, Aggregates) {
  for (const AggregateCase& test : kCases) {
    EXPECT_EQ(run(aggregate(test.kind), test.values), shown(test.expected))
        << static_cast<int>(test.kind) << " over " << test.values;
  }
}

TEST(Accumulator, SeparatorsAreAsWritten) {
  EXPECT_EQ(run(aggregate(K::GroupConcat, ", "), R"("a", "b", "c")"), R"("a, b, c")");
  EXPECT_EQ(run(aggregate(K::GroupConcat, ""), R"("a", "b")"), R"("ab")");
}

TEST(Accumulator, CountOfRowsTakesErrors) {
  EXPECT_EQ(run(Aggregate{K::Count, false, {}, std::nullopt}, "? 1, 1"), shown("3"));
}

TEST(Accumulator, TextsAreLimited) {
  Limits limits;
  limits.literal_bytes_max = 10;
  Evaluation evaluation("", "", limits);
  Accumulator accumulator(aggregate(K::GroupConcat), evaluation.context());
  const Value five = rdf::XsdValue::string("12345");
  EXPECT_TRUE(accumulator.add(five, evaluation.context()).has_value());
  const auto added = accumulator.add(five, evaluation.context());
  ASSERT_FALSE(added.has_value());
  EXPECT_EQ(added.error().code, ErrorCode::LimitExceeded);
}

TEST(Accumulator, MemoryIsCharged) {
  MemoryBudget budget("query", 20'000);
  OpContext op;
  op.memory = &budget;
  FakeEnv env;
  TermTable terms(memory_snapshot(""), op);
  EvaluationContext context(op, terms, env, "");
  std::optional<Error> failure;
  {
    Accumulator accumulator(aggregate(K::GroupConcat), context);
    for (std::int64_t i = 0; i < 10'000 && !failure; ++i) {
      auto added = accumulator.add(rdf::XsdValue::integer(i), context);
      if (!added) failure = std::move(added).error();
    }
  }
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->code, ErrorCode::LimitExceeded);
  EXPECT_NE(failure->message.find("aggregates"), std::string::npos) << failure->message;
  EXPECT_EQ(budget.bytes_used(), 0U);
}

}  // namespace
}  // namespace helve::sparql
