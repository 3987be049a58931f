#include "toolkit/tables/sql_feeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "base/utf8.h"
#include "sources/rdf/vocabulary.h"
#include "sources/rdf/xsd_type.h"
#include "sources/sql_tokens.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kFeedsMax = 16;

bool is_feed_symbol(const SqlToken& token, std::string_view symbol) {
  return token.kind == SqlTokenKind::Symbol && token.text == symbol;
}

Error misplaced(const SqlToken& token, std::string_view sql) {
  return Error(ErrorCode::InvalidInput,
               fmt::format("{} stands where no handle's column can", token.text),
               "a column of a handle goes into the list of an IN: x IN (@results_0.x)")
      .at("sql", sql_position(sql, token.begin));
}

// ? in PostgreSQL, where it may be an operator too.
bool is_foreign_mark(const SqlToken& token, SqlDialect dialect) {
  return dialect == SqlDialect::PostgreSql && is_feed_symbol(token, "?");
}

// Whether marks of parameters are written as another dialect writes them: $1 outside of PostgreSQL,
// as many ? in it as there are values.
bool has_foreign_marks(const std::vector<SqlToken>& tokens, std::size_t values,
                       SqlDialect dialect) {
  if (values == 0) return false;
  const auto count = [&](auto&& is_meant) {
    return static_cast<std::size_t>(std::count_if(tokens.begin(), tokens.end(), is_meant));
  };
  const std::size_t numbered = count([](const SqlToken& token) {
    return token.kind == SqlTokenKind::Parameter && token.text.starts_with('$');
  });
  if (dialect != SqlDialect::PostgreSql) return numbered > 0;
  return numbered == 0 &&
         values == count([&](const SqlToken& token) { return is_foreign_mark(token, dialect); });
}

class FeedBinder {
 public:
  FeedBinder(std::string_view sql, std::vector<SqlToken> tokens, std::vector<SqlValue> parameters,
             SqlDialect dialect, const FeedValues& values_of)
      : sql_(sql),
        tokens_(std::move(tokens)),
        own_(std::move(parameters)),
        dialect_(dialect),
        values_of_(values_of) {
    has_foreign_marks_ = has_foreign_marks(tokens_, own_.size(), dialect_);
    // $1 keeps its number: those of feeds come behind. The others go by their order.
    if (dialect_ == SqlDialect::PostgreSql) bound_.parameters = own_;
  }

