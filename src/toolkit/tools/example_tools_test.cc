// The tools of endpoints that examples tell of, and what they refuse.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "toolkit/examples/example_folder_testing.h"
#include "toolkit/tools/tool_testing.h"

namespace helve::toolkit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ExampleToolsTest : public ToolTest {
 protected:
  JsonValue load(bool ok = true) {
    return call("federated_endpoints", R"({"path": ")" + files_.path().string() + R"("})", ok);
  }
  static const JsonValue& item(const JsonValue& reply, std::string_view list, std::size_t i) {
    return reply.find(list)->if_array()->at(i);
  }
  void set_policy(const std::function<void(Policy&)>& change) {
    Policy policy = *caller_.policy;  // which lets files be loaded
    change(policy);
    caller_.policy = std::make_shared<const Policy>(policy);
  }

  ExampleFiles files_;
};

TEST_F(ExampleToolsTest, AFolderBecomesARegistry) {
  const JsonValue loaded = load();
  EXPECT_EQ(text(loaded, "key"), "registry_0");
  EXPECT_EQ(text(loaded, "source"), files_.path().filename().string());
  EXPECT_EQ(number(loaded, "files"), 6);
  EXPECT_EQ(number(loaded, "queries"), 5);
  EXPECT_EQ(number(*loaded.find("forms"), "select"), 2);
  EXPECT_EQ(number(loaded, "federated_queries"), 1);
  EXPECT_EQ(number(loaded, "endpoints"), 3);
  EXPECT_EQ(number(loaded, "primary_endpoints"), 2);
  EXPECT_EQ(number(loaded, "graphs"), 2);
  EXPECT_EQ(number(loaded, "declared_prefixes"), 3);
  EXPECT_EQ(text(load(), "key"), "registry_0");  // the same files, unchanged
  files_.write("Trees/9.ttl", "ex:x ex:y ex:z .");
  EXPECT_EQ(text(load(), "key"), "registry_1");
}

TEST_F(ExampleToolsTest, ListsEndpointsAndGraphs) {
  load();
  const JsonValue all = call("endpoints_list", R"({"ref": "registry_0"})");
  EXPECT_EQ(number(all, "total_available"), 3);
  EXPECT_FALSE(flag(all, "truncated"));
  ASSERT_EQ(size(all, "primary"), 2U);
  EXPECT_EQ(text(item(all, "primary", 0), "name"), "Birds");
  EXPECT_EQ(number(item(all, "primary", 0), "example_count"), 3);
  ASSERT_EQ(size(all, "federated"), 1U);
  EXPECT_EQ(text(item(all, "federated", 0), "url"), "http://maps.example/query");
  EXPECT_EQ(number(item(all, "federated", 0), "example_count"), 1);
  const JsonValue one = call("endpoints_list", R"({"ref": "registry_0", "limit": 1})");
  EXPECT_TRUE(flag(one, "truncated"));
  EXPECT_EQ(size(one, "primary"), 1U);
  EXPECT_EQ(size(one, "federated"), 0U);
  const JsonValue graphs = call("data_graphs", R"({"ref": "registry_0"})");
  ASSERT_EQ(size(graphs, "graphs"), 2U);
  EXPECT_EQ(text(item(graphs, "graphs", 0), "graph"), "http://birds.example/all");
  EXPECT_EQ(*item(graphs, "graphs", 0).find("endpoints"),
            JsonValue(JsonValue::Array{JsonValue("Birds")}));
  EXPECT_EQ(number(graphs, "variable_graphs"), 1);
}

TEST_F(ExampleToolsTest, TellsOfOneEndpoint) {
  load();
  for (const char* name :
       {"trees", "https://trees.example/sparql", "http://trees.example/sparql/"}) {
    const JsonValue detail =
        call("endpoint_detail", fmt::format(R"({{"ref": "registry_0", "name": "{}"}})", name));
    EXPECT_EQ(text(detail, "name"), "Trees");
    EXPECT_EQ(text(detail, "role"), "primary");
    EXPECT_EQ(number(detail, "example_count"), 2);
    EXPECT_EQ(number(detail, "federated_count"), 1);
    EXPECT_EQ(text(item(detail, "asked_from", 0), "name"), "Birds");
    EXPECT_EQ(text(item(detail, "graphs", 0), "graph"), "http://trees.example/oaks");
    EXPECT_EQ(size(detail, "addresses"), 2U);
  }
  const JsonValue unknown =
      call("endpoint_detail", R"({"ref": "registry_0", "name": "Tres"})", false);
  EXPECT_EQ(text(*unknown.find("error"), "code"), "not_found");
  EXPECT_THAT(to_json(*unknown.find("error")->find("did_you_mean")), HasSubstr("Trees"));
}

