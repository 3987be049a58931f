// BlankStructure: the statements in which blank nodes occur, as a graph that colour_partition.h
// refines. Isomorphism builds one from two sets of statements, the pretty writers from one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"

namespace helve::rdf {

// A statement as four codes: blank node k is kBlankCode | k, any other term a smaller number that
// is the same for equal terms.
using CodedQuad = std::array<std::uint32_t, 4>;
inline constexpr std::uint32_t kBlankCode = std::uint32_t{1} << 31;

constexpr bool is_blank_code(std::uint32_t code) { return (code & kBlankCode) != 0; }
constexpr std::uint32_t blank_of_code(std::uint32_t code) { return code & ~kBlankCode; }

// Its nodes are the blank nodes, numbered as given, then one "link" for each statement with several
// blank positions. A link and the blank node in its position p are neighbours in p. Statements with
// one blank position only make the first colour of their node.
class BlankStructure {
 public:
  static constexpr std::size_t kPositions = 4;

  // REQUIRES: the quads are distinct and each has a blank node; blank nodes are 0 ...
  // blank_count-1. The order of the quads does not matter: neither does it show in the first cells.
  static Result<BlankStructure> build(std::uint32_t blank_count, std::span<const CodedQuad> quads,
                                      const OpContext& context);

  std::uint32_t blank_count() const { return blank_count_; }
  std::uint32_t node_count() const { return static_cast<std::uint32_t>(order_.size()); }
  std::size_t edge_count() const { return neighbours_.size() / 2; }
  bool is_link(std::uint32_t node) const { return node >= blank_count_; }

  std::span<const std::uint32_t> neighbours(std::uint32_t node, std::size_t position) const {
    const std::uint32_t* offset = &offsets_[node * kPositions + position];
    return {neighbours_.data() + offset[0], neighbours_.data() + offset[1]};
  }

  // The nodes sorted by first colour, and where each colour starts, ascending from 0.
  std::span<const std::uint32_t> first_order() const { return order_; }
  std::span<const std::uint32_t> first_cells() const { return cells_; }

 private:
  void connect(std::span<const CodedQuad> links);
  void colour_blanks(std::span<const CodedQuad> singles);
  void colour_links(std::span<const CodedQuad> links);

  std::uint32_t blank_count_ = 0;
  std::vector<std::uint32_t> offsets_;     // of (node, position); one more at the end
  std::vector<std::uint32_t> neighbours_;  // each edge twice
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> cells_;
  MemoryCharge charge_;
};

}  // namespace helve::rdf
