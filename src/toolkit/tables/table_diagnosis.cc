#include "toolkit/tables/table_diagnosis.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"
#include "base/unicode_fold.h"
#include "toolkit/tables/name_repair.h"
#include "toolkit/tables/statement_outline.h"
#include "toolkit/tables/table_probe.h"
#include "toolkit/tables/value_cause.h"

namespace helve::toolkit {

namespace {

constexpr std::uint64_t kProbesMax = 40;
constexpr std::uint64_t kCountMax = 1'000;
constexpr std::size_t kCausesShown = 3;
constexpr std::size_t kPartChars = 200;

using Conditions = std::vector<const SqlCondition*>;

// Without lengths: varchar(60) is varchar(40).
bool is_same_type(std::string_view a, std::string_view b) {
  return is_same_in_any_case(a.substr(0, a.find('(')), b.substr(0, b.find('(')));
}

class EmptyInquiry {
 public:
  EmptyInquiry(const EmptyStatement& statement, std::vector<SqlToken> tokens,
               const OpContext& context)
      : statement_(statement),
        tokens_(std::move(tokens)),
        dialect_(statement.source.dialect()),
        outline_(outline_of(tokens_, statement.parameters, dialect_)),
        probe_(statement.source, context, kProbesMax) {}

  std::optional<TableDiagnosis> ask() {
    if (!outline_.is_select || outline_.tables.empty()) return std::nullopt;
    std::optional<TableDiagnosis> found = by_itself();
    if (!found) found = empty_table();
    if (!found) found = lone_condition();
    if (!found) found = conditions_of_a_table();
    if (!found) found = whole();
    if (found) found->probes = probe_.asked();
    return found;
  }

 private:
  std::string shown(const SqlSpan& span) const {
    return elide_end(span.of(statement_.sql), kPartChars);
  }
  ProbeText text() const { return {statement_.sql, tokens_, statement_.parameters, dialect_}; }

  TableDiagnosis made(TableCause cause, std::string says, const Conditions& parts = {}) const {
    TableDiagnosis diagnosis;
    diagnosis.cause = cause;
    diagnosis.says = std::move(says);
    for (const SqlCondition* part : parts) diagnosis.parts.push_back(shown(part->span));
    return diagnosis;
  }

  // The use and the table that a column is of.
  struct Place {
    const TableUse* use = nullptr;
    const TableInfo* table = nullptr;
  };
  Place place_of(const ColumnUse& column) const {
    Place found;
    for (const TableUse& use : outline_.tables) {
      const TableInfo* table = table_of(use, outline_, statement_.catalogue);
      const bool is_named = is_same_in_any_case(use.alias, column.qualifier) ||
                            is_same_in_any_case(use.schema + "." + use.name, column.qualifier);
      const bool is_meant = column.qualifier.empty()
                                ? table != nullptr && table->find_column(column.name) != nullptr
                                : is_named;
      if (!is_meant) continue;
      if (found.use != nullptr) return {};
      found = {&use, table};
    }
    return found.table == nullptr || found.table->find_column(column.name) == nullptr ? Place{}
                                                                                      : found;
  }

  // The one table that a condition is about; null: several, or it is not known.
  const TableUse* use_of(const SqlCondition& condition) const {
    const TableUse* use = nullptr;
    for (const ColumnUse& column : condition.columns) {
      const Place place = place_of(column);
      if (place.use == nullptr || (use != nullptr && use != place.use)) return nullptr;
      use = place.use;
    }
    return use;
  }

  void add_where(ProbeText& probe, const Conditions& conditions) const {
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      probe.raw(i == 0 ? " WHERE (" : " AND (").span(conditions[i]->span).raw(")");
    }
  }

  std::optional<bool> exists(const ProbeText& probe) {
    const auto rows = probe_.ask(probe.query(1));
    if (!rows) return std::nullopt;
    return !rows->empty();
  }

  std::optional<bool> exists_in(const TableUse& use, const Conditions& conditions) {
    ProbeText probe = text();
    probe.raw("SELECT 1 FROM ").span(use.span);
    add_where(probe, conditions);
    return exists(probe.raw(" LIMIT 1"));
  }

