#include "toolkit/tables/name_repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/ascii.h"
#include "toolkit/tables/known_functions.h"
#include "toolkit/tables/name_distance.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kSuggestionsMax = 6;
constexpr std::size_t kRepairTablesMax = 4;
constexpr double kOtherUse = 0.3;      // a table of the statement, but not the one that was named
constexpr double kRelatedTable = 0.5;  // a foreign key away from those of the statement
constexpr double kUnrelatedTable = 0.8;

struct Suggestion {
  double cost = 0;
  std::string written;
  const TableInfo* table = nullptr;
};

// The nearest, each once.
std::vector<Suggestion> best_of(std::vector<Suggestion> all) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Suggestion& a, const Suggestion& b) { return a.cost < b.cost; });
  std::vector<Suggestion> best;
  std::set<std::string> taken;
  for (Suggestion& one : all) {
    if (best.size() == kSuggestionsMax) break;
    if (taken.insert(one.written).second) best.push_back(std::move(one));
  }
  return best;
}

// Bare names that a statement may not use.
bool is_reserved(std::string_view name) {
  constexpr std::array<std::string_view, 24> kWords = {
      "all",  "and",    "as",    "by",     "case",  "check", "column", "default",
      "desc", "end",    "from",  "group",  "in",    "index", "key",    "limit",
      "not",  "offset", "order", "select", "table", "to",    "user",   "where"};
  return std::binary_search(kWords.begin(), kWords.end(), ascii_lower(name));
}

void add_new(std::vector<const TableInfo*>& tables, const TableInfo* table) {
  if (table == nullptr || tables.size() >= kRepairTablesMax) return;
  if (std::find(tables.begin(), tables.end(), table) == tables.end()) tables.push_back(table);
}

class ColumnRepair {
 public:
  ColumnRepair(std::string_view name, const StatementOutline& outline, const Catalogue& catalogue,
               SqlDialect dialect)
      : outline_(outline), catalogue_(catalogue), dialect_(dialect) {
    const std::size_t dot = name.rfind('.');
    name_ = name.substr(dot == std::string_view::npos ? 0 : dot + 1);
    if (dot != std::string_view::npos) qualifier_ = name.substr(0, dot);
    const std::size_t schema = qualifier_.rfind('.');
    if (schema != std::string::npos && outline.find_table(qualifier_) == nullptr) {
      qualifier_ = qualifier_.substr(schema + 1);
    }
    use_ = qualifier_.empty() ? nullptr : outline.find_table(qualifier_);
  }

  NameRepair repair() {
    NameRepair repair;
    const NameToCompare wanted(name_);
    touched_ = touched_tables(outline_, catalogue_);
    for (const TableInfo* table : touched_) add_new(repair.tables, table);
    add_touched(wanted);
    add_others(wanted);
    add_misnamed_tables(repair);
    std::vector<Suggestion> best = best_of(std::move(all_));
    drop_far(best);
    for (Suggestion& one : best) {
      repair.did_you_mean.push_back(std::move(one.written));
    }
    if (!best.empty()) add_new(repair.tables, best.front().table);
    if (repair.hint.empty()) repair.hint = hint_of(best);
    return repair;
  }

 private:
  // How a column of a use is written, as short as it is clear.
  std::string written(const TableUse& use, const ColumnInfo& column) const {
    const std::string name = written_name(column.name, dialect_);
    const bool is_clear = qualifier_.empty() && uses_with(column.name) < 2;
    return is_clear ? name : written_name(use.alias, dialect_) + "." + name;
  }

  std::size_t uses_with(std::string_view column) const {
    std::size_t uses = 0;
    for (const TableUse& use : outline_.all_tables) {
      const TableInfo* table = table_of(use, outline_, catalogue_);
      if (table != nullptr && table->find_column(column) != nullptr) ++uses;
    }
    return uses;
  }

  void add_touched(const NameToCompare& wanted) {
    for (const TableUse& use : outline_.all_tables) {
      const TableInfo* table = table_of(use, outline_, catalogue_);
      if (table == nullptr) continue;
      const double more = use_ != nullptr && use_ != &use ? kOtherUse : 0;
      for (const ColumnInfo& column : table->columns) {
        if (const auto distance = wanted.distance_to(column.name)) {
          all_.push_back({*distance + more, written(use, column), table});
        }
      }
    }
  }

  bool is_related(const TableInfo& table) const {
    const auto refers_to = [](const TableInfo& from, const TableInfo& to) {
      return std::any_of(
          from.foreign_keys.begin(), from.foreign_keys.end(),
          [&](const ForeignKeyInfo& key) { return is_same_in_any_case(key.table, to.name); });
    };
    return std::any_of(touched_.begin(), touched_.end(), [&](const TableInfo* one) {
      return refers_to(*one, table) || refers_to(table, *one);
    });
  }

