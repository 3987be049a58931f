// Queries of our own that cannot end, and their near twins that can (tests/guard/queries.txt).
#include <fmt/format.h>

#include <map>
#include <vector>

#include "toolkit/guard/guard_testing.h"

namespace helve::toolkit {
namespace {

struct LabelledQuery {
  std::string kind;  // empty: harmless
  std::string text;
};

std::vector<LabelledQuery> labelled_queries() {
  const auto file = std::filesystem::path(HELVE_SOURCE_DIR) / "tests/guard/queries.txt";
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
  const std::string path = test::shared("data/endpoints/void_uniprot.ttl").string();
  if (path.empty()) GTEST_SKIP() << "no description of an endpoint; set HELVE_SHARED";
  auto profile = profile_from_void(path, {});
  ASSERT_TRUE(profile) << profile.error().to_string();
  profile->name = "UniProt";
  check_against(*profile);
}

}  // namespace
}  // namespace helve::toolkit
