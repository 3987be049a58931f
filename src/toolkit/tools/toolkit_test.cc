#include "toolkit/tools/toolkit.h"

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "toolkit/tools/tool_testing.h"

namespace helve::toolkit {
namespace {

class ToolkitTest : public ToolTest {
 protected:
  void set_policy(std::string_view json) {
    auto policy = policy_from_json(*parse_json(json));
    ASSERT_TRUE(policy.has_value()) << policy.error().to_string();
    caller_.policy = std::make_shared<const Policy>(*std::move(policy));
  }
};

TEST_F(ToolkitTest, PoliciesHoldAroundEveryCall) {
  set_policy(R"({"max_rows": 2, "max_chars": 900, "allowed_tools": ["sparql_query"]})");
  const JsonValue reply =
      call("sparql_query", R"({"query": "SELECT * { ?s ?p ?o }", "limit": 50})");
  EXPECT_EQ(number(reply, "limit_applied"), 2);
  EXPECT_EQ(size(reply, "preview"), 2U);
  const RenderedReply large =
      this->reply("sparql_query", R"({"query": "SELECT * { ?s ?p ?o }", "max_chars": 10000})");
  EXPECT_LE(utf8_length(large.text), 900U);
  EXPECT_LE(utf8_length(large.json), 900U);
  const JsonValue denied = call("sparql_schema", "{}", false);
  EXPECT_EQ(text(*denied.find("error"), "code"), "denied");
  // Nor through another tool.
  set_policy(R"({"allowed_tools": ["call_tool"]})");
  const JsonValue inner = call("call_tool", R"({"name": "sparql_schema", "arguments": {}})", false);
  EXPECT_EQ(text(*inner.find("error"), "code"), "denied");
}

TEST_F(ToolkitTest, HiddenGraphsStayHiddenInWhatIsRemembered) {
  ASSERT_TRUE(toolkit_
                  ->add_source(helve::testing::graph_of(R"(
      @prefix ex: <http://example.org/> .
      GRAPH ex:open { ex:a a ex:Open }
      GRAPH ex:secret { ex:b a ex:Secret ; ex:knows ex:a })",
                                                        "two"))
                  .has_value());
  call("sparql_schema", R"({"source": "two", "output_mode": "classes"})");
  call("sparql_find", R"({"source": "two", "pattern": "secret"})");
  set_policy(R"({"allowed_graphs": ["http://example.org/open"]})");
  for (const auto& [tool, arguments] : std::vector<std::pair<const char*, const char*>>{
           {"sparql_schema", R"({"source": "two"})"},
           {"sparql_schema", R"({"source": "two", "output_mode": "classes"})"},
           {"sparql_schema", R"({"source": "two", "output_mode": "patterns"})"},
           {"sparql_find", R"({"source": "two", "pattern": "secret"})"},
           {"sparql_properties", R"({"source": "two"})"},
           {"sparql_query", R"({"source": "two", "query": "SELECT ?c { ?x a ?c }"})"},
           {"sparql_query",
            R"({"source": "two", "query": "SELECT ?g { GRAPH ?g { ?x a ?c } }"})"}}) {
    const RenderedReply rendered = reply(tool, arguments);
    EXPECT_FALSE(rendered.is_error) << rendered.json;
    EXPECT_EQ(rendered.json.find("Secret"), std::string::npos) << rendered.json;
    EXPECT_EQ(rendered.json.find("ex:secret"), std::string::npos) << rendered.json;
  }
}

TEST_F(ToolkitTest, SourcesAreNamedOrTheFirst) {
  ASSERT_TRUE(
      toolkit_->add_source(helve::testing::graph_of("<http://e/a> <http://e/b> 1 .", "other"))
          .has_value());
  const JsonValue first = call("sparql_count", R"({"query": "SELECT * { ?s ?p ?o }"})");
  EXPECT_EQ(text(first, "source"), "planets");
  EXPECT_NE(to_json(*first.find("warnings")).find("other"), std::string::npos);
  const JsonValue second =
      call("sparql_count", R"({"query": "SELECT * { ?s ?p ?o }", "source": "other"})");
  EXPECT_EQ(number(second, "count"), 1);
  EXPECT_EQ(text(second, "source"), "other");
  const JsonValue wrong = call("sparql_schema", R"({"source": "othr"})", false);
  EXPECT_NE(to_json(wrong).find("other"), std::string::npos);
  EXPECT_FALSE(toolkit_->add_source(helve::testing::graph_of("", "other")).has_value());
  EXPECT_FALSE(toolkit_->add_source(helve::testing::graph_of("", "no name")).has_value());
}

TEST_F(ToolkitTest, WhatWasStoredUnderOnePolicyIsNotReadUnderAnother) {
  call("sparql_query", R"({"query": "SELECT ?x { ?x a ex:Moon }"})");
  set_policy(R"({"allowed_graphs": ["http://example.org/none"]})");
  call("sparql_slice", R"({"result": "results_0"})", false);
  const JsonValue load = call("g_load", R"({"path": "planets.ttl"})", false);
  EXPECT_EQ(text(*load.find("error"), "code"), "denied");
}

TEST_F(ToolkitTest, RepeatsAreTold) {
  call("sparql_schema", "{}");
  const JsonValue again = call("sparql_schema", "{}");
  EXPECT_NE(to_json(*again.find("warnings")).find("once"), std::string::npos);
  call("sparql_classes", R"({"limit": 1})");
  const JsonValue more = call("sparql_classes", R"({"limit": 5})");
  EXPECT_EQ(to_json(*more.find("warnings")).find("once"), std::string::npos);
}

TEST_F(ToolkitTest, WhatIsStoredIsCounted) {
  EXPECT_EQ(toolkit_->usage().sessions, 0U);
  call("sparql_query", R"({"query": "SELECT * { ?s ?p ?o }"})");
  const ToolkitUsage usage = toolkit_->usage();
  EXPECT_EQ(usage.sessions, 1U);
  EXPECT_EQ(usage.handles, 1U);
  EXPECT_GT(usage.memory_bytes, 0U);
}

TEST_F(ToolkitTest, LeakageIsMeasuredPerTool) {
  call("sparql_schema", "{}");
  call("sparql_query", R"({"query": "SELECT * { ?s ?p ?o }"})");
  call("sparql_query", "{}", false);
  const LeakageReport report = toolkit_->leakage(caller_);
  EXPECT_EQ(report.total.calls, 3U);
  EXPECT_EQ(report.total.errors, 1U);
  EXPECT_GT(report.total.reply_chars, 100U);
  EXPECT_GT(report.total.stored_chars, 1'000U);
}

TEST_F(ToolkitTest, WhatCannotBeRecordedIsNotDone) {
  const auto log = std::make_shared<ListedAudit::Log>();
  auto made = Toolkit::make({}, real_env(), helve::testing::graph_factory(),
                            std::make_unique<ListedAudit>(log));
  ASSERT_TRUE(made.has_value());
  toolkit_ = *std::move(made);
  ASSERT_TRUE(toolkit_->add_source(helve::testing::graph_of(kPlanets, "planets")).has_value());
  call("sparql_query", R"({"query": "SELECT ?x { ?x a ex:Moon }"})");
  call("sparql_query", R"({"query": "nonsense"})", false);
  call("no_such_tool", "{}", false);
  call("sparql_find", R"({"pattern": "sk-live-123456789012345678901234"})");
  ASSERT_EQ(log->records.size(), 4U);
  EXPECT_EQ(log->records[3].query, "[redacted]");
  EXPECT_EQ(log->records[0].verdict, "ok");
  EXPECT_EQ(log->records[0].query, "SELECT ?x { ?x a ex:Moon }");
  EXPECT_EQ(log->records[1].verdict, "invalid_input");
  EXPECT_EQ(log->records[2].verdict, "not_found");
  log->is_broken = true;
  const JsonValue refused = call("sparql_query", R"({"query": "SELECT * { ?s ?p ?o }"})", false);
  EXPECT_EQ(text(*refused.find("error"), "code"), "unavailable");
  EXPECT_EQ((*toolkit_->handles(caller_, {}))->list().size(), 1U);
}

TEST_F(ToolkitTest, PoliciesSayWhatIsRecorded) {
  set_policy(R"({"audit": true})");
  const JsonValue nowhere = call("sparql_classes", "{}", false);
  EXPECT_EQ(text(*nowhere.find("error"), "code"), "denied");
  EXPECT_NE(text(*nowhere.find("error"), "hint").find("--audit"), std::string::npos);
  const auto log = std::make_shared<ListedAudit::Log>();
  toolkit_ = *Toolkit::make({}, real_env(), helve::testing::graph_factory(),
                            std::make_unique<ListedAudit>(log));
  auto of_source = std::make_shared<Policy>(unrestricted_policy());
  of_source->audit = AuditMode::Fingerprint;
  ASSERT_TRUE(toolkit_->add_source(helve::testing::graph_of(kPlanets, "planets")).has_value());
  ASSERT_TRUE(
      toolkit_->add_source(helve::testing::graph_of(kPlanets, "watched"), of_source).has_value());
  caller_.lineage = {{"client", "tests"}};
  const char* const query = R"({"query": "SELECT ?x { ?x a ex:Moon }"})";
  call("sparql_query", query);
  ASSERT_EQ(log->records.size(), 1U);
  EXPECT_EQ(log->records[0].query, "SELECT ?x { ?x a ex:Moon }");
  EXPECT_EQ(log->records[0].lineage, caller_.lineage);
  set_policy(R"({"audit": "fingerprint"})");
  call("sparql_query", query);
  ASSERT_EQ(log->records.size(), 2U);
  EXPECT_EQ(log->records[1].query, "");
  EXPECT_EQ(log->records[1].query_hash, log->records[0].query_hash);
  set_policy(R"({"audit": "off", "allowed_tools": ["sparql_query"]})");
  call("sparql_query", query);
  call("sparql_schema", "{}", false);
  EXPECT_EQ(log->records.size(), 2U);
  // A source may ask for more than the caller.
  call("sparql_query", R"({"query": "SELECT ?x { ?x a ex:Planet }", "source": "watched"})");
  ASSERT_EQ(log->records.size(), 3U);
  EXPECT_EQ(log->records[2].query, "");
  log->is_broken = true;
  call("sparql_query", query);
  call("sparql_query", R"({"query": "SELECT ?x { ?x a ex:Body }", "source": "watched"})", false);
  log->is_broken = false;
  set_policy(R"({"allowed_tools": ["sparql_query"]})");
  call("sparql_schema", "{}", false);
  EXPECT_EQ(log->records.back().rule, "allowed_tools");
}

TEST(ToolkitSessions, CallersDoNotSeeEachOther) {
  ToolkitOptions options;
  options.is_one_session = false;
  auto made = Toolkit::make(options, real_env(), helve::testing::graph_factory());
  ASSERT_TRUE(made.has_value());
  Toolkit& toolkit = **made;
  ASSERT_TRUE(toolkit.add_source(helve::testing::graph_of(kPlanets, "planets")).has_value());
  const Caller a{"a", "1", std::make_shared<const Policy>()};
  const Caller b{"b", "1", std::make_shared<const Policy>()};
  const auto query = parse_json(R"({"query": "SELECT ?x { ?x a ex:Moon }"})");
  const auto slice = parse_json(R"({"result": "results_0"})");
  EXPECT_FALSE(toolkit.call("sparql_query", *query, a, {}).reply.is_error);
  EXPECT_FALSE(toolkit.call("sparql_slice", *slice, a, {}).reply.is_error);
  EXPECT_TRUE(toolkit.call("sparql_slice", *slice, b, {}).reply.is_error);
  EXPECT_EQ(toolkit.leakage(b).total.calls, 1U);
  // Sessions of one caller are apart, unless they share what they store.
  Caller other = a;
  other.session = "2";
  EXPECT_TRUE(toolkit.call("sparql_slice", *slice, other, {}).reply.is_error);
  Caller first = a;
  first.shares_handles = other.shares_handles = true;
  EXPECT_FALSE(toolkit.call("sparql_query", *query, first, {}).reply.is_error);
  EXPECT_FALSE(toolkit.call("sparql_slice", *slice, other, {}).reply.is_error);
}

}  // namespace
}  // namespace helve::toolkit
