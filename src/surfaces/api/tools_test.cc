#include "helve/tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/json.h"
#include "base/utf8.h"
#include "helve/typed.h"
#include "tests/support/temp_directory.h"

namespace helve::api {
namespace {

using ::testing::HasSubstr;

Source sample() {
  static const Source source = connect("sample:").value();
  return source;
}

Source small(const TempDirectory& folder, const char* name, std::string_view turtle) {
  const auto path = folder / (std::string(name) + ".ttl");
  std::ofstream(path) << turtle;
  return connect(path.string()).value();
}

constexpr const char* kPlanets = R"({"query": "SELECT ?p { ?p a/rdfs:subClassOf* sol:Planet }"})";

TEST(Tools, CallByName) {
  const auto tools = get_tools(sample());
  ASSERT_TRUE(tools) << tools.error().to_string();
  const Reply reply = tools->call("sparql_query", kPlanets);
  EXPECT_FALSE(reply.is_error) << reply.text;
  EXPECT_EQ(reply.source, "sample");
  EXPECT_EQ(reply.handle, "results_0");
  const auto json = parse_json(reply.json);
  ASSERT_TRUE(json) << reply.json;
  EXPECT_EQ(*json->find("key")->if_string(), "results_0");
  EXPECT_LE(utf8_length(reply.text), 2'000U);
}

TEST(Tools, ArgumentsMayBePositionalOrAbsent) {
  const auto tools = get_tools(sample());
  ASSERT_TRUE(tools);
  EXPECT_FALSE(tools->call("sparql_schema").is_error);
  const Reply reply = tools->call("sparql_count", R"(["sol:Moon"])");
  EXPECT_FALSE(reply.is_error) << reply.text;
}

TEST(Tools, FailedCallsAreReplies) {
  const auto tools = get_tools(sample());
  ASSERT_TRUE(tools);
  const Reply no_tool = tools->call("sparql_quary", kPlanets);
  EXPECT_TRUE(no_tool.is_error);
  EXPECT_EQ(no_tool.code, ErrorCode::NotFound);
  EXPECT_THAT(no_tool.text, HasSubstr("sparql_query"));

  const Reply no_json = tools->call("sparql_query", "{query: SELECT");
  EXPECT_TRUE(no_json.is_error);
  EXPECT_EQ(no_json.code, ErrorCode::InvalidInput);
  EXPECT_THAT(no_json.text, HasSubstr("no JSON"));
  EXPECT_TRUE(parse_json(no_json.json));

  const Reply no_query = tools->call("sparql_query", R"({"query": "SELEC * {}"})");
  EXPECT_TRUE(no_query.is_error);
  EXPECT_EQ(no_query.code, ErrorCode::InvalidInput);
}

TEST(Tools, TellsItsToolsAndTheirSchemas) {
  Policy policy;
  policy.allowed_tools = {"sparql_query", "sparql_slice"};
  const auto tools = get_tools(sample(), policy);
  ASSERT_TRUE(tools);
  EXPECT_THAT(tools->names(), ::testing::UnorderedElementsAre("sparql_query", "sparql_slice"));
  EXPECT_EQ(tools->list().size(), 2U);
  EXPECT_FALSE(tools->list()[0].purpose.empty());
  const auto input = tools->input_schema("sparql_query");
  ASSERT_TRUE(input);
  const auto schema = parse_json(*input);
  ASSERT_TRUE(schema);
  EXPECT_NE(schema->find("properties")->find("query"), nullptr);
  EXPECT_TRUE(tools->output_schema("sparql_query"));
  EXPECT_EQ(tools->input_schema("nothing").error().code, ErrorCode::NotFound);
  const Reply denied = tools->call("sparql_find", R"({"pattern": "moon"})");
  EXPECT_TRUE(denied.is_error);
  EXPECT_EQ(denied.code, ErrorCode::Denied);
}

TEST(Tools, TellTheShapesOfTheirTools) {
  const Tools tools = get_tools(connect("sample:").value()).value();
  const auto shape = tools.shape("sparql_slice");
  ASSERT_TRUE(shape) << shape.error().to_string();
  EXPECT_EQ(shape->info.name, "sparql_slice");
  ASSERT_GE(shape->parameters.size(), 7U);
  const ToolParameter& result = shape->parameters[0];
  EXPECT_EQ(result.name, "result");
  EXPECT_EQ(result.type, "handle");
  EXPECT_TRUE(result.is_required);
  EXPECT_THAT(result.aliases,
              ::testing::UnorderedElementsAre("key", "ref", "ref_key", "handle", "result_key"));
  EXPECT_EQ(shape->parameters[2].otherwise, "100");
  EXPECT_EQ(shape->parameters[3].items, "string");
  EXPECT_EQ(shape->parameters.back().name, "source");
  EXPECT_FALSE(shape->returns.empty());
  EXPECT_EQ(tools.shape("sparql_slise").error().code, ErrorCode::NotFound);
  for (const std::string& name : tools.names()) {
    std::vector<std::string> words;  // that one call may use: no word has two meanings
    const ToolShape one = tools.shape(name).value();
    for (const ToolParameter& parameter : one.parameters) {
      words.push_back(parameter.name);
      words.insert(words.end(), parameter.aliases.begin(), parameter.aliases.end());
    }
    std::sort(words.begin(), words.end());
    EXPECT_EQ(std::adjacent_find(words.begin(), words.end()), words.end()) << name;
  }
}

TEST(Tools, KnowSeveralSources) {
  const TempDirectory folder;
  const auto tools = get_tools(
      std::vector<Source>{sample(), small(folder, "mine", "<http://e/a> <http://e/p> \"x\" .")});
  ASSERT_TRUE(tools) << tools.error().to_string();
  EXPECT_THAT(tools->source_names(), ::testing::ElementsAre("sample", "mine"));
  const Reply reply =
      tools->call("sparql_query", R"({"query": "SELECT * { ?s ?p ?o }", "source": "mine"})");
  EXPECT_FALSE(reply.is_error) << reply.text;
  EXPECT_EQ(reply.source, "mine");
  EXPECT_EQ(query(*tools, "SELECT * { ?s ?p ?o }", {.source = "mine"})->rows_stored, 1U);
  EXPECT_THAT(tools->call("sparql_schema").text, HasSubstr("source=NAME"));

  const auto twice = get_tools(std::vector<Source>{sample(), sample()});
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, ErrorCode::InvalidInput);
}

TEST(Tools, NeedNoSource) {
  const auto tools = get_tools(std::vector<Source>{});
  ASSERT_TRUE(tools) << tools.error().to_string();
  EXPECT_FALSE(tools->call("list_tools").is_error);
  EXPECT_EQ(tools->call("sparql_schema").code, ErrorCode::NotFound);
}

TEST(Tools, SenselessPoliciesAreRefused) {
  Policy policy;
  policy.max_chars = 0;
  const auto tools = get_tools(sample(), policy);
  ASSERT_FALSE(tools);
  EXPECT_EQ(tools.error().code, ErrorCode::InvalidInput);
  policy = {};
  policy.timeout_max = std::chrono::nanoseconds(0);
  EXPECT_FALSE(get_tools(sample(), policy));
}

TEST(Tools, EndWhenCancelledOrLate) {
  const auto tools = get_tools(sample());
  ASSERT_TRUE(tools);
  constexpr const char* kLong =
      R"({"query": "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(?a != ?g) }",
          "validate": false})";
  CallOptions cancelled;
  cancelled.cancel.cancel();
  const Reply one = tools->call("sparql_query", kLong, cancelled);
  EXPECT_TRUE(one.is_error);
  EXPECT_EQ(one.code, ErrorCode::Cancelled);

  CallOptions other_thread;
  std::thread stopper([&] { other_thread.cancel.cancel(); });
  EXPECT_EQ(tools->call("sparql_query", kLong, other_thread).code, ErrorCode::Cancelled);
  stopper.join();

  CallOptions late;
  late.timeout = std::chrono::milliseconds(20);
  const Reply two = tools->call("sparql_query", kLong, late);
  EXPECT_TRUE(two.is_error);
  EXPECT_EQ(two.code, ErrorCode::LimitExceeded);
}

