#include "toolkit/tables/known_functions.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "toolkit/tables/name_distance.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kNamesMax = 4;

constexpr std::string_view kCommon =
    "abs avg coalesce count exp floor ln log lower ltrim max min nullif power rank dense_rank "
    "row_number lag lead first_value last_value replace round rtrim sign sqrt sum trim upper";
constexpr std::string_view kSqlite =
    "ceil char concat date datetime group_concat hex ifnull iif instr json_extract json_each "
    "julianday length printf quote random strftime substr time total typeof unicode unixepoch";
constexpr std::string_view kPostgres =
    "age array_agg ceil char_length concat concat_ws date_part date_trunc extract initcap left "
    "length lpad make_date mod now position random regexp_replace repeat reverse right rpad "
    "split_part string_agg strpos substr substring to_char to_date to_number to_timestamp unnest";
constexpr std::string_view kMysql =
    "ceil char_length concat concat_ws curdate date date_add date_format date_sub datediff day "
    "extract field find_in_set group_concat hour if ifnull instr json_extract left length locate "
    "lpad mod month now quarter rand repeat reverse right rpad str_to_date substr substring "
    "substring_index timestampdiff truncate week weekday year";

struct Instead {
  std::string_view name;                     // as others call it
  std::string_view sqlite, postgres, mysql;  // empty: it is there
};
constexpr std::array kInstead = {
    Instead{"now", "datetime('now')", "", ""},
    Instead{"getdate", "datetime('now')", "now()", "now()"},
    Instead{"curdate", "date('now')", "current_date", ""},
    Instead{"year", "strftime('%Y', x)", "extract(year from x)", ""},
    Instead{"month", "strftime('%m', x)", "extract(month from x)", ""},
    Instead{"day", "strftime('%d', x)", "extract(day from x)", ""},
    Instead{"extract", "strftime('%Y', x)", "", ""},
    Instead{"date_trunc", "strftime('%Y-%m-01', x)", "", "date_format(x, '%Y-%m-01')"},
    Instead{"date_format", "strftime('%Y-%m', x)", "to_char(x, 'YYYY-MM')", ""},
    Instead{"strftime", "", "to_char(x, 'YYYY-MM')", "date_format(x, '%Y-%m')"},
    Instead{"to_char", "strftime('%Y-%m', x)", "", "date_format(x, '%Y-%m')"},
    Instead{"to_date", "date(x)", "", "str_to_date(x, '%Y-%m-%d')"},
    Instead{"datediff", "julianday(a) - julianday(b)", "a::date - b::date", ""},
    Instead{"julianday", "", "a::date - b::date", "datediff(a, b)"},
    Instead{"ifnull", "", "coalesce(x, y)", ""},
    Instead{"isnull", "x IS NULL", "x IS NULL", ""},
    Instead{"nvl", "coalesce(x, y)", "coalesce(x, y)", "coalesce(x, y)"},
    Instead{"iif", "", "CASE WHEN c THEN x ELSE y END", "if(c, x, y)"},
    Instead{"if", "iif(c, x, y)", "CASE WHEN c THEN x ELSE y END", ""},
    Instead{"concat", "a || b", "", ""},
    Instead{"len", "length(x)", "length(x)", "length(x)"},
    Instead{"left", "substr(x, 1, n)", "", ""},
    Instead{"right", "substr(x, -n)", "", ""},
    Instead{"string_agg", "group_concat(x, ', ')", "", "group_concat(x SEPARATOR ', ')"},
    Instead{"group_concat", "", "string_agg(x, ', ')", ""},
    Instead{"array_agg", "json_group_array(x)", "", "json_arrayagg(x)"},
    Instead{"rand", "random()", "random()", ""},
    Instead{"strpos", "instr(x, y)", "", "locate(y, x)"},
    Instead{"instr", "", "strpos(x, y)", ""},
    Instead{"regexp_matches", "x LIKE '%...%'", "", "x REGEXP '...'"},
    Instead{"median", "", "percentile_cont(0.5) WITHIN GROUP (ORDER BY x)", ""},
};

std::string_view own_names(SqlDialect dialect) {
  switch (dialect) {
    case SqlDialect::Sqlite:
      return kSqlite;
    case SqlDialect::PostgreSql:
      return kPostgres;
    case SqlDialect::MySql:
      return kMysql;
  }
  return {};
}

std::string_view said_in(const Instead& instead, SqlDialect dialect) {
  switch (dialect) {
    case SqlDialect::Sqlite:
      return instead.sqlite;
    case SqlDialect::PostgreSql:
      return instead.postgres;
    case SqlDialect::MySql:
      return instead.mysql;
  }
  return {};
}

}  // namespace

FunctionAdvice advise_function(std::string_view name, SqlDialect dialect) {
  FunctionAdvice advice;
  name = name.substr(0, name.find('('));
  const auto* known = std::find_if(kInstead.begin(), kInstead.end(), [&](const Instead& one) {
    return is_same_in_any_case(one.name, name);
  });
  if (known != kInstead.end()) advice.instead = said_in(*known, dialect);
  const NameToCompare wanted(name);
  std::vector<std::pair<double, std::string_view>> near;
  for (std::string_view rest : {kCommon, own_names(dialect)}) {
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      const auto distance = wanted.distance_to(rest.substr(0, end));
      if (distance && *distance > 0) near.emplace_back(*distance, rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  std::sort(near.begin(), near.end());
  for (std::size_t i = 0; i < std::min(near.size(), kNamesMax); ++i) {
    advice.names.emplace_back(near[i].second);
  }
  return advice;
}

}  // namespace helve::toolkit
