// Isomorphism of datasets. Ground statements are compared as sets. Blank nodes of both sides are
// coloured together (colour_partition.h); what colours cannot tell apart is searched, one connected
// component at a time: a component that has found its partner never needs another one.
#include "sources/rdf/isomorphism.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "sources/rdf/blank_structure.h"
#include "sources/rdf/colour_partition.h"

namespace helve::rdf {

namespace {

constexpr std::uint32_t kUncoded = std::numeric_limits<std::uint32_t>::max();
constexpr std::string_view kComparing = "comparing statements";

// One side's statements, coded, sorted, without repeats.
struct CodedSet {
  std::vector<CodedQuad> ground;
  std::vector<CodedQuad> blank;
  std::uint32_t blank_count = 0;
};

// Terms are coded by their index in `dictionary`; nullopt when one is missing there. Blank nodes
// are numbered from `first_blank`.
std::optional<CodedSet> code(const QuadSet& set, const QuadSet& dictionary,
                             std::uint32_t first_blank) {
  CodedSet coded;
  std::vector<std::uint32_t> codes(set.term_count(), kUncoded);
  const bool is_own = &set == &dictionary;
  for (const QuadIndexes& quad : set.quads()) {
    CodedQuad out{};
    bool is_ground = true;
    for (std::size_t p = 0; p < quad.size(); ++p) {
      std::uint32_t& term_code = codes[quad[p]];
      if (term_code == kUncoded) {
        const TermView term = set.term(quad[p]);
        if (term.is_blank()) {
          term_code = kBlankCode | (first_blank + coded.blank_count++);
        } else {
          const auto found = is_own ? quad[p] : dictionary.find(term);
          if (!found) return std::nullopt;
          term_code = *found;
        }
      }
      out[p] = term_code;
      is_ground = is_ground && !is_blank_code(term_code);
    }
    (is_ground ? coded.ground : coded.blank).push_back(out);
  }
  for (auto* quads : {&coded.ground, &coded.blank}) {
    std::sort(quads->begin(), quads->end());
    quads->erase(std::unique(quads->begin(), quads->end()), quads->end());
  }
  return coded;
}

// Blank nodes below `right_begin` are of the left side. Links follow the order of their quads.
Sides sides_of(const BlankStructure& structure, std::uint32_t right_begin) {
  Sides sides(structure.node_count(), false);
  for (std::uint32_t node = right_begin; node < structure.blank_count(); ++node) {
    sides[node] = true;
  }
  for (std::uint32_t link = structure.blank_count(); link < structure.node_count(); ++link) {
    for (std::size_t p = 0; p < BlankStructure::kPositions; ++p) {
      const auto ends = structure.neighbours(link, p);
      if (!ends.empty()) sides[link] = sides[ends.front()];
    }
  }
  return sides;
}

class Search {
 public:
  Search(const BlankStructure& structure, const Sides& sides, ColourPartition& partition,
         const OpContext& context)
      : structure_(structure),
        sides_(sides),
        partition_(partition),
        context_(context),
        steps_max_(context.limits.isomorphism_steps_max +
                   kStepsPerNode * (structure.node_count() + structure.edge_count())),
        work_before_(partition.work()),
        visited_(structure.blank_count(), 0),
        pool_of_(structure.blank_count(), 0) {}

  // Finds partners for all of `nodes`, blank nodes of the left side.
  // REQUIRES: the partition is refined and balanced.
  Result<bool> match(const std::vector<std::uint32_t>& nodes, std::size_t depth);

 private:
  static constexpr std::uint64_t kStepsPerNode = 64;
  static constexpr std::size_t kDepthMax = 1'000;

  using Nodes = std::vector<std::uint32_t>;

  // A left and a right node alone in their cell have found each other.
  bool is_matched(std::uint32_t node) const {
    return partition_.cell_size(partition_.cell_of(node)) == 2;
  }
  std::vector<Nodes> candidate_pools(const Nodes& nodes);
  Nodes component_of(std::uint32_t node, std::uint64_t visit);
  std::uint32_t most_constrained(const Nodes& component) const;
  Result<bool> match_component(const Nodes& component, Nodes& pool, std::uint32_t node,
                               std::size_t depth);
  Result<void> check_steps() const;

  const BlankStructure& structure_;
  const Sides& sides_;
  ColourPartition& partition_;
  const OpContext& context_;
  std::uint64_t steps_max_;
  std::uint64_t work_before_;
  std::uint64_t steps_ = 0;  // besides the partition's
  std::uint64_t visits_ = 0;
  std::vector<std::uint64_t> visited_;
  std::vector<std::uint32_t> pool_of_;
};

Result<void> Search::check_steps() const {
  if (steps_ + partition_.work() - work_before_ > steps_max_) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("comparing blank nodes takes more than {} steps: the graphs are too "
                             "symmetric to tell whether they are isomorphic",
                             context_.limits.isomorphism_steps_max),
                 "raise isomorphism_steps_max or give the blank nodes distinguishing properties"};
  }
  return {};
}