  // Rows of the whole FROM, counted no further than kCountMax.
  std::optional<std::uint64_t> count(const Conditions& conditions) {
    ProbeText probe = text();
    probe.span(outline_.with).raw("SELECT 1 FROM ").span(outline_.from);
    add_where(probe, conditions);
    const auto rows = probe_.ask(probe.raw(fmt::format(" LIMIT {}", kCountMax)).query(kCountMax));
    if (!rows) return std::nullopt;
    return rows->size();
  }

  Conditions all_conditions() const {
    Conditions all;
    for (const SqlCondition& condition : outline_.conditions) all.push_back(&condition);
    return all;
  }

  // The statement with one condition exchanged, where that gives rows.
  std::string mended(const SqlCondition& condition, const std::string& instead) {
    if (instead.empty() || !statement_.parameters.empty()) return {};
    const auto& conditions = outline_.conditions;
    const bool is_where =
        &condition >= conditions.data() && &condition < conditions.data() + conditions.size();
    if (!is_where) return {};
    ProbeText probe = text();
    probe.span(outline_.with).raw("SELECT 1 FROM ").span(outline_.from).raw(" WHERE (");
    probe.raw(instead).raw(")");
    for (const SqlCondition& other : conditions) {
      if (&other != &condition) probe.raw(" AND (").span(other.span).raw(")");
    }
    if (!exists(probe.raw(" LIMIT 1")).value_or(false)) return {};
    std::string sql(statement_.sql);
    return sql.replace(condition.span.begin, condition.span.end - condition.span.begin, instead);
  }

  // What needs no question.
  std::optional<TableDiagnosis> by_itself() {
    if (outline_.limit == "0") return made(TableCause::FilterRemovesAll, "LIMIT 0 keeps no row.");
    for (const SqlCondition& condition : outline_.conditions) {
      const bool has_null =
          std::any_of(condition.values.begin(), condition.values.end(),
                      [](const OutlineValue& value) { return !value.value.has_value(); });
      const std::string expression = shown(condition.expression);
      if (condition.kind == SqlCondition::Kind::Compare && has_null) {
        const bool is_equal = condition.comparison == "=";
        const std::string instead = fmt::format("{} IS {}NULL", expression, is_equal ? "" : "NOT ");
        TableDiagnosis diagnosis = made(
            TableCause::NullComparison,
            fmt::format("A comparison with NULL is never true: write {}.", instead), {&condition});
        diagnosis.suggestion = mended(condition, instead);
        return diagnosis;
      }
      if (condition.kind == SqlCondition::Kind::In && condition.is_negated && has_null) {
        return made(TableCause::NullComparison,
                    "NOT IN with a NULL in its list is never true: leave the NULL out.",
                    {&condition});
      }
    }
    return std::nullopt;
  }

  std::optional<TableDiagnosis> empty_table() {
    for (const TableUse& use : outline_.tables) {
      if (use.is_outer || table_of(use, outline_, statement_.catalogue) == nullptr) continue;
      if (exists_in(use, {}).value_or(true)) continue;
      TableDiagnosis diagnosis =
          made(TableCause::TableEmpty, fmt::format("{} has no rows at all.", use.name));
      diagnosis.parts = {shown(use.span)};
      return diagnosis;
    }
    return std::nullopt;
  }

  // Where a missing row of an outer join stands for itself, IS NULL means something else.
  static bool is_of_outer(const SqlCondition& condition, const TableUse& use) {
    return use.is_outer && condition.kind != SqlCondition::Kind::Compare &&
           condition.kind != SqlCondition::Kind::In;
  }

