#include "surfaces/opening/policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_directory.h"
#include "toolkit/policy/gate.h"

namespace helve::opening {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kFile = R"(
max_rows = 100
denied_tables = ["salary"]
[caller.ann]
read_only = false
max_rows = 500
[caller."bob@example.org"]
allowed_tools = ["sparql_query"]
[source.shop]
denied_columns = ["customer.email"]
[source.archive]
read_only = true
)";

class PoliciesTest : public ::testing::Test {
 protected:
  Result<Policies> read(std::string_view name, std::string_view text) {
    std::ofstream(directory_ / name) << text;
    return read_policies(directory_ / name, real_env());
  }
  std::string error(std::string_view text, std::string_view name = "p.toml") {
    const auto policies = read(name, text);
    return policies ? "no error" : policies.error().to_string();
  }

  TempDirectory directory_;
};

TEST_F(PoliciesTest, CallersBuildOnWhatStandsAbove) {
  const auto policies = read("p.toml", kFile);
  ASSERT_TRUE(policies) << policies.error().to_string();
  EXPECT_EQ(policies->of("local").max_rows, 100U);
  EXPECT_TRUE(policies->of("local").read_only);
  const auto ann = policies->of("ann");
  EXPECT_EQ(ann.max_rows, 500U);
  EXPECT_FALSE(ann.read_only);
  EXPECT_THAT(ann.denied_tables, ElementsAre("salary"));
  const auto bob = policies->of("bob@example.org");
  EXPECT_EQ(bob.max_rows, 100U);
  EXPECT_EQ(bob.allowed_tools->size(), 1U);
}

TEST_F(PoliciesTest, JsonSaysTheSame) {
  const auto policies = read("p.json", R"({"max_rows": 100, "default": "deny",
      "caller": {"ann": {"read_only": false}}, "source": {"shop": {"max_rows": 5}}})");
  ASSERT_TRUE(policies) << policies.error().to_string();
  EXPECT_FALSE(policies->of("ann").read_only);
  EXPECT_EQ(policies->of("ann").max_rows, 100U);
  EXPECT_EQ(policies->of_source("shop")->max_rows, 5U);
  EXPECT_EQ(policies->others, Policies::Others::Denied);
}

TEST_F(PoliciesTest, SourcesTakeAwayAndGiveNothing) {
  const auto policies = read("p.toml", kFile);
  ASSERT_TRUE(policies);
  const auto shop = policies->of_source("shop");
  ASSERT_NE(shop, nullptr);
  const auto met = toolkit::intersect(policies->of("ann"), *shop);
  EXPECT_EQ(met.max_rows, 500U);
  EXPECT_FALSE(met.read_only);
  EXPECT_THAT(met.denied_columns, ElementsAre("customer.email"));
  EXPECT_EQ(policies->of_source("other"), nullptr);
}

TEST_F(PoliciesTest, DatabasesAreOpenedForWritingWhereAPolicySaysSo) {
  const auto policies = read("p.toml", kFile);
  ASSERT_TRUE(policies);
  EXPECT_TRUE(policies->lets_write(policies->of("ann"), "shop"));
  EXPECT_TRUE(policies->lets_write(policies->of("ann"), "other"));
  EXPECT_FALSE(policies->lets_write(policies->of("ann"), "archive"));
  EXPECT_FALSE(policies->lets_write(policies->of("local"), "shop"));
  EXPECT_FALSE(Policies().lets_write(toolkit::Policy(), "shop"));
  auto few = policies->of("ann");
  few.allowed_sources = {"other"};
  EXPECT_FALSE(policies->lets_write(few, "shop"));
}

TEST_F(PoliciesTest, AMisspeltSectionOfASourceDoesNotLoosen) {
  const auto check = [this](std::string_view text, const std::vector<std::string>& names) {
    const auto policies = read("s.toml", text);
    EXPECT_TRUE(policies) << policies.error().to_string();
    const auto checked = policies->check_sources(names);
    return checked ? std::string("no error") : checked.error().to_string();
  };
  for (const char* rules :
       {"denied_tables = [\"t\"]", "max_rows = 5", "read_only = true", "allowed_endpoints = []",
        "denied_endpoints = [\"http://x/\"]", "denied_graphs = [\"http://x/\"]", "timeout = 1",
        "require_confirmation = true", "max_affected_rows = 1", "allowed_tools = []",
        "allowed_paths = []", "denied_columns = [\"t.c\"]", "memory_bytes_max = 1048576"}) {
    const std::string text = std::string("[source.shp]\n") + rules + "\n";
    EXPECT_THAT(check(text, {"shop"}), HasSubstr("s.toml:1")) << rules;
    EXPECT_THAT(check(text, {"shop"}), HasSubstr("did you mean [source.shop]")) << rules;
    EXPECT_THAT(check(text, {"shp", "zoo"}), HasSubstr("no error")) << rules;
    // Nothing is there that it could have been for.
    EXPECT_THAT(check(text, {}), HasSubstr("no error"));
    EXPECT_THAT(check(text + "[source.shop]\n", {"shop"}), HasSubstr("no error"));
    EXPECT_THAT(check(text + "[source.shop]\n", {"shop", "zoo"}), HasSubstr("none for zoo"));
  }
  EXPECT_EQ(check("[source.shp]\n", {"shop"}), "no error");
  EXPECT_EQ(check("max_rows = 5\n", {"shop"}), "no error");
}

