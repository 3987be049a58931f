// gather_table_facts and L0. L1 is in table_constraints.cc.
#include "toolkit/context/table_cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "toolkit/context/table_names.h"

namespace helve::context {

namespace {

constexpr std::size_t kTextWidth = 160;

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", format_count(count), count == 1 ? one : many);
}

// The largest first, those of unknown size behind; then by name.
std::vector<const TableInfo*> by_rows(const Catalogue& catalogue, bool is_view) {
  std::vector<const TableInfo*> tables;
  for (const TableInfo& table : catalogue.tables) {
    if ((table.kind == TableInfo::Kind::View) == is_view) tables.push_back(&table);
  }
  std::stable_sort(tables.begin(), tables.end(), [](const TableInfo* left, const TableInfo* right) {
    if (left->rows.has_value() != right->rows.has_value()) return left->rows.has_value();
    return left->rows.value_or(0) > right->rows.value_or(0);
  });
  return tables;
}

std::string size_line(const Catalogue& catalogue, const std::vector<const TableInfo*>& tables,
                      std::size_t views) {
  std::uint64_t rows = 0;
  std::uint64_t unknown = 0;
  bool is_exact = true;
  for (const TableInfo* table : tables) {
    rows += table->rows.value_or(0);
    unknown += table->rows ? 0 : 1;
    is_exact = is_exact && table->is_rows_exact;
  }
  std::string line = counted(tables.size(), "table", "tables");
  if (views > 0) line += ", " + counted(views, "view", "views");
  if (unknown < tables.size()) {
    line += fmt::format("; {}{}", is_exact ? "" : "about ", counted(rows, "row", "rows"));
    if (unknown > 0)
      line += fmt::format(" without those of {}", counted(unknown, "table", "tables"));
  }
  if (!catalogue.is_complete) line += "; there are more than are known here";
  return line;
}

std::vector<std::string> schema_words(const TableFacts& facts) {
  std::map<std::string, std::uint64_t> schemas;
  for (const TableInfo& table : facts.catalogue->tables) ++schemas[table.schema];
  std::vector<std::string> words;
  if (schemas.size() < 2) return words;
  for (const auto& [name, count] : schemas) {
    const bool is_default = name == facts.catalogue->default_schema;
    words.push_back(fmt::format("{} ({}{})", shown_name(name, facts.dialect), format_count(count),
                                is_default ? ", need not be named" : ""));
  }
  return words;
}

std::vector<std::string> table_words(const TableFacts& facts,
                                     const std::vector<const TableInfo*>& tables) {
  std::vector<std::string> words;
  for (const TableInfo* table : tables) {
    words.push_back(shown_table(*table, *facts.catalogue, facts.dialect));
    if (table->rows) words.back() += " " + format_count(*table->rows);
  }
  return words;
}

std::string key_line(const std::vector<const TableInfo*>& tables) {
  std::uint64_t with_key = 0;
  std::uint64_t foreign = 0;
  for (const TableInfo* table : tables) {
    with_key += table->primary_key.empty() ? 0 : 1;
    foreign += table->foreign_keys.size();
  }
  return fmt::format("Keys: {} of {} have a primary key; {}", format_count(with_key),
                     counted(tables.size(), "table", "tables"),
                     counted(foreign, "foreign key", "foreign keys"));
}

}  // namespace

Result<TableFacts> gather_table_facts(const TableSource& tables, const OpContext& context) {
  TableFacts facts;
  facts.info = tables.info();
  facts.dialect = tables.dialect();
  HELVE_ASSIGN(facts.catalogue, tables.catalogue(context));
  return facts;
}

LayerText pack_table_card(const TableFacts& facts, std::size_t budget) {
  const Catalogue& catalogue = *facts.catalogue;
  const auto tables = by_rows(catalogue, false);
  const auto views = by_rows(catalogue, true);
  LayerBuilder builder(budget);
  const std::string engine =
      facts.info.engine.empty() ? std::string(name_of(facts.dialect)) : facts.info.engine;
  builder.add_line("title", fmt::format("{}: SQL database, {}",
                                        elide_end(escape_for_terminal(facts.info.name), kTextWidth),
                                        elide_end(escape_for_terminal(engine), kTextWidth)));
  builder.add_line("size", size_line(catalogue, tables, views.size()));
  if (!facts.info.description.empty()) {
    builder.add_line("description", shown_expression(facts.info.description, kTextWidth));
  }
  if (const auto schemas = schema_words(facts); !schemas.empty()) {
    builder.add_list("schemas", "Schemas (tables and views): ", schemas);
  }
  if (!tables.empty()) {
    builder.add_line("keys", key_line(tables));
    const bool has_rows = tables.front()->rows.has_value();
    builder.add_list("tables",
                     has_rows ? "Tables (rows): " : "Tables: ", table_words(facts, tables));
  }
  if (!views.empty()) builder.add_list("views", "Views: ", table_words(facts, views));
  return std::move(builder).finish();
}

}  // namespace helve::context
