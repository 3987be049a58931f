#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/utf8.h"
#include "tests/support/fake_env.h"
#include "tests/support/graph/graph_of.h"
#include "toolkit/tools/toolkit.h"

namespace helve::toolkit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Nothing is loaded here.
class NoFactory final : public GraphFactory {
 public:
  Result<std::shared_ptr<const GraphSource>> open(const std::string&, const std::string&,
                                                  const OpContext&) override {
    return Error(ErrorCode::Unavailable, "no files");
  }
  Result<std::unique_ptr<Builder>> build(const OpContext&) override {
    return Error(ErrorCode::Unavailable, "no builder");
  }
  Result<void> save(const GraphSource&, const std::string&, const OpContext&) override {
    return Error(ErrorCode::Unavailable, "no folder");
  }
};

class ListingTools : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = Toolkit::make({}, env_, std::make_shared<NoFactory>());
    ASSERT_TRUE(made);
    toolkit_ = *std::move(made);
    ASSERT_TRUE(toolkit_->add_source(
        helve::testing::graph_of("@prefix ex: <http://example.org/> . ex:a a ex:C .", "sample")));
  }

  RenderedReply call(std::string_view tool, std::string_view arguments) {
    const auto json = parse_json(arguments);
    EXPECT_TRUE(json) << arguments;
    return toolkit_->call(tool, *json, caller_, OpContext{}).reply;
  }

  // Those that a policy lets be called that writes nothing.
  std::size_t tools() const {
    const auto all = toolkit_->registry().tools();
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [](const Tool& tool) { return !tool.is_writing; }));
  }

  FakeEnv env_;
  std::unique_ptr<Toolkit> toolkit_;
  Caller caller_;
};

TEST_F(ListingTools, EveryToolStandsInTheUsualReply) {
  const RenderedReply reply = call("list_tools", "{}");
  EXPECT_FALSE(reply.is_error) << reply.text;
  EXPECT_EQ(reply.rows_shown, tools()) << reply.text;
  EXPECT_LE(utf8_length(reply.text), 2'000U);
  EXPECT_LE(utf8_length(reply.json), 2'000U);
  EXPECT_THAT(reply.text, HasSubstr("\nsparql_slice(result, offset=0, limit=100, columns?)"));
}

TEST_F(ListingTools, SaysMoreWhereThereIsRoom) {
  const RenderedReply reply = call("list_tools", R"({"category":"Query"})");
  EXPECT_THAT(reply.text, HasSubstr("tools of category query"));
  EXPECT_THAT(reply.text, HasSubstr("Calls any tool by its name"));
  EXPECT_THAT(reply.text, Not(HasSubstr("sparql_peek")));
  const RenderedReply verbose =
      call("list_tools", R"({"verbose":"yes","category":"query","max_chars":20000})");
  EXPECT_THAT(verbose.text, HasSubstr("tools (tool | purpose | returns | example):"));
  EXPECT_THAT(verbose.text, HasSubstr("limit: integer=100 (at most 10,000)"));
}

TEST_F(ListingTools, HidesWhatThePolicyForbids) {
  auto policy = std::make_shared<Policy>();
  policy->allowed_tools = {"list_tools", "sparql_query"};
  caller_.policy = policy;
  const RenderedReply reply = call("list_tools", "{}");
  EXPECT_EQ(reply.rows_shown, 2U);
}

TEST_F(ListingTools, CallsAnyToolByName) {
  const RenderedReply direct = call("sparql_count", R"({"query":"SELECT * { ?s ?p ?o }"})");
  for (const char* arguments :
       {R"({"name":"sparql_count","arguments":{"query":"SELECT * { ?s ?p ?o }"}})",
        R"({"tool":"sparql_count","args":["SELECT * { ?s ?p ?o }"]})",
        R"(["sparql_count","SELECT * { ?s ?p ?o }"])",
        R"({"name":"sparql_count","arguments":"{\"query\":\"SELECT * { ?s ?p ?o }\"}"})"}) {
    const RenderedReply reply = call("call_tool", arguments);
    EXPECT_FALSE(reply.is_error) << arguments << reply.text;
    EXPECT_THAT(reply.json, HasSubstr(R"("count":1)")) << arguments;
    EXPECT_THAT(reply.json, HasSubstr(R"("source":"sample")")) << arguments;
  }
}

TEST_F(ListingTools, WithoutANameCallToolListsThem) {
  for (const char* arguments : {"{}", R"({"name":"list_tools"})", R"({"arguments":{}})"}) {
    const RenderedReply reply = call("call_tool", arguments);
    EXPECT_FALSE(reply.is_error) << arguments << reply.text;
    EXPECT_EQ(reply.rows_shown, tools()) << arguments;
  }
  EXPECT_EQ(call("call_tool", R"({"arguments":{"category":"sql"}})").rows_shown, 4U);
}

TEST_F(ListingTools, TellsOfToolsThatAreNot) {
  const RenderedReply reply = call("call_tool", R"({"name":"sparql_cuont","arguments":{}})");
  EXPECT_TRUE(reply.is_error);
  EXPECT_EQ(reply.code, ErrorCode::NotFound);
  EXPECT_THAT(reply.text, HasSubstr("did you mean sparql_count"));
  EXPECT_EQ(call("call_tool", R"({"name":"call_tool","arguments":{"name":"call_tool"}})").code,
            ErrorCode::InvalidInput);
}

}  // namespace
}  // namespace helve::toolkit
