// LoadBatch: what one loading thread has read until its share of the memory was full, put aside
// sorted: the terms, and the statements by their places in them. external_build.h merges batches.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/dictionary.h"
#include "sources/store/loading_sink.h"
#include "sources/store/scratch_bytes.h"

namespace helve::store {

// The terms of a batch are numbered in the order of their codes to come, sections one after the
// other and inlined ones last, so that its statements, sorted by these numbers, are sorted by codes
// too.
struct LoadBatch {
  struct Section {
    std::uint64_t first_byte = 0;  // in `terms`
    std::uint64_t last_byte = 0;
    std::uint32_t size = 0;  // terms
  };

  std::array<Section, Dictionary::kSections> sections;  // runs of terms (term_run.h)
  Column<char> terms;
  Column<std::uint64_t> inlined;        // bits, ascending
  std::vector<std::string> qualifiers;  // ascending; what the terms' qualifiers index
  // Statements in the order of SPO, none twice: three numbers each, or four where some are in named
  // graphs. The default graph is LoadingSink::kDefaultGraph.
  Column<LocalTerm> quads;
  bool has_named_graphs = false;
  MemoryCharge charge;  // of the qualifiers

  std::size_t row_parts() const { return has_named_graphs ? 4 : 3; }
  std::uint64_t rows() const { return quads.size() / row_parts(); }
  std::uint64_t term_count() const {
    std::uint64_t count = inlined.size();
    for (const Section& section : sections) count += section.size;
    return count;
  }
  std::string_view run(std::size_t section) const {
    return {terms.data() + sections[section].first_byte,
            sections[section].last_byte - sections[section].first_byte};
  }
};

// LangString and TypedLiteral.
constexpr bool section_has_qualifiers(std::size_t section) { return section >= 3; }

// Bytes that putting aside such a sink takes beyond what it holds.
std::size_t batch_sort_bytes(const LoadingSink& sink);

// Takes what the sink holds; the sink is then for nothing but LoadingSink::begin_batch().
Result<LoadBatch> put_aside(LoadingSink& sink, const BuildPlace& place, const OpContext& context);

}  // namespace helve::store
