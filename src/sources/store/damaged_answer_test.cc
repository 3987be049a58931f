// What leaves a query over a damaged index: nothing but what the whole one gives, then an error.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "sources/rdf/reader.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/engine/query_run.h"
#include "sources/store/dataset.h"
#include "sources/store/loader.h"
#include "sources/store/snapshot_file.h"
#include "tests/support/temp_directory.h"

namespace helve::store {
namespace {

struct Lines final : sparql::SolutionSink, rdf::StatementSink {
  Result<void> variables(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> boolean(bool answer) override {
    lines.push_back(answer ? "true" : "false");
    return {};
  }
  Result<void> solution(std::span<const std::optional<rdf::TermView>> terms) override {
    std::string& line = lines.emplace_back();
    for (const auto& term : terms) line += term ? rdf::to_ntriples(*term) + " " : "- ";
    return {};
  }
  Result<void> statement(const rdf::StatementView& statement) override {
    lines.push_back(rdf::to_ntriples(statement.subject) + rdf::to_ntriples(statement.predicate) +
                    rdf::to_ntriples(statement.object));
    return {};
  }
  std::vector<std::string> lines;
};

struct Answer {
  std::vector<std::string> lines;
  bool has_error = false;
};

Answer ask(const std::filesystem::path& folder, const char* text) {
  const OpContext context;
  Lines lines;
  Answer answer;
  const auto snapshot = open_snapshot(folder, context);
  const auto parsed = sparql::parse_query(text, {});
  answer.has_error = !snapshot;
  if (!snapshot) return answer;
  auto run = sparql::QueryRun::start(parsed->query, as_dataset(*snapshot), {}, context);
  answer.has_error = !run;
  if (!run) return answer;
  const auto sent = run->kind() == sparql::QueryRun::Kind::Graph
                        ? run->send(static_cast<rdf::StatementSink&>(lines))
                        : run->send(static_cast<sparql::SolutionSink&>(lines));
  answer.has_error = !sent;
  answer.lines = std::move(lines.lines);
  return answer;
}

TEST(DamagedAnswer, IsTheBeginningOfTheWholeOne) {
  const TempDirectory temp;
  std::string text;
  for (int i = 0; i < 3'000; ++i) {
    text += fmt::format(
        "<http://example.org/node/{0}> <http://example.org/p{1}> \"text number {0}\"@en .\n"
        "<http://example.org/node/{0}> <http://example.org/next> <http://example.org/node/{2}> .\n",
        i, i % 5, i * 7 % 3'000);
  }
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("t.nt", text, rdf::Format::NTriples));
  const auto loaded = load_documents(std::move(documents), {}, OpContext());
  const auto folder = temp.path() / "index";
  ASSERT_TRUE(write_snapshot(*loaded->snapshot, {}, folder, OpContext()));
  const auto file = folder / "helve-index";
  std::string bytes;
  {
    std::ifstream in(file, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  const std::vector<const char*> queries = {
      "SELECT * { ?s ?p ?o }",
      "CONSTRUCT { ?o ?p ?s } { ?s ?p ?o FILTER(isIRI(?o)) }",
      "CONSTRUCT WHERE { ?s <http://example.org/p1> ?o }",
      "DESCRIBE ?s { ?s <http://example.org/p2> ?o }",
      "SELECT (COUNT(*) AS ?n) { ?s <http://example.org/next>/<http://example.org/next> ?o }",
  };
  std::vector<Answer> whole;
  for (const char* query : queries) {
    whole.push_back(ask(folder, query));
    ASSERT_FALSE(whole.back().has_error);
  }
  std::mt19937 random(7);
  int errors = 0;
  for (int round = 0; round < 150; ++round) {
    std::string damaged = bytes;
    damaged[random() % damaged.size()] ^= static_cast<char>(1U << random() % 8);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << damaged;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const Answer part = ask(folder, queries[i]);
      errors += part.has_error ? 1 : 0;
      ASSERT_LE(part.lines.size(), whole[i].lines.size());
      ASSERT_TRUE(std::equal(part.lines.begin(), part.lines.end(), whole[i].lines.begin()))
          << queries[i] << " in round " << round;
      ASSERT_TRUE(part.has_error || part.lines.size() == whole[i].lines.size()) << queries[i];
    }
  }
  EXPECT_GT(errors, 100);
}

}  // namespace
}  // namespace helve::store
