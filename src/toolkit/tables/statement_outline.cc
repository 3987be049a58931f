#include "toolkit/tables/statement_outline.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.h"
#include "toolkit/tables/condition_reader.h"

namespace helve::toolkit {

namespace {

using Tokens = std::span<const SqlToken>;

constexpr std::size_t kOutlineTablesMax = 64;

bool is_outline_symbol(const SqlToken& token, std::string_view symbol) {
  return token.kind == SqlTokenKind::Symbol && token.text == symbol;
}

template <std::size_t N>
bool is_any_word(const SqlToken& token, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return is_word(token, word); });
}

// Behind the tables of a FROM.
constexpr std::array<std::string_view, 12> kClauses = {"WHERE", "GROUP",  "HAVING",    "ORDER",
                                                       "LIMIT", "OFFSET", "WINDOW",    "FETCH",
                                                       "FOR",   "UNION",  "INTERSECT", "EXCEPT"};
constexpr std::array<std::string_view, 8> kJoins = {"JOIN", "INNER", "LEFT",    "RIGHT",
                                                    "FULL", "CROSS", "NATURAL", "STRAIGHT_JOIN"};
// Words that may follow a table and are no alias.
constexpr std::array<std::string_view, 9> kBehindTable = {
    "TABLESAMPLE", "INDEXED", "USE", "FORCE", "IGNORE", "PARTITION", "SET", "RETURNING", "ONLY"};

class OutlineReader {
 public:
  OutlineReader(Tokens tokens, const std::vector<SqlValue>& parameters, SqlDialect dialect)
      : tokens_(tokens), parameters_(parameters), dialect_(dialect) {
    while (!tokens_.empty() && is_outline_symbol(tokens_.back(), ";")) {
      tokens_ = tokens_.first(tokens_.size() - 1);
    }
    std::size_t marks = 0;
    for (const SqlToken& token : tokens_) {
      if (token.kind == SqlTokenKind::Parameter) marks_.push_back({token.begin, marks++});
    }
  }

  StatementOutline read() {
    find_tables();
    find_clauses();
    return std::move(outline_);
  }

 private:
  const SqlToken* at(std::size_t i) const { return i < tokens_.size() ? &tokens_[i] : nullptr; }
  bool has_symbol(std::size_t i, std::string_view symbol) const {
    return i < tokens_.size() && is_outline_symbol(tokens_[i], symbol);
  }
  bool has_word(std::size_t i, std::string_view word) const {
    return i < tokens_.size() && is_word(tokens_[i], word);
  }
  bool is_name(std::size_t i) const {
    return i < tokens_.size() &&
           (tokens_[i].kind == SqlTokenKind::Name ||
            (tokens_[i].kind == SqlTokenKind::Word && !is_sql_keyword(tokens_[i]) &&
             !is_any_word(tokens_[i], kBehindTable)));
  }
  // LEFT and RIGHT are functions too.
  bool is_join(std::size_t i) const {
    return i < tokens_.size() && is_any_word(tokens_[i], kJoins) && !has_symbol(i + 1, "(");
  }
  std::size_t end_of(std::size_t i) const { return tokens_[i].begin + tokens_[i].text.size(); }

  // [AS] alias; the token behind.
  std::size_t read_alias(std::size_t i, TableUse& table) const {
    const std::size_t name = has_word(i, "AS") ? i + 1 : i;
    if (!is_name(name)) return i;
    table.alias = value_of(tokens_[name], dialect_);
    table.span.end = end_of(name);
    return name + 1;
  }

  // A table's name and alias; the token behind.
  std::size_t read_table(std::size_t i, TableUse table) {
    if (!is_name(i) || outline_.all_tables.size() >= kOutlineTablesMax) return i;
    table.span = {tokens_[i].begin, end_of(i)};
    table.name = value_of(tokens_[i], dialect_);
    while (has_symbol(i + 1, ".") && at(i + 2) != nullptr) {
      table.schema = table.name;
      i += 2;
      table.name = value_of(tokens_[i], dialect_);
      table.span.end = end_of(i);
    }
    table.alias = table.name;
    if (has_symbol(i + 1, "(")) return i + 1;  // a function
    i = read_alias(i + 1, table);
    outline_.all_tables.push_back(std::move(table));
    return i;
  }

  struct Frame {
    bool is_in_from = false;
    bool is_derived = false;  // the parentheses are a subquery in a FROM
    bool is_outer = false;
    std::size_t begin = 0;
  };

