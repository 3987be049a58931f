#include "helve/typed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "helve/source.h"

namespace helve::api {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Typed : public ::testing::Test {
 protected:
  static Tools make(const Policy& policy = {}) {
    static const Source source = connect("sample:").value();
    return get_tools(source, policy).value();
  }
  const Tools tools = make();
};

TEST_F(Typed, QueryGivesTerms) {
  const auto answer =
      query(tools, "SELECT ?s ?n ?none { ?s a sol:Star ; rdfs:label ?n FILTER(LANG(?n) = 'en') }");
  ASSERT_TRUE(answer) << answer.error().to_string();
  EXPECT_THAT(answer->columns, ElementsAre("s", "n", "none"));
  ASSERT_EQ(answer->rows.size(), 1U);
  const Row& row = answer->rows[0];
  EXPECT_EQ(row[0]->kind, TermKind::Iri);
  EXPECT_THAT(row[0]->value, ::testing::EndsWith("Sun"));
  EXPECT_EQ(row[0]->to_string(), "<" + row[0]->value + ">");
  EXPECT_EQ(row[1]->to_string(), "\"" + row[1]->value + "\"@en");
  EXPECT_FALSE(row[2]);
  EXPECT_EQ(answer->handle, "results_0");
  EXPECT_EQ(answer->rows_stored, 1U);
  EXPECT_EQ(answer->total_available, 1U);
  EXPECT_EQ(answer->total_is, "exact");
  EXPECT_FALSE(answer->truncated);
  EXPECT_TRUE(answer->is_complete);
  EXPECT_EQ(answer->source, "sample");
}

TEST_F(Typed, RowsAreNotCutToCharacters) {
  Policy policy;
  policy.max_chars = 200;
  const Tools narrow = make(policy);
  const auto answer = query(narrow, "SELECT * { ?s ?p ?o }", {.limit = 500});
  ASSERT_TRUE(answer) << answer.error().to_string();
  EXPECT_EQ(answer->rows.size(), 500U);
  EXPECT_TRUE(answer->truncated);
  EXPECT_GT(answer->rows_stored, 5'000U);
}

TEST_F(Typed, PlainRowsAreValues) {
  const auto answer = query(tools, R"(SELECT ?x ?y { VALUES (?x ?y) {
      (<http://e.org/a> 1) ("b"@en true) (12345678901234567890123 1.5) (UNDEF "c") } })");
  ASSERT_TRUE(answer) << answer.error().to_string();
  const auto page = plain_slice(tools, answer->handle, 1, 2);
  ASSERT_TRUE(page) << page.error().to_string();
  EXPECT_THAT(page->columns, ElementsAre("x", "y"));
  EXPECT_EQ(page->rows, 2U);
  EXPECT_EQ(page->rows_stored, 4U);
  EXPECT_EQ(page->next_offset, 3U);
  EXPECT_THAT(page->cells,
              ElementsAre(PlainCell("b"), PlainCell(true),
                          PlainCell(WholeNumber{"12345678901234567890123"}), PlainCell(1.5)));
  const auto last = plain_slice(tools, answer->handle, 3, 10, {"y", "x"});
  ASSERT_TRUE(last) << last.error().to_string();
  EXPECT_THAT(last->cells, ElementsAre(PlainCell("c"), PlainCell()));
  EXPECT_FALSE(last->next_offset);
  EXPECT_EQ(plain_slice(tools, "results_77").error().code, ErrorCode::NotFound);
}

TEST_F(Typed, ThePolicyHolds) {
  Policy policy;
  policy.max_rows = 3;
  const Tools narrow = make(policy);
  const auto answer = query(narrow, "SELECT * { ?s ?p ?o }", {.limit = 500});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->rows.size(), 3U);
  EXPECT_THAT(answer->warnings, Contains(HasSubstr("policy")));
  const auto page = slice(narrow, answer->handle, 0, 100);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->rows.size(), 3U);
}

TEST_F(Typed, PagesAreTheResult) {
  const auto answer = query(tools, "SELECT ?s ?o { ?s rdfs:label ?o }", {.limit = 10'000});
  ASSERT_TRUE(answer);
  ASSERT_GT(answer->rows.size(), 100U);
  std::vector<Row> all;
  std::optional<std::uint64_t> offset = 0;
  while (offset) {
    const auto page = slice(tools, answer->handle, *offset, 77);
    ASSERT_TRUE(page) << page.error().to_string();
    EXPECT_EQ(page->offset, *offset);
    all.insert(all.end(), page->rows.begin(), page->rows.end());
    offset = page->next_offset;
  }
  EXPECT_EQ(all, answer->rows);
  const auto narrow = slice(tools, answer->handle, 5, 1, {"o"});
  ASSERT_TRUE(narrow);
  EXPECT_THAT(narrow->columns, ElementsAre("o"));
  EXPECT_EQ(narrow->rows[0][0], answer->rows[5][1]);
  EXPECT_EQ(slice(tools, "results_77").error().code, ErrorCode::NotFound);
}

TEST_F(Typed, AskConstructAndErrors) {
  const auto yes = query(tools, "ASK { ?s a sol:Star }");
  ASSERT_TRUE(yes) << yes.error().to_string();
  EXPECT_EQ(yes->boolean, true);
  EXPECT_TRUE(yes->handle.empty());
  const auto graph = query(tools, "CONSTRUCT { ?s a ?t } { ?s a sol:Star . ?s a ?t }");
  ASSERT_TRUE(graph) << graph.error().to_string();
  EXPECT_THAT(graph->handle, ::testing::StartsWith("graph_"));
  EXPECT_GE(graph->rows.size(), 1U);
  const auto wrong = query(tools, "SELECT ?s { ?s a }");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::InvalidInput);
}

TEST_F(Typed, EmptyAnswersAreExplained) {
  const auto answer = query(tools, "SELECT * { ?s a sol:Plannet }");
  ASSERT_TRUE(answer) << answer.error().to_string();
  EXPECT_TRUE(answer->rows.empty());
  ASSERT_TRUE(answer->diagnosis);
  EXPECT_EQ(answer->diagnosis->cause, "unknown_iri");
  EXPECT_FALSE(answer->diagnosis->says.empty());
  EXPECT_FALSE(query(tools, "SELECT * { ?s a sol:Plannet }", {.diagnose = false})->diagnosis);
}

TEST_F(Typed, QueriesEndInTime) {
  constexpr const char* kLong =
      "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(?a != ?g) }";
  const auto late =
      query(tools, kLong, {.timeout = std::chrono::milliseconds(20), .validate = false});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::LimitExceeded);
  QueryOptions cancelled;
  cancelled.validate = false;
  cancelled.cancel.cancel();
  EXPECT_EQ(query(tools, kLong, cancelled).error().code, ErrorCode::Cancelled);
}

TEST_F(Typed, Count) {
  const auto moons = count(tools, "SELECT * { ?m sol:orbits ?p }");
  ASSERT_TRUE(moons) << moons.error().to_string();
  EXPECT_EQ(moons->count_is, "exact");
  EXPECT_GT(moons->count.value_or(0), 10U);
}

TEST_F(Typed, Find) {
  const auto found = find(tools, "dwarf planet", "class", 3);
  ASSERT_TRUE(found) << found.error().to_string();
  ASSERT_FALSE(found->hits.empty());
  EXPECT_THAT(found->hits[0].iri, ::testing::EndsWith("DwarfPlanet"));
  EXPECT_EQ(found->hits[0].kind, "class");
  EXPECT_GT(found->hits[0].count, 0U);
}

TEST_F(Typed, Schema) {
  const auto overview = schema(tools);
  ASSERT_TRUE(overview) << overview.error().to_string();
  EXPECT_GT(overview->triples, 5'000U);
  EXPECT_GT(overview->class_count, 5U);
  EXPECT_FALSE(overview->classes.empty());
  EXPECT_FALSE(overview->namespaces.empty());
  EXPECT_FALSE(overview->graphs.empty());
  const auto classes = schema(tools, "classes", "sol", 2);
  ASSERT_TRUE(classes);
  ASSERT_EQ(classes->classes.size(), 2U);
  EXPECT_GE(classes->classes[0].instances, classes->classes[1].instances);
  EXPECT_FALSE(classes->classes[0].common_properties.empty());
  EXPECT_TRUE(classes->truncated);
  const auto properties = schema(tools, "properties");
  ASSERT_TRUE(properties);
  EXPECT_TRUE(std::any_of(properties->properties.begin(), properties->properties.end(),
                          [](const PropertyEntry& one) { return one.iri.ends_with("orbits"); }));
  const auto patterns = schema(tools, "patterns");
  ASSERT_TRUE(patterns);
  ASSERT_FALSE(patterns->patterns.empty());
  const auto run = query(tools, patterns->patterns[0].example);
  ASSERT_TRUE(run) << run.error().to_string();
  EXPECT_GT(run->rows_stored, 0U);
}

TEST_F(Typed, Describe) {
  const auto saturn = describe(tools, "body:Saturn", "both", "triples", 200);
  ASSERT_TRUE(saturn) << saturn.error().to_string();
  EXPECT_THAT(saturn->resource, ::testing::EndsWith("Saturn"));
  EXPECT_THAT(saturn->label, HasSubstr("Saturn"));
  EXPECT_FALSE(saturn->types.empty());
  EXPECT_FALSE(saturn->triples.empty());
  EXPECT_FALSE(saturn->incoming.empty());
  EXPECT_GT(saturn->total_triples, saturn->triples.size());
  const auto summary = describe(tools, "body:Saturn", "outgoing", "summary");
  ASSERT_TRUE(summary);
  ASSERT_FALSE(summary->properties.empty());
  EXPECT_FALSE(summary->properties[0].values.empty());
  EXPECT_TRUE(summary->incoming.empty());
  EXPECT_FALSE(describe(tools, "body:Saturrn"));
}

TEST_F(Typed, Peek) {
  const auto sample = peek(tools, "sol:RegularMoon", "sample", 3);
  ASSERT_TRUE(sample) << sample.error().to_string();
  EXPECT_EQ(sample->type, "class");
  EXPECT_GT(sample->count, 20U);
  ASSERT_EQ(sample->instances.size(), 3U);
  EXPECT_FALSE(sample->instances[0].properties.empty());
  EXPECT_TRUE(sample->truncated);
  const auto shape = peek(tools, "sol:RegularMoon", "schema");
  ASSERT_TRUE(shape);
  EXPECT_TRUE(std::any_of(shape->properties.begin(), shape->properties.end(),
                          [](const PeekProperty& one) { return one.is_required; }));
  EXPECT_EQ(peek(tools, "sol:RegularMoon", "count")->count, sample->count);
  const auto answer = query(tools, "SELECT ?m { ?m a sol:RegularMoon }");
  const auto rows = peek(tools, answer->handle, "sample", 4);
  ASSERT_TRUE(rows) << rows.error().to_string();
  EXPECT_EQ(rows->type, "results");
  EXPECT_EQ(rows->rows.size(), 4U);
  EXPECT_EQ(rows->count, answer->rows_stored);
}

}  // namespace
}  // namespace helve::api
