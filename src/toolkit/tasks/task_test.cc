// Tasks of a small folder, their complexity, and samples of them.
#include "toolkit/tasks/task.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>

#include "sources/sparql/algebra/parser.h"
#include "toolkit/examples/example_folder_testing.h"

namespace helve::toolkit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class TasksTest : public ::testing::Test {
 protected:
  std::vector<Task> tasks() {
    const auto folder = read_examples(files_.path(), {}, real_env(), {});
    EXPECT_TRUE(folder.has_value());
    auto made = tasks_of(*folder, {});
    EXPECT_TRUE(made.has_value());
    return *made;
  }

  ExampleFiles files_;
};

TaskComplexity complexity(const std::string& query) {
  const auto parsed = sparql::parse_query(query);
  EXPECT_TRUE(parsed.has_value()) << query;
  return complexity_of(query, shape_of(parsed->query));
}

// A query of so many characters.
std::string padded(std::string query, std::size_t characters) {
  query += " #";
  while (query.size() < characters) query += 'x';
  return query;
}

TEST_F(TasksTest, AreTheQueriesOfAFolder) {
  const std::vector<Task> all = tasks();
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[0].id, "Birds/1");
  EXPECT_EQ(all[0].query, "Which birds sing & fly?");
  EXPECT_EQ(all[0].expected_sparql, "SELECT ?b { GRAPH bird:all { ?b bird:sings true } }");
  EXPECT_EQ(all[0].endpoint, "https://birds.example/sparql");
  EXPECT_THAT(all[0].keywords, ElementsAre("song", "flight"));
  EXPECT_THAT(all[0].federated, ElementsAre());
  EXPECT_EQ(all[0].complexity, TaskComplexity::Simple);
  EXPECT_EQ(all[0].iri, "http://example.org/b1");
  // SERVICE of the query and of EXISTS; spex:federatesWith names one of them again.
  EXPECT_EQ(all[1].query, "Birds and where they nest");
  EXPECT_THAT(all[1].federated,
              ElementsAre("http://maps.example/query", "https://trees.example/sparql/"));
  EXPECT_EQ(all[3].id, "Trees/1");
  EXPECT_EQ(all[3].form, ExampleForm::Describe);
  EXPECT_EQ(all[4].id, "Trees/1#2");  // the same file
}

TEST_F(TasksTest, IdsAreDifferentWhateverFilesAreCalled) {
  const char* const query = "ex:q a sh:SPARQLExecutable ; sh:select \"SELECT * {}\" .";
  for (const char* name : {"Trees/1#2.ttl", "Trees/1.nt.ttl", "Trees/1.owl", "x.y/z.ttl"}) {
    files_.write(name, query);
  }
  std::set<std::string> ids;
  for (const Task& task : tasks()) EXPECT_TRUE(ids.insert(task.id).second) << task.id;
  EXPECT_TRUE(ids.contains("x.y/z"));
}

TEST(TaskComplexity, IsByLengthAndMeans) {
  const std::string plain = "SELECT * { ?s a <urn:c> }";
  EXPECT_EQ(complexity(padded(plain, 199)), TaskComplexity::Simple);
  EXPECT_EQ(complexity(padded(plain, 200)), TaskComplexity::Moderate);
  EXPECT_EQ(complexity(padded(plain, 500)), TaskComplexity::Moderate);
  EXPECT_EQ(complexity(padded(plain, 501)), TaskComplexity::Complex);
  EXPECT_EQ(complexity("SELECT * { {?s a <urn:c>} UNION {?s a <urn:d>} }"),
            TaskComplexity::Moderate);
  EXPECT_EQ(complexity("ASK { ?s a <urn:c> OPTIONAL { ?s ?p ?o } }"), TaskComplexity::Moderate);
  EXPECT_EQ(complexity("SELECT * { { SELECT ?s { ?s ?p ?o } } }"), TaskComplexity::Complex);
  EXPECT_EQ(complexity("SELECT * { ?a ?b ?c FILTER EXISTS { {SELECT ?c { ?c a ?d }} } }"),
            TaskComplexity::Complex);
  EXPECT_EQ(complexity("SELECT * { SERVICE <urn:e> { ?s ?p ?o OPTIONAL { ?o ?q ?r } } }"),
            TaskComplexity::Moderate);
}

// Not what only looks like it.
TEST(TaskComplexity, IsNotByWordsOfTheText) {
  EXPECT_EQ(complexity("SELECT ?union { ?union <urn:OPTIONAL> \"{ SELECT UNION }\" } # OPTIONAL {"),
            TaskComplexity::Simple);
  EXPECT_EQ(complexity("SELECT * { ?s (<urn:a>|<urn:b>) ?o }"), TaskComplexity::Simple);
}

TEST(TaskComplexity, CountsCharactersNotBytes) {
  std::string query = "SELECT * { ?s a <urn:c> } #";
  for (std::size_t i = query.size(); i < 199; ++i) query += "é";
  EXPECT_EQ(complexity(query), TaskComplexity::Simple);
  EXPECT_EQ(complexity(query + "é"), TaskComplexity::Moderate);
}