struct Recorder {
  std::vector<std::string> lines;

  Events events() {
    return {[this](const CallBegin& begin) {
              lines.push_back("begin " + std::to_string(begin.id) + " " + std::string(begin.tool) +
                              " " + std::string(begin.arguments));
            },
            [this](const CallEnd& end) {
              lines.push_back("end " + std::to_string(end.id) + " " + std::string(end.tool) + " " +
                              std::string(end.source) + " " + std::string(end.handle) + " " +
                              (end.is_error ? std::string(error_code_name(end.code)) : "ok"));
              EXPECT_GT(end.reply_chars, 0U);
            }};
  }
};

TEST(Events, ComeInOrder) {
  Recorder recorder;
  ToolsOptions options;
  options.events = recorder.events();
  const auto tools = get_tools(sample(), {}, options);
  ASSERT_TRUE(tools);
  (void)tools->call("sparql_query", kPlanets);
  (void)tools->call("nothing", "{}");
  (void)tools->call("sparql_query", "no json");
  (void)slice(*tools, "results_0");
  EXPECT_THAT(
      recorder.lines,
      ::testing::ElementsAre(
          "begin 1 sparql_query " + std::string(kPlanets), "end 1 sparql_query sample results_0 ok",
          "begin 2 nothing {}", "end 2 nothing session  not_found", "begin 3 sparql_query no json",
          "end 3 sparql_query session  invalid_input",
          R"(begin 4 sparql_slice {"result":"results_0","offset":0,"limit":100})",
          ::testing::StartsWith("end 4 sparql_slice session")));
}

