// Splitting by the number of neighbours in one cell; everything that decides about order (queue,
// touched cells, parts) is itself in an order that node numbers do not influence.
#include "sources/rdf/colour_partition.h"

#include <algorithm>

namespace helve::rdf {

Result<ColourPartition> ColourPartition::create(const BlankStructure& structure, const Sides* sides,
                                                const OpContext& context) {
  ColourPartition partition(structure);
  partition.sides_ = sides;
  const std::uint32_t nodes = structure.node_count();
  partition.charge_ = MemoryCharge(*context.memory, "comparing blank nodes");
  // Seven numbers per node kept, and at most four more in queue, splits and scratch space.
  HELVE_TRY(partition.charge_.add(std::size_t{nodes} * 11 * sizeof(std::uint32_t)));
  partition.order_.assign(structure.first_order().begin(), structure.first_order().end());
  partition.place_.resize(nodes);
  partition.cell_of_.resize(nodes);
  partition.cell_size_.assign(nodes, 0);
  partition.cell_right_.assign(nodes, 0);
  partition.is_queued_.assign(nodes, false);
  partition.touches_.assign(nodes, 0);
  partition.touched_in_.assign(nodes, 0);
  const auto cells = structure.first_cells();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::uint32_t end = i + 1 < cells.size() ? cells[i + 1] : nodes;
    for (std::uint32_t at = cells[i]; at < end; ++at) {
      const std::uint32_t node = partition.order_[at];
      partition.place_[node] = at;
      partition.cell_of_[node] = cells[i];
      if (sides != nullptr && (*sides)[node]) ++partition.cell_right_[cells[i]];
    }
    partition.cell_size_[cells[i]] = end - cells[i];
    partition.enqueue(cells[i]);
  }
  return partition;
}

Result<bool> ColourPartition::refine(const OpContext& context) {
  constexpr std::uint64_t kWorkPerCheck = 1 << 16;
  while (queue_head_ < queue_.size()) {
    const std::uint32_t cell = queue_[queue_head_++];
    is_queued_[cell] = false;
    if (!is_balanced(cell)) {
      clear_queue();
      return false;
    }
    splitter_.assign(members(cell).begin(), members(cell).end());
    for (std::size_t position = 0; position < BlankStructure::kPositions; ++position) {
      if (split_by_neighbours(position)) continue;
      clear_queue();
      return false;
    }
    if (work_ >= next_check_) {
      HELVE_TRY(context.check());
      next_check_ = work_ + kWorkPerCheck;
    }
  }
  clear_queue();
  return true;
}

// Splits every cell by how many neighbours in `position` its nodes have in splitter_.
bool ColourPartition::split_by_neighbours(std::size_t position) {
  touched_.clear();
  touched_cells_.clear();
  for (const std::uint32_t node : splitter_) {
    for (const std::uint32_t neighbour : structure_->neighbours(node, position)) {
      if (touches_[neighbour]++ > 0) continue;
      touched_.push_back(neighbour);
      const std::uint32_t cell = cell_of_[neighbour];
      if (touched_in_[cell]++ == 0) touched_cells_.push_back(cell);
      move_to_end(neighbour, cell, touched_in_[cell]);
    }
    work_ += structure_->neighbours(node, position).size() + 1;
  }
  std::sort(touched_cells_.begin(), touched_cells_.end());
  bool balanced = true;
  for (const std::uint32_t cell : touched_cells_) {
    balanced = balanced && split_cell(cell, touched_in_[cell]);
    touched_in_[cell] = 0;
  }
  for (const std::uint32_t node : touched_) touches_[node] = 0;
  return balanced;
}

void ColourPartition::move_to_end(std::uint32_t node, std::uint32_t cell, std::uint32_t from_end) {
  const std::uint32_t to = cell + cell_size_[cell] - from_end;
  const std::uint32_t from = place_[node];
  const std::uint32_t other = order_[to];
  std::swap(order_[from], order_[to]);
  place_[node] = to;
  place_[other] = from;
}

