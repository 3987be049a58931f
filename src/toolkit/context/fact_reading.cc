#include "toolkit/context/fact_reading.h"

#include <fmt/format.h>

#include <algorithm>

#include "sources/rdf/vocabulary.h"

namespace helve::context {

Result<std::vector<TripleIds>> FactReading::find(const TripleIds& known) {
  std::vector<TripleIds> triples;
  HELVE_ASSIGN(const bool has_more, reader_.read_triples(known, rows_max_, triples, context_));
  table_.has_more |= has_more;
  return triples;
}

// A hostile list may branch and lead back to itself: no node is read twice.
Result<std::vector<rdf::Id>> FactReading::members(rdf::Id list) {
  const rdf::Id first = find_iri(rdf::kRdfFirst);
  const rdf::Id rest = find_iri(rdf::kRdfRest);
  std::vector<rdf::Id> members;
  std::vector<rdf::Id> nodes{list};
  std::vector<rdf::Id> seen{list};  // ascending
  while (!nodes.empty()) {
    if (members.size() > rows_max_ || seen.size() > rows_max_) {
      table_.has_more = true;
      break;
    }
    const rdf::Id node = nodes.back();
    nodes.pop_back();
    HELVE_ASSIGN(const auto triples, find({node, {}, {}}));
    for (const TripleIds& one : triples) {
      if (first.is_defined() && one.predicate == first) members.push_back(one.object);
      if (!rest.is_defined() || one.predicate != rest) continue;
      const auto place = std::lower_bound(seen.begin(), seen.end(), one.object);
      if (place != seen.end() && *place == one.object) continue;
      seen.insert(place, one.object);
      nodes.push_back(one.object);
    }
  }
  return members;
}

Result<void> FactReading::count_by_object(std::string_view predicate) {
  const rdf::Id id = find_iri(predicate);
  if (!id.is_defined()) return {};
  std::vector<TripleReader::ObjectCount> counts;
  HELVE_ASSIGN(const bool has_more, reader_.count_by_object(id, rows_max_, counts, context_));
  table_.has_more |= has_more;
  for (const auto& [object, n] : counts) {
    const std::size_t rows = table_.rows.size();
    add({&object, 1});
    if (table_.rows.size() == rows) continue;
    const auto number = table_.keep(rdf::TermView::literal(fmt::format_int(n).c_str()));
    table_.rows.back()[1] = *number;
  }
  return {};
}

void FactReading::add(std::span<const rdf::Id> ids) {
  if (table_.rows.size() >= rows_max_) {
    table_.has_more = true;
    return;
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == last_ids_[i]) continue;
    last_ids_[i] = ids[i];
    last_[i] = {};
    if (!ids[i].is_defined()) continue;
    const auto kept = table_.keep(reader_.read_term(ids[i], scratch_));
    if (!kept) {
      last_ids_[i] = {};
      return;
    }
    last_[i] = *kept;
  }
  table_.rows.push_back(last_);
}

}  // namespace helve::context
