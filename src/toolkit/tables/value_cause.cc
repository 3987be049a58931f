#include "toolkit/tables/value_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "base/text.h"
#include "base/unicode_case.h"
#include "base/unicode_fold.h"
#include "sources/rdf/vocabulary.h"
#include "toolkit/tables/name_distance.h"
#include "toolkit/tables/value_forms.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kValuesShown = 5;
constexpr std::uint64_t kNearMax = 2'000;   // different values among which the nearest are sought
constexpr std::size_t kValuesAsked = 4;     // of an IN list
constexpr std::size_t kTextBytesMax = 200;  // longer texts have no near ones

std::optional<double> number_of(const SqlValue& value) {
  if (!value) return std::nullopt;
  double number = 0;
  const std::string_view text = value->value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_typed_number(const SqlValue& value) {
  return value && (value->datatype == rdf::kXsdInteger || value->datatype == rdf::kXsdDecimal ||
                   value->datatype == rdf::kXsdDouble);
}

// What stands between marks of any text.
std::string escaped_pattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '!') pattern += '!';
    pattern += c;
  }
  return pattern;
}

SqlValue text_of(std::string_view text) { return rdf::Term(rdf::TermView::literal(text)); }

class ValueInquiry {
 public:
  ValueInquiry(const ConditionAtTable& at, TableProbe& probe)
      : at_(at),
        probe_(probe),
        expression_(at.condition.expression.of(at.sql)),
        written_(std::string(at.condition.span.of(at.sql))) {}

  std::optional<ValueCause> ask() {
    using Kind = SqlCondition::Kind;
    const SqlCondition& condition = at_.condition;
    switch (condition.kind) {
      case Kind::IsNull:
      case Kind::IsNotNull:
        return about_nulls();
      case Kind::Like:
        return condition.is_negated ? std::nullopt : about_pattern();
      case Kind::In:
        return condition.is_negated ? about_exclusion() : about_values();
      case Kind::Between:
        return condition.is_negated ? std::nullopt : about_range();
      case Kind::Compare:
        if (condition.comparison == "=") return about_values();
        if (condition.comparison == "<>") return about_exclusion();
        return about_range();
      default:
        return std::nullopt;
    }
  }

 private:
  ProbeText text() const { return {at_.sql, at_.tokens, at_.parameters, at_.dialect}; }
  // SELECT [DISTINCT] expression FROM table WHERE
  ProbeText select(bool is_distinct = true) const {
    ProbeText probe = text();
    stored(probe.raw(is_distinct ? "SELECT DISTINCT " : "SELECT "));
    probe.raw(" FROM ").span(at_.table).raw(" WHERE ");
    return probe;
  }
  // The expression so that its value comes as a statement has to write it.
  ProbeText& stored(ProbeText& probe) const {
    return probe.raw(stored_form_begin(at_.dialect))
        .span(at_.condition.expression)
        .raw(stored_form_end(at_.dialect));
  }
  ProbeText& as_text(ProbeText& probe) const {
    return probe.raw("CAST(")
        .span(at_.condition.expression)
        .raw(at_.dialect == SqlDialect::MySql ? " AS CHAR)" : " AS TEXT)");
  }

  std::vector<SqlValue> column_of(const ProbeText& probe, std::uint64_t rows_max) {
    std::vector<SqlValue> values;
    const auto rows = probe_.ask(probe.query(rows_max));
    if (!rows) return values;
    for (const ProbeRow& row : *rows) {
      if (!row.empty() && row[0]) values.push_back(row[0]);
    }
    return values;
  }

  std::vector<SqlValue> some_values(std::uint64_t rows_max) {
    ProbeText probe = select();
    probe.span(at_.condition.expression).raw(fmt::format(" IS NOT NULL LIMIT {}", rows_max));
    return column_of(probe, rows_max);
  }

  static std::string listed(const std::vector<SqlValue>& values) {
    std::string list;
    for (std::size_t i = 0; i < std::min(values.size(), kValuesShown); ++i) {
      list += (i > 0 ? ", " : "") + shown_value(values[i]);
    }
    return list;
  }