TEST(Events, MayCallAndNeverOverlap) {
  int inside = 0;
  int most = 0;
  int ends = 0;
  std::optional<Tools> own;
  ToolsOptions options;
  options.events.on_end = [&](const CallEnd&) {
    most = std::max(most, ++inside);
    if (++ends == 1 && own) (void)own->call("list_tools");
    --inside;
  };
  auto tools = get_tools(sample(), {}, options);
  ASSERT_TRUE(tools);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 5; ++n) (void)tools->call("sparql_count", R"(["sol:Moon"])");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ends, 20);
  EXPECT_EQ(most, 1);

  own = *tools;
  ends = 0;
  (void)tools->call("sparql_count", R"(["sol:Moon"])");
  EXPECT_EQ(ends, 2);
  EXPECT_EQ(most, 2);
}

TEST(Sessions, AreApart) {
  ToolsOptions options;
  options.has_many_sessions = true;
  options.session = "one";
  const auto first = get_tools(sample(), {}, options);
  ASSERT_TRUE(first);
  const auto second = first->as("local", "two", {});
  ASSERT_TRUE(second);
  EXPECT_EQ(first->call("sparql_query", kPlanets).handle, "results_0");
  EXPECT_EQ(second->call("sparql_slice", R"(["results_0"])").code, ErrorCode::NotFound);
  EXPECT_FALSE(first->call("sparql_slice", R"(["results_0"])").is_error);
  EXPECT_EQ(first->leakage().total.calls, 2U);
  EXPECT_EQ(second->leakage().total.calls, 1U);
  EXPECT_EQ(second->leakage().total.errors, 1U);
  // The same session again is the same.
  EXPECT_FALSE(second->as("local", "one", {})->call("sparql_slice", R"(["results_0"])").is_error);
}

TEST(Sessions, OneIsNotLentToOthers) {
  const auto tools = get_tools(sample());
  ASSERT_TRUE(tools);
  EXPECT_EQ(tools->as("other", "default", {}).error().code, ErrorCode::InvalidInput);
  Policy narrow;
  narrow.allowed_tools = {"sparql_slice"};
  const auto same = tools->as("local", "default", narrow);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->call("sparql_query", kPlanets).code, ErrorCode::Denied);
}