  // A condition that no row of its table meets.
  std::optional<TableDiagnosis> lone_condition() {
    std::vector<const SqlCondition*> all = all_conditions();
    for (const SqlCondition& join : outline_.joins) all.push_back(&join);
    for (const SqlCondition* condition : all) {
      const TableUse* use = use_of(*condition);
      if (use == nullptr || condition->columns.empty() || is_of_outer(*condition, *use)) continue;
      if (exists_in(*use, {condition}).value_or(true)) continue;
      const ConditionAtTable at{statement_.sql, tokens_,    statement_.parameters,
                                dialect_,       *condition, use->span};
      auto cause = value_cause(at, probe_);
      if (!cause) {
        return made(TableCause::FilterRemovesAll,
                    fmt::format("No row of {} meets {}.", use->name, shown(condition->span)),
                    {condition});
      }
      cause->diagnosis.suggestion = mended(*condition, cause->mended);
      return std::move(cause->diagnosis);
    }
    return std::nullopt;
  }

  // Conditions that rows of one table meet, but no row meets all of them.
  std::optional<TableDiagnosis> conditions_of_a_table() {
    for (const TableUse& use : outline_.tables) {
      Conditions own;
      for (const SqlCondition& condition : outline_.conditions) {
        if (use_of(condition) == &use && !is_of_outer(condition, use)) own.push_back(&condition);
      }
      if (own.size() < 2 || exists_in(use, own).value_or(true)) continue;
      // The fewest of them that no row meets.
      for (std::size_t i = 0; i < own.size() && own.size() > 2;) {
        Conditions fewer = own;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (exists_in(use, fewer).value_or(true)) {
          ++i;
        } else {
          own = std::move(fewer);
        }
      }
      TableDiagnosis diagnosis =
          made(TableCause::FilterRemovesAll,
               fmt::format("Each of these conditions is met by rows of {}, but no row meets {} of "
                           "them together.",
                           use.name, own.size() == 2 ? "both" : "all"),
               own);
      add_accents(use, own, diagnosis);
      return diagnosis;
    }
    return std::nullopt;
  }

  // A text that the other conditions leave with other accents: Luis and Luís.
  void add_accents(const TableUse& use, const Conditions& own, TableDiagnosis& diagnosis) {
    for (const SqlCondition* condition : own) {
      if (condition->comparison != "=" || condition->values.size() != 1) continue;
      const OutlineValue& wanted = condition->values.front();
      if (!wanted.is_text || !wanted.value) continue;
      Conditions others = own;
      std::erase(others, condition);
      ProbeText probe = text();
      probe.raw("SELECT DISTINCT ").raw(stored_form_begin(dialect_)).span(condition->expression);
      probe.raw(stored_form_end(dialect_)).raw(" FROM ").span(use.span);
      add_where(probe, others);
      const auto rows = probe_.ask(probe.raw(fmt::format(" LIMIT {}", kCountMax)).query(kCountMax));
      if (!rows) return;
      const std::string folded = fold_text(wanted.value->value);
      for (const ProbeRow& row : *rows) {
        if (row.empty() || !row[0] || fold_text(row[0]->value) != folded) continue;
        diagnosis.cause = TableCause::ValueCase;
        diagnosis.says += fmt::format(" With other accents there is {}.", shown_value(row[0]));
        diagnosis.candidates.push_back(shown_value(row[0]));
        std::string instead(condition->span.of(statement_.sql));
        instead.replace(wanted.span.begin - condition->span.begin,
                        wanted.span.end - wanted.span.begin, literal_of(row[0], dialect_));
        diagnosis.suggestion = mended(*condition, instead);
        return;
      }
    }
  }

  bool is_join(const SqlCondition& condition) const {
    return condition.kind == SqlCondition::Kind::Columns && condition.columns.size() == 2 &&
           use_of(condition) == nullptr;
  }

  // Joins, and conditions over several tables.
  std::optional<TableDiagnosis> whole() {
    const Conditions all = all_conditions();
    const auto rows = count(all);
    if (rows && *rows > 0) return behind_where(*rows);
    Conditions joining;
    Conditions filters;
    for (const SqlCondition* condition : all) {
      (is_join(*condition) ? joining : filters).push_back(condition);
    }
    if (outline_.tables.size() > 1) {
      const auto joined = filters.empty() ? rows : count(joining);
      if (joined && *joined == 0) return join_cause(joining);
    }
    if (filters.size() < 2 || !rows) {
      return rows && filters.size() == 1 ? removing(*filters.front(), joining) : std::nullopt;
    }
    for (const SqlCondition* condition : filters) {
      Conditions others = all;
      std::erase(others, condition);
      if (auto found = removing(*condition, others)) return found;
    }
    return made(TableCause::TrulyEmpty,
                "Every condition is met by some rows, and no row meets all of them.", filters);
  }

