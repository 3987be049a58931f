#include "sources/store/snapshot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/executor.h"
#include "sources/rdf/quad_set.h"
#include "sources/store/loader.h"

namespace helve::store {
namespace {

using Quad = std::array<std::string, 4>;  // in N-Triples syntax; the default graph is empty
using Kind = GraphChoice::Kind;

Loaded load_pieces(const std::string& nquads, std::size_t piece_bytes = 64,
                   Executor* executor = nullptr) {
  OpContext context;
  context.executor = executor;
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("t.nq", nquads, rdf::Format::NQuads));
  auto loaded = load_documents(std::move(documents), {.piece_bytes = piece_bytes}, context);
  EXPECT_TRUE(loaded.has_value()) << loaded.error().to_string();
  return std::move(*loaded);
}

std::set<Quad> random_quads(unsigned seed, std::size_t count, bool with_graphs) {
  std::mt19937 random(seed);
  const std::vector<std::string> subjects = {"<http://a/1>", "<http://a/2>", "<http://b/1>", "_:x",
                                             "_:y"};
  const std::vector<std::string> predicates = {"<http://a/p>", "<http://a/q>", "<http://a/1>"};
  const std::vector<std::string> objects = {
      "<http://a/1>",
      "_:x",
      "\"\"",
      "\"a\"",
      "\"a\"@en",
      "\"a\"@de",
      "\"a\"^^<http://a/t>",
      "\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>",
      "\"01\"^^<http://www.w3.org/2001/XMLSchema#integer>",
      "\"-1\"^^<http://www.w3.org/2001/XMLSchema#integer>",
      "\"2.5\"^^<http://www.w3.org/2001/XMLSchema#decimal>",
      "\"true\"^^<http://www.w3.org/2001/XMLSchema#boolean>",
      "\"2024-02-29\"^^<http://www.w3.org/2001/XMLSchema#date>"};
  const std::vector<std::string> graphs = {"", "<http://g/1>", "<http://a/1>", "_:g"};
  std::set<Quad> quads;
  const auto pick = [&random](const auto& from) { return from[random() % from.size()]; };
  for (std::size_t i = 0; i < count; ++i) {
    quads.insert(
        {pick(subjects), pick(predicates), pick(objects), with_graphs ? pick(graphs) : ""});
  }
  return quads;
}

// Each quad twice, in an order that is not the sorted one.
std::string to_text(const std::set<Quad>& quads) {
  std::string text;
  for (int round = 0; round < 2; ++round) {
    std::for_each(quads.rbegin(), quads.rend(), [&](const Quad& quad) {
      text += quad[0] + " " + quad[1] + " " + quad[2] + " " + quad[3] + " .\n";
    });
  }
  return text;
}

std::string show(const Snapshot& snapshot, Id id) {
  std::string scratch;
  return id.is_defined() ? rdf::to_ntriples(snapshot.dictionary().term(id, scratch)) : "";
}

rdf::Term parse(const std::string& ntriples) {
  rdf::QuadSet set;
  const std::string line =
      ntriples[0] == '"' ? "<x:s> <x:p> " + ntriples + " ." : ntriples + " <x:p> <x:o> .";
  EXPECT_TRUE(rdf::read_document(rdf::Format::NTriples, line, {}, {}, set).has_value());
  const auto view = set.view(set.quads()[0]);
  return rdf::Term(ntriples[0] == '"' ? view.object : view.subject);
}

Id find(const Snapshot& snapshot, const std::string& ntriples) {
  if (ntriples.empty()) return {};
  return snapshot.dictionary().find(parse(ntriples).view()).value_or(Id());
}

// What a scan must deliver, by definition.
std::multiset<Quad> expected_rows(const std::set<Quad>& quads, const Quad& pattern, Kind kind) {
  std::multiset<Quad> rows;
  for (const Quad& quad : quads) {
    bool fits = true;
    for (std::size_t i = 0; i < 3; ++i)
      fits = fits && (pattern[i].empty() || pattern[i] == quad[i]);
    if (kind == Kind::Default) fits = fits && quad[3].empty();
    if (kind == Kind::Named) fits = fits && !quad[3].empty();
    if (kind == Kind::One) fits = fits && quad[3] == pattern[3];
    if (!fits) continue;
    Quad row = quad;
    if (kind != Kind::Named) row[3].clear();
    if (kind != Kind::Union || rows.count(row) == 0) rows.insert(row);
  }
  return rows;
}

class SnapshotScan : public ::testing::TestWithParam<std::tuple<unsigned, bool>> {
 protected:
  void check(const Snapshot& snapshot, const std::set<Quad>& quads, const Quad& pattern, Kind kind,
             std::optional<Order> preferred) {
    const QuadPattern ids{find(snapshot, pattern[0]),
                          find(snapshot, pattern[1]),
                          find(snapshot, pattern[2]),
                          {kind, kind == Kind::One ? find(snapshot, pattern[3]) : Id()}};
    const auto expected = expected_rows(quads, pattern, kind);
    std::multiset<Quad> rows;
    auto scan = snapshot.scan(ids, preferred);
    QuadBatch batch;
    std::vector<std::array<Id, 4>> sorted;
    while (scan.next(batch)) {
      for (std::size_t i = 0; i < batch.rows; ++i) {
        Quad row;
        for (std::size_t part = 0; part < 3; ++part)
          row[part] = show(snapshot, batch.columns[part][i]);
        if (kind == Kind::Named) row[3] = show(snapshot, batch[Part::Graph][i]);
        rows.insert(row);
        std::array<Id, 4> key;
        for (std::size_t k = 0; k < 4; ++k) {
          const auto& column = batch[order_parts(scan.order())[k]];
          key[k] = column.empty() ? Id() : column[i];
        }
        sorted.push_back(key);
      }
    }
    ASSERT_EQ(rows, expected);
    ASSERT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
    const Count count = snapshot.count(ids);
    if (count.is_exact) {
      ASSERT_EQ(count.n, expected.size());
    } else {
      ASSERT_GE(count.n, expected.size());
    }
  }
};

TEST_P(SnapshotScan, EveryPatternInEveryChoiceOfGraphsAgreesWithTheDefinition) {
  const auto [seed, with_graphs] = GetParam();
  const auto quads = random_quads(seed, 60, with_graphs);
  const Loaded loaded = load_pieces(to_text(quads));
  const Snapshot& snapshot = *loaded.snapshot;
  std::mt19937 random(seed);
  for (int round = 0; round < 40; ++round) {
    auto sample = quads.begin();
    std::advance(sample, random() % quads.size());
    for (unsigned mask = 0; mask < 8; ++mask) {
      Quad pattern = *sample;
      for (unsigned i = 0; i < 3; ++i) {
        if ((mask >> i & 1) == 0) pattern[i].clear();
      }
      const std::optional<Order> preferred =
          round % 2 == 0 ? std::nullopt
                         : std::optional<Order>(static_cast<Order>(random() % kOrders));
      for (const Kind kind : {Kind::Default, Kind::Union, Kind::Named, Kind::One}) {
        if (kind == Kind::One && pattern[3].empty()) continue;
        check(snapshot, quads, pattern, kind, preferred);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SnapshotScan,
                         ::testing::Combine(::testing::Values(1u, 2u, 3u, 4u), ::testing::Bool()));

TEST(Snapshot, StatisticsAgreeWithTheDefinition) {
  for (const unsigned seed : {5u, 6u, 7u}) {
    const auto quads = random_quads(seed, 80, seed != 5);
    const Loaded loaded = load_pieces(to_text(quads));
    const Statistics& statistics = loaded.snapshot->statistics();
    std::set<std::tuple<std::string, std::string, std::string>> triples;
    std::set<std::string> subjects;
    std::set<std::string> objects;
    for (const auto& [s, p, o, g] : quads) {
      triples.insert({s, p, o});
      subjects.insert(s);
      objects.insert(o);
    }
    EXPECT_EQ(loaded.report.statements_read, quads.size() * 2);
    EXPECT_EQ(statistics.statements, quads.size());
    EXPECT_EQ(statistics.triples, triples.size());
    EXPECT_EQ(statistics.distinct_subjects, subjects.size());
    EXPECT_EQ(statistics.distinct_objects, objects.size());
    for (const auto& predicate : statistics.predicates) {
      const std::string name = show(*loaded.snapshot, predicate.predicate);
      std::uint64_t count = 0;
      std::set<std::string> of_subjects;
      std::set<std::string> of_objects;
      for (const auto& [s, p, o] : triples) {
        if (p != name) continue;
        ++count;
        of_subjects.insert(s);
        of_objects.insert(o);
      }
      EXPECT_EQ(predicate.triples, count);
      EXPECT_EQ(predicate.distinct_subjects, of_subjects.size());
      EXPECT_EQ(predicate.distinct_objects, of_objects.size());
    }
    std::uint64_t in_graphs = 0;
    for (const auto& graph : statistics.graphs) in_graphs += graph.statements;
    EXPECT_EQ(in_graphs, quads.size());
  }
}

TEST(Snapshot, ClassSizesCountInstancesOnce) {
  const std::string type = " <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> ";
  const Loaded loaded =
      load_pieces("<x:a>" + type + "<x:C> .\n<x:a>" + type + "<x:C> <x:g> .\n<x:b>" + type +
                  "<x:C> .\n<x:b>" + type + "<x:D> .\n");
  const auto& classes = loaded.snapshot->statistics().classes;
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_EQ(show(*loaded.snapshot, classes[0].type), "<x:C>");
  EXPECT_EQ(classes[0].instances, 2u);
  EXPECT_EQ(classes[1].instances, 1u);
}

TEST(Snapshot, NothingLoadedIsAnEmptySnapshot) {
  const Loaded loaded = load_pieces("");
  EXPECT_EQ(loaded.snapshot->statistics().triples, 0u);
  EXPECT_EQ(loaded.snapshot->count({}).n, 0u);
  auto scan = loaded.snapshot->scan({});
  QuadBatch batch;
  EXPECT_FALSE(scan.next(batch));
}

TEST(Snapshot, UnknownTermsMatchNothing) {
  const Loaded loaded =
      load_pieces("<x:a> <x:p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n");
  const Snapshot& snapshot = *loaded.snapshot;
  EXPECT_FALSE(snapshot.dictionary().find(rdf::TermView::iri("x:b")).has_value());
  // An inlined value has an id even where the store never saw it.
  const auto two =
      snapshot.dictionary().find(parse("\"2\"^^<http://www.w3.org/2001/XMLSchema#integer>").view());
  ASSERT_TRUE(two.has_value());
  EXPECT_EQ(snapshot.count({.object = *two}).n, 0u);
}

TEST(Loader, ManyThreadsAndPiecesGiveTheSameSnapshot) {
  const auto quads = random_quads(11, 300, true);
  const std::string text = to_text(quads);
  Executor executor(3);
  const Loaded one = load_pieces(text, 1 << 20);
  const Loaded many = load_pieces(text, 50, &executor);
  EXPECT_EQ(one.snapshot->dictionary().size(), many.snapshot->dictionary().size());
  for (Code code = 0; code < one.snapshot->dictionary().size(); ++code) {
    EXPECT_EQ(show(*one.snapshot, one.snapshot->dictionary().id_of(code)),
              show(*many.snapshot, many.snapshot->dictionary().id_of(code)));
  }
  for (std::size_t order = 0; order < kOrders; ++order) {
    for (std::size_t depth = 1; depth <= 3; ++depth) {
      const Permutation& a = one.snapshot->indexes().orders[order];
      const Permutation& b = many.snapshot->indexes().orders[order];
      ASSERT_EQ(a.rows(), b.rows());
      for (std::uint64_t row = 0; a.has_column(depth) && row < a.rows(); ++row) {
        EXPECT_EQ(a.at(depth, row), b.at(depth, row)) << order << " " << depth << " " << row;
      }
    }
  }
}

TEST(Loader, TheFirstErrorOfTheDocumentIsReportedWithItsLine) {
  std::string text;
  for (int i = 0; i < 400; ++i)
    text += i == 123 || i == 124 || i == 399 ? "bad\n" : "<x:a> <x:p> <x:o> .\n";
  Executor executor(3);
  OpContext context;
  context.executor = &executor;
  for (int round = 0; round < 20; ++round) {
    std::vector<rdf::Document> documents;
    documents.push_back(rdf::Document::from_text("t.nt", text, rdf::Format::NTriples));
    const auto loaded = load_documents(std::move(documents), {.piece_bytes = 100}, context);
    ASSERT_FALSE(loaded.has_value());
    EXPECT_EQ(loaded.error().position->line, 124u);
  }
}

TEST(Loader, LenientReportsProblemsOfAllPiecesInOrder) {
  std::string text;
  for (int i = 1; i <= 400; ++i) text += i % 20 == 0 ? "bad\n" : "<x:a> <x:p> <x:o> .\n";
  Executor executor(3);
  OpContext context;
  context.executor = &executor;
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("t.nt", text, rdf::Format::NTriples));
  const auto loaded =
      load_documents(std::move(documents), {.lenient = true, .piece_bytes = 100}, context);
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(loaded->report.skipped, 20u);
  ASSERT_EQ(loaded->report.problems.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_EQ(loaded->report.problems[i].position->line, (i + 1) * 20);
}

TEST(Loader, BlankNodesOfDifferentDocumentsStayDifferent) {
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("a", "_:x <x:p> <x:o> .", rdf::Format::NTriples));
  documents.push_back(rdf::Document::from_text("b", "_:x <x:p> <x:o> .", rdf::Format::NTriples));
  const auto loaded = load_documents(std::move(documents), {}, OpContext{});
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(loaded->snapshot->statistics().triples, 2u);
}

TEST(Loader, ADocumentsDefaultGraphCanBecomeANamedOne) {
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("a", "<x:a> <x:p> <x:o> .", rdf::Format::NTriples));
  documents.push_back(rdf::Document::from_text(
      "b", "<x:b> <x:p> <x:o> . <x:own> { <x:c> <x:p> <x:o> }", rdf::Format::TriG));
  documents.push_back(rdf::Document::from_text("c", "<x:d> <x:p> <x:o> .", rdf::Format::NTriples));
  const LoadOptions options{.graphs = {"x:first", "x:second"}};
  const auto loaded = load_documents(std::move(documents), options, OpContext{});
  ASSERT_TRUE(loaded.has_value());
  const Snapshot& snapshot = *loaded->snapshot;
  const auto count_in = [&snapshot](std::string_view graph) {
    QuadPattern pattern;
    if (!graph.empty()) {
      pattern.graph = {Kind::One, *snapshot.dictionary().find(rdf::TermView::iri(graph))};
    }
    return snapshot.count(pattern).n;
  };
  EXPECT_EQ(count_in(""), 1u);
  EXPECT_EQ(count_in("x:first"), 1u);
  EXPECT_EQ(count_in("x:second"), 1u);
  EXPECT_EQ(count_in("x:own"), 1u);
}

TEST(Loader, MemoryBudgetIsHonouredAndGivenBack) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "<x:" + std::to_string(i) + "> <x:p> <x:o> .\n";
  MemoryBudget budget("query", 2 * kMiB);
  OpContext context;
  context.memory = &budget;
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("t.nt", text, rdf::Format::NTriples));
  const auto loaded = load_documents(std::move(documents), {}, context);
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(budget.bytes_used(), 0u);
}

