// FactTable: what a question about a graph gave, its texts side by side in memory of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <vector>

#include "sources/rdf/term.h"

namespace helve::context {

// Views into the memory of the table.
struct FactCell {
  std::optional<rdf::TermKind> kind;  // nullopt: unbound
  std::string_view value;
  std::string_view language;

  bool is_bound() const { return kind.has_value(); }
};

inline constexpr std::size_t kFactColumns = 5;  // of the widest question
using FactRow = std::array<FactCell, kFactColumns>;

class FactTable {
 public:
  std::vector<FactRow> rows;
  bool has_more = false;  // than were asked for

  // Copies the term; long texts are cut. Nullopt where it is an IRI or a blank node that is too
  // long: its row is to be left out.
  std::optional<FactCell> keep(const rdf::TermView& term);

 private:
  std::string_view keep(std::string_view text);

  std::unique_ptr<std::pmr::monotonic_buffer_resource> texts_;
};

// The IRI in a cell; empty where it has none.
inline std::string_view iri_at(const FactRow& row, std::size_t column) {
  const FactCell& cell = row.at(column);
  return cell.kind == rdf::TermKind::Iri ? cell.value : std::string_view();
}
std::uint64_t number_at(const FactRow& row, std::size_t column);

}  // namespace helve::context
