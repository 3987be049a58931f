// What tests of a store that changes have in common: random statements as terms, a model of what a
// store should have, and a snapshot that was loaded of just that.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "sources/store/live/live_snapshot.h"
#include "sources/store/live/live_store.h"
#include "sources/store/live/transaction.h"
#include "sources/store/loader.h"
#include "sources/store/snapshot_file.h"

namespace helve::store::live_testing {

// Subject, predicate, object, graph in N-Triples; an empty graph is the default one.
using Statement = std::array<std::string, 4>;
using Model = std::set<Statement>;

inline std::string to_nquads(const Model& model) {
  std::string text;
  for (const Statement& one : model) {
    text += one[0] + " " + one[1] + " " + one[2] + " " + one[3] + (one[3].empty() ? ".\n" : " .\n");
  }
  return text;
}

inline std::shared_ptr<const Snapshot> load(const std::string& nquads) {
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("t.nq", nquads, rdf::Format::NQuads));
  auto loaded = load_documents(std::move(documents), {}, OpContext());
  EXPECT_TRUE(loaded) << loaded.error().to_string();
  return loaded->snapshot;
}

class RandomStatements {
 public:
  RandomStatements(unsigned seed, bool has_graphs) : random_(seed), has_graphs_(has_graphs) {}

  // From a pool that grows with `range`.
  Statement next(std::size_t range) {
    Statement out;
    out[0] = below(8) == 0 ? "_:b" + number(range) : iri("s" + number(range));
    out[1] =
        below(5) == 0 ? "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>" : iri("p" + number(7));
    switch (below(6)) {
      case 0:
        out[2] = iri("s" + number(range));
        break;
      case 1:
        out[2] = "\"text " + number(range) + "\"";
        break;
      case 2:
        out[2] = "\"text " + number(9) + "\"@" + (below(2) == 0 ? "en" : "de-CH");
        break;
      case 3:
        out[2] = "\"" + number(9) + "\"^^" + iri("type" + number(3));
        break;
      case 4:
        out[2] = "_:b" + number(range);
        break;
      default:
        out[2] = "\"" + number(range) + "\"^^<http://www.w3.org/2001/XMLSchema#integer>";
    }
    if (has_graphs_ && below(3) != 0) out[3] = iri("g" + number(4));
    return out;
  }
  std::size_t below(std::size_t end) { return random_() % end; }

 private:
  std::string number(std::size_t end) { return std::to_string(below(end)); }
  static std::string iri(const std::string& name) { return "<http://a/" + name + ">"; }

  std::mt19937 random_;
  bool has_graphs_;
};

// A term of N-Triples as the store takes it, read by the reader itself.
class TermParser final : public rdf::StatementSink {
 public:
  Result<void> statement(const rdf::StatementView& statement) override {
    terms_ = {rdf::Term(statement.subject), rdf::Term(statement.predicate),
              rdf::Term(statement.object), rdf::Term(statement.graph)};
    return {};
  }
  const std::array<rdf::Term, 4>& parse(const Statement& one) {
    const Model just_one = {one};
    EXPECT_TRUE(
        rdf::read_document(rdf::Format::NQuads, to_nquads(just_one), {}, OpContext(), *this));
    return terms_;
  }

 private:
  std::array<rdf::Term, 4> terms_;
};

inline Result<Quad> intern(Transaction& to, const Statement& one) {
  TermParser parser;
  const auto& terms = parser.parse(one);
  Quad quad;
  HELVE_ASSIGN(quad.subject, to.intern(terms[0].view()));
  HELVE_ASSIGN(quad.predicate, to.intern(terms[1].view()));
  HELVE_ASSIGN(quad.object, to.intern(terms[2].view()));
  if (!one[3].empty()) {
    HELVE_ASSIGN(quad.graph, to.intern(terms[3].view()));
  }
  return quad;
}

inline std::string text_of(const sparql::Snapshot& data, Id id) {
  if (!id.is_defined()) return {};
  std::string scratch;
  return rdf::to_ntriples(data.term(id, scratch));
}

// Everything in the store, by scans of every graph.
inline Model contents_of(const sparql::Snapshot& data) {
  Model model;
  std::vector<GraphChoice> choices = {{GraphChoice::Kind::Default, {}}};
  for (const Id graph : data.named_graphs()) choices.push_back({GraphChoice::Kind::One, graph});
  for (const GraphChoice& choice : choices) {
    const auto scan = data.scan({{}, {}, {}, choice});
    QuadBatch batch;
    while (scan->next(batch, 97)) {
      for (std::size_t row = 0; row < batch.rows; ++row) {
        model.insert({text_of(data, batch[Part::Subject][row]),
                      text_of(data, batch[Part::Predicate][row]),
                      text_of(data, batch[Part::Object][row]), text_of(data, choice.graph)});
      }
    }
  }
  return model;
}

// Random edits in one transaction, to the store and to the model.
template <typename Random>
CommitReport edit(LiveStore& store, Model& model, Random& random, std::size_t edits,
                  std::size_t range) {
  auto report = store.write(
      [&](Transaction& to) -> Result<void> {
        for (std::size_t i = 0; i < edits; ++i) {
          Statement one = random.next(range);
          const bool is_added = random.below(2) == 0 || model.empty();
          if (!is_added && random.below(4) != 0) {
            auto at = model.lower_bound(one);
            if (at == model.end()) at = model.begin();
            one = *at;
          }
          HELVE_ASSIGN(const Quad quad, intern(to, one));
          HELVE_TRY(is_added ? to.add(quad) : to.remove(quad));
          if (is_added) {
            model.insert(one);
          } else {
            model.erase(one);
          }
          if (random.below(16) == 0) HELVE_TRY(to.snapshot());
        }
        return {};
      },
      OpContext());
  EXPECT_TRUE(report) << report.error().to_string();
  return report ? *report : CommitReport();
}

}  // namespace helve::store::live_testing
