#include "toolkit/sql/sql_hints.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/near_names.h"

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

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates) {
  const auto near = near_names(name, candidates);
  return near.empty() ? std::string() : fmt::format("did you mean {}? ", fmt::join(near, ", "));
}

Error unknown_table(std::string_view name, const std::vector<std::string_view>& known) {
  Error error{ErrorCode::NotFound, fmt::format("there is no handle of rows '{}'", name)};
  error.hint = known.empty()
                   ? "there are none yet: make one with a query"
                   : did_you_mean(name, known) + "live handles: " + shown(known, kHandlesShown);
  error.hint += "; query_execute reads the tables of a database";
  return error;
}

Error unknown_column(Error error, std::string_view name,
                     const std::vector<std::pair<std::string, const HandleTable*>>& tables) {
  const std::size_t dot = name.rfind('.');
  const std::string_view bare = dot == std::string_view::npos ? name : name.substr(dot + 1);
  std::vector<std::string_view> all;
  std::string listing;
  for (const auto& [table, columns] : tables) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < columns->data_columns(); ++i) {
      names.push_back(columns->columns()[i].name);
      if (std::find(all.begin(), all.end(), names.back()) == all.end()) all.push_back(names.back());
    }
    listing +=
        fmt::format("{}{} has {}", listing.empty() ? "" : "; ", table, shown(names, kNamesShown));
  }
  error.message = fmt::format("there is no column '{}'", name);
  error.hint = did_you_mean(bare, all) + listing;
  if (tables.empty()) error.hint = "texts stand in single quotes: 'text'";
  return error;
}

}  // namespace

Error with_hints(Error error, const std::vector<std::pair<std::string, const HandleTable*>>& tables,
                 const std::vector<std::string_view>& known_tables) {
  const std::string message = error.message;
  const std::string_view text = message;
  if (text.starts_with(kNoTable)) return unknown_table(text.substr(kNoTable.size()), known_tables);
  if (text.starts_with(kNoColumn)) {
    return unknown_column(std::move(error), text.substr(kNoColumn.size()), tables);
  }
  if (text.starts_with(kNoFunction)) {
    error.message = fmt::format("there is no function '{}'", text.substr(kNoFunction.size()));
    error.hint = "use the functions of SQLite, without extensions";
  } else if (error.code == ErrorCode::Denied && text.find("cannot be read") != text.npos) {
    error.hint = known_tables.empty() ? "there are no handles yet: make one with a query"
                                      : "live handles: " + shown(known_tables, kHandlesShown);
  } else if (error.code == ErrorCode::InvalidInput && error.hint.empty()) {
    error.hint = "the dialect is SQLite's; the tables are the handles";
  }
  return error;
}

}  // namespace helve::toolkit
