// First colours are made by sorting, so they depend on the codes alone and not on the numbers of
// the blank nodes.
#include "sources/rdf/blank_structure.h"

#include <algorithm>
#include <compare>
#include <limits>
#include <numeric>
#include <tuple>

namespace helve::rdf {

namespace {

// The quad without its blank nodes: which positions they hold, and the codes of the others. What
// is said of a blank subject sorts first (mask 1), by predicate, object and graph.
using Label = std::array<std::uint32_t, 5>;

Label label_of(const CodedQuad& quad) {
  Label label{};
  for (std::uint32_t p = 0; p < quad.size(); ++p) {
    if (is_blank_code(quad[p])) {
      label[0] |= 1U << p;
    } else {
      label[p + 1] = quad[p];
    }
  }
  return label;
}

std::size_t blank_positions(const CodedQuad& quad) {
  return static_cast<std::size_t>(std::count_if(quad.begin(), quad.end(), is_blank_code));
}

std::uint32_t the_blank(const CodedQuad& quad) {
  return blank_of_code(*std::find_if(quad.begin(), quad.end(), is_blank_code));
}

}  // namespace

Result<BlankStructure> BlankStructure::build(std::uint32_t blank_count,
                                             std::span<const CodedQuad> quads,
                                             const OpContext& context) {
  std::vector<CodedQuad> singles;
  std::vector<CodedQuad> links;
  std::size_t edges = 0;
  for (const CodedQuad& quad : quads) {
    const std::size_t blanks = blank_positions(quad);
    if (blanks > 1) edges += blanks;
    (blanks == 1 ? singles : links).push_back(quad);
  }
  const std::size_t nodes = blank_count + links.size();
  if (std::max(nodes * kPositions, edges * 2) >= std::numeric_limits<std::uint32_t>::max()) {
    return Error{ErrorCode::LimitExceeded,
                 "comparing blank nodes: the statements hold too many of them",
                 "work on less data at once"};
  }
  BlankStructure structure;
  structure.blank_count_ = blank_count;
  structure.charge_ = MemoryCharge(*context.memory, "comparing blank nodes");
  HELVE_TRY(structure.charge_.add((nodes * (kPositions + 2) + edges * 2) * sizeof(std::uint32_t) +
                                  quads.size() * sizeof(CodedQuad)));
  structure.colour_blanks(singles);
  structure.colour_links(links);
  structure.connect(links);
  return structure;
}

void BlankStructure::connect(std::span<const CodedQuad> links) {
  offsets_.assign(node_count() * kPositions + 1, 0);
  const auto for_each_end = [&](auto&& visit) {
    for (std::size_t i = 0; i < links.size(); ++i) {
      const auto link = static_cast<std::uint32_t>(blank_count_ + i);
      for (std::size_t p = 0; p < kPositions; ++p) {
        if (!is_blank_code(links[i][p])) continue;
        visit(link, blank_of_code(links[i][p]), p);
        visit(blank_of_code(links[i][p]), link, p);
      }
    }
  };
  for_each_end([&](std::uint32_t from, std::uint32_t, std::size_t p) {
    ++offsets_[from * kPositions + p + 1];
  });
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  neighbours_.resize(offsets_.back());
  std::vector<std::uint32_t> next(offsets_.begin(), offsets_.end() - 1);
  for_each_end([&](std::uint32_t from, std::uint32_t to, std::size_t p) {
    neighbours_[next[from * kPositions + p]++] = to;
  });
}

// Two blank nodes start in one cell when their statements without other blank nodes are the same.
void BlankStructure::colour_blanks(std::span<const CodedQuad> singles) {
  struct Said {
    Label label;
    std::uint32_t node;
  };
  std::vector<Said> said;
  said.reserve(singles.size());
  for (const CodedQuad& quad : singles) said.push_back({label_of(quad), the_blank(quad)});
  std::sort(said.begin(), said.end(), [](const Said& a, const Said& b) {
    return std::tie(a.node, a.label) < std::tie(b.node, b.label);
  });
  std::vector<std::uint32_t> first(std::size_t{blank_count_} + 1, 0);
  for (const Said& item : said) ++first[item.node + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());

  const auto compare = [&](std::uint32_t a, std::uint32_t b) {
    return std::lexicographical_compare_three_way(
        said.begin() + first[a], said.begin() + first[a + 1], said.begin() + first[b],
        said.begin() + first[b + 1],
        [](const Said& x, const Said& y) { return x.label <=> y.label; });
  };
  order_.resize(blank_count_);
  std::iota(order_.begin(), order_.end(), 0U);
  std::sort(order_.begin(), order_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return std::is_lt(compare(a, b)); });
  for (std::uint32_t i = 0; i < order_.size(); ++i) {
    if (i == 0 || std::is_neq(compare(order_[i - 1], order_[i]))) cells_.push_back(i);
  }
}

void BlankStructure::colour_links(std::span<const CodedQuad> links) {
  const auto label = [&](std::uint32_t node) { return label_of(links[node - blank_count_]); };
  const std::size_t begin = order_.size();
  order_.resize(begin + links.size());
  std::iota(order_.begin() + begin, order_.end(), blank_count_);
  std::sort(order_.begin() + begin, order_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return label(a) < label(b); });
  for (std::size_t i = begin; i < order_.size(); ++i) {
    if (i == begin || label(order_[i - 1]) != label(order_[i])) {
      cells_.push_back(static_cast<std::uint32_t>(i));
    }
  }
}

}  // namespace helve::rdf
