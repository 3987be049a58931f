#include "surfaces/opening/policy_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_directory.h"

namespace helve::opening {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PolicyFileTest : public ::testing::Test {
 protected:
  Result<toolkit::Policy> read(std::string_view name, std::string_view text,
                               toolkit::Policy base = {}) {
    std::ofstream(directory_ / name) << text;
    return read_policy_file(directory_ / name, real_env(), std::move(base));
  }
  std::string error(std::string_view name, std::string_view text) {
    const auto policy = read(name, text);
    return policy ? "no error" : policy.error().to_string();
  }

  TempDirectory directory_;
};

TEST_F(PolicyFileTest, JsonAndTomlSayTheSame) {
  const auto json =
      read("p.json", R"({"max_rows": 5, "timeout": 1.5, "allowed_tools": ["g_load"]})");
  const auto toml = read("p.toml", "max_rows = 5\ntimeout = 1.5\nallowed_tools = [\"g_load\"]\n");
  ASSERT_TRUE(json.has_value());
  ASSERT_TRUE(toml.has_value());
  EXPECT_EQ(json->max_rows, toml->max_rows);
  EXPECT_EQ(json->timeout_max, toml->timeout_max);
  EXPECT_EQ(json->allowed_tools, toml->allowed_tools);
}

TEST_F(PolicyFileTest, FoldersAreThoseBesideTheFile) {
  const auto policy = read("p.toml", "allowed_paths = [\"data\", \"/srv\"]\n");
  ASSERT_TRUE(policy.has_value());
  EXPECT_THAT(*policy->allowed_paths, ElementsAre((directory_ / "data").string(), "/srv"));
  // Those of a base have their place already.
  toolkit::Policy base;
  base.allowed_paths = {"elsewhere"};
  EXPECT_THAT(*read("p.toml", "max_rows = 1\n", base)->allowed_paths, ElementsAre("elsewhere"));
}

TEST_F(PolicyFileTest, MistakesAreErrorsWithTheirPlace) {
  EXPECT_THAT(error("p.toml", "max_rows = 1\n\nmax_rowz = 2\n"), HasSubstr("p.toml:3:1: policy:"));
  EXPECT_THAT(error("p.toml", "max_rows = \n"), HasSubstr("p.toml:1:"));
  EXPECT_THAT(error("p.json", R"({"max_rows": 0})"), HasSubstr("p.json: policy: \"max_rows\""));
  EXPECT_THAT(error("p.json", "{"), HasSubstr("p.json:"));
  EXPECT_THAT(error("p.json", "[]"), HasSubstr("a policy is a JSON object"));
  EXPECT_THAT(error("p.json", std::string(2 * kMiB, ' ')), HasSubstr("is longer than 1.0 MiB"));
  EXPECT_EQ(read_policy_file(directory_ / "absent", real_env()).error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace helve::opening
