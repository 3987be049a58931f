// The file of the replay: every recorded failure once, in the recorded proportions.
#include "tests/toolkit/replay.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/support/test_data.h"

namespace helve::proofs {
namespace {

TEST(ReplayCases, AreTheRecordedFailuresInTheirProportions) {
  const auto cases =
      read_replay_cases(helve::testing::repository_path("tests/toolkit/replay.cases"));
  ASSERT_TRUE(cases.has_value()) << cases.error().to_string();
  std::map<std::string, int> counts;
  std::set<std::string> different;
  int time_outs = 0;
  for (const ReplayCase& one : *cases) {
    ++counts[one.kind];
    time_outs += one.was_time_out() ? 1 : 0;
    different.insert(one.tool + to_json(one.arguments));
  }
  const std::map<std::string, int> recorded = {
      {"contains", 42},  {"schema", 22}, {"match", 16},    {"discovery", 10}, {"limit", 18},
      {"positional", 5}, {"other", 1},   {"attribute", 5}, {"object", 4}};
  EXPECT_EQ(counts, recorded);
  EXPECT_EQ(time_outs, 90);
  EXPECT_EQ(cases->size(), 123U);
  EXPECT_EQ(different.size(), cases->size());
}

}  // namespace
}  // namespace helve::proofs