  ValueCause cause(TableCause kind, std::string says, const std::vector<SqlValue>& candidates = {},
                   std::string mended = {}) const {
    ValueCause found;
    found.diagnosis.cause = kind;
    found.diagnosis.says = std::move(says);
    found.diagnosis.parts = {elide_end(written_, 200)};
    for (std::size_t i = 0; i < std::min(candidates.size(), kValuesShown); ++i) {
      found.diagnosis.candidates.push_back(shown_value(candidates[i]));
    }
    found.mended = std::move(mended);
    return found;
  }

  // The condition with one of its values exchanged.
  std::string with_value(const OutlineValue& value, const SqlValue& other) const {
    std::string mended = written_;
    const std::size_t begin = value.span.begin - at_.condition.span.begin;
    return mended.replace(begin, value.span.end - value.span.begin, literal_of(other, at_.dialect));
  }

  std::optional<ValueCause> about_nulls() {
    const bool is_null = at_.condition.kind == SqlCondition::Kind::IsNull;
    if (!is_null) {
      return cause(TableCause::NoNulls, fmt::format("Every {} is NULL.", expression_));
    }
    ProbeText probe = select(false);
    as_text(probe).raw(" = '' LIMIT 1");
    if (!column_of(probe, 1).empty()) {
      return cause(
          TableCause::NoNulls,
          fmt::format("No {0} is NULL, but there are empty texts: ask for {0} = ''.", expression_),
          {text_of("")}, fmt::format("{} = ''", expression_));
    }
    return cause(TableCause::NoNulls, fmt::format("No {} is NULL.", expression_));
  }

  std::optional<ValueCause> about_exclusion() {
    return cause(TableCause::FilterRemovesAll,
                 fmt::format("Every row has a value that {} leaves out, or NULL.",
                             elide_end(written_, 120)));
  }

  // = and IN.
  std::optional<ValueCause> about_values() {
    std::optional<ValueCause> found;
    std::size_t asked = 0;
    for (const OutlineValue& value : at_.condition.values) {
      if (!value.value || asked++ == kValuesAsked) continue;
      auto one =
          value.is_text || !is_typed_number(value.value) ? about_text(value) : about_number(value);
      if (!one) continue;
      const bool is_clear = one->diagnosis.cause != TableCause::ValueUnknown;
      if (is_clear || !found) found = std::move(one);
      if (is_clear) break;
    }
    const std::size_t given = at_.condition.values.size();
    if (given > 1 && found && found->diagnosis.cause == TableCause::ValueUnknown) {
      found->diagnosis.says = fmt::format("{} has none of the {} values. {}", expression_,
                                          format_count(given), found->diagnosis.says);
    }
    return found;
  }

  std::optional<ValueCause> about_text(const OutlineValue& value) {
    const std::string& wanted = value.value->value;
    if (auto found = in_other_form(value)) return found;
    if (auto found = about_format(value)) return found;
    if (auto found = about_truth(value)) return found;
    const std::string_view words = trimmed(wanted);
    if (words.empty() || words.size() > kTextBytesMax) return nearest(value);
    const std::string pattern = "%" + escaped_pattern(words) + "%";
    ProbeText probe = select();
    probe.raw("LOWER(");
    as_text(probe).raw(") LIKE LOWER(").value(text_of(pattern)).raw(") ESCAPE '!' LIMIT 6");
    const std::vector<SqlValue> values = column_of(probe, kValuesShown + 1);
    if (values.empty()) return nearest(value);
    return cause(TableCause::ValueUnknown,
                 fmt::format("No {} is {}; values that have it within them: {}.", expression_,
                             shown_value(value.value), listed(values)),
                 values, with_value(value, values.front()));
  }

