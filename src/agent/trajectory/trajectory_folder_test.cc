#include "agent/trajectory/trajectory_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/fake_env.h"

namespace helve::agent {
namespace {

TEST(TrajectoryFolder, KeepsTheLatestAndWhatIsNotItsOwn) {
  FakeEnv env;
  const auto folder = TrajectoryFolder::open({.path = "/runs", .files_max = 3}, env);
  ASSERT_TRUE(folder.has_value());
  const auto other = env.files().open_write("/runs/aaa.jsonl", WriteMode::Truncate);
  ASSERT_TRUE(other.has_value());
  ASSERT_TRUE((*other)->close().has_value());
  std::vector<std::filesystem::path> first;
  for (int i = 0; i < 5; ++i) {
    const auto sink = (*folder)->next();
    ASSERT_TRUE(sink.has_value()) << sink.error().message;
    (*sink)->add(EventKind::RunStart, JsonValue(JsonValue::Object{}));
    ASSERT_TRUE((*sink)->finish().has_value());
    env.clock().advance(std::chrono::seconds(2));
    if (i == 0) first = *env.files().list("/runs");
  }
  const auto names = env.files().list("/runs");
  ASSERT_TRUE(names.has_value());
  ASSERT_EQ(names->size(), 4U);
  EXPECT_EQ(names->front().filename(), "aaa.jsonl");
  EXPECT_EQ(std::count(names->begin(), names->end(), first.back()), 0);
}

TEST(TrajectoryFolder, MustKeepOne) {
  FakeEnv env;
  EXPECT_FALSE(TrajectoryFolder::open({.path = "/runs", .files_max = 0}, env).has_value());
}

}  // namespace
}  // namespace helve::agent
