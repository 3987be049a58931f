#include "toolkit/context/table_names.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/text.h"

namespace helve::context {

namespace {

constexpr std::size_t kNameWidth = 60;

// Those that people name things after.
constexpr std::array<std::string_view, 48> kWords = {
    "all",    "and",     "as",     "asc",    "between",  "by",         "case",   "check",
    "column", "default", "delete", "desc",   "distinct", "end",        "exists", "for",
    "from",   "grant",   "group",  "having", "in",       "index",      "insert", "into",
    "is",     "join",    "key",    "left",   "like",     "limit",      "not",    "null",
    "offset", "on",      "or",     "order",  "primary",  "references", "right",  "select",
    "table",  "to",      "union",  "update", "user",     "values",     "where",  "with"};
static_assert(std::is_sorted(kWords.begin(), kWords.end()));

}  // namespace

bool needs_quotes(std::string_view name, SqlDialect dialect) {
  const auto is_plain = [&](char c) {
    const bool is_capital = is_upper(c);
    return is_lower(c) || is_digit(c) || c == '_' ||
           (is_capital && dialect != SqlDialect::PostgreSql);
  };
  const bool has_digit_first = !name.empty() && is_digit(name.front());
  return name.empty() || has_digit_first || !std::all_of(name.begin(), name.end(), is_plain) ||
         std::binary_search(kWords.begin(), kWords.end(), ascii_lower(name));
}

std::string shown_name(std::string_view name, SqlDialect dialect) {
  const std::string written =
      needs_quotes(name, dialect) ? quote_name(name, dialect) : std::string(name);
  return elide_end(escape_for_terminal(written), kNameWidth);
}

std::string shown_table(const TableInfo& table, const Catalogue& catalogue, SqlDialect dialect) {
  const std::string name = shown_name(table.name, dialect);
  const bool is_default = table.schema.empty() || table.schema == catalogue.default_schema;
  return is_default ? name : shown_name(table.schema, dialect) + "." + name;
}

std::string shown_expression(std::string_view text, std::size_t width) {
  std::string line;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!is_blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  return elide_end(escape_for_terminal(line), width);
}

}  // namespace helve::context
