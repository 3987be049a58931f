// Statements of SQL, written from a sketch whose classes are tables and whose properties are
// columns ("table.column"). Tables are joined by their foreign keys.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/llm/rules/knowledge.h"
#include "agent/llm/rules/sketch.h"
#include "agent/llm/rules/sparql_text.h"

namespace helve::llm::rules {

// A thing of a sketch: which column has which value. Written as "table.column=value".
struct Place {
  std::string table;
  std::string column;
  std::string value;
};
Place read_place(std::string_view thing);

// Columns that name a row for people; at most two.
std::vector<std::string> name_columns(const Table& table);

// Nothing where the tables are not joined by keys, or nothing is asked for.
std::optional<std::string> sql_text(const Sketch& sketch, const Reading& reading,
                                    const Knowledge& known);

std::string sql_name(const std::string& name);  // in quotes where it is a word of the language
std::string sql_quoted(std::string_view text);  // 'it''s'

}  // namespace helve::llm::rules
