#include "toolkit/tools/seen_source.h"

#include "tests/support/tables/fake_tables.h"
#include "toolkit/tools/tool_testing.h"

namespace helve::toolkit {
namespace {

constexpr std::string_view kTwoGraphs = R"(
@prefix ex: <http://example.org/> .
ex:open { ex:a a ex:Planet . }
ex:closed { ex:b a ex:Secret . }
)";

class SeenSources : public ToolTest {
 protected:
  SeenSources() : ToolTest(kTwoGraphs) {
    EXPECT_TRUE(toolkit_->add_source(helve::testing::music_shop()).has_value());
  }
  void set_policy(std::string_view json) {
    auto policy = policy_from_json(*parse_json(json));
    ASSERT_TRUE(policy.has_value());
    caller_.policy = std::make_shared<const Policy>(*std::move(policy));
  }
  Result<SeenSource> see(const std::string& name) {
    return see_source(*toolkit_, name, caller_, {});
  }
};

TEST_F(SeenSources, ByNameOrTheFirst) {
  EXPECT_EQ(see("")->name, "planets");
  EXPECT_NE(see("planets")->graph, nullptr);
  EXPECT_NE(see("shop")->tables, nullptr);
  EXPECT_EQ(see("shop")->graph, nullptr);
  EXPECT_EQ(see("nowhere").error().code, ErrorCode::NotFound);
}

TEST_F(SeenSources, PolicyOfTheCallerHolds) {
  set_policy(
      R"({"allowed_graphs": ["http://example.org/open"], "denied_columns": ["artist.name"]})");
  const auto schema = see("planets")->graph->schema({});
  ASSERT_TRUE(schema.has_value());
  EXPECT_NE((*schema)->find_class("http://example.org/Planet"), nullptr);
  EXPECT_EQ((*schema)->find_class("http://example.org/Secret"), nullptr);
  const auto catalogue = see("shop")->tables->catalogue({}, false);
  ASSERT_TRUE(catalogue.has_value());
  for (const TableInfo& table : (*catalogue)->tables) {
    if (table.name != "artist") continue;
    for (const auto& column : table.columns) EXPECT_NE(column.name, "name");
  }
  set_policy(R"({"allowed_sources": ["shop"]})");
  EXPECT_EQ(see("")->name, "shop");
  EXPECT_EQ(see("planets").error().code, ErrorCode::NotFound);
  set_policy(R"({"allowed_sources": []})");
  EXPECT_EQ(see("")->name, "");
}

TEST_F(SeenSources, PolicyOfTheSourceHolds) {
  Policy own = unrestricted_policy();
  own.allowed_graphs = {{"http://example.org/open"}};
  ASSERT_TRUE(toolkit_
                  ->add_source(helve::testing::graph_of(kTwoGraphs, "own"),
                               std::make_shared<const Policy>(own))
                  .has_value());
  const auto schema = see("own")->graph->schema({});
  ASSERT_TRUE(schema.has_value());
  EXPECT_EQ((*schema)->find_class("http://example.org/Secret"), nullptr);
}

TEST_F(SeenSources, NothingIsSeenWhereNothingCanBeRecorded) {
  const auto log = std::make_shared<ListedAudit::Log>();
  toolkit_ = *Toolkit::make({}, real_env(), helve::testing::graph_factory(),
                            std::make_unique<ListedAudit>(log));
  ASSERT_TRUE(toolkit_->add_source(helve::testing::graph_of(kTwoGraphs, "planets")).has_value());
  EXPECT_TRUE(see("").has_value());
  log->is_broken = true;
  EXPECT_EQ(see("").error().code, ErrorCode::Unavailable);
}

}  // namespace
}  // namespace helve::toolkit
