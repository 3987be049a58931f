#include "surfaces/cli/shell_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "sources/rdf/prefix_map.h"
#include "sources/rdf/term.h"
#include "sources/sparql/algebra/functions.h"
#include "sources/sparql/algebra/well_known.h"

namespace helve::cli {

namespace {

constexpr std::size_t kCompletedMax = 5'000;  // of classes and of properties
constexpr std::size_t kTableRowsMax = 100;

// Terms as a query takes them.
class Namer {
 public:
  Namer(const store::LiveSnapshot& data, const PrefixList& prefixes)
      : data_(data), prefixes_(prefixes.size() + sparql::well_known_prefixes().size()) {
    for (const auto& [name, iri] : prefixes) prefixes_.add(name, iri);
    for (const auto& known : sparql::well_known_prefixes()) {
      prefixes_.add_default(known.name, known.iri);
    }
  }

  // Empty: it has no name.
  std::string name(rdf::Id id) {
    const rdf::TermView term = data_.term(id, scratch_);
    if (term.kind != rdf::TermKind::Iri) return {};
    if (const auto name = prefixes_.shorten(term.value)) {
      return fmt::format("{}:{}", name->prefix->name, name->local);
    }
    return fmt::format("<{}>", term.value);
  }

 private:
  const store::LiveSnapshot& data_;
  rdf::PrefixMap prefixes_;
  std::string scratch_;
};

template <typename Item, typename Count>
std::vector<Item> by_count(std::vector<Item> items, Count count) {
  std::stable_sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
    return std::invoke(count, a) > std::invoke(count, b);
  });
  return items;
}

std::vector<store::ClassStatistics> classes_of(const store::LiveSnapshot& data) {
  return by_count(data.statistics().classes, &store::ClassStatistics::instances);
}

std::vector<store::PredicateStatistics> properties_of(const store::LiveSnapshot& data) {
  return by_count(data.statistics().predicates, &store::PredicateStatistics::triples);
}

bool has_text(std::string_view name, std::string_view text) {
  for (std::size_t at = 0; at + text.size() <= name.size(); ++at) {
    if (sparql::same_keyword(name.substr(at, text.size()), text)) return true;
  }
  return false;
}

void add_row(Table& table, std::vector<std::string> row, std::string_view text) {
  if (row[0].empty() || !has_text(row[0], text)) return;
  if (table.rows.size() == kTableRowsMax) {
    ++table.rows_left_out;
  } else {
    table.rows.push_back(std::move(row));
  }
}

}  // namespace

CompletionNames completion_names(const store::LiveSnapshot& data, const PrefixList& prefixes) {
  CompletionNames names;
  std::set<std::string> known;
  for (const auto& [name, iri] : prefixes) {
    if (known.insert(name).second) names.prefixes.push_back(name);
  }
  for (const auto& prefix : sparql::well_known_prefixes()) {
    if (known.emplace(prefix.name).second) names.prefixes.emplace_back(prefix.name);
  }
  Namer namer(data, prefixes);
  for (const auto& type : classes_of(data)) {
    if (names.classes.size() == kCompletedMax) break;
    if (std::string name = namer.name(type.type); !name.empty()) {
      names.classes.push_back(std::move(name));
    }
  }
  for (const auto& property : properties_of(data)) {
    if (names.properties.size() == kCompletedMax) break;
    names.properties.push_back(namer.name(property.predicate));
  }
  return names;
}

Table class_table(const store::LiveSnapshot& data, const PrefixList& prefixes,
                  std::string_view text) {
  Table table{"Classes", {"instances"}, {}, 0};
  Namer namer(data, prefixes);
  for (const auto& type : classes_of(data)) {
    add_row(table, {namer.name(type.type), format_count(type.instances)}, text);
  }
  return table;
}

Table property_table(const store::LiveSnapshot& data, const PrefixList& prefixes,
                     std::string_view text) {
  Table table{"Properties", {"triples", "subjects", "objects"}, {}, 0};
  Namer namer(data, prefixes);
  for (const auto& property : properties_of(data)) {
    add_row(table,
            {namer.name(property.predicate), format_count(property.triples),
             format_count(property.distinct_subjects), format_count(property.distinct_objects)},
            text);
  }
  return table;
}

}  // namespace helve::cli
