#include "surfaces/cli/agent/rollouts.h"

#include <gmock/gmock.h>

#include <fstream>

#include "agent/loops/tool_offer.h"
#include "tests/support/temp_directory.h"

namespace helve::cli {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class Rollouts : public ::testing::Test {
 protected:
  Rollouts() {
    std::ofstream(folder_ / "data.ttl")
        << "@prefix ex: <http://example.org/> . ex:a a ex:Thing . ex:b a ex:Thing .";
    std::ofstream(folder_ / "answers.jsonl") << R"({"text": "hello"})"
                                             << "\n";
    options_.sources = {"data=" + (folder_ / "data.ttl").string()};
    options_.uses_cache = false;
    words_.script = (folder_ / "answers.jsonl").string();
    bank_ = *memory::MemoryBank::open(folder_ / "bank.db", true, real_env(), {});
  }

  std::unique_ptr<agent::RolloutMaker> maker(MemoryUse use) {
    sources_ = *RolloutSources::open(options_, context_);
    return make_rollouts(sources_, *RolloutModels::open(words_, real_env()), bank_, use);
  }

  static std::vector<std::string> offered(const agent::Rollout& rollout) {
    std::vector<std::string> names;
    for (const toolkit::Tool* tool : agent::offered_tools(*rollout.toolkit, rollout.caller)) {
      names.push_back(tool->name);
    }
    return names;
  }

  static std::string call(const agent::Rollout& rollout, std::string_view tool,
                          std::string_view arguments) {
    return rollout.toolkit->call(tool, *parse_json(arguments), rollout.caller, {}).reply.text;
  }

  TempDirectory folder_;
  StringSink out_;
  CommandContext context_{real_env(), {}, out_, Terminal::plain(80), Terminal::plain(80)};
  ToolSessionOptions options_;
  llm::ProviderWords words_;
  std::shared_ptr<memory::MemoryBank> bank_;
  std::shared_ptr<RolloutSources> sources_;
};

TEST_F(Rollouts, EachNumbersItsHandlesFromZero) {
  const auto made = maker(MemoryUse::Lessons);
  for (const std::uint64_t seed : {1U, 2U}) {
    const auto rollout = made->make(seed, {});
    ASSERT_TRUE(rollout.has_value()) << rollout.error().to_string();
    EXPECT_EQ(rollout->source, "data");
    EXPECT_THAT(call(*rollout, "sparql_query", R"({"query": "SELECT ?s { ?s a ?c }"})"),
                HasSubstr("results_0"));
  }
}

TEST_F(Rollouts, MemoryIsInjectedSearchedOrAbsent) {
  const auto lessons = *maker(MemoryUse::Lessons)->make(1, {});
  EXPECT_EQ(lessons.lessons, bank_);
  const auto none = *maker(MemoryUse::None)->make(1, {});
  EXPECT_EQ(none.lessons, nullptr);
  for (const auto* hidden : {&none, &lessons}) {
    EXPECT_THAT(call(*hidden, "mem_search", R"({"q": "things"})"), HasSubstr("error"));
  }
  const auto search = *maker(MemoryUse::Search)->make(1, {});
  EXPECT_EQ(search.lessons, nullptr);
  EXPECT_THAT(call(search, "mem_search", R"({"q": "things"})"), Not(HasSubstr("error")));
  EXPECT_THAT(call(search, "mem_add", R"({"title": "t", "desc": "d", "content": "c"})"),
              HasSubstr("denied"));
}

TEST_F(Rollouts, RunsWriteNothingIntoABank) {
  const auto search = *maker(MemoryUse::Search)->make(1, {});
  call(search, "sparql_query", R"({"query": "SELECT ?s { ?s a ?c }", "store_pattern": true})");
  EXPECT_EQ(bank_->repository().stats({})->items, 0U);
}

TEST_F(Rollouts, PolicyOfTheFileHoldsAndIsReadOnly) {
  options_.policy_file = (folder_ / "policy.toml").string();
  std::ofstream(options_.policy_file)
      << "read_only = false\nallowed_tools = [\"sparql_query\"]\nmax_rows = 1\n";
  const auto rollout = *maker(MemoryUse::Search)->make(1, {});
  EXPECT_EQ(offered(rollout), std::vector<std::string>{"sparql_query"});
  EXPECT_TRUE(rollout.caller.policy->read_only);
  EXPECT_EQ(rollout.caller.policy->max_rows, 1U);
}

TEST_F(Rollouts, OriginIsThatOfTheFirstSource) {
  maker(MemoryUse::None);
  const agent::LessonOrigin origin = sources_->origin({});
  EXPECT_EQ(origin.domain, "data");
  EXPECT_FALSE(origin.schema_fingerprint.empty());
  EXPECT_THAT(origin.prefixes, Contains(::testing::Pair("ex", "http://example.org/")));
}

TEST_F(Rollouts, ASourceIsNeeded) {
  options_.sources.clear();
  const auto opened = RolloutSources::open(options_, context_);
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, ErrorCode::InvalidInput);
}

}  // namespace
}  // namespace helve::cli
