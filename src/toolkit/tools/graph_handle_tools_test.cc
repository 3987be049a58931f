#include "tests/support/temp_directory.h"
#include "toolkit/tools/tool_testing.h"

namespace helve::toolkit {
namespace {

class GraphHandleToolsTest : public ToolTest {
 protected:
  GraphHandleToolsTest() {
    path_ = (directory_.path() / "planets.ttl").string();
    EXPECT_TRUE(write_file_atomically(real_env(), path_, kPlanets).has_value());
  }
  JsonValue load(std::string_view tool, bool ok = true) {
    return call(tool, R"({"path": ")" + path_ + R"("})", ok);
  }

  TempDirectory directory_;
  std::string path_;
};

TEST_F(GraphHandleToolsTest, AFileBecomesAGraph) {
  const JsonValue loaded = load("g_load");
  EXPECT_EQ(text(loaded, "key"), "graph_0");
  EXPECT_EQ(number(loaded, "triples"), 32);
  EXPECT_EQ(text(load("g_load"), "key"), "graph_0");  // the same file, unchanged
  EXPECT_EQ(number(call("g_stats", R"({"handle": "graph_0"})"), "triples"), 32);
  EXPECT_GE(size(call("g_classes", R"({"handle": "graph_0"})"), "classes"), 4U);
  EXPECT_GE(size(call("g_props", R"({"handle": "graph_0"})"), "properties"), 4U);
  EXPECT_EQ(size(call("g_sample", R"({"handle": "graph_0", "n": 4})"), "triples"), 4U);
  const JsonValue described = call("g_describe", R"({"handle": "graph_0", "resource": "ex:Mars"})");
  EXPECT_EQ(text(described, "label"), "Mars");
  EXPECT_EQ(text(described, "source"), "planets.ttl");
  call("g_stats", R"({"handle": "graph_1"})", false);
}

TEST_F(GraphHandleToolsTest, OntologiesListWhatTheyDeclare) {
  EXPECT_EQ(text(load("ont_load"), "key"), "ontology_0");
  EXPECT_EQ(number(call("ont_classes", R"({"handle": "ontology_0"})"), "total_available"), 3);
  EXPECT_EQ(number(call("ont_properties", R"({"handle": "ontology_0"})"), "total_available"), 2);
}

TEST_F(GraphHandleToolsTest, FilesOutsideOfTheAllowedFoldersAreDenied) {
  Policy policy;
  policy.allowed_paths = std::vector<std::string>{(directory_.path() / "inner").string()};
  caller_.policy = std::make_shared<const Policy>(policy);
  const JsonValue denied = load("g_load", false);
  EXPECT_EQ(text(*denied.find("error"), "code"), "denied");
}

TEST_F(GraphHandleToolsTest, UnknownNamesAreLookedForInTheHandle) {
  call("sparql_query", R"({"query": "CONSTRUCT { ?s a ?t } WHERE { ?s a ?t }"})");
  const JsonValue unknown =
      call("g_describe", R"({"handle": "graph_0", "resource": "nothing-like-it"})", false);
  EXPECT_EQ(text(*unknown.find("error"), "message"), "graph_0 has no resource nothing-like-it");
  EXPECT_EQ(text(*unknown.find("error"), "hint"), "g_sample handle=graph_0 shows what is in it");
}

}  // namespace
}  // namespace helve::toolkit
