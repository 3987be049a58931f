// Opening an index that has changes costs what the changes do, however large the index is.
#include "surfaces/opening/open_graph.h"

#include <gtest/gtest.h>

#include "sources/sparql/algebra/parser.h"
#include "sources/store/live/live_store.h"
#include "sources/store/live/summary.h"
#include "sources/store/snapshot_file.h"
#include "sources/store/snapshot_layout.h"
#include "tests/support/temp_directory.h"

namespace helve::opening {
namespace {

constexpr int kThings = 20'000;

class OpenGraphTest : public ::testing::Test {
 protected:
  OpenGraphTest() {
    std::string turtle = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n";
    for (int i = 0; i < kThings; ++i) {
      turtle += "<http://a/" + std::to_string(i) + "> rdfs:label 'thing " + std::to_string(i) +
                "' ; a <http://a/Thing> .\n";
    }
    std::vector<rdf::Document> documents;
    documents.push_back(rdf::Document::from_text("t.ttl", turtle, rdf::Format::Turtle));
    const auto loaded = store::load_documents(std::move(documents), {}, {});
    EXPECT_TRUE(store::write_snapshot(*loaded->snapshot, {}, folder_, {}));
    input_.paths = {folder_.string()};
  }

  void update(const std::string& text) const {
    const auto parsed = sparql::parse_update(text);
    ASSERT_TRUE(parsed) << parsed.error().to_string();
    const auto store = store::LiveStore::open(folder_, {}, {});
    ASSERT_TRUE(store) << store.error().to_string();
    ASSERT_TRUE((*store)->update(parsed->update, {}, {}));
  }

  OpContext context() {
    OpContext op;
    op.memory = &memory_;
    return op;
  }
  OpenedGraph open() {
    const OpContext op = context();
    auto graph = open_graph(input_, {real_env(), op, no_cache_, {}, {}, {}});
    EXPECT_TRUE(graph) << graph.error().to_string();
    return *std::move(graph);
  }
  std::vector<std::string> find(const GraphSource& source, const std::string& text) {
    const auto hits = source.find({text, NameKind::Any, 5, false}, context());
    EXPECT_TRUE(hits) << hits.error().to_string();
    std::vector<std::string> iris;
    for (const NameHit& hit : *hits) iris.push_back(hit.iri);
    return iris;
  }

  TempDirectory temp_;
  std::filesystem::path folder_ = temp_.path() / "index";
  GraphInput input_;
  MemoryBudget memory_{"call", 256 * kMiB, &process_memory()};
  Result<store::CacheOptions> no_cache_ = Error{ErrorCode::NotFound, "there is no cache"};
};

TEST_F(OpenGraphTest, ChangesAreReadAndTheBaseIsNotCopied) {
  std::size_t unchanged = 0;
  std::uint64_t content = 0;
  {
    const OpenedGraph graph = open();
    unchanged = memory_.bytes_peak();
    content = graph.data->base()->content_checksum().value();
    EXPECT_EQ(graph.data->triples(), 2U * kThings);
  }
  update("INSERT DATA { <http://a/new> a <http://a/Thing> } ; DELETE WHERE { <http://a/7> ?p ?o }");
  const std::size_t before = process_memory().bytes_used();
  const OpenedGraph graph = open();
  EXPECT_EQ(graph.data->triples(), 2U * kThings - 1);
  EXPECT_EQ(graph.loaded.report.statements_read, 2U * kThings - 1);
  EXPECT_EQ(graph.data->base()->content_checksum(), content) << "it is the one on disk";
  // A copy of the numbers of its terms alone would be more.
  constexpr std::size_t kLittle = kThings;
  EXPECT_LT(memory_.bytes_peak(), unchanged + kLittle);
  EXPECT_LT(process_memory().bytes_used(), before + unchanged + kLittle);
  const auto summary = store::summarize(*graph.data, context());
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->iris, kThings - 1 + 4U) << "and Thing, label, type and new";
  EXPECT_LT(memory_.bytes_peak(), unchanged + kLittle);
}

TEST_F(OpenGraphTest, NamesOfAnIndexStayWhenItHasChanges) {
  {
    const OpenedGraph graph = open();
    const OpContext op = context();
    const auto source = source_of(graph, input_, {}, {real_env(), op, no_cache_, {}, {}, {}});
    ASSERT_TRUE(source);
    EXPECT_EQ(find(**source, "thing 7").front(), "http://a/7");
  }
  const auto names = [&] { return real_env().files().status(folder_ / store::kNamesFileName); };
  ASSERT_TRUE(names());
  const auto written = names()->modified;
  update(
      "DELETE WHERE { <http://a/7> ?p ?o } ;"
      "INSERT DATA { <http://a/new> <http://www.w3.org/2000/01/rdf-schema#label> 'novelty' }");
  const OpenedGraph graph = open();
  const OpContext op = context();
  const auto source = source_of(graph, input_, {}, {real_env(), op, no_cache_, {}, {}, {}});
  ASSERT_TRUE(source);
  EXPECT_EQ(find(**source, "novelty"), std::vector<std::string>{"http://a/new"});
  for (const std::string& iri : find(**source, "thing 7")) EXPECT_NE(iri, "http://a/7");
  EXPECT_EQ(find(**source, "thing 8").front(), "http://a/8");
  EXPECT_EQ(names()->modified, written) << "they are those of the base";
}

}  // namespace
}  // namespace helve::opening