  // In other letters, with blanks around, as a number.
  std::optional<ValueCause> in_other_form(const OutlineValue& value) {
    ProbeText probe = select();
    probe.raw("LOWER(TRIM(");
    as_text(probe).raw(")) = LOWER(TRIM(").value(text_of(value.value->value)).raw(")) LIMIT 5");
    const std::vector<SqlValue> values = column_of(probe, kValuesShown);
    if (values.empty()) return std::nullopt;
    const std::string& wanted = value.value->value;
    const std::string& there = values.front()->value;
    TableCause kind = TableCause::ValueCase;
    const char* how = "in other letters";
    if (there == wanted) {
      kind = TableCause::ValueType;
      how = is_typed_number(values.front()) ? "as a number" : "as a text";
    } else if (there.size() != wanted.size() && trimmed(there) == trimmed(wanted)) {
      kind = TableCause::ValueSpace;
      how = "with other blanks around";
    }
    return cause(kind,
                 fmt::format("No {} is {}, but the value is there {}: {}.", expression_,
                             shown_value(value.value), how, listed(values)),
                 values, with_value(value, values.front()));
  }

  // Dates in another notation; days where there are times too.
  std::optional<ValueCause> about_format(const OutlineValue& value) {
    if (!value.is_text || !is_like_date(value.value->value)) return std::nullopt;
    // SQLite compares texts: a T is no blank.
    const bool is_text = at_.dialect == SqlDialect::Sqlite;
    const std::vector<SqlValue> values = some_values(kValuesShown);
    const std::string wanted = shape_of(value.value->value, is_text);
    const bool is_all_other =
        !values.empty() && std::all_of(values.begin(), values.end(), [&](const SqlValue& one) {
          return is_like_date(one->value) && shape_of(one->value, is_text) != wanted;
        });
    if (!is_all_other) return std::nullopt;
    const bool is_day_of_time = shape_of(values.front()->value, is_text).starts_with(wanted);
    const std::string& comparison = at_.condition.comparison;
    const auto& bounds = at_.condition.values;
    const bool is_one_day = comparison == "=" || comparison == "IN" ||
                            (bounds.size() == 2 && bounds[0].value == bounds[1].value);
    if (is_day_of_time && !is_one_day) {
      return std::nullopt;  // comparing with the beginning of a day is right
    }
    if (is_day_of_time) {
      const std::string next = day_after(value.value->value);
      return cause(
          TableCause::ValueFormat,
          fmt::format("{} has times too, like {}: for a day ask for >= its beginning and < "
                      "the next day.",
                      expression_, listed({values.front()})),
          values,
          next.empty() ? std::string()
                       : fmt::format("({0} >= {1} AND {0} < {2})", expression_,
                                     literal_of(value.value, at_.dialect),
                                     literal_of(text_of(next), at_.dialect)));
    }
    return cause(TableCause::ValueFormat,
                 fmt::format("{} is written like {}; {} is written otherwise.", expression_,
                             listed({values.front()}), shown_value(value.value)),
                 values, in_shape_of(value, values.front()->value));
  }

  // With a blank instead of a T, or the other way round, where that is all that differs.
  std::string in_shape_of(const OutlineValue& value, std::string_view stored) const {
    constexpr std::size_t kBetween = 10;  // yyyy-mm-dd
    std::string other = value.value->value;
    if (other.size() <= kBetween || stored.size() <= kBetween) return {};
    other[kBetween] = stored[kBetween];
    if (shape_of(other, true) != shape_of(stored, true)) return {};
    return with_value(value, text_of(other));
  }

  // 'true' where there is 1.
  std::optional<ValueCause> about_truth(const OutlineValue& value) {
    const auto truth = truth_in(value.value->value);
    if (!truth) return std::nullopt;
    const std::vector<SqlValue> values = some_values(kValuesShown);
    const bool is_of_truths =
        !values.empty() && std::all_of(values.begin(), values.end(), [](const SqlValue& one) {
          return is_typed_number(one) && (one->value == "0" || one->value == "1");
        });
    if (!is_of_truths) return std::nullopt;
    const rdf::Term number(rdf::TermView::literal(*truth ? "1" : "0", rdf::kXsdInteger));
    return cause(TableCause::ValueType,
                 fmt::format("{0} has 1 and 0 for truths: ask for {0} = {1}, not {2}.", expression_,
                             number.value, shown_value(value.value)),
                 values, with_value(value, number));
  }

