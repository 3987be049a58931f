// Snapshot: one immutable state of a store: terms, sorted quads, statistics. Everything that reads
// a store works on one, whatever owns its bytes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "sources/sparql/engine/dataset.h"
#include "sources/store/damage.h"
#include "sources/store/dictionary.h"
#include "sources/store/index_builder.h"
#include "sources/store/statistics.h"

namespace helve::store {

using sparql::Count;
using sparql::GraphChoice;
using sparql::kAllGraphs;
using sparql::Parts;
using sparql::QuadBatch;
using sparql::QuadPattern;

class Snapshot;

// Delivers the rows of a pattern in batches, in the order of `order()`. The snapshot must outlive
// it.
class Scan {
 public:
  // At most `rows_max` rows. False, and an empty batch, at the end.
  bool next(QuadBatch& batch, std::size_t rows_max = QuadBatch::kRows);
  Order order() const { return order_; }
  // Leaves one of `parts` equal stretches of the rows. REQUIRES: nothing was delivered yet.
  void keep_part(std::uint32_t part, std::uint32_t parts);

  struct Edge {
    std::array<Id, 4> ids;     // by Part
    bool is_unwanted = false;  // not delivered; what is of its triple stands before it
  };
  // The row that such a stretch begins with; nullopt: all rows stand before it. REQUIRES: nothing
  // was delivered yet, and no part was kept.
  std::optional<Edge> edge(std::uint32_t part, std::uint32_t parts) const;

 private:
  friend class Snapshot;
  Scan(const Snapshot& snapshot, Order order, RowRange rows, GraphChoice::Kind graphs,
       Parts wanted);
  bool has_unwanted() const;
  bool is_wanted(std::uint64_t row) const;
  void append(std::uint64_t row, QuadBatch& batch);
  void append_all(RowRange rows, QuadBatch& batch);
  void append_leading(RowRange rows, std::vector<Id>& column);

  const Snapshot* snapshot_;
  Order order_;
  RowRange rows_;
  GraphChoice::Kind graphs_;
  Parts wanted_;
  Code leading_ = 0;
  std::uint64_t leading_end_ = 0;  // rows before it have this leading code
};

class Snapshot {
 public:
  // `charge` accounts for the memory while the snapshot lives; its budget must outlive it.
  // `damage` is told of what is found wrong with the file it lies in, if it lies in one, and
  // `content_checksum` is of what that holds.
  Snapshot(Dictionary dictionary, Indexes indexes, Statistics statistics,
           std::vector<std::pair<std::string, std::string>> prefixes, MemoryCharge charge = {},
           std::shared_ptr<const Damage> damage = nullptr,
           std::optional<std::uint64_t> content_checksum = std::nullopt)
      : content_checksum_(content_checksum),
        damage_(std::move(damage)),
        charge_(std::move(charge)),
        dictionary_(std::move(dictionary)),
        indexes_(std::move(indexes)),
        statistics_(std::move(statistics)),
        prefixes_(std::move(prefixes)) {}

  const Dictionary& dictionary() const { return dictionary_; }
  const Indexes& indexes() const { return indexes_; }
  const Statistics& statistics() const { return statistics_; }
  // Declared by the loaded documents: name and IRI.
  const std::vector<std::pair<std::string, std::string>>& prefixes() const { return prefixes_; }
  std::size_t memory_bytes() const;
  // Where it lies in a file; see compute_content_checksum().
  const std::optional<std::uint64_t>& content_checksum() const { return content_checksum_; }
  // Set once a damaged part was met: what was read since, here and in the dictionary and the
  // indexes, must not be used.
  std::optional<Error> failure() const {
    return damage_ != nullptr ? damage_->error() : std::nullopt;
  }

  // Rows of the pattern, from the indexes alone. Only a union over graphs that repeat each other's
  // triples, and Named beside a default graph, give a bound instead of the number.
  Count count(const QuadPattern& pattern) const;

  // `preferred` is used when its leading parts are those the pattern binds.
  // Parts that are not wanted may stay empty.
  Scan scan(const QuadPattern& pattern, std::optional<Order> preferred = std::nullopt,
            Parts wanted = sparql::kAllParts) const;
  // Rows from all over the pattern, evenly spread.
  void sample(const QuadPattern& pattern, std::size_t rows_max, QuadBatch& batch) const;

 private:
  struct Place {
    Order order = Order::Spo;
    RowRange rows;
  };
  Place find(const QuadPattern& pattern, std::optional<Order> preferred) const;
  bool is_everything_default() const { return !indexes_.has_named_graphs; }

  std::optional<std::uint64_t> content_checksum_;
  std::shared_ptr<const Damage> damage_;
  MemoryCharge charge_;
  Dictionary dictionary_;
  Indexes indexes_;
  Statistics statistics_;
  std::vector<std::pair<std::string, std::string>> prefixes_;
};

}  // namespace helve::store
