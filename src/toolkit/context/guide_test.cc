#include "toolkit/context/guide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/utf8.h"
#include "sources/sparql/algebra/parser.h"
#include "tests/support/graph/graph_of.h"
#include "tests/support/test_data.h"
#include "toolkit/context/guide_extract.h"
#include "toolkit/context/markdown.h"

namespace helve::context {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Guide& built_in(std::string_view name) {
  for (const Guide& guide : built_in_guides()) {
    if (guide.name == name) return guide;
  }
  ADD_FAILURE() << "no guide " << name;
  return built_in_guides().front();
}

std::vector<std::string> queries_of(const Guide& guide) {
  std::vector<std::string> queries;
  for (const MarkdownSection& section : split_markdown(guide.text)) {
    for (const MarkdownBlock& block : section.blocks) {
      if (!block.is_code) continue;
      std::string query;
      for (std::size_t i = 1; i + 1 < block.lines.size(); ++i) query += block.lines[i] + "\n";
      queries.push_back(query);
    }
  }
  return queries;
}

class CountingSink final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>&) override { return {}; }
  Result<void> row(Row) override { return {}; }
};

std::uint64_t rows_of(const std::string& text, const GraphSource& graph) {
  sparql::ParseOptions options;
  options.known_prefixes = graph.prefixes();
  const auto parsed = sparql::parse_query(text, options);
  EXPECT_TRUE(parsed) << text << parsed.error().message;
  if (!parsed) return 0;
  CountingSink sink;
  const GraphRun run = graph.run(parsed->query, 1'000, sink, {});
  EXPECT_FALSE(run.error) << text;
  return run.rows;
}

std::shared_ptr<const GraphSource> sample() {
  auto graph =
      testing::graph_of_file(helve::testing::repository_path("examples/solar-system.trig"));
  EXPECT_TRUE(graph);
  return *graph;
}

TEST(Guide, BuiltInOnesAreWhole) {
  for (const Guide& guide : built_in_guides()) {
    EXPECT_GE(utf8_length(guide.text), 3'000u) << guide.name;
    EXPECT_LE(utf8_length(guide.text), 6'000u) << guide.name;
    EXPECT_FALSE(guide.description.empty());
    EXPECT_FALSE(guide.ontologies.empty());
    EXPECT_GE(queries_of(guide).size(), 5u);
    EXPECT_THAT(guide.text, HasSubstr("## Pitfalls"));
  }
}

TEST(Guide, EveryQueryOnTheSampleGivesRows) {
  const auto graph = sample();
  for (const std::string& query : queries_of(built_in("solar-system"))) {
    EXPECT_GT(rows_of(query, *graph), 0u) << query;
  }
}

// What the guide says of the sample and would be wrong if the sample changed.
TEST(Guide, TheSampleIsAsItsGuideSays) {
  const auto graph = sample();
  EXPECT_EQ(rows_of("SELECT * { ?x a sol:Planet }", *graph), 0u);
  EXPECT_EQ(rows_of("SELECT * { ?x sol:isOrbitedBy ?y }", *graph), 0u);
  EXPECT_EQ(rows_of("SELECT * { ?x sol:semiMajorAxis ?a ; sol:semiMajorAxisAu ?b }", *graph), 0u);
  EXPECT_EQ(rows_of("SELECT * { ?x sol:discoveryDate ?a ; sol:discoveryYear ?b }", *graph), 0u);
  EXPECT_EQ(rows_of("SELECT * { ?x rdfs:label ?l FILTER(LANG(?l) = \"\") }", *graph), 0u);
  EXPECT_GT(rows_of("SELECT * { ?x sol:status \"lost\" ; sol:visit ?v }", *graph), 0u);
}

// Questions about data are asked of the sample's own provenance, those about terms of the ontology.
TEST(Guide, EveryQueryOfProvGivesRows) {
  HELVE_SHARED_PATH(file, "data/ontologies/prov/prov.ttl");
  const auto ontology = testing::graph_of_file(file);
  ASSERT_TRUE(ontology);
  const auto data = sample();
  for (const std::string& query : queries_of(built_in("prov"))) {
    EXPECT_GT(rows_of(query, **ontology) + rows_of(query, *data), 0u) << query;
  }
  for (const auto& [graph, guide] : {std::pair{*ontology, "prov"}, {data, "solar-system"}}) {
    const auto facts = gather_facts(*graph, {});
    ASSERT_TRUE(facts);
    EXPECT_EQ(find_guide(*facts, built_in_guides()), &built_in(guide));
  }
}

TEST(Guide, IsFoundByWhatAGraphIsAbout) {
  GraphFacts facts;
  EXPECT_EQ(find_guide(facts, built_in_guides()), nullptr);
  facts.ontologies = {"http://www.w3.org/ns/prov#"};
  EXPECT_EQ(find_guide(facts, built_in_guides()), &built_in("prov"));
  // A graph that has the ontology beside its own is about its own.
  facts.main_namespace = "https://helve.example/solar/";
  EXPECT_EQ(find_guide(facts, built_in_guides()), &built_in("solar-system"));
  facts.main.iri = "http://www.w3.org/ns/prov";
  EXPECT_EQ(find_guide(facts, built_in_guides()), &built_in("prov"));
  facts = {};
  facts.main_namespace = "https://helve.example/solar/other/";
  EXPECT_EQ(find_guide(facts, built_in_guides()), nullptr);
}

TEST(Guide, FrontMatterIsReadAndMayBeAbsent) {
  const auto guide = read_guide(
      "---\nname: ours\nontologies: \"http://a/# http://b/\"\nother: x\n---\n# Ours\n\nText.\n",
      "file");
  ASSERT_TRUE(guide);
  EXPECT_EQ(guide->name, "ours");
  EXPECT_THAT(guide->ontologies, ::testing::ElementsAre("http://a/#", "http://b/"));
  EXPECT_EQ(guide->text, "# Ours\n\nText.\n");
  const auto plain = read_guide("Just text.", "file");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->name, "file");
  EXPECT_EQ(plain->text, "Just text.");
}

TEST(Guide, WhatIsNoGuideIsRefused) {
  EXPECT_EQ(read_guide("  \n", "x").error().message, "the guide has no text");
  EXPECT_EQ(read_guide("\x01", "x").error().message, "it has control characters");
  EXPECT_EQ(read_guide("\xFF", "x").error().message, "it is not in UTF-8");
  EXPECT_EQ(read_guide(std::string(kGuideBytesMax + 1, 'x'), "x").error().code,
            ErrorCode::LimitExceeded);
  EXPECT_THAT(read_guide("---\nname: x\n", "x").error().message, HasSubstr("has no end"));
}

constexpr std::string_view kSmall =
    "# Shop\n\nA shop sells things. It has customers.\n\n"
    "## Orders\n\nOrders belong to customers.\nThey have dates.\n\n"
    "## Returns of goods\n\nGoods come back. Ask for `returned`.\n\n"
    "```sparql\nSELECT ?x { ?x a <urn:Return> }\n```\n\n"
    "## Empty\n\n## Pitfalls\n\n- Never guess.\n- Count.\n";

Guide small_guide() { return *read_guide(kSmall, "shop"); }

TEST(GuideExtract, WithoutATaskItIsTheBeginning) {
  const LayerText made = pack_guide(small_guide(), "", 100);
  EXPECT_EQ(made.text,
            "# Shop\nA shop sells things. It has customers.\n"
            "## Orders\nOrders belong to customers. …\n");
  EXPECT_EQ(made.left_out, 3u);
}

TEST(GuideExtract, SectionsOfTheTaskComeFirstInTheOrderOfTheGuide) {
  const LayerText made = pack_guide(small_guide(), "which goods were returned by customers?", 130);
  EXPECT_THAT(made.text, HasSubstr("## Returns of goods\nGoods come back."));
  EXPECT_THAT(made.text, HasSubstr("```sparql\nSELECT ?x { ?x a <urn:Return> }\n```\n"));
  EXPECT_THAT(made.text, Not(HasSubstr("## Orders")));
  const LayerText two = pack_guide(small_guide(), "pitfalls with the shop", 80);
  EXPECT_EQ(two.text,
            "# Shop\nA shop sells things. It has customers.\n## Pitfalls\n- Never guess.\n- …\n"
            "")
      << two.text;
}

TEST(GuideExtract, CodeIsWholeOrNotThere) {
  for (std::size_t budget = 0; budget < 400; ++budget) {
    const LayerText made = pack_guide(small_guide(), "returned goods", budget);
    EXPECT_LE(made.chars, budget);
    EXPECT_EQ(made.chars, utf8_length(made.text));
    const bool begins = made.text.find("```sparql") != std::string::npos;
    EXPECT_EQ(begins, made.text.find("\n```\n") != std::string::npos) << made.text;
  }
  const LayerText all = pack_guide(small_guide(), "", 1'000);
  EXPECT_EQ(all.left_out, 0u);
  EXPECT_THAT(all.text, HasSubstr("- Count.\n"));
}

TEST(GuideExtract, BuiltInGuidesAnswerTheirOwnQuestions) {
  const LayerText made =
      pack_guide(built_in("solar-system"), "Which agencies lost the most missions to Mars?", 1'000);
  EXPECT_THAT(made.text,
              HasSubstr("### Which agencies lost how many missions?\n```sparql\nSELECT ?agency"));
  EXPECT_LE(made.chars, 1'000u);
  EXPECT_GT(made.chars, 700u);
}

}  // namespace
}  // namespace helve::context