  // Of each name that other tables have, the best place.
  void add_others(const NameToCompare& wanted) {
    std::map<std::string, Suggestion> best;
    for (const TableInfo& table : catalogue_.tables) {
      if (std::find(touched_.begin(), touched_.end(), &table) != touched_.end()) continue;
      const double more = is_related(table) ? kRelatedTable : kUnrelatedTable;
      for (const ColumnInfo& column : table.columns) {
        const auto distance = wanted.distance_to(column.name);
        if (!distance) continue;
        const auto [found, is_new] = best.try_emplace(ascii_lower(column.name));
        if (!is_new && found->second.cost <= *distance + more) continue;
        found->second = {
            *distance + more,
            written_table(table, catalogue_, dialect_) + "." + written_name(column.name, dialect_),
            &table};
      }
    }
    for (auto& [name, suggestion] : best) all_.push_back(std::move(suggestion));
  }

  // Where a table of the statement has a near name, others help only if they have as near a one.
  void drop_far(std::vector<Suggestion>& best) const {
    const auto is_touched = [&](const TableInfo* table) {
      return std::find(touched_.begin(), touched_.end(), table) != touched_.end();
    };
    if (best.empty() || !is_touched(best.front().table)) return;
    const double most = best.front().cost + kUnrelatedTable;
    std::erase_if(best,
                  [&](const Suggestion& one) { return !is_touched(one.table) && one.cost > most; });
  }

  // The qualifier is wrong: a table that has another alias here, or a misspelt one.
  void add_misnamed_tables(NameRepair& repair) {
    if (qualifier_.empty() || use_ != nullptr) return;
    const NameToCompare wanted(qualifier_);
    const NameToCompare column_wanted(name_);
    for (const TableUse& use : outline_.all_tables) {
      const TableInfo* table = table_of(use, outline_, catalogue_);
      const bool is_renamed = is_same_in_any_case(use.name, qualifier_);
      const auto distance = is_renamed ? std::optional(0.0) : wanted.distance_to(use.alias);
      if (!distance || table == nullptr) continue;
      if (is_renamed) {
        repair.hint = fmt::format("the statement calls {} by the name {}: write {}.{}", qualifier_,
                                  use.alias, use.alias, name_);
      }
      for (const ColumnInfo& column : table->columns) {
        if (const auto more = column_wanted.distance_to(column.name)) {
          all_.push_back({(*distance + *more) / 2, written(use, column), table});
        }
      }
    }
  }

  std::string hint_of(const std::vector<Suggestion>& best) const {
    if (best.empty()) {
      return "write text in single quotes: 'text'; schema_inspect action=search pattern=WORD "
             "looks "
             "for columns";
    }
    const bool is_elsewhere =
        best.front().table != nullptr &&
        std::find(touched_.begin(), touched_.end(), best.front().table) == touched_.end();
    if (is_elsewhere) {
      return "the column is of a table that the statement does not read: join it, or take another "
             "of did_you_mean";
    }
    return "take one of did_you_mean; schema_fragment has the columns of the tables that the "
           "statement reads";
  }

  const StatementOutline& outline_;
  const Catalogue& catalogue_;
  SqlDialect dialect_;
  std::string name_;
  std::string qualifier_;
  const TableUse* use_ = nullptr;
  std::vector<const TableInfo*> touched_;
  std::vector<Suggestion> all_;
};

NameRepair repair_table(std::string_view name, const StatementOutline& outline,
                        const Catalogue& catalogue, SqlDialect dialect) {
  NameRepair repair;
  std::vector<Suggestion> all;
  const NameToCompare wanted(name);
  for (const std::string& defined : outline.defined) {
    const auto distance = wanted.distance_to(defined);
    if (distance && *distance > 0) all.push_back({*distance, written_name(defined, dialect)});
  }
  // A qualifier of columns that no table of the statement has.
  for (const TableUse& use : outline.all_tables) {
    const bool is_alias = !use.alias.empty() && use.alias != use.name;
    const auto distance = is_alias ? wanted.distance_to(use.alias) : std::nullopt;
    if (distance && *distance > 0) all.push_back({*distance, written_name(use.alias, dialect)});
  }
  for (const TableInfo* table : near_tables(name, catalogue, kSuggestionsMax)) {
    const std::string_view last = name.substr(name.rfind('.') + 1);  // npos + 1 is 0
    const double cost = std::min(wanted.distance_to(table->name).value_or(10),
                                 NameToCompare(last).distance_to(table->name).value_or(10));
    all.push_back({cost, written_table(*table, catalogue, dialect), table});
  }
  for (Suggestion& one : best_of(std::move(all))) {
    repair.did_you_mean.push_back(std::move(one.written));
    if (repair.tables.size() < 2) add_new(repair.tables, one.table);
  }
  for (const TableInfo* table : touched_tables(outline, catalogue)) add_new(repair.tables, table);
  repair.hint = repair.did_you_mean.empty()
                    ? "schema_inspect lists the tables there are"
                    : "take one of did_you_mean; schema_inspect lists the tables there are";
  return repair;
}

