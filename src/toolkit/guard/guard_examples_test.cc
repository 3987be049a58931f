// Queries that experts wrote for public endpoints are never refused there.
#include <fmt/format.h>

#include <functional>

#include "sources/rdf/reader.h"
#include "tests/support/example_queries.h"
#include "tests/support/test_data.h"
#include "toolkit/guard/cost_gate.h"
#include "toolkit/guard/endpoint_testing.h"
#include "toolkit/guard/guard_testing.h"

namespace helve::toolkit {
namespace {

namespace fs = std::filesystem;

struct Endpoint {
  const char* folder;
  double triples;
};
// Orders of magnitude, rounded up: the larger the size, the harder the test.
constexpr Endpoint kEndpoints[] = {
    {"Bgee", 3.3e10},     {"Cellosaurus", 1e8}, {"GlyConnect", 1e8}, {"HAMAP", 1e8},
    {"MetaNetX", 1e9},    {"OMA", 1e10},        {"OrthoDB", 5e9},    {"Rhea", 1e9},
    {"SwissLipids", 1e9}, {"UniProt", 2.32e11}, {"emi", 1e10},       {"neXtProt", 1e10},
};

GraphProfile profile_of_endpoint(const Endpoint& endpoint) {
  GraphProfile profile =
      profile_of_size(endpoint.folder, static_cast<std::uint64_t>(endpoint.triples));
  if (profile.name != "UniProt") return profile;
  auto read = profile_from_void(helve::testing::shared_path("data/endpoints/void_uniprot.ttl"), {});
  EXPECT_TRUE(read) << read.error().to_string();
  read->name = "UniProt";
  read->triples = profile.triples;
  return *read;
}

// Calls back for every query of the endpoint's folder.
void for_each_example(const Endpoint& endpoint,
                      const std::function<void(const std::string& text)>& visit) {
  const fs::path folder =
      fs::path(helve::testing::shared_path("data/sib-examples/examples")) / endpoint.folder;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".ttl") continue;
    SCOPED_TRACE(entry.path());
    ExampleQueries examples;
    const auto report = rdf::read_document(rdf::Format::Turtle, test::content_of(entry.path()), {},
                                           OpContext(), examples);
    ASSERT_TRUE(report) << report.error().to_string();
    for (const std::string& text : examples.texts) visit(text);
  }
}

void expect_passes(const GuardVerdict& verdict, const std::string& text) {
  if (!verdict.is_refused()) return;
  const Finding& finding = verdict.findings.front();
  ADD_FAILURE() << name_of(finding.kind) << ": " << finding.reason << "\n"
                << finding.pattern << "\n"
                << text;
}

TEST(GuardExamples, NoneIsRefusedAtItsEndpoint) {
  HELVE_SHARED_PATH(examples, "data/sib-examples/examples");
  std::size_t queries = 0;
  std::string table = "endpoint       queries  with warnings\n";
  for (const Endpoint& endpoint : kEndpoints) {
    const GraphProfile profile = profile_of_endpoint(endpoint);
    std::size_t here = 0;
    std::size_t warned = 0;
    for_each_example(endpoint, [&](const std::string& text) {
      ++here;
      const GuardVerdict verdict = judge(test::parsed(text), profile, {});
      if (!verdict.findings.empty()) ++warned;
      expect_passes(verdict, text);
    });
    table += fmt::format("{:<13} {:>8} {:>14}\n", endpoint.folder, here, warned);
    queries += here;
  }
  fmt::print("{}", table);
  EXPECT_EQ(queries, 1'227U);
}

// Whatever probes find, nor do they take long: all too many to count, all without an end, few.
TEST(GuardExamples, NoneIsRefusedForWhatProbesFind) {
  HELVE_SHARED_PATH(examples, "data/sib-examples/examples");
  struct World {
    const char* name;
    GraphCount count;
    bool has_end;
  };
  for (const World& world :
       {World{"a million each", {1'000'000, false}, true}, World{"without end", {0, true}, false},
        World{"five each", {5, true}, true}}) {
    std::size_t queries = 0;
    std::size_t probed = 0;
    std::size_t probes = 0;
    for (const Endpoint& endpoint : kEndpoints) {
      const GraphProfile profile = profile_of_endpoint(endpoint);
      test::FakeEndpoint fake;
      fake.others = world.count;
      if (!world.has_end) fake.failure = Error(ErrorCode::LimitExceeded, "out of time");
      for_each_example(endpoint, [&](const std::string& text) {
        const GateVerdict verdict = weigh(test::parsed(text), fake, profile, {});
        ++queries;
        if (verdict.asked > 0) ++probed;
        probes += verdict.asked;
        EXPECT_LE(verdict.asked, 3U) << text;
        EXPECT_FALSE(verdict.unmatched) << text;
        expect_passes(verdict.guard, text);
      });
    }
    fmt::print("{}: {} of {} queries probed, {} probes\n", world.name, probed, queries, probes);
    // One that finds little is the last.
    EXPECT_LE(probes, world.count.n == 5 ? queries : 3 * queries);
  }
}

}  // namespace
}  // namespace helve::toolkit
