#include "sources/rdf/blank_order.h"

#include <algorithm>
#include <span>
#include <utility>

#include "sources/rdf/colour_partition.h"

namespace helve::rdf {

namespace {

// Makes every node of the cell, and of what splits off it, a cell of its own. Singled-out nodes go
// behind the rest, so cells before `cell` are never touched again.
Result<void> tell_apart(std::uint32_t cell, const std::vector<std::string_view>& labels,
                        ColourPartition& partition, const OpContext& context) {
  const auto members = partition.members(cell);
  std::vector<std::uint32_t> by_label(members.begin(), members.end());
  std::sort(by_label.begin(), by_label.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(labels[a].size(), labels[a]) < std::pair(labels[b].size(), labels[b]);
  });
  while (partition.cell_size(cell) > 1) {
    const std::uint32_t last = by_label.back();
    by_label.pop_back();
    if (partition.cell_of(last) != cell) continue;
    partition.single_out(std::span(&last, 1));
    HELVE_TRY(partition.refine(context));
  }
  return {};
}

}  // namespace

Result<std::vector<std::uint32_t>> order_blanks(const BlankStructure& structure,
                                                const std::vector<std::string_view>& labels,
                                                const OpContext& context) {
  HELVE_ASSIGN(ColourPartition partition, ColourPartition::create(structure, nullptr, context));
  HELVE_TRY(partition.refine(context));
  for (std::uint32_t cell = 0; cell < structure.blank_count(); cell += partition.cell_size(cell)) {
    // Nodes that look alike need a label alike.
    if (labels[partition.members(cell).front()].empty()) continue;
    HELVE_TRY(tell_apart(cell, labels, partition, context));
  }
  const auto order = partition.order().first(structure.blank_count());
  return std::vector<std::uint32_t>(order.begin(), order.end());
}

}  // namespace helve::rdf
