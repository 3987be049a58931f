// KeyRanges: where the triples of many keys stand in one permutation. The order is chosen so that
// the key leads (its directory says at once where its rows are), or, for ascending keys under a
// constant, so that the keys are met one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sources/sparql/engine/dataset.h"
#include "sources/store/snapshot.h"

namespace helve::store {

// Not thread-safe.
class KeyRanges {
 public:
  explicit KeyRanges(const Snapshot& snapshot)
      : snapshot_(&snapshot), code_of_(snapshot.dictionary()) {}

  // Finds the rows of all keys. `sorted_by`: the part whose values shall be ascending within a key,
  // the first free one.
  void find(const sparql::LookupKeys& keys, std::optional<Part> sorted_by = std::nullopt);

  std::size_t size() const { return ranges_.size(); }
  RowRange operator[](std::size_t key) const { return ranges_[key]; }
  Order order() const { return order_; }
  const Permutation& permutation() const { return snapshot_->indexes()[order_]; }
  // The place of a part in the order: 0 leads.
  std::size_t depth(Part part) const;

  // Rows of other graphs, and repeats of a triple, stand among the rows.
  bool has_unwanted() const { return graphs_ != Graphs::Any; }
  // REQUIRES: `first` is the first row of its key.
  bool is_wanted(std::uint64_t row, std::uint64_t first) const;

 private:
  enum class Graphs : std::uint8_t { Any, One, Once };

  bool choose_graph(const sparql::GraphChoice& choice);
  void choose_order(const sparql::LookupKeys& keys, std::optional<Part> sorted_by);
  void find_each(const sparql::LookupKeys& keys);
  bool find_in_graph(const sparql::LookupKeys& keys, std::optional<Part> sorted_by);
  void find_ascending(const sparql::LookupKeys& keys);

  const Snapshot* snapshot_;
  CodeReader code_of_;
  Order order_ = Order::Spo;
  std::size_t bound_ = 0;    // parts of the order that keys bind
  std::size_t columns_ = 0;  // of them, those with a value for each key
  bool is_ascending_ = false;
  Graphs graphs_ = Graphs::Any;
  Code graph_ = 0;
  std::vector<RowRange> ranges_;
};

}  // namespace helve::store