  std::optional<ValueCause> nearest(const OutlineValue& value) {
    const std::vector<SqlValue> values = some_values(kNearMax);
    if (values.empty()) return std::nullopt;
    const NameToCompare wanted(value.value->value);
    std::vector<std::pair<double, const SqlValue*>> near;
    const std::string folded = fold_text(value.value->value);
    for (const SqlValue& one : values) {
      const bool is_short = one->value.size() <= kTextBytesMax;
      const auto distance = is_short && fold_text(one->value) == folded
                                ? std::optional(0.0)  // but for accents
                                : wanted.distance_to(one->value);
      if (distance) near.emplace_back(*distance, &one);
    }
    std::sort(near.begin(), near.end());
    std::vector<SqlValue> nearest;
    for (std::size_t i = 0; i < std::min(near.size(), kValuesShown); ++i) {
      nearest.push_back(*near[i].second);
    }
    if (nearest.empty()) {
      return cause(TableCause::ValueUnknown,
                   fmt::format("No {} is {}; there are values like {}.", expression_,
                               shown_value(value.value), listed(values)),
                   values);
    }
    return cause(TableCause::ValueUnknown,
                 fmt::format("No {} is {}; the nearest values: {}.", expression_,
                             shown_value(value.value), listed(nearest)),
                 nearest, with_value(value, nearest.front()));
  }

  struct Range {
    SqlValue least;
    SqlValue greatest;
  };
  std::optional<Range> range() {
    ProbeText probe = text();
    probe.raw("SELECT MIN(").span(at_.condition.expression).raw("), MAX(");
    probe.span(at_.condition.expression).raw(") FROM ").span(at_.table);
    const auto rows = probe_.ask(probe.query(1));
    if (!rows || rows->empty() || rows->front().size() < 2 || !rows->front()[0]) {
      return std::nullopt;
    }
    return Range{rows->front()[0], rows->front()[1]};
  }

  std::optional<ValueCause> about_number(const OutlineValue& value) {
    const auto around = range();
    if (!around) return std::nullopt;
    const auto wanted = number_of(value.value);
    const auto least = number_of(around->least);
    const auto greatest = number_of(around->greatest);
    if (wanted && least && greatest && !is_typed_number(around->least)) {
      if (auto found = in_other_form(value)) return found;
    }
    if (wanted && least && greatest && (*wanted < *least || *wanted > *greatest)) {
      return cause(TableCause::OutOfRange, outside(shown_value(value.value), *around),
                   {around->least, around->greatest});
    }
    std::vector<SqlValue> beside;
    for (const auto& [function, comparison] : {std::pair("MAX", " < "), std::pair("MIN", " > ")}) {
      ProbeText probe = text();
      probe.raw("SELECT ").raw(function).raw("(").span(at_.condition.expression).raw(") FROM ");
      probe.span(at_.table).raw(" WHERE ").span(at_.condition.expression).raw(comparison);
      probe.span(value.span);
      for (SqlValue& one : column_of(probe, 1)) beside.push_back(std::move(one));
    }
    if (beside.empty()) return std::nullopt;
    return cause(TableCause::ValueUnknown,
                 fmt::format("No {} is {}; the nearest values: {}.", expression_,
                             shown_value(value.value), listed(beside)),
                 beside);
  }

  std::string outside(const std::string& wanted, const Range& around) const {
    return fmt::format("{} goes from {} to {}: {} is outside.", expression_,
                       shown_value(around.least), shown_value(around.greatest), wanted);
  }

