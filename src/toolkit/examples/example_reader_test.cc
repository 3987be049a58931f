#include "toolkit/examples/example_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/env.h"
#include "toolkit/examples/example_document.h"
#include "toolkit/examples/example_folder_testing.h"

namespace helve::toolkit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

class ExampleReaderTest : public ::testing::Test {
 protected:
  ExampleFolder read(const ExampleLimits& limits = {}) {
    auto folder = read_examples(files_.path(), limits, real_env(), {});
    EXPECT_TRUE(folder.has_value()) << folder.error().to_string();
    return folder ? *std::move(folder) : ExampleFolder();
  }
  static const ExampleQuery& query(const ExampleFolder& folder, std::string_view iri) {
    const auto found = std::find_if(folder.queries.begin(), folder.queries.end(),
                                    [&](const ExampleQuery& one) { return one.iri == iri; });
    EXPECT_NE(found, folder.queries.end()) << iri;
    return *found;
  }

  ExampleFiles files_;
};

TEST_F(ExampleReaderTest, ReadsWhatExamplesSay) {
  const ExampleFolder folder = read();
  EXPECT_EQ(folder.files, 6U);
  EXPECT_EQ(folder.broken_files, 0U);
  EXPECT_EQ(folder.unparsed, 0U);
  EXPECT_EQ(folder.incomplete, "");
  ASSERT_EQ(folder.queries.size(), 5U);
  const ExampleQuery& first = query(folder, "http://example.org/b1");
  EXPECT_EQ(first.file, "Birds/1.ttl");
  EXPECT_EQ(first.folder(), "Birds");
  EXPECT_EQ(first.form, ExampleForm::Select);
  EXPECT_EQ(first.text, "SELECT ?b { GRAPH bird:all { ?b bird:sings true } }");
  EXPECT_EQ(first.comment, "Which birds sing & fly?");
  EXPECT_THAT(first.keywords, ElementsAre("song", "flight"));
  EXPECT_THAT(first.targets, ElementsAre("https://birds.example/sparql"));
  EXPECT_FALSE(first.is_federated());
  EXPECT_THAT(first.used_prefixes, ElementsAre(Pair("bird", "http://birds.example/")));
  EXPECT_EQ(query(folder, "http://example.org/b2").comment, "Birds and where they nest");
  EXPECT_EQ(query(folder, "http://example.org/b3").form, ExampleForm::Ask);
  EXPECT_EQ(query(folder, "http://example.org/t1").form, ExampleForm::Describe);
  EXPECT_EQ(query(folder, "http://example.org/t2").form, ExampleForm::Construct);
}

TEST_F(ExampleReaderTest, KnowsWhatQueriesReachByTheirAlgebra) {
  files_.write("Birds/4.ttl",
               "ex:b4 a sh:SPARQLExecutable ; sh:select \"\"\"# SERVICE <http://comment.example/>\n"
               "SELECT * { ?s ?p 'SERVICE <http://text.example/> { }' . SERVICE ?e { GRAPH "
               "<http://whose.example/> { ?a ?b ?c } } }\"\"\" .");
  const ExampleFolder folder = read();
  const QueryReach& reach = query(folder, "http://example.org/b2").reach;
  EXPECT_THAT(reach.services,
              ElementsAre("http://maps.example/query", "https://trees.example/sparql/"));
  // Oaks are declared twice: the folder's own file does not count for Birds.
  EXPECT_THAT(reach.graphs, ElementsAre(ReachedGraph{"http://birds.example/all", ""},
                                        ReachedGraph{"http://trees.example/oaks",
                                                     "https://trees.example/sparql/"}));
  EXPECT_TRUE(query(folder, "http://example.org/b3").reach.has_variable_graph);
  const ExampleQuery& open = query(folder, "http://example.org/b4");
  EXPECT_EQ(open.parse_error, "");
  EXPECT_THAT(open.reach.services, IsEmpty());
  EXPECT_THAT(open.reach.graphs, IsEmpty());
  EXPECT_TRUE(open.reach.has_variable_service);
}

TEST_F(ExampleReaderTest, NearerPrefixesWin) {
  const ExampleFolder folder = read();
  EXPECT_THAT(*query(folder, "http://example.org/t1").prefixes,
              ElementsAre(Pair("tree", "http://trees.example/own/"),
                          Pair("bird", "http://birds.example/")));
  EXPECT_THAT(folder.prefixes, ElementsAre(Pair("bird", "http://birds.example/"),
                                           Pair("tree", "http://trees.example/"),
                                           Pair("tree", "http://trees.example/own/")));
}

TEST_F(ExampleReaderTest, TextsOfConstraintsAreNoExamples) {
  files_.write("shape.ttl", "ex:c a sh:SPARQLConstraint ; sh:select \"SELECT $this { }\" .");
  const ExampleFolder folder = read();
  EXPECT_EQ(folder.queries.size(), 5U);
  EXPECT_EQ(folder.others, 1U);
}