TEST(Sessions, FolderKeepsResults) {
  const TempDirectory folder;
  ToolsOptions options;
  options.session_folder = (folder / "session").string();
  options.lock_timeout = std::chrono::milliseconds(1);
  {
    const auto tools = get_tools(sample(), {}, options);
    ASSERT_TRUE(tools) << tools.error().to_string();
    EXPECT_EQ(tools->call("sparql_query", kPlanets).handle, "results_0");
    const auto second = get_tools(sample(), {}, options);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::Unavailable);
  }
  const auto again = get_tools(sample(), {}, options);
  ASSERT_TRUE(again) << again.error().to_string();
  const auto rows = slice(*again, "results_0");
  ASSERT_TRUE(rows) << rows.error().to_string();
  EXPECT_EQ(rows->rows_stored, 8U);
  // Unchanged data: the handle is found again.
  const Reply same = again->call("sparql_query", kPlanets);
  EXPECT_EQ(same.handle, "results_0");
}

TEST(PolicyFiles, HavePoliciesOfCallersAndSources) {
  const TempDirectory folder;
  const Source source = small(folder, "one", "<http://x/a> <http://x/b> <http://x/c> .");
  std::ofstream(folder / "policy.toml") << "default = \"deny\"\n[caller.ann]\n"
                                           "[source.one]\nallowed_tools = [\"sparql_count\"]\n";
  ToolsOptions options;
  options.has_many_sessions = true;
  options.policy_file = (folder / "policy.toml").string();
  const auto stranger = get_tools(source, {}, options);
  ASSERT_TRUE(stranger) << stranger.error().to_string();
  EXPECT_EQ(stranger->call("list_tools").code, ErrorCode::Denied);
  const auto ann = stranger->as("ann", "default");
  ASSERT_TRUE(ann) << ann.error().to_string();
  EXPECT_FALSE(ann->call("list_tools").is_error);
  EXPECT_EQ(ann->call("sparql_schema").code, ErrorCode::Denied);
  std::ofstream(folder / "policy.toml") << "[caller.ann]\nmax_row = 1\n";
  EXPECT_EQ(get_tools(source, {}, options).error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(get_tools(source)->as("ann", "default").error().code, ErrorCode::InvalidInput);
}

// How a source was opened stands above every policy, and the default of a policy above how it was.
TEST(PolicyFiles, NothingIsWrittenUnlessTheSourceAndThePolicySaySo) {
  const TempDirectory folder;
  std::ofstream(folder / "shop.db") << "";  // an empty file is an empty database
  const std::string uri = "sqlite:" + (folder / "shop.db").string();
  const auto told = [&](bool is_writable, const Policy& policy) {
    SourceOptions options;
    options.is_writable = is_writable;
    const auto tools = get_tools(connect(uri, options).value(), policy);
    return tools ? tools->call("transaction", R"({"action": "status"})").text
                 : tools.error().to_string();
  };
  Policy writing;
  writing.read_only = false;
  writing.audit = AuditMode::Off;
  EXPECT_FALSE(SourceOptions().is_writable);
  EXPECT_THAT(told(false, writing), HasSubstr("shop was opened for reading alone"));
  EXPECT_THAT(told(false, {}), HasSubstr("the policy is read-only"));
  EXPECT_THAT(told(true, {}), HasSubstr("the policy is read-only"));
  EXPECT_THAT(told(true, writing), HasSubstr("no transaction is open on shop"));
}

TEST(PolicyFiles, RulesForASourceThatIsNotThereAreAMistake) {
  const TempDirectory folder;
  const Source source = small(folder, "one", "<http://x/a> <http://x/b> <http://x/c> .");
  ToolsOptions options;
  options.policy_file = (folder / "policy.toml").string();
  std::ofstream(options.policy_file) << "[source.onne]\nmax_rows = 1\n";
  const auto tools = get_tools(source, {}, options);
  ASSERT_FALSE(tools);
  EXPECT_EQ(tools.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(tools.error().message, HasSubstr("onne"));
}

TEST(Memory, IsThereWhereABankIsNamed) {
  const TempDirectory folder;
  EXPECT_TRUE(get_tools(sample(), {}, {})->call("mem_search", R"(["planets"])").is_error);
  ToolsOptions options;
  options.bank = (folder / "bank.db").string();
  const auto tools = get_tools(sample(), {}, options);
  ASSERT_TRUE(tools) << tools.error().to_string();
  const Reply added = tools->call("mem_add", R"({"item": {"title": "Planets", "desc": "Use it.",
      "content": "Ask for classes.", "src": "success"}})");
  EXPECT_FALSE(added.is_error) << added.json;
  EXPECT_FALSE(tools->call("mem_search", R"(["planets"])").is_error);
  options.bank = "mysql://x@y/z";
  EXPECT_FALSE(get_tools(sample(), {}, options));
}

