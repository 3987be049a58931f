#include "sources/store/live/local_factory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "base/executor.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/store/live/live_store.h"
#include "sources/store/local_graph.h"
#include "tests/support/temp_directory.h"

namespace helve::store {
namespace {

constexpr const char* kTurtle = R"(
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:a a ex:Person ; rdfs:label "Anna" ; ex:knows ex:b .
ex:b a ex:Person ; rdfs:label "Boris" .
)";

void write(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path) << text;
}

std::string first_hit(const GraphSource& graph, const std::string& words) {
  const auto hits = graph.find({words, NameKind::Any, 5, true}, {});
  if (!hits) return hits.error().to_string();
  return hits->empty() ? "nothing" : hits->front().iri;
}

TEST(LocalFactory, OpensFiles) {
  const TempDirectory temp;
  write(temp.path() / "data.ttl", kTurtle);
  const auto factory = make_local_factory(real_env(), {.engine = "helve test"});
  const auto graph = factory->open((temp.path() / "data.ttl").string(), "people", {});
  ASSERT_TRUE(graph.has_value()) << graph.error().to_string();
  EXPECT_EQ((*graph)->info().name, "people");
  EXPECT_EQ((*graph)->info().engine, "helve test");
  EXPECT_EQ(first_hit(**graph, "anna"), "http://example.org/a");
  EXPECT_EQ((*(*graph)->schema({}))->triples, 5U);
}

TEST(LocalFactory, SavesAndOpensFolders) {
  const TempDirectory temp;
  write(temp.path() / "data.ttl", kTurtle);
  const auto folder = (temp.path() / "index").string();
  const auto factory = make_local_factory(real_env());
  const auto graph = factory->open((temp.path() / "data.ttl").string(), "people", {});
  ASSERT_TRUE(graph.has_value());
  ASSERT_TRUE(factory->save(**graph, folder, {}).has_value());
  ASSERT_TRUE(factory->save(**graph, folder, {}).has_value());  // again
  const auto opened = factory->open(folder, "saved", {});
  ASSERT_TRUE(opened.has_value()) << opened.error().to_string();
  EXPECT_EQ((*opened)->fingerprint(), (*graph)->fingerprint());
  EXPECT_EQ(first_hit(**opened, "boris"), "http://example.org/b");
}

TEST(LocalFactory, ChangesOfAnIndexAreSeenAndSaved) {
  const TempDirectory temp;
  write(temp.path() / "data.ttl", kTurtle);
  const auto folder = (temp.path() / "index").string();
  const auto factory = make_local_factory(real_env());
  const auto graph = factory->open((temp.path() / "data.ttl").string(), "people", {});
  ASSERT_TRUE(graph.has_value());
  ASSERT_TRUE(factory->save(**graph, folder, {}).has_value());
  {
    const auto store = LiveStore::open(folder, {}, {});
    ASSERT_TRUE(store.has_value()) << store.error().to_string();
    const auto update = sparql::parse_update(
        "DELETE WHERE { <http://example.org/b> ?p ?o } ; INSERT DATA { <http://example.org/c> "
        "<http://www.w3.org/2000/01/rdf-schema#label> 'Carla' }");
    ASSERT_TRUE((*store)->update(update->update, {}, {}).has_value());
  }
  const auto opened = factory->open(folder, "changed", {});
  ASSERT_TRUE(opened.has_value()) << opened.error().to_string();
  const auto copy = (temp.path() / "copy").string();
  ASSERT_TRUE(factory->save(**opened, copy, {}).has_value());
  const auto saved = factory->open(copy, "saved", {});
  ASSERT_TRUE(saved.has_value()) << saved.error().to_string();
  for (const auto& one : {*opened, *saved}) {
    EXPECT_EQ((*one->schema({}))->triples, 4U);
    EXPECT_EQ(first_hit(*one, "carla"), "http://example.org/c");
    EXPECT_EQ(first_hit(*one, "boris"), "nothing");
  }
}

TEST(LocalFactory, BuildsGraphsOfStatements) {
  const auto factory = make_local_factory(real_env());
  auto builder = factory->build({});
  ASSERT_TRUE(builder.has_value());
  rdf::StatementView statement;
  statement.predicate = rdf::TermView::iri("http://example.org/p");
  for (int i = 0; i < 10; ++i) {
    const std::string subject = "http://example.org/s" + std::to_string(i % 5);
    statement.subject = rdf::TermView::iri(subject);
    statement.object = rdf::TermView::literal("x");
    ASSERT_TRUE((*builder)->sink().statement(statement).has_value());
  }
  (*builder)->sink().prefix("ex", "http://example.org/");
  EXPECT_EQ((*builder)->statements(), 10U);
  const auto graph = (*builder)->finish("made", {});
  ASSERT_TRUE(graph.has_value());
  EXPECT_EQ((*(*graph)->schema({}))->triples, 5U);
  EXPECT_EQ((*graph)->prefixes().size(), 1U);
  EXPECT_EQ((*builder)->finish("again", {}).error().code, ErrorCode::Internal);
}