  void find_tables() {
    std::vector<Frame> frames(1);
    bool is_expected = false;  // a table
    bool is_outer = false;
    for (std::size_t i = 0; i < tokens_.size();) {
      const SqlToken& token = tokens_[i];
      if (is_expected) {
        is_expected = has_word(i, "LATERAL") || has_word(i, "ONLY");
        if (is_expected) {
          ++i;
          continue;
        }
        TableUse table;
        table.depth = frames.size() - 1;
        table.is_outer = is_outer;
        const std::size_t next = read_table(i, table);
        if (next > i) {
          i = next;
          continue;
        }
        if (is_outline_symbol(token, "(")) {
          frames.push_back({false, true, is_outer, token.begin});
          // FROM (a JOIN b ...): tables follow at once.
          frames.back().is_in_from = is_expected = is_name(i + 1) || has_symbol(i + 1, "(");
          ++i;
          continue;
        }
      }
      if (is_outline_symbol(token, "(")) {
        frames.push_back({});
      } else if (is_outline_symbol(token, ")") && frames.size() > 1) {
        const Frame closed = frames.back();
        frames.pop_back();
        if (closed.is_derived) i = note_derived(i, closed, frames.size() - 1) - 1;
      } else if (is_word(token, "FROM") || is_join(i)) {
        const bool is_from = is_word(token, "FROM");
        is_expected = is_from || is_word(token, "JOIN") || is_word(token, "STRAIGHT_JOIN");
        if (is_from) frames.back().is_in_from = true;
        if (!is_expected) {
          note_side(token, is_outer);
        } else if (is_from || !(i > 0 && is_side(i - 1))) {
          is_outer = false;
        }
      } else if (is_outline_symbol(token, ",") && frames.back().is_in_from) {
        is_expected = true;
        is_outer = false;
      } else if (is_any_word(token, kClauses) || is_word(token, "SELECT")) {
        frames.back().is_in_from = false;
      }
      ++i;
    }
  }

  bool is_side(std::size_t i) const {
    return has_word(i, "OUTER") || has_word(i, "LEFT") || has_word(i, "RIGHT") ||
           has_word(i, "FULL");
  }

  // LEFT leaves the table that follows, RIGHT those before, FULL both.
  void note_side(const SqlToken& token, bool& is_outer) {
    is_outer = is_word(token, "LEFT") || is_word(token, "FULL");
    if (!is_word(token, "RIGHT") && !is_word(token, "FULL")) return;
    for (TableUse& table : outline_.all_tables) table.is_outer = true;
  }

  std::size_t note_derived(std::size_t close, const Frame& frame, std::size_t depth) {
    TableUse table;
    table.depth = depth;
    table.is_outer = frame.is_outer;
    table.span = {frame.begin, end_of(close)};
    const std::size_t next = read_alias(close + 1, table);
    if (!table.alias.empty() && outline_.all_tables.size() < kOutlineTablesMax) {
      outline_.all_tables.push_back(std::move(table));
    }
    return next;
  }

  // Where the words of the outermost SELECT stand.
  struct Places {
    std::size_t select = SIZE_MAX;
    std::size_t from = SIZE_MAX;
    std::vector<std::size_t> clauses;
    bool is_one = true;
  };