// The last `touched` nodes of the cell have been touched; those touched equally often stay
// together.
bool ColourPartition::split_cell(std::uint32_t cell, std::uint32_t touched) {
  const std::uint32_t end = cell + cell_size_[cell];
  const std::uint32_t begin = end - touched;
  const auto fewer = [&](std::uint32_t a, std::uint32_t b) { return touches_[a] < touches_[b]; };
  const auto first = order_.begin() + begin;
  const auto last = order_.begin() + end;
  if (const auto [least, most] = std::minmax_element(first, last, fewer);
      touches_[*least] != touches_[*most]) {
    std::sort(first, last, fewer);
    for (std::uint32_t at = begin; at < end; ++at) place_[order_[at]] = at;
  }
  parts_.clear();
  bool balanced = true;
  for (std::uint32_t at = end; at > begin && at > cell; --at) {
    const bool starts_part =
        at - 1 == begin || touches_[order_[at - 2]] != touches_[order_[at - 1]];
    if (!starts_part || at - 1 == cell) continue;
    balanced = split_off(cell, at - 1) && balanced;
    parts_.push_back(at - 1);
  }
  if (parts_.empty()) return true;
  queue_parts(cell);
  return balanced && is_balanced(cell);
}

// Makes the nodes of the cell from place `part` on a cell of their own.
bool ColourPartition::split_off(std::uint32_t cell, std::uint32_t part) {
  const std::uint32_t end = cell + cell_size_[cell];
  std::uint32_t right = 0;
  for (std::uint32_t at = part; at < end; ++at) {
    cell_of_[order_[at]] = part;
    if (sides_ != nullptr && (*sides_)[order_[at]]) ++right;
  }
  cell_size_[part] = end - part;
  cell_size_[cell] = part - cell;
  cell_right_[part] = right;
  cell_right_[cell] -= right;
  splits_.push_back({cell, part});
  return is_balanced(part);
}

// A cell that waits in the queue needs all of its parts there; of another cell, one may be left
// out, and the largest is the one worth leaving out.
void ColourPartition::queue_parts(std::uint32_t cell) {
  std::reverse(parts_.begin(), parts_.end());
  if (is_queued_[cell]) {
    for (const std::uint32_t part : parts_) enqueue(part);
    return;
  }
  parts_.insert(parts_.begin(), cell);
  const auto largest = std::max_element(
      parts_.begin(), parts_.end(),
      [&](std::uint32_t a, std::uint32_t b) { return cell_size_[a] < cell_size_[b]; });
  for (auto part = parts_.begin(); part != parts_.end(); ++part) {
    if (part != largest) enqueue(*part);
  }
}

void ColourPartition::enqueue(std::uint32_t cell) {
  if (is_queued_[cell]) return;
  is_queued_[cell] = true;
  queue_.push_back(cell);
}

void ColourPartition::clear_queue() {
  for (; queue_head_ < queue_.size(); ++queue_head_) is_queued_[queue_[queue_head_]] = false;
  queue_.clear();
  queue_head_ = 0;
}

void ColourPartition::single_out(std::span<const std::uint32_t> nodes) {
  const std::uint32_t cell = cell_of_[nodes.front()];
  std::uint32_t moved = 0;
  for (const std::uint32_t node : nodes) move_to_end(node, cell, ++moved);
  if (moved == cell_size_[cell]) return;
  const std::uint32_t part = cell + cell_size_[cell] - moved;
  split_off(cell, part);
  enqueue(part);
}

void ColourPartition::undo(std::size_t mark) {
  for (; splits_.size() > mark; splits_.pop_back()) {
    const auto [rest, part] = splits_.back();
    for (const std::uint32_t node : members(part)) cell_of_[node] = rest;
    cell_size_[rest] += cell_size_[part];
    cell_right_[rest] += cell_right_[part];
    cell_size_[part] = 0;
    cell_right_[part] = 0;
  }
}

}  // namespace helve::rdf
