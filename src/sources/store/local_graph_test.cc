#include "sources/store/local_graph.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sources/sparql/algebra/parser.h"
#include "sources/store/loader.h"

namespace helve::store {
namespace {

std::shared_ptr<const GraphSource> graph_of(const std::string& trig) {
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("t.trig", trig, rdf::Format::TriG));
  return make_local_graph(load_documents(std::move(documents), {}, {}).value().snapshot, {})
      .value();
}

class Rows final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> row(Row /*cells*/) override {
    ++n;
    return {};
  }
  std::uint64_t n = 0;
};

std::uint64_t count_rows(const GraphSource& graph, const sparql::Query& query) {
  Rows rows;
  const GraphRun run = graph.run(query, UINT64_MAX, rows, {});
  EXPECT_FALSE(run.error.has_value());
  return rows.n;
}

// With both ways of counting: a small cap, and one that is worth counting everything.
TEST(LocalGraph, CountsWhatAQueryWouldFind) {
  std::string trig = "@prefix ex: <http://example.org/> .\n";
  for (int i = 0; i < 6'000; ++i) {
    trig += fmt::format("ex:s{0} ex:p ex:o{1} ; ex:q {1} .\n", i, i % 10);
  }
  trig += "GRAPH ex:g { ex:s1 ex:p ex:o1 . ex:s1 ex:p ex:o99 }";
  const auto graph = graph_of(trig);
  for (const char* where :
       {"?s ex:p ?o", "?s ?p ?o", "ex:s1 ?p ?o", "?s ex:p ex:o3", "?s ex:absent ?o", "?s ?p ?s",
        "?s ex:p/ex:q ?o", "?s ex:p ?o ; ex:q ?n", "?s ex:p ?o . FILTER(?o = ex:o3)",
        "{ ?s ex:p ex:o1 } UNION { ?s ex:q 2 }", "?s ex:p ex:o1 OPTIONAL { ?s ex:none ?x }",
        "GRAPH ?g { ?s ?p ?o }", "{ SELECT DISTINCT ?o { ?s ex:p ?o } }", "_:b ex:p ?o",
        "?s ex:p ?o MINUS { ?s ex:q 3 }", "VALUES ?x { 1 2 3 }", ""}) {
    const auto parsed = sparql::parse_query(
        fmt::format("PREFIX ex: <http://example.org/> SELECT * {{ {} }}", where));
    ASSERT_TRUE(parsed.has_value()) << where;
    const auto& pattern = std::get<sparql::Select>(parsed->query.form).body.where;
    const std::uint64_t n = count_rows(*graph, parsed->query);
    for (const std::uint64_t cap : {std::uint64_t{0}, std::uint64_t{1}, n, n + 1,
                                    std::uint64_t{5'000}, std::uint64_t{1'000'000}}) {
      const auto count = graph->count_upto(pattern, {}, cap, {});
      ASSERT_TRUE(count.has_value()) << where;
      EXPECT_EQ(count->n, std::min(n, cap)) << where << " up to " << cap;
      EXPECT_EQ(count->is_exact, n <= cap) << where << " up to " << cap;
    }
  }
}

}  // namespace
}  // namespace helve::store
