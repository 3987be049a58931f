#include "agent/python_tools/python_tools.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "tests/support/tables/fake_tables.h"
#include "toolkit/tools/tool_testing.h"

namespace helve::python_tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class PythonTools : public toolkit::ToolTest {
 protected:
  // Counts what is called, and keeps the arguments of the last.
  CallTool counted() {
    return [this](std::string_view tool, const JsonValue& arguments, const OpContext& context) {
      ++calls_[std::string(tool)];
      last_ = arguments;
      return toolkit_->call(tool, arguments, caller_, context);
    };
  }
  std::vector<sandbox::Function> functions() {
    return functions_of(toolkit_->registry(), *caller_.policy, counted());
  }
  std::optional<sandbox::Function> find(std::string_view name) {
    for (sandbox::Function& function : functions()) {
      if (function.name == name) return std::move(function);
    }
    return std::nullopt;
  }
  Result<sandbox::FunctionValue> run(std::string_view name, std::string_view arguments) {
    const auto function = find(name);
    if (!function) return Error{ErrorCode::NotFound, "no such function"};
    return function->handler(*parse_json(arguments), {});
  }
  // The facts of a handle, or the value.
  JsonValue answer(std::string_view name, std::string_view arguments) {
    auto value = run(name, arguments);
    EXPECT_TRUE(value.has_value()) << value.error().to_string();
    if (!value) return {};
    return value->handle ? value->handle->facts : value->value;
  }
  static std::string part(const JsonValue& object, std::string_view key) {
    const JsonValue* value = object.find(key);
    return value != nullptr ? to_json(*value) : "(none)";
  }
  void set_policy(std::string_view json) {
    auto policy = toolkit::policy_from_json(*parse_json(json), *caller_.policy);
    ASSERT_TRUE(policy.has_value());
    caller_.policy = std::make_shared<const toolkit::Policy>(*std::move(policy));
  }
  Result<JsonValue> rows(const std::string& key, std::uint64_t offset, std::uint64_t limit) {
    return rows_reader(*caller_.policy, counted())(key, offset, limit, {});
  }
  // Stores so many rows, numbered from 0.
  std::string store(std::uint64_t count) {
    toolkit::RowTableBuilder builder({}, {});
    EXPECT_TRUE(builder.columns({"n"}).has_value());
    for (std::uint64_t n = 0; n < count; ++n) {
      const std::string text = fmt::format("{}", n);
      const std::optional<rdf::TermView> cell =
          rdf::TermView::literal(text, "http://www.w3.org/2001/XMLSchema#integer");
      EXPECT_TRUE(builder.row({&cell, 1}).has_value());
    }
    auto store = toolkit_->handles(caller_, {});
    EXPECT_TRUE(store.has_value());
    auto ref = (*store)->put(builder.finish(), {}, {});
    EXPECT_TRUE(ref.has_value());
    return ref->key;
  }

  std::map<std::string, int> calls_;
  JsonValue last_;
};

TEST_F(PythonTools, EveryToolIsAFunctionThatPythonTakes) {
  toolkit::Policy all;
  all.read_only = false;
  all.allow_ddl = true;
  const toolkit::Registry registry = toolkit::make_registry();
  const auto functions = functions_of(registry, all, counted());
  ASSERT_EQ(functions.size(), registry.tools().size());
  for (const sandbox::Function& function : functions) {
    EXPECT_TRUE(function.validate().has_value()) << function.name;
    EXPECT_FALSE(function.doc.empty());
    ASSERT_FALSE(function.parameters.empty());
    EXPECT_EQ(function.parameters.back().name, "source") << function.name;
    for (const sandbox::FunctionParameter& parameter : function.parameters) {
      EXPECT_NE(parameter.name, "max_chars");
      EXPECT_NE(parameter.name, "output_format");
      EXPECT_THAT(function.doc, HasSubstr("    " + parameter.name + ": ")) << function.name;
    }
  }
}

TEST_F(PythonTools, OnlyWhatThePolicyAllowsIsThere) {
  set_policy(R"({"allowed_tools": ["sparql_query", "data_modify"]})");
  const auto found = functions();
  ASSERT_EQ(found.size(), 1U);  // data_modify writes
  EXPECT_EQ(found[0].name, "sparql_query");
}

