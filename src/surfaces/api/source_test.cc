#include "helve/source.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/env.h"
#include "helve/tools.h"
#include "helve/typed.h"
#include "helve/version.h"
#include "sources/store/live/local_factory.h"
#include "surfaces/api/open_source.h"
#include "tests/support/temp_directory.h"

namespace helve::api {
namespace {

std::string write(const TempDirectory& folder, const char* name, std::string_view text) {
  const auto path = folder / name;
  std::ofstream(path) << text;
  return path.string();
}

TEST(Connect, ReadsAFileAndNamesItAfterIt) {
  const TempDirectory folder;
  const auto source = connect(write(folder, "my data.v2.ttl", "<http://e/a> a <http://e/B> ."));
  ASSERT_TRUE(source) << source.error().to_string();
  EXPECT_EQ(source->name(), "my-data");
  EXPECT_FALSE(source->is_remote());
  EXPECT_FALSE(source->fingerprint().empty());
}

TEST(Connect, ReadsAFileUri) {
  const TempDirectory folder;
  const std::string path = write(folder, "my data.ttl", "<http://e/a> a <http://e/B> .");
  std::string uri = "file://" + path;
  uri.replace(uri.find(' '), 1, "%20");
  SourceOptions options;
  options.name = "chosen";
  const auto source = connect(uri, options);
  ASSERT_TRUE(source) << source.error().to_string();
  EXPECT_EQ(source->name(), "chosen");
  EXPECT_EQ(source->uri(), uri);
}

TEST(Connect, ReadsSeveralFilesAsOneGraph) {
  const TempDirectory folder;
  const auto source = connect_files({write(folder, "a.ttl", "<http://e/a> a <http://e/B> ."),
                                     write(folder, "b.nt", "<http://e/c> <http://e/p> \"x\" .\n")});
  ASSERT_TRUE(source) << source.error().to_string();
  EXPECT_EQ(source->name(), "a");
  const auto tools = get_tools(*source);
  ASSERT_TRUE(tools) << tools.error().to_string();
  const auto rows = query(*tools, "SELECT * { ?s ?p ?o }");
  ASSERT_TRUE(rows) << rows.error().to_string();
  EXPECT_EQ(rows->rows_stored, 2U);
}

TEST(Connect, OpensAnIndexFolder) {
  const TempDirectory folder;
  const std::string file = write(folder, "a.ttl", "<http://e/a> a <http://e/B> .");
  const auto factory = store::make_local_factory(real_env());
  const auto graph = factory->open(file, "a", {});
  ASSERT_TRUE(graph);
  const std::string index = (folder / "a.helve").string();
  ASSERT_TRUE(factory->save(**graph, index, {}));
  const auto source = connect(index);
  ASSERT_TRUE(source) << source.error().to_string();
  EXPECT_EQ(source->name(), "a");
  EXPECT_EQ(count(*get_tools(*source), "SELECT * { ?s ?p ?o }")->count, 1U);
  const auto mixed = connect_files({index, file});
  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().code, ErrorCode::InvalidInput);
}

TEST(Connect, HasTheSample) {
  const auto source = connect("sample:");
  ASSERT_TRUE(source) << source.error().to_string();
  EXPECT_EQ(source->name(), "sample");
}

TEST(Connect, HasTheTablesOfTheSample) {
  const auto source = connect("sample-tables:");
  ASSERT_TRUE(source) << source.error().to_string();
  EXPECT_EQ(source->name(), "sample-tables");
  EXPECT_EQ(source->uri(), "sample-tables:") << "not where its file is";
}

TEST(Connect, SaysWhatIsWrong) {
  const TempDirectory folder;
  const auto missing = connect((folder / "none.ttl").string());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::NotFound);

  const auto broken = connect(write(folder, "broken.ttl", "<http://e/a> a \n <http://e/B> ;; x"));
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, ErrorCode::InvalidInput);
  EXPECT_NE(broken.error().message.find("broken.ttl:2:"), std::string::npos)
      << broken.error().message;

  const auto no_index = connect(folder.path().string());
  ASSERT_FALSE(no_index);
  EXPECT_EQ(no_index.error().code, ErrorCode::InvalidInput);

  for (const char* remote : {"http://example.org/sparql", "HTTPS://example.org/sparql"}) {
    const auto source = connect(remote);  // nothing is asked yet
    ASSERT_TRUE(source);
    EXPECT_TRUE(source->is_remote());
    EXPECT_EQ(source->name(), "example.org");
  }
  SourceOptions with_secret;
  with_secret.endpoint.bearer = "hunter2-hunter2";  // written out
  EXPECT_EQ(connect("https://example.org/sparql", with_secret).error().code,
            ErrorCode::InvalidInput);
  with_secret.endpoint.bearer = "env:HELVE_TEST_NOT_SET";
  EXPECT_EQ(connect("https://example.org/sparql", with_secret).error().code, ErrorCode::NotFound);
  for (const char* bad : {"", "-", "ftp://example.org/a.ttl", "file://other/a.ttl", "file:///a%2",
                          "file:///a%00.ttl", "file:///a.ttl#b", "file:"}) {
    const auto source = connect(bad);
    ASSERT_FALSE(source) << bad;
    EXPECT_EQ(source.error().code, ErrorCode::InvalidInput) << bad;
    EXPECT_FALSE(source.error().hint.empty()) << bad;
  }
  EXPECT_EQ(connect_files({}).error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(connect(std::string_view("a\0b", 3)).error().code, ErrorCode::InvalidInput);
}

TEST(Connect, EndsWhenCancelledOrLate) {
  SourceOptions cancelled;
  cancelled.cancel.cancel();
  EXPECT_TRUE(cancelled.cancel.is_cancelled());
  const auto one = connect("sample:", cancelled);
  ASSERT_FALSE(one);
  EXPECT_EQ(one.error().code, ErrorCode::Cancelled);

  SourceOptions late;
  late.timeout = std::chrono::nanoseconds(0);
  const auto two = connect("sample:", late);
  ASSERT_FALSE(two);
  EXPECT_EQ(two.error().code, ErrorCode::LimitExceeded);
}

TEST(Connect, LeavesOutWhatCannotBeReadOnlyWhenAsked) {
  const TempDirectory folder;
  const std::string path =
      write(folder, "a.nt",
            "<http://e/a> <http://e/p> \"x\" .\nrubbish\n<http://e/b> <http://e/p> \"y\" .\n");
  EXPECT_FALSE(connect(path));
  SourceOptions lenient;
  lenient.is_lenient = true;
  EXPECT_TRUE(connect(path, lenient));
}

TEST(NameOfUri, IsAlwaysAName) {
  EXPECT_EQ(name_of_uri("data/solar-system.trig.gz"), "solar-system");
  EXPECT_EQ(name_of_uri("/data/dump.helve/"), "dump");
  EXPECT_EQ(name_of_uri("file:///x/a%20b.ttl"), "a-20b");
  EXPECT_EQ(name_of_uri("/"), "graph");
  EXPECT_EQ(name_of_uri(""), "graph");
  EXPECT_EQ(name_of_uri(std::string(300, 'x')).size(), 64U);
}

TEST(Version, IsThatOfTheProject) {
  EXPECT_EQ(version(), HELVE_PROJECT_VERSION);
  EXPECT_EQ(version(), std::to_string(HELVE_VERSION_MAJOR) + "." +
                           std::to_string(HELVE_VERSION_MINOR) + "." +
                           std::to_string(HELVE_VERSION_PATCH));
}

}  // namespace
}  // namespace helve::api