TEST_F(ExampleReaderTest, WhatIsBrokenIsCountedAndTheRestRead) {
  files_.write_bytes("Birds/bad.ttl", "ex:a ex:b .\n");
  files_.write_bytes("Birds/zero.ttl", std::string(3, '\0'));
  files_.write("Birds/5.ttl",
               "ex:b5 a sh:SPARQLExecutable ; sh:select \"SELECT ?x { ?x \" ;\n"
               "  schema:target <https://birds.example/sparql> .");
  const ExampleFolder folder = read();
  EXPECT_EQ(folder.files, 7U);
  EXPECT_EQ(folder.broken_files, 2U);
  EXPECT_EQ(folder.unparsed, 1U);
  EXPECT_EQ(folder.queries.size(), 6U);
  EXPECT_NE(query(folder, "http://example.org/b5").parse_error, "");
  ASSERT_EQ(folder.problems.size(), 3U);
  EXPECT_EQ(folder.problems[0].file, "Birds/bad.ttl");
  EXPECT_THAT(folder.problems[0].message, HasSubstr("1:"));
  for (const FileProblem& one : folder.problems) {
    EXPECT_THAT(one.message, Not(HasSubstr(files_.path().string())));
  }
  EXPECT_EQ(folder.problems[2].file, "Birds/5.ttl");
  ExampleLimits limits;
  limits.problems_kept = 1;
  EXPECT_EQ(read(limits).problems.size(), 1U);
}

TEST_F(ExampleReaderTest, LinksAndHiddenFilesArePassedOver) {
  const TempDirectory elsewhere;
  std::ofstream(elsewhere / "secret.ttl") << "<http://secret.example/> a <http://x/> .";
  std::filesystem::create_directory_symlink(elsewhere.path(), files_.path() / "out");
  std::filesystem::create_symlink(elsewhere / "secret.ttl", files_.path() / "secret.ttl");
  std::filesystem::create_directory_symlink(files_.path(), files_.path() / "Birds" / "circle");
  files_.write(".git/config.ttl", "ex:x ex:y ex:z .");
  files_.write(".hidden.ttl", "ex:x ex:y ex:z .");
  files_.write_bytes("readme.md", "# not RDF");
  files_.write_bytes("more.ttl.gz", "not read");
  const ExampleFolder folder = read();
  EXPECT_EQ(folder.files, 6U);
  EXPECT_EQ(folder.broken_files, 0U);
  EXPECT_EQ(folder.links, 3U);
}

TEST_F(ExampleReaderTest, EveryLimitHoldsAndIsTold) {
  ExampleLimits limits;
  limits.walk.files_max = 2;
  EXPECT_LE(read(limits).files, 2U);
  EXPECT_THAT(read(limits).incomplete, HasSubstr("more than 2 RDF files"));
  limits = {};
  limits.walk.entries_max = 3;
  EXPECT_THAT(read(limits).incomplete, HasSubstr("more than 3 entries"));
  limits = {};
  limits.walk.depth_max = 0;
  EXPECT_THAT(read(limits).incomplete, HasSubstr("nested more than 0 deep"));
  limits = {};
  limits.queries_max = 2;
  EXPECT_EQ(read(limits).queries.size(), 2U);
  EXPECT_THAT(read(limits).incomplete, HasSubstr("more than 2 queries"));
  limits = {};
  limits.bytes_max = 1'500;
  EXPECT_THAT(read(limits).incomplete, HasSubstr("more than 1.5 KiB"));
  EXPECT_LT(read(limits).files, 6U);
  limits = {};
  limits.file_bytes_max = 100;
  EXPECT_EQ(read(limits).broken_files, 6U);
}

TEST_F(ExampleReaderTest, MemoryAndCancellationAreErrors) {
  OpContext context;
  MemoryBudget small("test", 2'000);
  context.memory = &small;
  const auto starved = read_examples(files_.path(), {}, real_env(), context);
  ASSERT_FALSE(starved.has_value());
  EXPECT_EQ(starved.error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(small.bytes_used(), 0U);
  context = {};
  context.cancel.cancel();
  const auto cancelled = read_examples(files_.path(), {}, real_env(), context);
  ASSERT_FALSE(cancelled.has_value());
  EXPECT_EQ(cancelled.error().code, ErrorCode::Cancelled);
}

TEST_F(ExampleReaderTest, AFileAloneIsReadToo) {
  const auto one = read_examples(files_.path() / "Birds" / "1.ttl", {}, real_env(), {});
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(one->queries.size(), 1U);
  EXPECT_EQ(one->name, "Birds");
  const auto none = read_examples(files_.path() / "nothing", {}, real_env(), {});
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, ErrorCode::NotFound);
  EXPECT_FALSE(read_examples("/dev/null", {}, real_env(), {}).has_value());
}

TEST_F(ExampleReaderTest, TheFingerprintIsOfNamesAndContents) {
  const std::string before = read().fingerprint;
  EXPECT_EQ(read().fingerprint, before);
  files_.write("Trees/2.ttl", "ex:x ex:y ex:z .");
  const std::string more = read().fingerprint;
  EXPECT_NE(more, before);
  files_.write("Trees/2.ttl", "ex:x ex:y ex:w .");
  EXPECT_NE(read().fingerprint, more);
}

}  // namespace
}  // namespace helve::toolkit