TEST_F(PythonTools, ParametersHaveTypesAndDefaults) {
  const auto query = find("sparql_query");
  ASSERT_TRUE(query.has_value());
  std::string signature;
  for (const auto& one : query->parameters) {
    signature += fmt::format("{}: {}{} ", one.name, one.type,
                             one.is_required ? ""
                             : one.otherwise ? "=" + to_json(*one.otherwise)
                                             : "?");
  }
  EXPECT_EQ(signature,
            "query: str limit: int=100 timeout: float=30 validate: bool=true explain: bool=false "
            "diagnose: bool=true store_pattern: bool=true source: str? ");
  EXPECT_THAT(query->doc, AllOf(HasSubstr("Runs a SPARQL query."),
                                HasSubstr("    limit: rows to show; all are stored (at most"),
                                HasSubstr("Returns a dict:\n    key: ")));
  const auto slice = find("sparql_slice");
  EXPECT_EQ(slice->parameters[0].type, "object");
  EXPECT_EQ(slice->parameters[3].type, "list");
}

TEST_F(PythonTools, ReplyWithAHandleIsAHandle) {
  const auto value = run("sparql_query",
                         R"({"query":"SELECT ?x ?r { ?x a ex:Planet ; ex:radius ?r } ORDER BY ?r",
                             "limit":100,"timeout":30,"store_pattern":true,"source":null})");
  ASSERT_TRUE(value.has_value()) << value.error().to_string();
  ASSERT_TRUE(value->handle.has_value());
  EXPECT_EQ(value->handle->key, "results_0");
  EXPECT_THAT(value->handle->text, HasSubstr("Ref('results_0', 'results', 3 items, "));
  const JsonValue& facts = value->handle->facts;
  EXPECT_EQ(part(facts, "preview"), R"([{"x":"http://example.org/Mars","r":3389.5},)"
                                    R"({"x":"http://example.org/Venus","r":6051.8},)"
                                    R"({"x":"http://example.org/Earth","r":6371.0}])");
  EXPECT_EQ(part(facts, "columns"), R"(["x","r"])");
  EXPECT_EQ(part(facts, "rows"), "3");
  EXPECT_EQ(part(facts, "source"), R"("planets")");
  // Defaults are not passed on: nobody said that the pattern is to be stored.
  EXPECT_EQ(part(facts, "warnings"), "[]");
  EXPECT_EQ(to_json(last_),
            R"({"query":"SELECT ?x ?r { ?x a ex:Planet ; ex:radius ?r } ORDER BY ?r",)"
            R"("max_chars":20000})");
}

TEST_F(PythonTools, UnboundIsNone) {
  const JsonValue facts = answer(
      "sparql_query",
      R"({"query":"SELECT ?r { ex:Phobos a ex:Moon OPTIONAL { ex:Phobos ex:radius ?r } }"})");
  EXPECT_EQ(part(facts, "preview"), R"([{"r":null}])");
}