TEST(Audit, HasALineForEachCall) {
  const TempDirectory folder;
  ToolsOptions options;
  options.audit_file = (folder / "audit.jsonl").string();
  options.identity = "ada";
  const auto tools = get_tools(sample(), {}, options);
  ASSERT_TRUE(tools) << tools.error().to_string();
  (void)tools->call("sparql_query", kPlanets);
  (void)tools->call("sparql_slice", R"(["results_9"])");
  std::stringstream text;
  text << std::ifstream(options.audit_file).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("\"ada\""));
  EXPECT_THAT(text.str(), HasSubstr("not_found"));
  const std::string lines = text.str();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 3);  // a header, too
}

TEST(Audit, IsKeyedAndWithoutTextsWhereThatIsAskedFor) {
  const TempDirectory folder;
  std::ofstream(folder / "key") << "0123456789abcdef0123456789abcdef\n";
  ToolsOptions options;
  options.audit_key = "file:" + (folder / "key").string();
  EXPECT_FALSE(get_tools(sample(), {}, options));  // a key of nothing
  options.audit_file = (folder / "audit.jsonl").string();
  options.audit_fingerprints = true;
  const auto tools = get_tools(sample(), {}, options);
  ASSERT_TRUE(tools) << tools.error().to_string();
  (void)tools->call("sparql_query", kPlanets);
  std::stringstream text;
  text << std::ifstream(options.audit_file).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("\"keyed\":true"));
  EXPECT_EQ(text.str().find("\"query\":"), std::string::npos);
  options.audit_key = "0123456789abcdef0123456789abcdef";
  EXPECT_FALSE(get_tools(sample(), {}, options));  // not named, but written
}

TEST(Audit, IsNeededWhereItIsAskedFor) {
  const TempDirectory folder;
  ToolsOptions options;
  options.audit_file = (folder / "none" / "audit.jsonl").string();
  EXPECT_FALSE(get_tools(sample(), {}, options));
}

TEST(Sessions, SecretHandlesCannotBeGuessed) {
  ToolsOptions options;
  options.has_secret_handles = true;
  const auto tools = get_tools(sample(), {}, options);
  ASSERT_TRUE(tools);
  const auto answer = query(*tools, "SELECT ?s { ?s a sol:Star }");
  ASSERT_TRUE(answer) << answer.error().to_string();
  EXPECT_GE(answer->handle.size(), 32U);
  EXPECT_TRUE(slice(*tools, answer->handle));
  EXPECT_FALSE(slice(*tools, "results_0"));
}

TEST(Leakage, CountsWhatWentOut) {
  const auto tools = get_tools(sample());
  ASSERT_TRUE(tools);
  const Reply reply = tools->call("sparql_query", R"({"query": "SELECT * { ?s ?p ?o }"})");
  const Leakage leakage = tools->leakage();
  ASSERT_EQ(leakage.tools.size(), 1U);
  EXPECT_EQ(leakage.tools[0].tool, "sparql_query");
  EXPECT_GT(leakage.total.stored_chars, 100 * leakage.total.reply_chars);
}

}  // namespace
}  // namespace helve::api