TEST(Dictionary, LiteralsOfOneTextAreToldApartByQualifier) {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += "<x:s> <x:p> \"same\"^^<x:t" + std::to_string(i) + "> .\n<x:s> <x:p> \"same\"@l-" +
            std::to_string(i) + " .\n";
  }
  const Loaded loaded = load_pieces(text);
  const Dictionary& dictionary = loaded.snapshot->dictionary();
  for (int i = 0; i < 100; ++i) {
    const std::string datatype = "x:t" + std::to_string(i);
    const auto id = dictionary.find(rdf::TermView::literal("same", datatype));
    ASSERT_TRUE(id.has_value());
    EXPECT_EQ(dictionary.qualifier(*id), datatype);
  }
  EXPECT_FALSE(dictionary.find(rdf::TermView::literal("same", "x:other")).has_value());
  EXPECT_FALSE(dictionary.find(rdf::TermView::lang_literal("sam", "l-1")).has_value());
}

TEST(Dictionary, LanguageTagsOfAnyCaseAreTheSame) {
  const Loaded loaded = load_pieces(
      "<x:s> <x:p> \"a\"@EN .\n<x:s> <x:p> \"a\"@en .\n"
      "<x:s> <x:p> \"a\"@en-gb .\n<x:s> <x:p> \"a\"@en-GB .\n");
  EXPECT_EQ(loaded.snapshot->statistics().triples, 2u);
  const Dictionary& dictionary = loaded.snapshot->dictionary();
  const auto id = dictionary.find(rdf::TermView::lang_literal("a", "EN-gB"));
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(dictionary.qualifier(*id), "en-GB");
}

}  // namespace
}  // namespace helve::store