  // < <= > >= and BETWEEN.
  std::optional<ValueCause> about_range() {
    const auto& values = at_.condition.values;
    const bool is_between = at_.condition.kind == SqlCondition::Kind::Between && values.size() == 2;
    if (is_between && values[0].value && values[1].value) {
      if (auto found = about_order(values[0], values[1])) return found;
    }
    for (const OutlineValue& value : values) {
      if (auto found = value.value ? about_format(value) : std::nullopt) return found;
    }
    const auto around = range();
    if (!around) return std::nullopt;
    const bool is_other_type = !values.empty() && is_typed_number(values[0].value) &&
                               !is_typed_number(around->least) && number_of(around->least);
    if (is_other_type) {
      return cause(
          TableCause::ValueType,
          fmt::format("{} holds texts, like {}: they do not compare as numbers. Cast them.",
                      expression_, shown_value(around->least)),
          {around->least, around->greatest});
    }
    std::string wanted;
    for (const OutlineValue& value : values) {
      wanted += (wanted.empty() ? "" : " to ") + shown_value(value.value);
    }
    return cause(TableCause::OutOfRange,
                 fmt::format("{} goes from {} to {}: nothing is {} {}.", expression_,
                             shown_value(around->least), shown_value(around->greatest),
                             at_.condition.comparison, wanted),
                 {around->least, around->greatest});
  }

  // BETWEEN 10 AND 5.
  std::optional<ValueCause> about_order(const OutlineValue& low, const OutlineValue& high) const {
    const auto a = number_of(low.value);
    const auto b = number_of(high.value);
    const bool is_alike =
        !a && !b && shape_of(low.value->value, true) == shape_of(high.value->value, true);
    const bool is_turned = a && b ? *a > *b : is_alike && low.value->value > high.value->value;
    if (!is_turned) return std::nullopt;
    return cause(
        TableCause::OutOfRange,
        fmt::format("BETWEEN wants the lesser value first: {} comes before {}.",
                    shown_value(high.value), shown_value(low.value)),
        {},
        fmt::format("{} BETWEEN {} AND {}", expression_, literal_of(high.value, at_.dialect),
                    literal_of(low.value, at_.dialect)));
  }

  std::vector<SqlValue> like(const std::string& pattern) {
    ProbeText probe = select();
    probe.raw("LOWER(");
    as_text(probe).raw(") LIKE LOWER(").value(text_of(pattern)).raw(") LIMIT 6");
    return column_of(probe, kValuesShown + 1);
  }

  std::string like_text(const std::string& pattern) const {
    return fmt::format("LOWER({}) LIKE {}", expression_,
                       literal_of(text_of(to_lower_case(pattern)), at_.dialect));
  }

  std::optional<ValueCause> about_pattern() {
    const OutlineValue& value = at_.condition.values.front();
    if (!value.value || value.value->value.size() > kTextBytesMax) return std::nullopt;
    const std::string& pattern = value.value->value;
    const std::string written = shown_value(value.value);
    if (const auto values = like(pattern); !values.empty()) {
      return cause(TableCause::ValueCase,
                   fmt::format("No {} is LIKE {}, but in other letters there are: {}.", expression_,
                               written, listed(values)),
                   values, like_text(pattern));
    }
    std::string other = pattern;
    std::replace(other.begin(), other.end(), '*', '%');
    const bool has_star = other != pattern;
    const bool has_wildcard = pattern.find_first_of("%_") != std::string::npos;
    if (!has_star) other = "%" + std::string(trimmed(pattern)) + "%";
    if (const auto values = like(other); !values.empty()) {
      const char* why = has_star       ? "the wildcard of LIKE is %, not *"
                        : has_wildcard ? "more would match with % on both sides"
                                       : "without % or _ LIKE takes whole values only";
      return cause(TableCause::PatternMismatch,
                   fmt::format("No {} is LIKE {}: {}. With {} there are {}.", expression_, written,
                               why, shown_value(text_of(other)), listed(values)),
                   values, like_text(other));
    }
    OutlineValue bare = value;
    std::string words = pattern;
    std::erase_if(words, [](char c) { return c == '%' || c == '_' || c == '*'; });
    if (words.empty()) return std::nullopt;
    bare.value = text_of(words);
    auto found = nearest(bare);
    if (found) found->mended.clear();
    return found;
  }

  const ConditionAtTable& at_;
  TableProbe& probe_;
  std::string expression_;
  std::string written_;
};

}  // namespace

std::optional<ValueCause> value_cause(const ConditionAtTable& condition, TableProbe& probe) {
  return ValueInquiry(condition, probe).ask();
}

}  // namespace helve::toolkit
