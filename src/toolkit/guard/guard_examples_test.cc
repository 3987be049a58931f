// Queries that experts wrote for public endpoints are never refused there.
#include <fmt/format.h>

#include <map>

#include "sources/rdf/reader.h"
#include "tests/support/example_queries.h"
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
  auto read = profile_from_void(test::shared("data/endpoints/void_uniprot.ttl").string(), {});
  EXPECT_TRUE(read) << read.error().to_string();
  read->name = "UniProt";
  read->triples = profile.triples;
  return *read;
}

TEST(GuardExamples, NoneIsRefusedAtItsEndpoint) {
  const fs::path folder = test::shared("data/sib-examples/examples");
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no example queries; set HELVE_SHARED";
  std::size_t queries = 0;
  std::size_t refused = 0;
  std::string table = "endpoint       queries  refused  with warnings\n";
  for (const Endpoint& endpoint : kEndpoints) {
    const GraphProfile profile = profile_of_endpoint(endpoint);
    std::size_t here = 0;
    std::size_t refused_here = 0;
    std::size_t warned = 0;
    for (const auto& entry : fs::directory_iterator(folder / endpoint.folder)) {
      if (entry.path().extension() != ".ttl") continue;
      ExampleQueries examples;
      const auto report = rdf::read_document(rdf::Format::Turtle, test::content_of(entry.path()),
                                             {}, OpContext(), examples);
      ASSERT_TRUE(report) << entry.path() << report.error().to_string();
      for (const std::string& text : examples.texts) {
        ++here;
        const GuardVerdict verdict = judge(test::parsed(text), profile, {});
        if (!verdict.findings.empty()) ++warned;
        if (!verdict.is_refused()) continue;
        ++refused_here;
        ADD_FAILURE() << entry.path() << "\n"
                      << name_of(verdict.findings.front().kind) << ": "
                      << verdict.findings.front().reason << "\n"
                      << verdict.findings.front().pattern << "\n"
                      << text;
      }
    }
    table +=
        fmt::format("{:<13} {:>8} {:>8} {:>14}\n", endpoint.folder, here, refused_here, warned);
    queries += here;
    refused += refused_here;
  }
  table += fmt::format("{:<13} {:>8} {:>8}\n", "all", queries, refused);
  fmt::print("{}", table);
  EXPECT_EQ(queries, 1'227U);
  EXPECT_EQ(refused, 0U);
}

}  // namespace
}  // namespace helve::toolkit