TEST_F(PythonTools, OtherRepliesAreTheirKeys) {
  const JsonValue counted_ones = answer("sparql_count", R"({"query":"ex:Planet"})");
  EXPECT_EQ(part(counted_ones, "count"), "3");
  EXPECT_EQ(part(counted_ones, "resource"), R"("http://example.org/Planet")");
  EXPECT_EQ(part(answer("sparql_query", R"({"query":"ASK { ?x a ex:Planet }"})"), "boolean"),
            "true");
}

TEST_F(PythonTools, NothingIsCutToCharacters) {
  set_policy(R"({"max_chars": 300})");
  const JsonValue facts =
      answer("sparql_query", R"({"query":"SELECT ?s ?p ?o { ?s ?p ?o }", "limit": 30})");
  ASSERT_NE(facts.find("preview"), nullptr);
  EXPECT_EQ(facts.find("preview")->if_array()->size(), 30U);
}

TEST_F(PythonTools, ErrorsComeWithTheirHints) {
  const auto wrong = run("sparql_query", R"({"query":"SELECT ?x WHERE { ?x a ex:Planet"})");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().code, ErrorCode::InvalidInput);
  EXPECT_FALSE(wrong.error().hint.empty());
  const auto gone = run("sparql_stats", R"({"result":"results_7"})");
  ASSERT_FALSE(gone.has_value());
  EXPECT_EQ(gone.error().code, ErrorCode::NotFound);
}

TEST_F(PythonTools, TablesAnswerWithNumbers) {
  ASSERT_TRUE(toolkit_->add_source(helve::testing::music_shop()).has_value());
  const JsonValue facts =
      answer("query_execute",
             R"({"sql":"SELECT artist_id, name FROM artist ORDER BY artist_id LIMIT 1"})");
  const JsonValue* preview = facts.find("preview");
  ASSERT_NE(preview, nullptr) << to_json(facts);
  ASSERT_EQ(preview->if_array()->size(), 1U);
  EXPECT_EQ(preview->if_array()->front().find("artist_id")->kind(), JsonKind::Int);
  EXPECT_NE(preview->if_array()->front().find("name")->if_string(), nullptr);
}

TEST_F(PythonTools, RowsAreReadInPages) {
  const std::string key = store(2'500);
  const auto all = rows(key, 0, 10'000);
  ASSERT_TRUE(all.has_value()) << all.error().to_string();
  ASSERT_EQ(all->if_array()->size(), 2'500U);
  EXPECT_EQ(to_json(all->if_array()->back()), R"({"n":2499})");
  EXPECT_EQ(calls_["sparql_slice"], 3);
  const auto some = rows(key, 1'999, 2);
  ASSERT_TRUE(some.has_value());
  EXPECT_EQ(to_json(*some), R"([{"n":1999},{"n":2000}])");
  EXPECT_EQ(calls_["sparql_slice"], 4);
  EXPECT_EQ(to_json(*rows(key, 0, 0)), "[]");
  EXPECT_EQ(to_json(*rows(key, 2'500, 10)), "[]");
  EXPECT_EQ(calls_["sparql_slice"], 5);
}

TEST_F(PythonTools, RowsHaveACap) {
  const std::string key = store(3);
  const auto many = rows(key, 0, 10'001);
  ASSERT_FALSE(many.has_value());
  EXPECT_EQ(many.error().code, ErrorCode::LimitExceeded);
  EXPECT_THAT(many.error().message, HasSubstr("10,000"));
  EXPECT_THAT(many.error().hint, HasSubstr("rows(10000, 10000)"));
  set_policy(R"({"max_rows": 2})");
  const auto denied = rows(key, 0, 3);
  ASSERT_FALSE(denied.has_value());
  EXPECT_THAT(denied.error().message, HasSubstr("the policy gives at most 2"));
  EXPECT_EQ(calls_["sparql_slice"], 0);
  EXPECT_EQ(to_json(*rows(key, 1, 2)), R"([{"n":1},{"n":2}])");
}

TEST_F(PythonTools, RowsEndWithTheirContext) {
  const std::string key = store(3);
  OpContext context;
  context.cancel.cancel();
  const auto ended = rows_reader(*caller_.policy, counted())(key, 0, 3, context);
  ASSERT_FALSE(ended.has_value());
  EXPECT_EQ(ended.error().code, ErrorCode::Cancelled);
}

TEST_F(PythonTools, RowsAreWithinThePoliciesOfTheirSources) {
  toolkit::Policy few;
  few.max_rows = 2;
  ASSERT_TRUE(toolkit_
                  ->add_source(helve::testing::graph_of(toolkit::kPlanets, "guarded"),
                               std::make_shared<const toolkit::Policy>(few))
                  .has_value());
  const auto value =
      run("sparql_query", R"({"query":"SELECT ?x { ?x a ex:Planet }","source":"guarded"})");
  ASSERT_TRUE(value.has_value()) << value.error().to_string();
  ASSERT_TRUE(value->handle.has_value());
  const std::string key = value->handle->key;
  EXPECT_EQ(rows(key, 0, 2)->if_array()->size(), 2U);
  const auto more = rows(key, 0, 3);
  ASSERT_FALSE(more.has_value());
  EXPECT_THAT(more.error().message, HasSubstr("the policy of their source gives at most 2"));
  // Who may not see the source has no such handle.
  set_policy(R"({"allowed_sources": ["planets"]})");
  const auto hidden = rows(key, 0, 2);
  ASSERT_FALSE(hidden.has_value());
  EXPECT_EQ(hidden.error().code, ErrorCode::NotFound);
}

TEST_F(PythonTools, RowsOfOthersAreNotThere) {
  toolkit::ToolkitOptions options;
  options.is_one_session = false;
  toolkit_ = *toolkit::Toolkit::make(options, real_env(), helve::testing::graph_factory());
  const std::string key = store(3);
  EXPECT_EQ(rows(key, 0, 3)->if_array()->size(), 3U);
  caller_.identity = "somebody else";
  const auto theirs = rows(key, 0, 3);
  ASSERT_FALSE(theirs.has_value());
  EXPECT_EQ(theirs.error().code, ErrorCode::NotFound);
}

TEST_F(PythonTools, RowsNeedTheToolThatReadsThem) {
  const std::string key = store(3);
  set_policy(R"({"allowed_tools": ["sparql_query"]})");
  const auto denied = rows(key, 0, 3);
  ASSERT_FALSE(denied.has_value());
  EXPECT_EQ(denied.error().code, ErrorCode::Denied);
}

}  // namespace
}  // namespace helve::python_tools
