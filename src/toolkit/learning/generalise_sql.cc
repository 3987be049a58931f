// The pattern of a SQL statement, by its words. generalise.h declares it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/ascii.h"
#include "sources/sql_tokens.h"
#include "toolkit/learning/generalise.h"
#include "toolkit/learning/pattern_words.h"
#include "toolkit/tables/condition_reader.h"
#include "toolkit/tables/statement_outline.h"

namespace helve::learning {

namespace {

constexpr std::size_t kNamesMax = 64;
constexpr std::size_t kNamesInWords = 5;

bool is_symbol(const SqlToken& token, std::string_view symbol) {
  return token.kind == SqlTokenKind::Symbol && token.text == symbol;
}

bool is_name(const SqlToken& token) {
  return token.kind == SqlTokenKind::Name ||
         (token.kind == SqlTokenKind::Word && !toolkit::is_sql_keyword(token));
}

class SqlLifter {
 public:
  SqlLifter(std::vector<SqlToken> tokens, SqlDialect dialect, const GeneraliseOptions& options)
      : tokens_(std::move(tokens)), dialect_(dialect), options_(options) {
    while (!tokens_.empty() && is_symbol(tokens_.back(), ";")) tokens_.pop_back();
    outline_ = toolkit::outline_of(tokens_, {}, dialect_);
  }

  QueryPattern run() {
    pattern_.language = QueryLanguage::Sql;
    find_tables();
    for (at_ = 0; at_ < tokens_.size(); ++at_) take(tokens_[at_]);
    find_columns();
    say();
    return std::move(pattern_);
  }

 private:
  const SqlToken* before() const { return at_ > 0 ? &tokens_[at_ - 1] : nullptr; }
  bool follows(std::string_view keyword) const {
    return before() != nullptr && is_word(*before(), keyword);
  }

  // Of a LIMIT, and places of columns: ORDER BY 2.
  bool is_kept_number(const SqlToken& token) {
    if (follows("BY")) return true;
    if (!follows("LIMIT") && !follows("FIRST")) return false;
    return std::find(options_.numbers.begin(), options_.numbers.end(), token.text) ==
           options_.numbers.end();
  }

  std::string slot(const SqlToken& token, SlotKind kind) {
    const auto [known, is_new] = slots_.try_emplace(std::string(token.text), slots_.size() + 1);
    std::string mark = fmt::format(":slot{}", known->second);
    if (is_new) {
      const bool is_text = token.kind == SqlTokenKind::Text;
      Slot made{mark, kind, {}};
      if (kind != SlotKind::Given) {
        made.constants.push_back(is_text ? value_of(token, dialect_) : std::string(token.text));
      }
      pattern_.slots.push_back(std::move(made));
    }
    return mark;
  }

  void take(const SqlToken& token) {
    switch (token.kind) {
      case SqlTokenKind::Text:
        return put(slot(token, SlotKind::Text));
      case SqlTokenKind::Number:
        return put(is_kept_number(token) ? std::string(token.text) : slot(token, SlotKind::Number));
      case SqlTokenKind::Parameter:
      case SqlTokenKind::Feed:
      case SqlTokenKind::Variable:
        return put(slot(token, SlotKind::Given));
      case SqlTokenKind::Word:
        return put(toolkit::is_sql_keyword(token) ? ascii_upper(token.text)
                                                  : std::string(token.text));
      case SqlTokenKind::Name:
      case SqlTokenKind::Symbol:
        return put(std::string(token.text));
    }
  }

  // With spaces where one would write them.
  void put(const std::string& text) {
    const SqlToken& token = tokens_[at_];
    const bool is_tight =
        is_symbol(token, ",") || is_symbol(token, ")") || is_symbol(token, ".") ||
        (is_symbol(token, "(") && before() != nullptr && is_name(*before())) ||
        (before() != nullptr && (is_symbol(*before(), "(") || is_symbol(*before(), ".")));
    if (!is_tight && !pattern_.text.empty()) pattern_.text += ' ';
    pattern_.text += text;
  }