  Places find_places() const {
    Places places;
    std::size_t depth = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const SqlToken& token = tokens_[i];
      if (is_outline_symbol(token, "(")) ++depth;
      if (is_outline_symbol(token, ")") && depth > 0) --depth;
      if (depth > 0 || token.kind != SqlTokenKind::Word) continue;
      if (is_word(token, "SELECT")) {
        if (places.select != SIZE_MAX) places.is_one = false;
        places.select = i;
      } else if (places.select != SIZE_MAX && is_word(token, "FROM")) {
        if (places.from == SIZE_MAX && !has_word(i - 1, "DISTINCT")) places.from = i;
      } else if (places.from != SIZE_MAX && is_any_word(token, kClauses)) {
        places.clauses.push_back(i);
      }
    }
    return places;
  }

  void find_clauses() {
    if (tokens_.empty() || !(has_word(0, "SELECT") || has_word(0, "WITH"))) return;
    const Places places = find_places();
    if (places.select == SIZE_MAX) return;
    find_defined(places.select);
    if (!places.is_one || places.from == SIZE_MAX) return;
    outline_.is_select = true;
    outline_.with = {0, tokens_[places.select].begin};
    const std::size_t from_end = places.clauses.empty() ? tokens_.size() : places.clauses.front();
    if (places.from + 1 >= from_end) {
      outline_.is_select = false;
      return;
    }
    outline_.from = {tokens_[places.from + 1].begin, end_of(from_end - 1)};
    for (const TableUse& table : outline_.all_tables) {
      const bool is_here = table.depth == 0 && table.span.begin >= outline_.from.begin &&
                           table.span.begin < outline_.from.end;
      if (is_here) outline_.tables.push_back(table);
    }
    read_joins(places.from + 1, from_end);
    for (std::size_t k = 0; k < places.clauses.size(); ++k) {
      const std::size_t end =
          k + 1 < places.clauses.size() ? places.clauses[k + 1] : tokens_.size();
      read_clause(places.clauses[k], end);
    }
  }

  void find_defined(std::size_t select) {
    std::size_t depth = 0;
    for (std::size_t i = 1; i < select; ++i) {
      if (has_symbol(i, ")") && depth > 0) --depth;
      if (depth == 0 && is_name(i) && !has_word(i, "RECURSIVE") && !has_word(i, "MATERIALIZED")) {
        outline_.defined.push_back(value_of(tokens_[i], dialect_));
      }
      if (has_symbol(i, "(")) ++depth;
    }
  }

  std::vector<SqlCondition> conditions(std::size_t begin, std::size_t end) const {
    const ValueOfMark value_of_mark = [this](const SqlToken& token) -> const SqlValue* {
      const auto found =
          std::lower_bound(marks_.begin(), marks_.end(), token.begin,
                           [](const auto& mark, std::size_t byte) { return mark.first < byte; });
      return found == marks_.end() ? nullptr : parameter_at(token, found->second, parameters_);
    };
    return read_conditions(tokens_.subspan(begin, end - begin), dialect_, value_of_mark);
  }

  void read_joins(std::size_t begin, std::size_t end) {
    std::size_t depth = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (has_symbol(i, "(")) ++depth;
      if (has_symbol(i, ")") && depth > 0) --depth;
      if (depth > 0) continue;
      if (has_word(i, "ON")) {
        const std::size_t stop = end_of_on(i + 1, end);
        for (SqlCondition& condition : conditions(i + 1, stop)) {
          outline_.joins.push_back(std::move(condition));
        }
        i = stop - 1;
      } else if (has_word(i, "USING") && has_symbol(i + 1, "(")) {
        read_using(i + 2, end);
      }
    }
  }

  std::size_t end_of_on(std::size_t i, std::size_t end) const {
    std::size_t depth = 0;
    for (; i < end; ++i) {
      if (has_symbol(i, "(")) ++depth;
      if (has_symbol(i, ")") && depth > 0) --depth;
      if (depth == 0 && (has_symbol(i, ",") || is_join(i))) return i;
    }
    return end;
  }

  // Columns of the table just named and of the one before.
  void read_using(std::size_t i, std::size_t end) {
    const TableUse* left = nullptr;
    const TableUse* right = nullptr;
    for (const TableUse& table : outline_.tables) {
      if (table.span.begin > tokens_[i].begin) break;
      left = right;
      right = &table;
    }
    if (left == nullptr) return;
    for (; i < end && !has_symbol(i, ")"); ++i) {
      if (!is_name(i)) continue;
      SqlCondition condition;
      condition.kind = SqlCondition::Kind::Columns;
      condition.comparison = "=";
      condition.span = {tokens_[i].begin, end_of(i)};
      const std::string name = value_of(tokens_[i], dialect_);
      condition.columns = {{left->alias, name}, {right->alias, name}};
      outline_.joins.push_back(std::move(condition));
    }
  }

  void read_clause(std::size_t begin, std::size_t end) {
    const SqlToken& word = tokens_[begin];
    if (is_word(word, "WHERE")) {
      outline_.conditions = conditions(begin + 1, end);
    } else if (is_word(word, "GROUP")) {
      outline_.is_grouped = true;
    } else if (is_word(word, "HAVING") && begin + 1 < end) {
      outline_.having = {tokens_[begin + 1].begin, end_of(end - 1)};
    } else if (is_word(word, "LIMIT") && end - begin == 2) {
      if (tokens_[begin + 1].kind == SqlTokenKind::Number) outline_.limit = tokens_[begin + 1].text;
    } else if (is_word(word, "OFFSET") && end - begin >= 2) {
      if (tokens_[begin + 1].kind == SqlTokenKind::Number) {
        outline_.offset = tokens_[begin + 1].text;
      }
    } else if (is_word(word, "UNION") || is_word(word, "INTERSECT") || is_word(word, "EXCEPT")) {
      outline_.is_select = false;
    }
  }

  Tokens tokens_;
  const std::vector<SqlValue>& parameters_;
  SqlDialect dialect_;
  std::vector<std::pair<std::size_t, std::size_t>> marks_;  // byte and number of each parameter
  StatementOutline outline_;
};

}  // namespace

const TableUse* StatementOutline::find_table(std::string_view qualifier) const {
  const TableUse* found = nullptr;
  for (const TableUse& table : all_tables) {
    const bool is_meant = is_same_in_any_case(table.alias, qualifier) ||
                          (!table.schema.empty() && table.alias == table.name &&
                           is_same_in_any_case(table.schema + "." + table.name, qualifier));
    if (!is_meant) continue;
    // The outermost; of equal ones the first, where they are the same table.
    if (found == nullptr || table.depth < found->depth) found = &table;
  }
  return found;
}

const SqlValue* parameter_at(const SqlToken& mark, std::size_t before,
                             const std::vector<SqlValue>& parameters) {
  std::size_t number = before + 1;
  if (mark.text.size() > 1) {
    const char* const end = mark.text.data() + mark.text.size();
    const auto [last, error] = std::from_chars(mark.text.data() + 1, end, number);
    if (error != std::errc() || last != end) return nullptr;
  }
  return number >= 1 && number <= parameters.size() ? &parameters[number - 1] : nullptr;
}

StatementOutline outline_of(std::span<const SqlToken> tokens,
                            const std::vector<SqlValue>& parameters, SqlDialect dialect) {
  return OutlineReader(tokens, parameters, dialect).read();
}

}  // namespace helve::toolkit
