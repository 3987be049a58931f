#include "toolkit/tables/time_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/ascii.h"
#include "toolkit/tables/table_probe.h"
#include "toolkit/tables/value_forms.h"

namespace helve::toolkit {

namespace {

constexpr std::uint64_t kColumnsAsked = 3;
constexpr std::size_t kDay = 10;  // yyyy-mm-dd

bool has_t(const SqlValue& value) {
  return value && shape_of(value->value, true).starts_with("9999-99-99T99:99");
}

bool has_blank(const SqlValue& value) {
  return value && shape_of(value->value, true).starts_with("9999-99-99 99:99");
}

const OutlineValue* strange_value(const SqlCondition& condition) {
  const auto found =
      std::find_if(condition.values.begin(), condition.values.end(),
                   [](const OutlineValue& value) { return value.is_text && has_t(value.value); });
  return found == condition.values.end() ? nullptr : &*found;
}

const TableUse* use_of(const SqlCondition& condition, const StatementOutline& outline) {
  if (condition.columns.size() != 1) return nullptr;
  const std::string& qualifier = condition.columns.front().qualifier;
  if (!qualifier.empty()) return outline.find_table(qualifier);
  return outline.tables.size() == 1 ? &outline.tables.front() : nullptr;
}

// Most statements have none, and need not be read.
bool may_have_t(const EmptyStatement& statement) {
  const auto is_met = [](std::string_view text) {
    for (std::size_t at = text.find('T'); at != std::string_view::npos;
         at = text.find('T', at + 1)) {
      if (at > 0 && at + 1 < text.size() && is_digit(text[at - 1]) && is_digit(text[at + 1]))
        return true;
    }
    return false;
  };
  return is_met(statement.sql) ||
         std::any_of(statement.parameters.begin(), statement.parameters.end(),
                     [&](const SqlValue& value) { return value && is_met(value->value); });
}

}  // namespace

std::vector<std::string> strange_times(const EmptyStatement& statement, const OpContext& context) {
  std::vector<std::string> said;
  const SqlDialect dialect = statement.source.dialect();
  if (dialect != SqlDialect::Sqlite || !may_have_t(statement)) return said;
  const auto tokens = read_sql_tokens(statement.sql, dialect);
  if (!tokens) return said;
  const StatementOutline outline = outline_of(*tokens, statement.parameters, dialect);
  TableProbe probe(statement.source, context, kColumnsAsked);
  std::set<std::string_view> asked;
  for (const SqlCondition& condition : outline.conditions) {
    const OutlineValue* value = strange_value(condition);
    const TableUse* use = value == nullptr ? nullptr : use_of(condition, outline);
    if (use == nullptr || use->name.empty()) continue;
    if (!asked.insert(condition.expression.of(statement.sql)).second) continue;
    ProbeText text(statement.sql, *tokens, statement.parameters, dialect);
    text.raw("SELECT ").raw(stored_form_begin(dialect)).span(condition.expression);
    text.raw(stored_form_end(dialect)).raw(" FROM ").span(use->span).raw(" WHERE ");
    text.span(condition.expression).raw(" IS NOT NULL LIMIT 1");
    const auto rows = probe.ask(text.query(1));
    if (!rows || rows->empty() || rows->front().empty() || !has_blank(rows->front().front())) {
      continue;
    }
    std::string meant = value->value->value;
    meant[kDay] = ' ';
    said.push_back(
        fmt::format("{} is stored with a blank, like {}: {} compares as another text; "
                    "write '{}'",
                    condition.expression.of(statement.sql), shown_value(rows->front().front()),
                    shown_value(value->value), meant));
  }
  return said;
}

}  // namespace helve::toolkit
