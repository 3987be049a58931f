#include "agent/llm/rules/table_knowledge.h"

#include <algorithm>

#include "base/ascii.h"

namespace helve::llm::rules {

namespace {

// "cheese (farm_id) -> farm, order (cheese_id) -> cheese (id)"
void read_joins(std::string_view rest, Knowledge& known) {
  for (const std::string& part : split(rest, ", ")) {
    const std::size_t open = part.find(" (");
    const std::size_t arrow = part.find(") -> ");
    if (open == std::string::npos || arrow == std::string::npos || arrow < open) continue;
    const std::string to = part.substr(arrow + 5);
    const std::size_t key = to.find(" (");
    ForeignKey foreign{part.substr(open + 2, arrow - open - 2), to.substr(0, key), ""};
    if (key != std::string::npos) foreign.key = to.substr(key + 2, to.find(')') - key - 2);
    known.add_table(foreign.table);
    known.add_table(part.substr(0, open)).foreign_keys.push_back(std::move(foreign));
  }
}

void add_column(Table& table, std::string_view name, std::string_view type) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [name](const Column& one) { return one.name == name; });
  if (found == table.columns.end()) {
    table.columns.push_back({std::string(name), std::string(type)});
  } else if (found->type.empty()) {
    found->type = type;
  }
}

// "cheese (name, farm_id), farm (name)"
void read_column_lists(std::string_view rest, bool are_keys, Knowledge& known) {
  while (!rest.empty()) {
    const std::size_t open = rest.find(" (");
    const std::size_t close = rest.find(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return;
    Table& table = known.add_table(trimmed(rest.substr(0, open)));
    for (const std::string& column : split(rest.substr(open + 2, close - open - 2), ", ")) {
      if (are_keys && table.primary_key.empty()) table.primary_key = column;
      add_column(table, column, "");
    }
    rest = rest.substr(std::min(rest.size(), close + 1));
    if (rest.starts_with(", ")) rest.remove_prefix(2);
  }
}

void learn_table(const ToolReply& reply, Knowledge& known) {
  Table& table = known.add_table(reply.field("table"));
  table.is_inspected = true;
  if (const auto key = reply.field("primary_key"); !key.empty()) table.primary_key = key;
  if (const ReplyTable* const columns = reply.table("columns")) {
    for (std::size_t i = 0; i < columns->rows.size(); ++i) {
      add_column(table, columns->cell(i, "name"), columns->cell(i, "type"));
    }
  }
  // "farm_id -> farm(farm_id), x -> y(z)"
  for (const std::string& part : split(reply.field("foreign_keys"), ", ")) {
    const std::size_t arrow = part.find(" -> ");
    const std::size_t open = part.find('(', arrow == std::string::npos ? 0 : arrow);
    if (arrow == std::string::npos || open == std::string::npos) continue;
    ForeignKey foreign{part.substr(0, arrow), part.substr(arrow + 4, open - arrow - 4),
                       part.substr(open + 1, part.find(')', open) - open - 1)};
    auto& all = table.foreign_keys;
    std::erase_if(all, [&](const ForeignKey& one) { return one.column == foreign.column; });
    all.push_back(std::move(foreign));
  }
}

}  // namespace

void read_table_line(std::string_view line, Knowledge& known) {
  if (const auto rest = behind(line, "Tables: "); !rest.empty()) {
    for (const std::string& name : split(rest, ", ")) {
      if (!name.starts_with('+')) known.add_table(name.substr(0, name.find(' ')));
    }
  }
  if (line.starts_with("Joins")) {
    if (const std::size_t at = line.find(": "); at != std::string_view::npos) {
      read_joins(line.substr(at + 2), known);
    }
  }
  if (line.starts_with("Keys: ") && line.find("have a primary key") == std::string_view::npos) {
    read_column_lists(line.substr(6), true, known);
  }
  const auto rest = behind(line, "Never NULL beside keys: ");
  if (!rest.empty()) read_column_lists(rest, false, known);
  // "cheese.fat REAL (not exact)"
  if (const auto types = behind(line, "Types that need care: "); !types.empty()) {
    for (const std::string& part : split(types, "), ")) {
      const std::size_t dot = part.find('.');
      const std::size_t space = part.find(' ');
      if (dot == std::string::npos || space == std::string::npos || space < dot) continue;
      add_column(known.add_table(part.substr(0, dot)), part.substr(dot + 1, space - dot - 1),
                 part.substr(space + 1, part.find(" (") - space - 1));
    }
  }
}

void learn_tables(const ToolReply& reply, Knowledge& known) {
  if (!reply.field("table").empty()) learn_table(reply, known);
  const ReplyTable* const tables = reply.table("tables");
  for (std::size_t i = 0; tables != nullptr && i < tables->rows.size(); ++i) {
    Table& table = known.add_table(tables->cell(i, "table"));
    if (table.primary_key.empty()) table.primary_key = tables->cell(i, "primary_key");
  }
}

}  // namespace helve::llm::rules
