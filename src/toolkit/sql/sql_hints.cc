#include "toolkit/sql/sql_hints.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/near_names.h"
#include "base/text.h"

namespace helve::toolkit {

namespace {

constexpr std::string_view kNoTable = "no such table: ";
constexpr std::string_view kNoColumn = "no such column: ";
constexpr std::string_view kNoFunction = "no such function: ";
constexpr std::size_t kNamesShown = 20;
constexpr std::size_t kHandlesShown = 5;

std::string shown(const std::vector<std::string_view>& names, std::size_t names_max) {
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), names_max));
  std::string text = fmt::format("{}", fmt::join(names.begin(), end, ", "));
  if (names.size() > names_max) text += fmt::format(" and {} more", names.size() - names_max);
  return text;
}

void suggest(std::string_view name, const std::vector<std::string_view>& candidates, Error& error) {
  for (const std::string_view near : near_names(name, candidates)) {
    error.suggestions.emplace_back(near);
  }
}

void tell_unknown_table(std::string_view name, const std::vector<std::string_view>& known,
                        Error& error) {
  error.code = ErrorCode::NotFound;
  error.message = "there is no such handle of rows";
  error.detail = quote_name(name);
  suggest(name, known, error);
  error.hint = known.empty() ? "there are none yet: make one with a query"
                             : "live handles: " + shown(known, kHandlesShown);
  error.hint += "; query_execute reads the tables of a database";
}

void tell_unknown_column(std::string_view name,
                         const std::vector<std::pair<std::string, const HandleTable*>>& tables,
                         Error& error) {
  error.message = "there is no such column";
  error.detail = quote_name(name);
  if (tables.empty()) {
    error.hint = "write text in single quotes: 'text'";
    return;
  }
  std::vector<std::string_view> all;
  std::string listing;
  for (const auto& [table, columns] : tables) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < columns->data_columns(); ++i) {
      names.push_back(columns->columns()[i].name);
      if (std::find(all.begin(), all.end(), names.back()) == all.end()) all.push_back(names.back());
    }
    listing += fmt::format("; {} has {}", table, shown(names, kNamesShown));
  }
  suggest(name.substr(name.rfind('.') + 1), all, error);  // npos + 1 is 0
  // Names of columns come from sources.
  error.detail += listing;
  error.hint = "use a column listed in detail";
}

}  // namespace

Error with_hints(Error error, const std::vector<std::pair<std::string, const HandleTable*>>& tables,
                 const std::vector<std::string_view>& known_tables) {
  const std::string said = error.detail;
  const std::string_view text = said;
  if (text.starts_with(kNoTable)) {
    tell_unknown_table(text.substr(kNoTable.size()), known_tables, error);
  } else if (text.starts_with(kNoColumn)) {
    tell_unknown_column(text.substr(kNoColumn.size()), tables, error);
  } else if (text.starts_with(kNoFunction)) {
    error.message = "there is no such function";
    error.detail = quote_name(text.substr(kNoFunction.size()));
    error.hint = "use the functions of SQLite, without extensions";
  } else if (error.code == ErrorCode::Denied) {
    if (!error.hint.empty()) error.hint += "; ";
    error.hint += known_tables.empty() ? "there are no handles yet: make one with a query"
                                       : "live handles: " + shown(known_tables, kHandlesShown);
  } else if (error.code == ErrorCode::InvalidInput && error.hint.empty()) {
    error.hint = "the dialect is SQLite's; the tables are the handles";
  }
  return error;
}

}  // namespace helve::toolkit
