// ColourPartition: the nodes of a BlankStructure in cells that get finer until all nodes of a cell
// have equally many neighbours in every cell. Isomorphism and the order of blank nodes rest on it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/blank_structure.h"

namespace helve::rdf {

// Which of two sets of statements a node comes from.
using Sides = std::vector<bool>;

// Cells are ordered and named by the place of their first node. Which cells there are, and in which
// order, depends on the structure and on the nodes singled out, never on the numbers of the nodes.
// Refining takes O(m log n) in all (m edges, n nodes): a cell that splits is queued but for its
// largest part (Hopcroft; Berkholz, Bonsma, Grohe: "Tight Lower and Upper Bounds for the Complexity
// of Canonical Colour Refinement"). So a list of 100,000 cells is no work for 100,000 rounds.
class ColourPartition {
 public:
  // `structure` must outlive the partition. With `sides`, cells must hold equally many nodes of
  // either side.
  static Result<ColourPartition> create(const BlankStructure& structure, const Sides* sides,
                                        const OpContext& context);

  // Splits until stable. False, and possibly not stable, when a cell is out of balance.
  Result<bool> refine(const OpContext& context);

  std::uint32_t cell_of(std::uint32_t node) const { return cell_of_[node]; }
  std::uint32_t cell_size(std::uint32_t cell) const { return cell_size_[cell]; }
  std::span<const std::uint32_t> members(std::uint32_t cell) const {
    return {order_.data() + cell, cell_size_[cell]};
  }
  std::span<const std::uint32_t> order() const { return order_; }

  // Makes the given nodes of one cell a cell of their own, behind the rest of it.
  void single_out(std::span<const std::uint32_t> nodes);

  // Splits since the mark are taken back by undo.
  std::size_t mark() const { return splits_.size(); }
  void undo(std::size_t mark);

  // Edges looked at so far.
  std::uint64_t work() const { return work_; }

 private:
  struct Split {
    std::uint32_t rest;
    std::uint32_t part;
  };

  explicit ColourPartition(const BlankStructure& structure) : structure_(&structure) {}

  bool split_by_neighbours(std::size_t position);
  void move_to_end(std::uint32_t node, std::uint32_t cell, std::uint32_t from_end);
  bool split_cell(std::uint32_t cell, std::uint32_t touched);
  bool split_off(std::uint32_t cell, std::uint32_t part);
  void queue_parts(std::uint32_t cell);
  void enqueue(std::uint32_t cell);
  void clear_queue();
  bool is_balanced(std::uint32_t cell) const {
    return sides_ == nullptr || cell_right_[cell] * 2 == cell_size_[cell];
  }

  const BlankStructure* structure_;
  const Sides* sides_ = nullptr;
  MemoryCharge charge_;
  std::vector<std::uint32_t> order_;       // nodes, cell after cell
  std::vector<std::uint32_t> place_;       // of a node in order_
  std::vector<std::uint32_t> cell_of_;     // of a node
  std::vector<std::uint32_t> cell_size_;   // of a cell
  std::vector<std::uint32_t> cell_right_;  // nodes of the second side in a cell
  std::vector<Split> splits_;
  std::vector<std::uint32_t> queue_;  // cells to split by, from queue_head_ on
  std::size_t queue_head_ = 0;
  std::vector<bool> is_queued_;
  std::uint64_t work_ = 0;
  std::uint64_t next_check_ = 0;  // the work at which the context is asked again

  // Of one splitting, kept for their capacity.
  std::vector<std::uint32_t> splitter_;
  std::vector<std::uint32_t> touched_;
  std::vector<std::uint32_t> touched_cells_;
  std::vector<std::uint32_t> touches_;     // of a node
  std::vector<std::uint32_t> touched_in_;  // of a cell
  std::vector<std::uint32_t> parts_;
};

}  // namespace helve::rdf