TEST_F(TasksTest, FiguresFoldAddressesAndCase) {
  files_.write("Birds/4.ttl",
               "ex:b4 a sh:SPARQLExecutable ; sh:select \"SELECT * {}\" ; schema:keywords \"Song\" "
               "; schema:target <https://birds.example/sparql>, <http://birds.example/sparql/>, "
               "<https://trees.example/sparql> .\n"
               "ex:b5 a sh:SPARQLExecutable ; sh:select \"SELECT * {}\" .");
  const TaskStats stats = stats_of(tasks());
  EXPECT_EQ(stats.total, 7U);
  EXPECT_THAT(stats.by_complexity, ElementsAre(6, 1, 0));
  EXPECT_THAT(stats.by_endpoint, ElementsAre(Pair("https://birds.example/sparql", 4),
                                             Pair("https://trees.example/sparql/", 3)));
  EXPECT_THAT(stats.keywords, ElementsAre(Pair("song", 3), Pair("flight", 1)));
  EXPECT_EQ(stats.federated, 1U);
  EXPECT_EQ(stats.without_endpoint, 1U);
}

std::vector<Task> many(std::size_t count) {
  std::vector<Task> tasks(count);
  for (std::size_t i = 0; i < count; ++i) {
    tasks[i].id = fmt::format("Folder/{}", i);
    tasks[i].complexity = static_cast<TaskComplexity>(i % kTaskComplexities);
  }
  return tasks;
}

std::vector<std::string> ids(const std::vector<Task>& tasks, const std::vector<std::size_t>& at) {
  std::vector<std::string> list;
  for (const std::size_t i : at) list.push_back(tasks[i].id);
  return list;
}

TEST(TaskSample, IsTheSameForTheSameSeed) {
  const auto tasks = many(1'000);
  const auto ten = sample_of(tasks, 10, {}, 0);
  EXPECT_EQ(sample_of(tasks, 10, {}, 0), ten);
  EXPECT_NE(sample_of(tasks, 10, {}, 1), ten);
  // Across machines and versions too.
  EXPECT_THAT(ids(tasks, sample_of(tasks, 3, {}, 0)),
              ElementsAre("Folder/399", "Folder/404", "Folder/685"));
  auto longer = sample_of(tasks, 40, {}, 0);
  longer.resize(10);
  EXPECT_EQ(longer, ten);
  // Tasks in another order are the same tasks.
  std::vector<Task> reversed(tasks.rbegin(), tasks.rend());
  EXPECT_EQ(ids(reversed, sample_of(reversed, 10, {}, 0)), ids(tasks, ten));
}

TEST(TaskSample, TakesEachOnceAndOnlyThoseThatAreMeant) {
  const auto tasks = many(30);
  const auto all = sample_of(tasks, 50, {}, 3);
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), 30U);
  const auto hard = sample_of(tasks, 50, TaskComplexity::Complex, 3);
  EXPECT_EQ(hard.size(), 10U);
  for (const std::size_t i : hard) EXPECT_EQ(tasks[i].complexity, TaskComplexity::Complex);
  EXPECT_TRUE(sample_of({}, 5, {}, 0).empty());
}

// Over many seeds each task comes about as often: with 10 of 100, 200 times in 2,000.
TEST(TaskSample, PrefersNone) {
  const auto tasks = many(100);
  std::vector<int> times(100);
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    for (const std::size_t i : sample_of(tasks, 10, {}, seed)) ++times[i];
  }
  EXPECT_GT(*std::min_element(times.begin(), times.end()), 140);
  EXPECT_LT(*std::max_element(times.begin(), times.end()), 260);
}

TEST_F(TasksTest, AsTextComeBackAsTheyWere) {
  files_.write("Birds/6.ttl",
               "ex:b6 a sh:SPARQLExecutable ; rdfs:comment \"é → \\\"x\\\"\\n\" ; "
               "sh:select \"SELECT *\\n{}\" .");
  const auto all = tasks();
  const std::string text = to_text(all);
  const auto read = tasks_from_text(text, {});
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->tasks, all);
  ASSERT_EQ(read->lines.size(), all.size());
  EXPECT_EQ(read->lines[0].start, 0U);
  EXPECT_EQ(read->lines[1].start, read->lines[0].end + 1);
  EXPECT_TRUE(tasks_from_text("", {})->tasks.empty());
}

TEST_F(TasksTest, DamagedTextsAreRefused) {
  const std::string text = to_text(tasks());
  for (const std::string& bad :
       {text.substr(0, text.size() / 2), std::string("{}"), std::string("\n"), std::string("[1]\n"),
        std::string(10'000, '['), text + "{\"id\":1}\n"}) {
    const auto read = tasks_from_text(bad, {});
    ASSERT_FALSE(read.has_value());
    EXPECT_EQ(read.error().code, ErrorCode::Unavailable);
    EXPECT_THAT(read.error().hint, HasSubstr("load_shacl_tasks"));
  }
  std::string other = text;
  other.replace(other.find("\"simple\""), 8, "\"sample\"");
  EXPECT_FALSE(tasks_from_text(other, {}).has_value());
}

TEST_F(TasksTest, StopWhenTheyAreCancelled) {
  const std::string text = to_text(tasks());
  OpContext context;
  context.cancel.cancel();
  EXPECT_EQ(tasks_from_text(text, context).error().code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace helve::toolkit