TEST(LocalFactory, GraphsOutliveTheBudgetOfTheCall) {
  const TempDirectory temp;
  write(temp.path() / "data.ttl", kTurtle);
  std::shared_ptr<const GraphSource> graph;
  {
    const auto factory = make_local_factory(real_env());
    MemoryBudget call("call", 64 * kMiB);
    OpContext context;
    context.memory = &call;
    graph = factory->open((temp.path() / "data.ttl").string(), "people", context).value();
    EXPECT_EQ(call.bytes_used(), 0U);
    EXPECT_EQ(graph->find({"anna", NameKind::Any, 5, true}, context)->size(), 1U);
  }
  EXPECT_EQ(first_hit(*graph, "anna"), "http://example.org/a");
}

TEST(LocalFactory, MemoryIsBounded) {
  const auto factory = make_local_factory(real_env());
  MemoryBudget call("call", 64 * kKiB);
  OpContext context;
  context.memory = &call;
  auto builder = factory->build(context);
  ASSERT_TRUE(builder.has_value());
  rdf::StatementView statement;
  statement.predicate = rdf::TermView::iri("http://example.org/p");
  statement.object = statement.predicate;
  Result<void> outcome;
  for (int i = 0; i < 100'000 && outcome; ++i) {
    const std::string subject = "http://example.org/s" + std::to_string(i);
    statement.subject = rdf::TermView::iri(subject);
    outcome = (*builder)->sink().statement(statement);
  }
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().code, ErrorCode::LimitExceeded);
}

TEST(LocalFactory, RefusesWhatIsNoGraph) {
  const TempDirectory temp;
  const auto factory = make_local_factory(real_env());
  EXPECT_EQ(factory->open((temp.path() / "absent.ttl").string(), "x", {}).error().code,
            ErrorCode::NotFound);
  EXPECT_EQ(factory->open(temp.path().string(), "x", {}).error().code, ErrorCode::InvalidInput);
  write(temp.path() / "bad.ttl", "this is no Turtle");
  EXPECT_EQ(factory->open((temp.path() / "bad.ttl").string(), "x", {}).error().code,
            ErrorCode::InvalidInput);
}

// A pipe could keep the call, and standard input may carry somebody's messages.
TEST(LocalFactory, PipesAndDevicesAreNoFiles) {
  const TempDirectory temp;
  const std::string pipe = (temp.path() / "pipe.ttl").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto factory = make_local_factory(real_env());
  for (const std::string& path : {pipe, std::string("/dev/null"), std::string("/dev/zero")}) {
    EXPECT_EQ(factory->open(path, "x", {}).error().code, ErrorCode::InvalidInput) << path;
  }
}

TEST(LocalGraph, ManyThreadsShareOneIndex) {
  const TempDirectory temp;
  write(temp.path() / "data.ttl", kTurtle);
  const auto factory = make_local_factory(real_env());
  const auto graph = factory->open((temp.path() / "data.ttl").string(), "people", {}).value();
  std::vector<std::thread> threads;
  std::vector<std::string> hits(8);
  std::vector<const GraphSchema*> schemas(8);
  for (std::size_t i = 0; i < hits.size(); ++i) {
    threads.emplace_back([&, i] {
      hits[i] = first_hit(*graph, "boris");
      schemas[i] = graph->schema({})->get();
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& hit : hits) EXPECT_EQ(hit, "http://example.org/b");
  for (const auto* schema : schemas) EXPECT_EQ(schema, schemas[0]);
}

TEST(LocalGraph, TriesAgainAfterACancelledCall) {
  const TempDirectory temp;
  write(temp.path() / "data.ttl", kTurtle);
  const auto factory = make_local_factory(real_env());
  const auto graph = factory->open((temp.path() / "data.ttl").string(), "people", {}).value();
  OpContext cancelled;
  cancelled.cancel.cancel();
  EXPECT_EQ(graph->find({"anna", NameKind::Any, 5, true}, cancelled).error().code,
            ErrorCode::Cancelled);
  EXPECT_EQ(first_hit(*graph, "anna"), "http://example.org/a");
}

}  // namespace
}  // namespace helve::store