  static void note(std::vector<SchemaName>& names, const std::string& name) {
    const SchemaName one{name, name};
    if (names.size() < kNamesMax && std::find(names.begin(), names.end(), one) == names.end()) {
      names.push_back(one);
    }
  }

  void find_tables() {
    for (const toolkit::TableUse& use : outline_.all_tables) {
      const bool is_defined =
          std::any_of(outline_.defined.begin(), outline_.defined.end(),
                      [&](const std::string& name) { return is_same_in_any_case(name, use.name); });
      others_.insert(ascii_lower(use.alias));
      others_.insert(ascii_lower(use.name));
      others_.insert(ascii_lower(use.schema));
      if (use.name.empty() || is_defined) continue;
      note(pattern_.classes, use.schema.empty() ? use.name : use.schema + "." + use.name);
      pattern_.names.push_back(use.name);
    }
    for (const std::string& name : outline_.defined) others_.insert(ascii_lower(name));
  }

  // Names that are no table, alias or function. What is none all the same is harmless: a database
  // alone knows.
  void find_columns() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (i > 0 && is_word(tokens_[i - 1], "AS")) {
        others_.insert(ascii_lower(value_of(tokens_[i], dialect_)));
      }
    }
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!is_name(tokens_[i])) continue;
      if (i + 1 < tokens_.size() && is_symbol(tokens_[i + 1], "(")) continue;
      std::string name = value_of(tokens_[i], dialect_);
      if (others_.contains(ascii_lower(name))) continue;
      pattern_.names.push_back(name);
      note(pattern_.properties, name);
    }
  }

  bool has_word(std::string_view keyword) const {
    return std::any_of(tokens_.begin(), tokens_.end(),
                       [&](const SqlToken& token) { return is_word(token, keyword); });
  }

  void say() {
    std::vector<std::string> parts;
    parts.push_back("selects from " + (pattern_.classes.empty()
                                           ? std::string("no table")
                                           : listed(pattern_.classes, kNamesInWords)));
    if (!pattern_.properties.empty()) {
      parts.back() += " by " + listed(pattern_.properties, kNamesInWords);
    }
    if (outline_.all_tables.size() > 1) {
      parts.push_back(fmt::format("joins {} tables", number_word(outline_.all_tables.size())));
    }
    std::vector<std::string> aggregates;
    for (const char* name : {"COUNT", "SUM", "AVG", "MIN", "MAX"}) {
      if (has_word(name)) aggregates.push_back(ascii_lower(name));
    }
    pattern_.is_counting = has_word("COUNT");
    if (has_word("LIKE") || has_word("ILIKE")) parts.emplace_back("filters by text");
    if (has_word("WHERE")) parts.emplace_back("has conditions");
    if (!aggregates.empty()) {
      parts.push_back(fmt::format("aggregates with {}{}", fmt::join(aggregates, ", "),
                                  has_word("GROUP") ? " for each group" : ""));
    }
    if (has_word("UNION")) parts.emplace_back("has alternatives");
    if (has_word("ORDER")) parts.emplace_back("sorts");
    if (has_word("LIMIT")) parts.emplace_back("takes the first rows");
    pattern_.words = fmt::format("{}", fmt::join(parts, "; "));
  }

  std::vector<SqlToken> tokens_;
  const SqlDialect dialect_;
  const GeneraliseOptions& options_;
  toolkit::StatementOutline outline_;
  QueryPattern pattern_;
  std::size_t at_ = 0;
  std::map<std::string, std::size_t> slots_;  // by the token, their numbers
  std::set<std::string> others_;              // names that are no columns, in small letters
};

}  // namespace

Result<QueryPattern> generalise_sql(std::string_view sql, SqlDialect dialect,
                                    const GeneraliseOptions& options) {
  HELVE_ASSIGN(std::vector<SqlToken> tokens, read_sql_tokens(sql, dialect));
  if (tokens.empty()) {
    return Error{ErrorCode::InvalidInput, "the statement is empty", "write a SELECT"};
  }
  return SqlLifter(std::move(tokens), dialect, options).run();
}

}  // namespace helve::learning
