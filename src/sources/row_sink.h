// RowSink: rows of terms on their way out of any database. Values of SQL databases are literals
// here, with the datatypes of XSD.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "sources/rdf/term.h"

namespace helve {

using Row = std::span<const std::optional<rdf::TermView>>;  // nullopt: unbound, NULL

// columns() once, then row() for each row. An error stops whoever is sending.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual Result<void> columns(const std::vector<std::string>& names) = 0;
  // As many cells as columns; the views are valid during the call only.
  virtual Result<void> row(Row cells) = 0;
};

}  // namespace helve
