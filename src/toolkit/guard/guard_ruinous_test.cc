// Queries of our own that cannot end, and their near twins that can (tests/guard/queries.txt).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "sources/sparql/algebra/analysis.h"
#include "tests/support/graph/graph_of.h"
#include "tests/support/test_data.h"
#include "toolkit/guard/guard_testing.h"

namespace helve::toolkit {
namespace {

struct LabelledQuery {
  std::string kind;  // empty: harmless
  std::string text;
};

std::vector<LabelledQuery> labelled_queries() {
  const auto file =
      std::filesystem::path(helve::testing::repository_path("tests/guard/queries.txt"));
  std::istringstream lines(test::content_of(file));
  std::vector<LabelledQuery> queries;
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kRuinous = "---- ruinous ";
    if (line.starts_with(kRuinous)) {
      queries.push_back({line.substr(kRuinous.size()), {}});
    } else if (line.starts_with("---- harmless")) {
      queries.emplace_back();
    } else if (!queries.empty()) {
      queries.back().text += line + "\n";
    }
  }
  return queries;
}

// As sparql_query asks: no more rows than it would show.
GuardRequest as_asked_by_tools() {
  GuardRequest request;
  request.rows_max = 10'000;
  return request;
}

struct Tally {
  std::size_t ruinous = 0;
  std::size_t caught = 0;
  std::size_t named = 0;      // by their own kind
  std::size_t rewritten = 0;  // with a query that passes
};

// Reads back as it was printed, and passes.
bool is_good_rewrite(const Finding& finding, const GraphProfile& profile) {
  if (!finding.rewritten) return false;
  const std::string text = sparql::to_sparql(*finding.rewritten);
  const auto again = sparql::parse_query(text);
  EXPECT_TRUE(again) << again.error().to_string() << "\n" << text;
  if (!again) return false;
  EXPECT_TRUE(again->query == *finding.rewritten) << text;
  return !judge(again->query, profile, as_asked_by_tools()).is_refused();
}

void check_against(const GraphProfile& profile) {
  std::map<std::string, Tally> tallies;
  std::size_t harmless = 0;
  std::size_t false_refusals = 0;
  for (const LabelledQuery& query : labelled_queries()) {
    const GuardVerdict verdict = judge(test::parsed(query.text), profile, as_asked_by_tools());
    if (query.kind.empty()) {
      ++harmless;
      if (!verdict.is_refused()) continue;
      ++false_refusals;
      ADD_FAILURE() << "refused: " << query.text << verdict.findings.front().reason;
      continue;
    }
    Tally& tally = tallies[query.kind];
    ++tally.ruinous;
    if (!verdict.is_refused()) {
      fmt::print("not caught ({}): {}", query.kind, query.text);
      continue;
    }
    const Finding& finding = verdict.findings.front();
    ++tally.caught;
    if (name_of(finding.kind) == query.kind) ++tally.named;
    EXPECT_FALSE(finding.reason.empty() || finding.pattern.empty() || finding.suggestion.empty())
        << query.text;
    if (is_good_rewrite(finding, profile)) {
      ++tally.rewritten;
    } else {
      ADD_FAILURE() << "no rewritten query that passes: " << query.text;
    }
  }
  fmt::print("under {}:\n{:<20} {:>7} {:>7} {:>9} {:>9}\n", profile.name, "kind", "ruinous",
             "caught", "as such", "rewritten");
  Tally all;
  for (const auto& [kind, tally] : tallies) {
    fmt::print("{:<20} {:>7} {:>7} {:>9} {:>9}\n", kind, tally.ruinous, tally.caught, tally.named,
               tally.rewritten);
    all.ruinous += tally.ruinous;
    all.caught += tally.caught;
    all.rewritten += tally.rewritten;
  }
  fmt::print("{:<20} {:>7} {:>7} {:>9} {:>9}\nharmless: {}, refused: {}\n", "all", all.ruinous,
             all.caught, "", all.rewritten, harmless, false_refusals);
  EXPECT_GE(all.ruinous, 100U);
  EXPECT_GE(harmless, 100U);
  EXPECT_GE(static_cast<double>(all.caught), 0.95 * static_cast<double>(all.ruinous));
  EXPECT_EQ(all.rewritten, all.caught);
  EXPECT_EQ(false_refusals, 0U);
}

TEST(GuardRuinous, AreCaughtInALargeDatabase) { check_against(test::protein_database()); }

TEST(GuardRuinous, AreCaughtByTheDescriptionOfAnEndpoint) {
  HELVE_SHARED_PATH(path, "data/endpoints/void_uniprot.ttl");
  auto profile = profile_from_void(path, {});
  ASSERT_TRUE(profile) << profile.error().to_string();
  profile->name = "UniProt";
  check_against(*profile);
}

class RowTexts final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> row(Row cells) override {
    std::string text;
    for (const auto& cell : cells) text += (cell ? rdf::to_ntriples(*cell) : "-") + " ";
    rows.insert(text);
    return {};
  }
  std::set<std::string> rows;
};