TEST_F(ExampleToolsTest, WhatIsBrokenIsToldWithTheFirstReasons) {
  files_.write_bytes("Birds/bad.ttl", "ex:a ex:b .");
  files_.write("Birds/5.ttl", "ex:b5 a sh:SPARQLExecutable ; sh:select \"SELECT ?x { ?x \" .");
  std::filesystem::create_directory_symlink("/", files_.path() / "all");
  const JsonValue loaded = load();
  EXPECT_EQ(number(loaded, "broken_files"), 1);
  EXPECT_EQ(number(loaded, "unparsed_queries"), 1);
  ASSERT_EQ(size(loaded, "problems"), 2U);
  EXPECT_EQ(text(item(loaded, "problems", 0), "file"), "Birds/bad.ttl");
  const std::string warnings = to_json(*loaded.find("warnings"));
  EXPECT_THAT(warnings, HasSubstr("1 file could not be read"));
  EXPECT_THAT(warnings, HasSubstr("1 query could not be parsed"));
  EXPECT_THAT(warnings, HasSubstr("1 symbolic link was not followed"));
}

TEST_F(ExampleToolsTest, AFolderWithoutExamplesSaysSo) {
  const TempDirectory empty;
  const JsonValue none =
      call("federated_endpoints", R"({"path": ")" + empty.path().string() + R"("})");
  EXPECT_EQ(number(none, "queries"), 0);
  EXPECT_THAT(to_json(*none.find("warnings")), HasSubstr("no example queries"));
  EXPECT_EQ(size(call("endpoints_list", R"({"ref": "registry_0"})"), "primary"), 0U);
  const JsonValue missing = call("federated_endpoints", R"({"path": "/no/such/folder"})", false);
  EXPECT_EQ(text(*missing.find("error"), "code"), "not_found");
}

TEST_F(ExampleToolsTest, OnlyRegistriesAreListed) {
  call("sparql_query", R"({"query": "SELECT ?s { ?s a ex:Planet }"})");
  for (const char* tool : {"endpoints_list", "data_graphs"}) {
    const JsonValue wrong = call(tool, R"({"ref": "results_0"})", false);
    EXPECT_EQ(text(*wrong.find("error"), "code"), "invalid_input");
    EXPECT_THAT(text(*wrong.find("error"), "hint"), HasSubstr("federated_endpoints"));
  }
}

TEST_F(ExampleToolsTest, FoldersAreThoseOfThePolicy) {
  const TempDirectory allowed;
  set_policy([&](Policy& policy) {
    policy.allowed_paths = std::vector<std::string>{allowed.path().string()};
  });
  EXPECT_EQ(text(*load(false).find("error"), "code"), "denied");
  // A link that leads out of them is no way.
  std::filesystem::create_directory_symlink(files_.path(), allowed.path() / "out");
  const std::string path = (allowed.path() / "out").string();
  const JsonValue linked = call("federated_endpoints", R"({"path": ")" + path + R"("})", false);
  EXPECT_EQ(text(*linked.find("error"), "code"), "denied");
  // Nor is one inside of a folder that is read.
  const JsonValue inside =
      call("federated_endpoints", R"({"path": ")" + allowed.path().string() + R"("})");
  EXPECT_EQ(number(inside, "queries"), 0);
  set_policy([](Policy& policy) { policy.denied_graphs = {"http://example.org/g"}; });
  EXPECT_EQ(text(*load(false).find("error"), "code"), "denied");
}

// A name is shown, nobody is asked.
TEST_F(ExampleToolsTest, DeniedEndpointsAreShownByName) {
  set_policy([](Policy& policy) { policy.denied_endpoints = {"https://birds.example/sparql"}; });
  load();
  EXPECT_EQ(size(call("endpoints_list", R"({"ref": "registry_0"})"), "primary"), 2U);
}

TEST_F(ExampleToolsTest, WhatIsStoredIsWithinThePolicy) {
  set_policy([](Policy& policy) { policy.bytes_stored_max = 100; });
  const JsonValue refused = load(false);
  EXPECT_EQ(text(*refused.find("error"), "code"), "limit_exceeded");
}

}  // namespace
}  // namespace helve::toolkit
