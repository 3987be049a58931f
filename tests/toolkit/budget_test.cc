// The budget of an exploration: under 1,000 characters for a reply on average, and none above its
// cap. Prints the leakage table that docs/benchmarks.md has.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "base/check.h"
#include "sources/store/live/local_factory.h"
#include "tests/support/test_data.h"
#include "tests/toolkit/exploration.h"

namespace helve::proofs {
namespace {

constexpr double kAverageMax = 1'000;

std::shared_ptr<const GraphSource> open(const std::filesystem::path& file, const char* name) {
  auto graph = store::make_local_factory(real_env())->open(file.string(), name, {});
  HELVE_CHECK(graph.has_value());
  return *graph;
}

void check(const std::vector<Exploration>& explorations) {
  std::uint64_t chars = 0;
  std::uint64_t replies = 0;
  for (const Exploration& one : explorations) {
    for (const ExploredStep& step : one.steps) {
      SCOPED_TRACE(one.graph + " " + step.tool + " " + step.call + "\n" + step.reply);
      EXPECT_FALSE(step.is_error);
      EXPECT_LE(step.text_chars, step.cap);
      EXPECT_LE(step.json_chars, step.cap);
      chars += step.text_chars;
      ++replies;
    }
  }
  ASSERT_GT(replies, 0U);
  EXPECT_LT(static_cast<double>(chars) / static_cast<double>(replies), kAverageMax);
  std::cout << leakage_table(explorations);
  if (std::getenv("HELVE_SHOW_REPLIES") == nullptr) return;
  for (const Exploration& one : explorations) {
    for (const ExploredStep& step : one.steps) {
      std::cout << "\n== " << one.graph << ": " << step.tool << " " << step.call << " ("
                << step.text_chars << ")\n"
                << step.reply << "\n";
    }
  }
}

TEST(Budget, OfExploringTheSample) {
  check({explore(open(helve::testing::repository_path("examples/solar-system.trig"), "sample"))});
}

TEST(Budget, OfExploringGraphsOfOthers) {
  HELVE_SHARED_PATH(folder, "data");
  const std::filesystem::path data = folder;
  check({explore(open(data / "ontologies/prov/prov.ttl", "PROV")),
         explore(open(data / "ontologies/schemaorg/schemaorg-current-https.ttl", "Schema.org")),
         explore(open(data / "kg/swdf/merged.nt.gz", "SWDF")),
         explore(open(helve::testing::repository_path("examples/solar-system.trig"), "sample"))});
}

}  // namespace
}  // namespace helve::proofs