TEST_F(PoliciesTest, StrangersAreRefusedEverythingWhereTheFileSaysSo) {
  const auto policies = read("p.toml", "default = \"deny\"\n[caller.ann]\nmax_rows = 5\n");
  ASSERT_TRUE(policies);
  const auto stranger = policies->of("eve");
  EXPECT_EQ(toolkit::check_call(stranger, {"sparql_query"}).error().code, ErrorCode::Denied);
  EXPECT_FALSE(toolkit::allows_source(stranger, "shop"));
  EXPECT_FALSE(toolkit::check_path(stranger, "/etc/passwd"));
  EXPECT_TRUE(toolkit::check_call(policies->of("ann"), {"sparql_query"}));
  EXPECT_TRUE(policies->of_named("eve"));
}

TEST_F(PoliciesTest, ANameThatWasGivenAndIsNotThereIsAMistake) {
  const auto policies = read("p.toml", kFile);
  ASSERT_TRUE(policies);
  EXPECT_TRUE(policies->of_named("ann"));
  const auto wrong = policies->of_named("anne");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().to_string(), HasSubstr("did you mean ann?"));
  EXPECT_FALSE(policies->of_named(""));
  // Without callers any name will do, and where the file says what others may.
  EXPECT_TRUE(read("q.toml", "max_rows = 5\n")->of_named("anne"));
  EXPECT_TRUE(read("q.toml", "default = \"allow\"\n[caller.ann]\n")->of_named("anne"));
}

TEST_F(PoliciesTest, MistakesAreErrorsWithTheirPlace) {
  EXPECT_THAT(error("max_rows = 1\n[caller.ann]\nmax_row = 2\n"),
              AllOf(HasSubstr("p.toml:3:1:"), HasSubstr("caller ann: policy: unknown key")));
  EXPECT_THAT(error("[caller.ann]\nread_only = \"no\"\n"), HasSubstr("p.toml:2:1:"));
  EXPECT_THAT(error("[source.shop]\nmax_rows = 0\n"), HasSubstr("source shop: policy: "));
  EXPECT_THAT(error("[caller.\"\"]\nmax_rows = 1\n"), HasSubstr("the name of a caller has"));
  EXPECT_THAT(error("[source.\"a b\"]\nmax_rows = 1\n"), HasSubstr("p.toml:1"));
  EXPECT_THAT(error("caller = 5\n"), HasSubstr("\"caller\" must have tables by name"));
  EXPECT_THAT(error("[[caller]]\nname = \"a\"\n"), HasSubstr("\"caller\" must have tables"));
  EXPECT_THAT(error("caller.ann = 5\n"), HasSubstr("\"caller\" must have tables by name"));
  EXPECT_THAT(error("default = \"no\"\n"), HasSubstr("p.toml:1:1: policy: \"default\" must be"));
  EXPECT_THAT(error("default = true\n"), HasSubstr("\"default\" must be"));
  EXPECT_THAT(error("callers = 5\n"), HasSubstr("unknown key \"callers\""));
  EXPECT_THAT(error("[caller.ann]\ndefault = \"deny\"\n"), HasSubstr("unknown key \"default\""));
  EXPECT_THAT(error("[caller.ann.caller.bob]\n"), HasSubstr("unknown key \"caller\""));
  EXPECT_THAT(error("[caller.ann]\nallowed_tools = [\"sparql_qery\"]\n"), HasSubstr("p.toml:2:1"));
  EXPECT_THAT(error(R"({"caller": {"ann": {"max_row": 1}}})", "p.json"),
              HasSubstr("p.json: caller ann: policy: unknown key"));
  EXPECT_EQ(read_policies(directory_ / "absent", real_env()).error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace helve::opening