  Result<BoundSql> bind() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const SqlToken& token = tokens_[i];
      if (is_mark(token)) {
        HELVE_TRY(bind_own(token));
      } else if (token.kind == SqlTokenKind::Feed) {
        return misplaced(token, sql_);
      } else if (is_word(token, "IN") && i + 1 < tokens_.size() &&
                 is_feed_symbol(tokens_[i + 1], "(")) {
        HELVE_ASSIGN(i, bind_list(i));
      }
    }
    bound_.sql += sql_.substr(taken_);
    // Values without a mark are for the database to refuse.
    if (dialect_ != SqlDialect::PostgreSql && own_marks_ < own_.size()) {
      bound_.parameters.insert(bound_.parameters.end(),
                               own_.begin() + static_cast<std::ptrdiff_t>(own_marks_), own_.end());
    }
    return std::move(bound_);
  }

 private:
  // What stands before a byte of the original is taken over.
  void take_until(std::size_t byte) {
    bound_.sql += sql_.substr(taken_, byte - taken_);
    taken_ = byte;
  }

  void replace(const SqlToken& token, std::string_view text) {
    take_until(token.begin);
    bound_.sql += text;
    taken_ = token.begin + token.text.size();
    bound_.changes.push_back({token.begin, taken_, bound_.sql.size()});
  }

  std::string add_parameter(SqlValue value) {
    bound_.parameters.push_back(std::move(value));
    if (dialect_ != SqlDialect::PostgreSql) return "?";
    return fmt::format("${}", bound_.parameters.size());
  }

  bool is_mark(const SqlToken& token) const {
    return token.kind == SqlTokenKind::Parameter ||
           (has_foreign_marks_ && is_foreign_mark(token, dialect_));
  }

  Result<void> bind_own(const SqlToken& token) {
    if (dialect_ == SqlDialect::PostgreSql) {
      if (token.kind == SqlTokenKind::Parameter) return {};
      replace(token, fmt::format("${}", ++own_marks_));
      return {};
    }
    std::size_t number = own_marks_ + 1;
    if (token.text.size() > 1) {
      const std::string digits(token.text.substr(1));
      if (digits.find_first_not_of("0123456789") != std::string::npos || digits.size() > 6) {
        return Error(ErrorCode::InvalidInput,
                     fmt::format("the parameter {} has a name", token.text),
                     "mark parameters by ? or $1, and give their values in order")
            .at("sql", sql_position(sql_, token.begin));
      }
      number = static_cast<std::size_t>(std::stoul(digits));
    }
    own_marks_ = std::max(own_marks_, number);
    if (number == 0 || number > own_.size()) {
      return Error(ErrorCode::InvalidInput,
                   fmt::format("the parameter {} has no value: {} given", number, own_.size()),
                   "give one value in params for each ? of the statement")
          .at("sql", sql_position(sql_, token.begin));
    }
    replace(token, add_parameter(own_[number - 1]));
    return {};
  }

  // From IN to what ends its list, if that has feeds; the last token that was dealt with.
  Result<std::size_t> bind_list(std::size_t in) {
    std::size_t end = in + 2;
    std::vector<std::size_t> feeds;
    for (; end < tokens_.size() && !is_feed_symbol(tokens_[end], ")"); ++end) {
      const SqlToken& token = tokens_[end];
      if (token.kind == SqlTokenKind::Feed) feeds.push_back(end);
      const bool is_value = token.kind == SqlTokenKind::Text ||
                            token.kind == SqlTokenKind::Number || is_mark(token) ||
                            token.kind == SqlTokenKind::Feed || is_feed_symbol(token, ",") ||
                            is_feed_symbol(token, "-") || is_word(token, "NULL");
      if (!is_value) break;
    }
    if (feeds.empty()) return in;
    if (end >= tokens_.size() || !is_feed_symbol(tokens_[end], ")")) {
      return misplaced(tokens_[feeds.front()], sql_);
    }
    bool has_values = false;
    std::vector<SqlToken> empty;
    for (std::size_t i = in + 2; i < end; ++i) {
      const SqlToken& token = tokens_[i];
      if (token.kind == SqlTokenKind::Feed) {
        HELVE_ASSIGN(const bool is_filled, bind_feed(token));
        has_values = has_values || is_filled;
        if (!is_filled) empty.push_back(token);
        continue;
      }
      if (is_mark(token)) HELVE_TRY(bind_own(token));
      has_values = has_values || !is_feed_symbol(token, ",");
    }
    const bool is_not = in > 0 && is_word(tokens_[in - 1], "NOT");
    if (!has_values) end_empty_list(tokens_[end], is_not);
    for (const SqlToken& feed : empty) {
      bound_.notes.push_back(fmt::format("{} has no values{}", feed.text,
                                         has_values ? ""
                                         : is_not   ? ": its NOT IN is true of every row"
                                                    : ": its IN is true of no row"));
    }
    return end;
  }

  // IN (NULL) is neither true nor false; an empty list is.
  void end_empty_list(const SqlToken& close, bool is_not) {
    replace(close, is_not ? ") IS NULL" : ") IS NOT NULL");
  }

  // False: it has no values.
  Result<bool> bind_feed(const SqlToken& token) {
    if (++feeds_ > kFeedsMax) {
      return Error{ErrorCode::LimitExceeded,
                   fmt::format("the statement is fed more than {} times", kFeedsMax),
                   "join the handles first with result_sql"};
    }
    const std::size_t dot = token.text.find('.');
    const SqlFeed feed{std::string(token.text.substr(1, dot - 1)),
                       std::string(token.text.substr(dot + 1))};
    HELVE_ASSIGN(const auto values, values_of_(feed));
    if (values.size() > kFedValuesMax) {
      return Error{ErrorCode::LimitExceeded,
                   fmt::format("{} has more than {} different values", token.text,
                               format_count(kFedValuesMax)),
                   "narrow the handle first with result_sql, or join there: store the rows of the "
                   "table and join both handles"};
    }
    std::string marks;
    for (const rdf::Term& value : values) {
      if (!marks.empty()) marks += ", ";
      marks += add_parameter(value);
      // Times are texts in SQLite, mostly written with a blank.
      if (dialect_ == SqlDialect::Sqlite && value.datatype == rdf::kXsdDateTime) {
        rdf::Term other = value;
        std::replace(other.value.begin(), other.value.end(), 'T', ' ');
        marks += ", " + add_parameter(std::move(other));
      }
    }
    replace(token, marks.empty() ? "NULL" : marks);
    return !values.empty();
  }

  std::string_view sql_;
  std::vector<SqlToken> tokens_;
  std::vector<SqlValue> own_;
  SqlDialect dialect_;
  const FeedValues& values_of_;
  BoundSql bound_;
  std::size_t taken_ = 0;
  std::size_t own_marks_ = 0;
  bool has_foreign_marks_ = false;
  std::size_t feeds_ = 0;
};