  std::optional<TableDiagnosis> removing(const SqlCondition& condition, const Conditions& others) {
    const auto kept = count(others);
    if (!kept || *kept == 0) return std::nullopt;
    const std::string many = (*kept == kCountMax ? "at least " : "") + format_count(*kept) +
                             (*kept == 1 ? " row" : " rows");
    std::string says = fmt::format("{}; this condition removes all: {}.",
                                   others.empty() ? "There are " + many : "The others keep " + many,
                                   shown(condition.span));
    if (!is_of_nulls(condition, others)) {
      return made(TableCause::FilterRemovesAll, std::move(says), {&condition});
    }
    says +=
        " It is NULL, neither true nor false: NOT IN with a NULL among its values is never "
        "true. Leave NULLs out of the subquery (WHERE x IS NOT NULL), or write NOT EXISTS.";
    return made(TableCause::NullComparison, std::move(says), {&condition});
  }

  // x NOT IN (SELECT ...) that a NULL makes unknown.
  bool is_of_nulls(const SqlCondition& condition, const Conditions& others) {
    const std::string words = ascii_lower(condition.span.of(statement_.sql));
    if (words.find("not in") == std::string::npos || words.find("select") == std::string::npos) {
      return false;
    }
    ProbeText probe = text();
    probe.span(outline_.with).raw("SELECT 1 FROM ").span(outline_.from);
    add_where(probe, others);
    probe.raw(others.empty() ? " WHERE (" : " AND (").span(condition.span);
    return exists(probe.raw(") IS NULL LIMIT 1")).value_or(false);
  }

  std::optional<TableDiagnosis> behind_where(std::uint64_t rows) const {
    const std::string many = (rows == kCountMax ? "at least " : "") + format_count(rows) +
                             (rows == 1 ? " row" : " rows");
    if (!outline_.having.is_empty()) {
      TableDiagnosis diagnosis =
          made(TableCause::FilterRemovesAll,
               fmt::format("{} meet the WHERE; HAVING removes every group of them.", many));
      diagnosis.parts = {shown(outline_.having)};
      return diagnosis;
    }
    if (outline_.offset.empty() || outline_.offset == "0") return std::nullopt;
    return made(TableCause::FilterRemovesAll,
                fmt::format("There are {}: OFFSET {} is behind the last.", many, outline_.offset));
  }

  std::string written(const Place& place, const std::string& column) const {
    const ColumnInfo* info = place.table->find_column(column);
    return written_name(place.use->alias, dialect_) + "." +
           written_name(info != nullptr ? info->name : column, dialect_);
  }

  std::optional<bool> meet(const Place& left, const Place& right, const std::string& a,
                           const std::string& b) {
    ProbeText probe = text();
    probe.raw("SELECT 1 FROM ").span(left.use->span).raw(", ").span(right.use->span);
    return exists(probe.raw(fmt::format(" WHERE {} = {} LIMIT 1", a, b)));
  }

  std::vector<SqlValue> values_of(const Place& place, const std::string& column) {
    ProbeText probe = text();
    probe.raw(fmt::format("SELECT DISTINCT {}{}{} FROM ", stored_form_begin(dialect_), column,
                          stored_form_end(dialect_)));
    probe.span(place.use->span);
    probe.raw(fmt::format(" WHERE {} IS NOT NULL LIMIT {}", column, kCausesShown));
    std::vector<SqlValue> values;
    const auto rows = probe_.ask(probe.query(kCausesShown));
    if (!rows) return values;
    for (const ProbeRow& row : *rows) {
      if (!row.empty()) values.push_back(row[0]);
    }
    return values;
  }