NameRepair repair_function(std::string_view name, const StatementOutline& outline,
                           const Catalogue& catalogue, SqlDialect dialect) {
  NameRepair repair;
  FunctionAdvice advice = advise_function(name, dialect);
  if (!advice.instead.empty()) repair.did_you_mean.push_back(advice.instead);
  for (std::string& one : advice.names) repair.did_you_mean.push_back(std::move(one));
  repair.hint = advice.instead.empty()
                    ? fmt::format("use the functions of {}", name_of(dialect))
                    : fmt::format("in {} it is written {}", name_of(dialect), advice.instead);
  repair.tables = touched_tables(outline, catalogue);
  return repair;
}

}  // namespace

std::string written_name(std::string_view name, SqlDialect dialect) {
  const auto is_plain = [&](char c) {
    return is_lower(c) || c == '_' || is_digit(c) ||
           (is_upper(c) && dialect != SqlDialect::PostgreSql);
  };
  const bool is_bare = !name.empty() && !is_digit(name.front()) &&
                       std::all_of(name.begin(), name.end(), is_plain) && !is_reserved(name);
  return is_bare ? std::string(name) : quote_name(name, dialect);
}

std::string written_table(const TableInfo& table, const Catalogue& catalogue, SqlDialect dialect) {
  std::string name = written_name(table.name, dialect);
  if (table.schema.empty() || is_same_in_any_case(table.schema, catalogue.default_schema)) {
    return name;
  }
  return written_name(table.schema, dialect) + "." + name;
}

std::string plain_table(const TableInfo& table, const Catalogue& catalogue) {
  const bool is_default =
      table.schema.empty() || is_same_in_any_case(table.schema, catalogue.default_schema);
  return is_default ? table.name : table.schema + "." + table.name;
}

const TableInfo* table_of(const TableUse& use, const StatementOutline& outline,
                          const Catalogue& catalogue) {
  if (use.name.empty()) return nullptr;
  const bool is_defined =
      use.schema.empty() &&
      std::any_of(outline.defined.begin(), outline.defined.end(),
                  [&](const std::string& name) { return is_same_in_any_case(name, use.name); });
  if (is_defined) return nullptr;
  return catalogue.find(use.schema.empty() ? use.name : use.schema + "." + use.name);
}

std::vector<const TableInfo*> touched_tables(const StatementOutline& outline,
                                             const Catalogue& catalogue) {
  std::vector<const TableInfo*> tables;
  for (const TableUse& use : outline.all_tables) {
    const TableInfo* table = table_of(use, outline, catalogue);
    if (table == nullptr || std::find(tables.begin(), tables.end(), table) != tables.end()) {
      continue;
    }
    tables.push_back(table);
  }
  return tables;
}

std::vector<const TableInfo*> near_tables(std::string_view name, const Catalogue& catalogue,
                                          std::size_t most) {
  const std::size_t dot = name.rfind('.');
  const NameToCompare whole(name);
  const NameToCompare last(dot == std::string_view::npos ? name : name.substr(dot + 1));
  const std::string_view schema = dot == std::string_view::npos ? "" : name.substr(0, dot);
  constexpr double kOtherSchema = 0.3;
  std::vector<std::pair<double, const TableInfo*>> found;
  for (const TableInfo& table : catalogue.tables) {
    const bool is_other = !schema.empty() && !is_same_in_any_case(schema, table.schema);
    auto distance = last.distance_to(table.name);
    if (distance && is_other) *distance += kOtherSchema;
    const auto of_whole =
        whole.distance_to(table.schema.empty() ? table.name : table.schema + "." + table.name);
    if (of_whole && *of_whole < distance.value_or(*of_whole + 1)) distance = of_whole;
    if (distance) found.emplace_back(*distance, &table);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const TableInfo*> tables;
  for (std::size_t i = 0; i < std::min(most, found.size()); ++i) tables.push_back(found[i].second);
  return tables;
}

NameRepair repair_name(const SqlProblem& problem, const StatementOutline& outline,
                       const Catalogue& catalogue, SqlDialect dialect) {
  switch (problem.kind) {
    case SqlProblem::Kind::UnknownTable:
      return repair_table(problem.name, outline, catalogue, dialect);
    case SqlProblem::Kind::UnknownColumn:
      return ColumnRepair(problem.name, outline, catalogue, dialect).repair();
    case SqlProblem::Kind::UnknownFunction:
      return repair_function(problem.name, outline, catalogue, dialect);
    default:
      return {};
  }
}

}  // namespace helve::toolkit