std::optional<std::size_t> byte_of(std::string_view text, TextPosition place) {
  std::size_t begin = 0;
  for (std::uint64_t line = 1; line < place.line; ++line) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return std::nullopt;
    begin = end + 1;
  }
  std::size_t byte = begin;
  for (std::uint64_t column = 1; column < place.column && byte < text.size(); ++column) {
    ++byte;
    while (byte < text.size() && (static_cast<unsigned char>(text[byte]) & 0xC0) == 0x80) ++byte;
  }
  return byte;
}

std::optional<SqlValue> parameter_of(const JsonValue& value) {
  using rdf::Term;
  using rdf::TermView;
  if (value.is_null()) return SqlValue();
  if (const bool* truth = value.if_bool()) {
    return SqlValue(Term(TermView::literal(*truth ? "true" : "false", rdf::kXsdBoolean)));
  }
  if (const std::string* text = value.if_string()) return SqlValue(Term(TermView::literal(*text)));
  if (!value.is_number()) return std::nullopt;
  const std::string text = to_json(value);
  const bool is_double = text.find_first_of("eE") != std::string::npos;
  const bool is_whole = text.find_first_of(".eE") == std::string::npos;
  return SqlValue(Term(TermView::literal(
      text, is_double ? rdf::kXsdDouble : (is_whole ? rdf::kXsdInteger : rdf::kXsdDecimal))));
}

}  // namespace

TextPosition BoundSql::place_in(std::string_view original, TextPosition place) const {
  if (changes.empty()) return place;
  const auto byte = byte_of(sql, place);
  if (!byte) return place;
  std::size_t original_end = 0;
  std::size_t end = 0;
  for (const Change& change : changes) {
    const std::size_t new_begin = end + (change.begin - original_end);
    if (*byte < new_begin) break;
    if (*byte < change.new_end) return sql_position(original, change.begin);
    original_end = change.end;
    end = change.new_end;
  }
  return sql_position(original, original_end + (*byte - end));
}

Result<BoundSql> bind_sql_feeds(std::string_view sql, std::vector<SqlValue> parameters,
                                SqlDialect dialect, const FeedValues& values_of) {
  HELVE_ASSIGN(auto tokens, read_sql_tokens(sql, dialect));
  const bool is_fed = std::any_of(tokens.begin(), tokens.end(), [](const SqlToken& token) {
    return token.kind == SqlTokenKind::Feed;
  });
  if (!is_fed && !has_foreign_marks(tokens, parameters.size(), dialect)) {
    BoundSql bound;
    bound.sql = sql;
    bound.parameters = std::move(parameters);
    return bound;
  }
  return FeedBinder(sql, std::move(tokens), std::move(parameters), dialect, values_of).bind();
}

Result<std::vector<SqlValue>> read_parameters(const JsonValue& given) {
  std::vector<SqlValue> parameters;
  if (given.is_null()) return parameters;
  const auto* object = given.if_object();
  if (object != nullptr && object->empty()) return parameters;
  if (object != nullptr) {
    return Error{ErrorCode::InvalidInput, "params is an object: parameters have no names",
                 "give a list of values in the order of their marks: [\"text\", 1, null]"};
  }
  JsonValue::Array one;
  const JsonValue::Array* list = given.if_array();
  if (const std::string* text = given.if_string(); text != nullptr && text->starts_with('[')) {
    if (auto parsed = parse_json(*text); parsed && parsed->if_array() != nullptr) {
      one = std::move(*parsed->if_array());
      list = &one;
    }
  }
  if (list == nullptr) {
    one.push_back(given);
    list = &one;
  }
  constexpr std::size_t kParametersMax = 10'000;
  if (list->size() > kParametersMax) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("params has {} values: {} at most", list->size(), kParametersMax),
                 "feed many values by a handle: IN (@results_0.column)"};
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto value = parameter_of((*list)[i]);
    if (!value) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("value {} of params is a list or an object", i + 1),
                   "values are null, true, false, numbers and texts"};
    }
    parameters.push_back(*std::move(value));
  }
  return parameters;
}

rdf::Term as_parameter(const rdf::TermView& term) {
  using rdf::Term;
  using rdf::TermView;
  const auto type = term.is_literal() ? rdf::xsd_type_of_iri(term.datatype) : std::nullopt;
  const bool is_xsd = term.is_literal() && term.datatype.starts_with(rdf::kXsd);
  if (!is_xsd || type == rdf::XsdType::String) return Term(TermView::literal(term.value));
  if (type && rdf::is_integer_type(*type)) {
    return Term(TermView::literal(term.value, rdf::kXsdInteger));
  }
  if (type == rdf::XsdType::Float) return Term(TermView::literal(term.value, rdf::kXsdDouble));
  return Term(TermView::literal(term.value, term.datatype));
}

}  // namespace helve::toolkit