constexpr std::string_view kFewProteins = R"(
@prefix up: <http://purl.uniprot.org/core/> . @prefix k: <http://purl.uniprot.org/uniprot/> .
@prefix taxon: <http://purl.uniprot.org/taxonomy/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://sparql.uniprot.org/uniprot> {
  k:P05067 a up:Protein ; up:mnemonic "A4_HUMAN" ; up:organism taxon:9606 ; up:encodedBy k:g1 ;
    up:recommendedName [ up:fullName "Amyloid kinase" ] ; up:annotation k:a1 ;
    rdfs:label "insulin", "Zinc finger one" ; up:sequence k:s1 ; up:citation k:c1 .
  k:P12345 a up:Protein ; up:mnemonic "A4_MOUSE" ; up:organism taxon:10090 ; rdfs:label "toxin" .
  k:g1 a up:Gene ; skos:prefLabel "BRCA1" . k:a1 rdfs:comment "diabetes", "Alzheimer" .
  k:s1 a up:Sequence ; rdf:value "MNNPNN" ; up:length 6 ; up:mass 600 ; up:version 1 .
  k:cl a up:Cluster ; up:member k:P05067 . k:P05067 up:memberOf k:cl ; rdfs:seeAlso k:P12345 .
}
<http://sparql.uniprot.org/taxonomy> {
  taxon:9606 a up:Taxon ; up:scientificName "Homo sapiens" ; rdfs:subClassOf taxon:1 .
  taxon:10090 a up:Taxon ; up:commonName "Mouse" ; rdfs:subClassOf taxon:1 .
  k:c1 a up:Journal_Citation . k:t1 a up:Tissue .
})";

bool has_aggregates(const sparql::Query& query) {
  const auto* select = std::get_if<sparql::Select>(&query.form);
  return select == nullptr || sparql::is_grouped(*select);
}

// On a graph that is smaller than any sample, a sample changes nothing; other rewritings give part
// of the rows. Aggregates over less may be anything, but must run.
TEST(GuardRuinous, RewrittenQueriesGiveRowsOfTheOriginal) {
  const auto graph = testing::graph_of(kFewProteins);
  std::size_t compared = 0;
  std::size_t equal = 0;
  for (const LabelledQuery& labelled : labelled_queries()) {
    if (labelled.kind.empty()) continue;
    sparql::Query query = test::parsed(labelled.text);
    const auto verdict = judge(query, test::protein_database(), as_asked_by_tools());
    if (!verdict.is_refused()) continue;
    ASSERT_TRUE(verdict.findings.front().rewritten) << labelled.text;
    sparql::Query lighter = *verdict.findings.front().rewritten;
    if (std::holds_alternative<sparql::Construct>(query.form)) continue;
    query.body().limit.reset();
    lighter.body().limit.reset();
    query.dataset.clear();
    lighter.dataset.clear();
    RowTexts all;
    RowTexts some;
    const GraphRun first = graph->run(query, 100'000, all, {});
    const GraphRun second = graph->run(lighter, 100'000, some, {});
    ASSERT_FALSE(first.error) << first.error->to_string() << labelled.text;
    ASSERT_FALSE(second.error) << second.error->to_string() << sparql::to_sparql(lighter);
    if (has_aggregates(query)) continue;
    ++compared;
    equal += all.rows == some.rows ? 1 : 0;
    EXPECT_TRUE(std::includes(all.rows.begin(), all.rows.end(), some.rows.begin(), some.rows.end()))
        << labelled.text << sparql::to_sparql(lighter);
  }
  fmt::print("rewritten queries compared: {}, with all rows: {}\n", compared, equal);
  EXPECT_GT(compared, 40U);
  EXPECT_GT(equal, compared / 2);
}

}  // namespace
}  // namespace helve::toolkit
