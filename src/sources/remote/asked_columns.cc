#include "sources/remote/asked_columns.h"

#include <algorithm>

#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/printer.h"

namespace helve::remote {

AskedColumns::AskedColumns(const sparql::Query& query, RowSink& sink) : sink_(sink) {
  const auto* select = std::get_if<sparql::Select>(&query.form);
  if (select != nullptr) asked_ = sparql::result_variables(*select);
}

Result<void> AskedColumns::columns(const std::vector<std::string>& names) {
  is_as_asked_ = !asked_ || *asked_ == names;
  if (is_as_asked_) return sink_.columns(names);
  places_.clear();
  for (const std::string& name : *asked_) {
    // As it was sent: printer.h says how variables of ours are.
    const std::string sent = sparql::printed_name(name);
    const auto found = std::find(names.begin(), names.end(), sent);
    places_.push_back(found != names.end()
                          ? std::optional(static_cast<std::size_t>(found - names.begin()))
                          : std::nullopt);
  }
  return sink_.columns(*asked_);
}

std::vector<std::string> AskedColumns::missing() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!places_[i]) names.push_back((*asked_)[i]);
  }
  return names;
}

Result<void> AskedColumns::row(Row cells) {
  if (is_as_asked_) return sink_.row(cells);
  cells_.clear();
  for (const auto& place : places_) {
    cells_.push_back(place && *place < cells.size() ? cells[*place] : std::nullopt);
  }
  return sink_.row(cells_);
}

}  // namespace helve::remote