  static std::string like(const std::vector<SqlValue>& values) {
    if (values.empty()) return "no values";
    std::string list = "values like ";
    for (std::size_t i = 0; i < values.size(); ++i) {
      list += (i > 0 ? ", " : "") + shown_value(values[i]);
    }
    return list;
  }

  std::optional<TableDiagnosis> join_cause(const Conditions& joining) {
    Conditions all = joining;
    for (const SqlCondition& join : outline_.joins) {
      if (is_join(join)) all.push_back(&join);
    }
    for (const SqlCondition* condition : all) {
      if (condition->comparison != "=") continue;
      const Place left = place_of(condition->columns[0]);
      const Place right = place_of(condition->columns[1]);
      if (left.use == nullptr || right.use == nullptr) continue;
      const std::string a = written(left, condition->columns[0].name);
      const std::string b = written(right, condition->columns[1].name);
      if (meet(left, right, a, b).value_or(true)) continue;
      return mismatch(*condition, left, right, a, b);
    }
    if (all.empty()) return std::nullopt;
    return made(TableCause::TrulyEmpty,
                "Each two tables have rows that join, all of them together have none.", all);
  }

  TableDiagnosis mismatch(const SqlCondition& condition, const Place& left, const Place& right,
                          const std::string& a, const std::string& b) {
    const ColumnInfo* first = left.table->find_column(condition.columns[0].name);
    const ColumnInfo* second = right.table->find_column(condition.columns[1].name);
    std::string says = fmt::format("The join keys have no value in common: {} has {}, {} has {}", a,
                                   like(values_of(left, a)), b, like(values_of(right, b)));
    if (first != nullptr && second != nullptr && !is_same_type(first->type, second->type)) {
      says += fmt::format("; their types are {} and {}", first->type, second->type);
    }
    TableDiagnosis diagnosis = made(TableCause::JoinMismatch, says + ".", {&condition});
    add_keys(left, right, diagnosis);
    add_keys(right, left, diagnosis);
    return diagnosis;
  }

  // How foreign keys would join them.
  void add_keys(const Place& from, const Place& to, TableDiagnosis& diagnosis) const {
    for (const ForeignKeyInfo& key : from.table->foreign_keys) {
      if (!is_same_in_any_case(key.table, to.table->name)) continue;
      std::string join;
      for (std::size_t i = 0; i < std::min(key.columns.size(), key.other_columns.size()); ++i) {
        join += (i > 0 ? " AND " : "") + written(from, key.columns[i]) + " = " +
                written(to, key.other_columns[i]);
      }
      if (!join.empty()) diagnosis.candidates.push_back(std::move(join));
    }
  }

  const EmptyStatement& statement_;
  std::vector<SqlToken> tokens_;
  SqlDialect dialect_;
  StatementOutline outline_;
  TableProbe probe_;
};

}  // namespace

std::string_view name_of(TableCause cause) {
  switch (cause) {
    case TableCause::TableEmpty:
      return "table_empty";
    case TableCause::ValueCase:
      return "value_case";
    case TableCause::ValueSpace:
      return "value_space";
    case TableCause::ValueType:
      return "value_type";
    case TableCause::ValueFormat:
      return "value_format";
    case TableCause::ValueUnknown:
      return "value_unknown";
    case TableCause::OutOfRange:
      return "out_of_range";
    case TableCause::PatternMismatch:
      return "pattern_mismatch";
    case TableCause::NullComparison:
      return "null_comparison";
    case TableCause::NoNulls:
      return "no_nulls";
    case TableCause::JoinMismatch:
      return "join_mismatch";
    case TableCause::FilterRemovesAll:
      return "filter_removes_all";
    case TableCause::TrulyEmpty:
      return "truly_empty";
  }
  return "";
}

std::optional<TableDiagnosis> diagnose_empty_rows(const EmptyStatement& statement,
                                                  const OpContext& context) {
  auto tokens = read_sql_tokens(statement.sql, statement.source.dialect());
  if (!tokens) return std::nullopt;
  return EmptyInquiry(statement, *std::move(tokens), context).ask();
}

}  // namespace helve::toolkit
