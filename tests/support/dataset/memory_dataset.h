// MemorySnapshot: a sparql::Snapshot over a list of quads, the simplest there can be: every
// question is answered by looking at all of them. Tests of the evaluator rest on it.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sources/rdf/term.h"
#include "sources/sparql/engine/dataset.h"

namespace helve {

// Subject, predicate, object, graph; the default graph is an IRI with an empty value.
using MemoryQuad = std::array<rdf::Term, 4>;
using MemoryRow = std::array<rdf::Id, 4>;  // by Part; the default graph is an undefined id

class MemorySnapshot final : public sparql::Snapshot {
 public:
  explicit MemorySnapshot(const std::vector<MemoryQuad>& quads,
                          std::vector<std::pair<std::string, std::string>> prefixes = {});

  std::optional<rdf::Id> find(const rdf::TermView& term) const override;
  rdf::TermView term(rdf::Id id, std::string& scratch) const override;
  std::string_view qualifier(rdf::Id id) const override;
  bool is_in_string_order(rdf::Tag /*tag*/) const override { return true; }
  sparql::Count count(const sparql::QuadPattern& pattern) const override;
  std::unique_ptr<sparql::Scan> scan(const sparql::QuadPattern& pattern,
                                     std::optional<sparql::Order> preferred = std::nullopt,
                                     sparql::Parts wanted = sparql::kAllParts) const override;
  std::vector<rdf::Id> named_graphs() const override;
  std::optional<sparql::PredicateCounts> predicate_counts(rdf::Id predicate) const override;
  std::vector<sparql::PredicateCounts> all_predicate_counts() const override;
  std::uint64_t triples() const override;
  const std::vector<std::pair<std::string, std::string>>& prefixes() const override {
    return prefixes_;
  }

  // The rows of a pattern in an order. Graphs are left out but for GraphChoice::Named.
  std::vector<MemoryRow> rows(const sparql::QuadPattern& pattern, sparql::Order order) const;

 private:
  struct TermLess {
    bool operator()(const rdf::Term& a, const rdf::Term& b) const;
  };

  std::map<rdf::Term, rdf::Id, TermLess> ids_;
  std::map<std::uint64_t, rdf::Term> terms_;  // by bits of the id
  std::vector<MemoryRow> quads_;              // each once
  std::vector<std::pair<std::string, std::string>> prefixes_;
};

class MemoryDataset final : public sparql::Dataset {
 public:
  explicit MemoryDataset(std::shared_ptr<const MemorySnapshot> snapshot)
      : snapshot_(std::move(snapshot)) {}
  std::shared_ptr<const sparql::Snapshot> snapshot() const override { return snapshot_; }

 private:
  std::shared_ptr<const MemorySnapshot> snapshot_;
};

// From TriG (so Turtle too) with the prefix ":" for <http://example.org/> and xsd: declared. A bad
// text fails the test.
std::shared_ptr<const MemorySnapshot> memory_snapshot(std::string_view trig);

}  // namespace helve