// For each cell with unmatched nodes, its nodes of the right side. pool_of_ tells which is whose.
std::vector<Search::Nodes> Search::candidate_pools(const Nodes& nodes) {
  Nodes cells;
  for (const std::uint32_t node : nodes) {
    if (!is_matched(node)) cells.push_back(partition_.cell_of(node));
  }
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  std::vector<Nodes> pools(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (const std::uint32_t member : partition_.members(cells[i])) {
      pool_of_[member] = static_cast<std::uint32_t>(i);
      if (sides_[member]) pools[i].push_back(member);
    }
    steps_ += partition_.cell_size(cells[i]);
  }
  return pools;
}

// The unmatched blank nodes that are connected with `node` through unmatched ones.
Search::Nodes Search::component_of(std::uint32_t node, std::uint64_t visit) {
  Nodes component = {node};
  visited_[node] = visit;
  for (std::size_t next = 0; next < component.size(); ++next) {
    for (std::size_t p = 0; p < BlankStructure::kPositions; ++p) {
      for (const std::uint32_t link : structure_.neighbours(component[next], p)) {
        for (std::size_t q = 0; q < BlankStructure::kPositions; ++q) {
          const auto ends = structure_.neighbours(link, q);
          ++steps_;
          if (ends.empty() || visited_[ends.front()] == visit || is_matched(ends.front())) continue;
          visited_[ends.front()] = visit;
          component.push_back(ends.front());
        }
      }
    }
  }
  return component;
}

std::uint32_t Search::most_constrained(const Nodes& component) const {
  return *std::min_element(component.begin(), component.end(),
                           [&](std::uint32_t a, std::uint32_t b) {
                             return partition_.cell_size(partition_.cell_of(a)) <
                                    partition_.cell_size(partition_.cell_of(b));
                           });
}

Result<bool> Search::match(const std::vector<std::uint32_t>& nodes, std::size_t depth) {
  if (depth > kDepthMax) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("comparing blank nodes takes more than {} nested choices", kDepthMax),
                 "give the blank nodes distinguishing properties"};
  }
  std::vector<Nodes> pools = candidate_pools(nodes);
  const std::uint64_t visit = ++visits_;
  for (const std::uint32_t node : nodes) {
    if (is_matched(node)) continue;
    const Nodes component = component_of(node, visit);
    const std::uint32_t chosen = most_constrained(component);
    HELVE_ASSIGN(const bool found,
                 match_component(component, pools[pool_of_[chosen]], chosen, depth));
    if (!found) return false;
  }
  return true;
}

// Tries to map `node` to each candidate and then the rest of its component.
Result<bool> Search::match_component(const Nodes& component, Nodes& pool, std::uint32_t node,
                                     std::size_t depth) {
  while (!pool.empty() && is_matched(pool.back())) pool.pop_back();
  const std::uint32_t cell = partition_.cell_of(node);
  for (std::size_t i = pool.size(); i-- > 0;) {
    ++steps_;
    HELVE_TRY(check_steps());
    const std::uint32_t candidate = pool[i];
    if (is_matched(candidate) || partition_.cell_of(candidate) != cell) continue;
    const std::size_t mark = partition_.mark();
    partition_.single_out(std::array{node, candidate});
    HELVE_ASSIGN(bool fits, partition_.refine(context_));
    if (fits) {
      HELVE_TRY(check_steps());
      HELVE_ASSIGN(fits, match(component, depth + 1));
    }
    if (fits) return true;
    partition_.undo(mark);
  }
  return false;
}

Result<bool> match_blanks(const CodedSet& a, const CodedSet& b, const OpContext& context) {
  std::vector<CodedQuad> quads = a.blank;
  quads.insert(quads.end(), b.blank.begin(), b.blank.end());
  HELVE_ASSIGN(const BlankStructure structure,
               BlankStructure::build(a.blank_count + b.blank_count, quads, context));
  const Sides sides = sides_of(structure, a.blank_count);
  HELVE_ASSIGN(ColourPartition partition, ColourPartition::create(structure, &sides, context));
  HELVE_ASSIGN(const bool balanced, partition.refine(context));
  if (!balanced) return false;
  std::vector<std::uint32_t> left(a.blank_count);
  for (std::uint32_t node = 0; node < a.blank_count; ++node) left[node] = node;
  return Search(structure, sides, partition, context).match(left, 0);
}

}  // namespace

Result<bool> are_isomorphic(const QuadSet& a, const QuadSet& b, const OpContext& context) {
  MemoryCharge charge(*context.memory, kComparing);
  HELVE_TRY(charge.add((a.quads().size() + b.quads().size()) * 3 * sizeof(CodedQuad) +
                       (a.term_count() + b.term_count()) * sizeof(std::uint32_t)));
  const auto left = code(a, a, 0);
  HELVE_TRY(context.check());
  const auto right = code(b, a, left->blank_count);
  HELVE_TRY(context.check());
  if (!right || left->ground != right->ground || left->blank_count != right->blank_count ||
      left->blank.size() != right->blank.size()) {
    return false;
  }
  if (left->blank_count == 0) return true;
  return match_blanks(*left, *right, context);
}

}  // namespace helve::rdf
