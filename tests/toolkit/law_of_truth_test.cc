// The law of honest metadata, held against every tool: what a reply says of itself is compared with
// what is there.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "sources/sparql/algebra/parser.h"
#include "tests/toolkit/law_world.h"

namespace helve::proofs {
namespace {

using ::testing::AnyOf;

class LawOfTruth : public Laws {};

TEST_F(LawOfTruth, EveryReplyHasSourceTimeAndWarnings) {
  world().walk(31, 6, [&](const MadeCall&, const Answer& answer) {
    EXPECT_NE(text_at(answer.json, "source"), "") << answer.reply.json;
    const JsonValue* time = answer.json.find("execution_time_ms");
    ASSERT_NE(time, nullptr) << answer.reply.json;
    EXPECT_GE(time->to_double().value_or(-1), 0);
    const JsonValue* warnings = answer.json.find("warnings");
    ASSERT_NE(warnings, nullptr) << answer.reply.json;
    EXPECT_NE(warnings->if_array(), nullptr);
    // Whatever is said of a total says what kind of number it is.
    if (const auto total = number_at(answer.json, "total_available")) {
      const std::string is = text_at(answer.json, "total_is");
      if (answer.json.find("total_is") != nullptr) {
        EXPECT_THAT(is, AnyOf("exact", "at_least", "estimate")) << answer.reply.json;
      }
      const auto limit = number_at(answer.json, "limit_applied");
      const auto truncated = flag_at(answer.json, "truncated");
      if (limit && truncated && is == "exact") {
        EXPECT_EQ(*truncated, *total > *limit);
      }
    }
  });
}

// The list that the limit is about, by the number of its items.
std::size_t longest_list(const JsonValue& reply) {
  static const std::set<std::string> others = {
      "warnings",  "usage",        "columns",         "types",      "common_properties",  "graphs",
      "endpoints", "superclasses", "related_classes", "namespaces", "related_procedures", "domain",
      "range",     "column_types", "primary_key"};
  std::size_t most = 0;
  for (const JsonMember& member : *reply.if_object()) {
    if (!others.contains(member.key)) most = std::max(most, items_at(reply, member.key));
  }
  return most;
}

JsonValue with(const JsonValue& arguments, const char* key, JsonValue value) {
  JsonValue changed = arguments;
  std::erase_if(*changed.if_object(), [&](const JsonMember& one) { return one.key == key; });
  changed.if_object()->push_back({key, std::move(value)});
  return changed;
}

// With everything shown, what was said before must turn out to be true.
TEST_F(LawOfTruth, TruncatedIsExactAndTotalsDoNotDependOnTheLimit) {
  CallMaker maker = world().maker(32);
  std::uint64_t compared = 0;
  for (const toolkit::Tool& tool : world().bench().registry().tools()) {
    if (!has_parameter(tool, "limit") || tool.name == "ctx_peek") continue;
    for (int i = 0; i < 10; ++i) {
      MadeCall call = maker.right(tool);
      call.arguments = with(call.arguments, "explain", JsonValue(false));
      call.arguments = with(call.arguments, "max_chars", JsonValue(20'000));
      SCOPED_TRACE(brief(call));
      call.arguments = with(call.arguments, "limit", JsonValue(1'000'000));
      const Answer all = world().answer(call);
      if (all.is_error() || !number_at(all.json, "limit_applied")) continue;
      const auto cap = *number_at(all.json, "limit_applied");
      const auto total = number_at(all.json, "total_available");
      for (const std::uint64_t limit :
           {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{17}}) {
        call.arguments = with(call.arguments, "limit", JsonValue(limit));
        const Answer some = world().answer(call);
        ASSERT_FALSE(some.is_error()) << some.reply.json;
        EXPECT_EQ(number_at(some.json, "limit_applied"), std::min(limit, cap)) << some.reply.json;
        if (text_at(all.json, "total_is") == "exact" && text_at(some.json, "total_is") == "exact") {
          EXPECT_EQ(number_at(some.json, "total_available"), total) << some.reply.json;
        }
        const auto truncated = flag_at(some.json, "truncated");
        if (!truncated) continue;
        ++compared;
        const std::size_t there = longest_list(all.json);
        if (there < cap) {
          EXPECT_EQ(*truncated, std::max<std::size_t>(there, total.value_or(there)) > limit)
              << some.reply.json << "\nbeside " << all.reply.json;
        }
      }
    }
  }
  EXPECT_GT(compared, 200U);
}

TEST_F(LawOfTruth, EveryReplyOfALimitSaysWhichLimitHeld) {
  CallMaker maker = world().maker(33);
  for (const toolkit::Tool& tool : world().bench().registry().tools()) {
    if (!has_parameter(tool, "limit") || tool.name.starts_with("ctx_")) continue;
    for (int i = 0; i < 6; ++i) {
      const MadeCall call = maker.right(tool);
      const std::string mode = text_at(call.arguments, "output_mode");
      const Answer answer = world().answer(call);
      // What is one thing (a yes, a number, an overview, a plan) has no rows to limit.
      if (answer.is_error() || longest_list(answer.json) == 0 || mode == "count" ||
          mode == "overview" || answer.json.find("boolean") != nullptr) {
        continue;
      }
      SCOPED_TRACE(brief(call));
      EXPECT_TRUE(number_at(answer.json, "limit_applied").has_value()) << answer.reply.json;
      EXPECT_TRUE(flag_at(answer.json, "truncated") || flag_at(answer.json, "has_more"))
          << answer.reply.json;
    }
  }
}

class Counting final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>&) override { return {}; }
  Result<void> row(Row) override {
    ++rows;
    return {};
  }
  std::uint64_t rows = 0;
};

TEST_F(LawOfTruth, TotalsOfQueriesAreThoseOfTheEngine) {
  for (const char* text : {"SELECT * { ?s ?p ?o }", "SELECT ?x { ?x a ex:Thing }",
                           "SELECT ?x { ?x a ex:Thing } LIMIT 7", "SELECT ?x { ?x a ex:Planet }",
                           "SELECT DISTINCT ?p { ?s ?p ?o }", "SELECT ?a ?b { ?a ex:near ?b }",
                           "SELECT ?a ?b { ?a a ex:Thing . ?b a ex:Thing } LIMIT 30000"}) {
    SCOPED_TRACE(text);
    sparql::ParseOptions options;
    options.known_prefixes = world().graph().prefixes();
    const auto parsed = sparql::parse_query(text, options);
    ASSERT_TRUE(parsed.has_value());
    Counting truth;
    ASSERT_FALSE(world().graph().run(parsed->query, UINT64_MAX, truth, {}).error.has_value());
    const Answer answer =
        world().bench().call("sparql_query", object_of({{"query", JsonValue(text)}}));
    ASSERT_FALSE(answer.is_error()) << answer.reply.json;
    EXPECT_EQ(number_at(answer.json, "total_available"), truth.rows) << answer.reply.json;
    EXPECT_EQ(text_at(answer.json, "total_is"), "exact");
    EXPECT_EQ(number_at(answer.json, "rows"), std::min<std::uint64_t>(truth.rows, 20'000));
    EXPECT_EQ(flag_at(answer.json, "truncated"), truth.rows > 100);
    const Answer count =
        world().bench().call("sparql_count", object_of({{"query", JsonValue(text)}}));
    EXPECT_EQ(number_at(count.json, "count"), truth.rows) << count.reply.json;
  }
}

TEST_F(LawOfTruth, WhatComesFromAPartialHandleSaysSo) {
  const Answer part = world().bench().call(
      "sparql_query", R"({"query":"SELECT ?a ?b { ?a a ex:Thing . ?b a ex:Thing } LIMIT 30000"})");
  ASSERT_EQ(number_at(part.json, "rows"), 20'000U);
  const JsonValue key(part.text("key"));
  const std::vector<std::pair<std::string, JsonValue>> uses = {
      {"sparql_slice", object_of({{"result", key}})},
      {"sparql_stats", object_of({{"result", key}})},
      {"sparql_peek", object_of({{"resource", key}})},
      {"ctx_stats", object_of({{"key", key}})},
      {"sparql_query", object_of({{"query", JsonValue("SELECT ?a { VALUES ?a { @" +
                                                      part.text("key") + ".a } }")}})},
      {"sparql_query", object_of({{"query", JsonValue("CONSTRUCT { ?a a ex:Seen } { VALUES ?a { @" +
                                                      part.text("key") + ".a } }")}})},
  };
  for (const auto& [tool, arguments] : uses) {
    const Answer use = world().bench().call(tool, arguments);
    ASSERT_FALSE(use.is_error()) << tool << use.reply.json;
    const std::string warnings = to_json(*use.json.find("warnings"));
    EXPECT_TRUE(warnings.find("complete") != std::string::npos ||
                warnings.find("partial") != std::string::npos)
        << tool << " " << use.reply.json;
  }
}

}  // namespace
}  // namespace helve::proofs
