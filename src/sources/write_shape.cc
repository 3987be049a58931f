#include "sources/write_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "base/ascii.h"

namespace helve {

namespace {

using Keywords = std::initializer_list<std::string_view>;

bool is_any_word(const SqlToken& token, Keywords keywords) {
  return std::any_of(keywords.begin(), keywords.end(),
                     [&](std::string_view keyword) { return is_word(token, keyword); });
}

bool is_symbol(const SqlToken& token, std::string_view text) {
  return token.kind == SqlTokenKind::Symbol && token.text == text;
}

bool is_name(const SqlToken& token) {
  return token.kind == SqlTokenKind::Word || token.kind == SqlTokenKind::Name;
}

std::size_t end_of(const SqlToken& token) { return token.begin + token.text.size(); }

// How far the parentheses before and at a token are open.
int depth_change(const SqlToken& token) {
  if (is_symbol(token, "(")) return 1;
  return is_symbol(token, ")") ? -1 : 0;
}

class ShapeReader {
 public:
  ShapeReader(std::string_view sql, SqlDialect dialect, std::vector<SqlToken> tokens)
      : sql_(sql), dialect_(dialect), tokens_(std::move(tokens)) {}

  Result<WriteShape> read() {
    while (!tokens_.empty() && is_symbol(tokens_.back(), ";")) tokens_.pop_back();
    if (tokens_.empty()) return wrong("there is no statement", "write one that changes data");
    for (const SqlToken& token : tokens_) {
      if (is_symbol(token, ";")) return wrong("there are several statements", "send one at a time");
    }
    if (is_word(tokens_.front(), "WITH")) skip_with();
    HELVE_TRY(read_statement());
    return std::move(shape_);
  }

 private:
  Error wrong(std::string message, std::string hint,
              ErrorCode code = ErrorCode::InvalidInput) const {
    const std::size_t byte = at_ < tokens_.size() ? tokens_[at_].begin : sql_.size();
    return Error(code, std::move(message), std::move(hint)).at("sql", sql_position(sql_, byte));
  }
  Error other_shape(std::string_view what) const {
    return wrong(fmt::format("{} is expected here", what),
                 "a statement changes one table, which is named plainly: UPDATE t SET a = 1 WHERE "
                 "..., DELETE FROM t WHERE ..., INSERT INTO t (a) VALUES (1)");
  }

  bool is_at_end() const { return at_ == tokens_.size(); }
  bool at_word(std::string_view keyword) const {
    return !is_at_end() && is_word(tokens_[at_], keyword);
  }
  bool at_symbol(std::string_view text) const {
    return !is_at_end() && is_symbol(tokens_[at_], text);
  }
  bool take(std::string_view keyword) {
    const bool is_there = at_word(keyword);
    if (is_there) ++at_;
    return is_there;
  }
  void take_any(Keywords keywords) {
    while (!is_at_end() && is_any_word(tokens_[at_], keywords)) ++at_;
  }
  std::string value(const SqlToken& token) const { return value_of(token, dialect_); }

  // What WITH defines stands in parentheses: the statement is the first of these words outside.
  void skip_with() {
    int depth = 0;
    for (; at_ < tokens_.size(); ++at_) {
      depth += depth_change(tokens_[at_]);
      if (depth == 0 && is_any_word(tokens_[at_], {"INSERT", "REPLACE", "UPDATE", "DELETE", "MERGE",
                                                   "SELECT", "VALUES", "TABLE"})) {
        return;
      }
    }
  }

  Result<void> read_statement() {
    has_with_ = at_ > 0;
    if (take("INSERT")) return read_insert();
    if (take("REPLACE")) return read_replace();
    if (take("UPDATE")) return read_update();
    if (take("DELETE")) return read_delete();
    if (take("MERGE")) return read_merge();
    if (has_with_ || !is_any_word(tokens_[at_], {"CREATE", "ALTER", "DROP", "TRUNCATE", "RENAME",
                                                 "COMMENT", "REINDEX", "ANALYZE"})) {
      return wrong("this statement does not change data",
                   "query_execute runs statements that read; data_modify takes INSERT, UPDATE and "
                   "DELETE, ddl_execute CREATE, ALTER and DROP",
                   ErrorCode::Denied);
    }
    return read_definition();
  }

  // schema.table, with nothing else around it.
  Result<void> read_target() {
    if (is_at_end() || !is_name(tokens_[at_])) return other_shape("the name of a table");
    const std::size_t first = at_;
    shape_.table = value(tokens_[at_++]);
    if (at_symbol(".")) {
      ++at_;
      if (is_at_end() || !is_name(tokens_[at_])) return other_shape("the name of a table");
      shape_.schema = std::exchange(shape_.table, value(tokens_[at_++]));
    }
    if (at_symbol(".")) return other_shape("a table, with its schema at most,");
    shape_.target = {tokens_[first].begin, end_of(tokens_[at_ - 1])};
    return {};
  }

  // Behind the name: the alias, which belongs to the target.
  Result<void> read_alias(Keywords followers) {
    if (at_symbol("*")) ++at_;  // PostgreSQL: with the tables that inherit from it
    const bool has_as = take("AS");
    if (!is_at_end() && is_name(tokens_[at_]) &&
        (has_as || tokens_[at_].kind == SqlTokenKind::Name ||
         !is_any_word(tokens_[at_], followers))) {
      shape_.alias = value(tokens_[at_]);
      shape_.target.end = end_of(tokens_[at_++]);
    } else if (has_as) {
      return other_shape("an alias");
    }
    if (take("INDEXED")) {
      if (!take("BY") || is_at_end()) return other_shape("INDEXED BY an index");
      ++at_;
    } else if (take("NOT") && !take("INDEXED")) {
      return other_shape("NOT INDEXED");
    }
    return {};
  }

  Result<void> read_insert() {
    shape_.kind = WriteKind::Insert;
    shape_.verb = "INSERT";
    if (take("OR")) {
      if (at_word("REPLACE")) shape_.kind = WriteKind::Replace;
      passes_over_ = at_word("IGNORE");
      if (!is_at_end()) ++at_;
    }
    return read_inserted();
  }

  Result<void> read_replace() {
    shape_.kind = WriteKind::Replace;
    shape_.verb = "REPLACE";
    return read_inserted();
  }

  Result<void> read_inserted() {
    passes_over_ = passes_over_ || at_word("IGNORE");
    take_any({"LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "IGNORE"});
    if (!take("INTO") && dialect_ != SqlDialect::MySql) return other_shape("INTO");
    HELVE_TRY(read_target());
    HELVE_TRY(read_alias({"VALUES", "VALUE", "SELECT", "DEFAULT", "OVERRIDING", "SET", "WITH",
                          "TABLE", "PARTITION", "ON"}));
    if (at_word("PARTITION")) return other_shape("a whole table, without PARTITION,");
    if (at_symbol("(") && !is_query_next()) HELVE_TRY(read_column_list());
    if (take("SET")) {
      shape_.rows = 1;
      read_assignments(at_, end_at(at_, {"ON", "RETURNING"}));
    } else if (take("VALUES") || take("VALUE")) {
      shape_.rows = count_tuples();
    } else if (at_word("DEFAULT")) {
      shape_.rows = 1;
    } else {
      read_source();
    }
    read_conflict();
    shape_.has_returning = find_outside(at_, {"RETURNING"}) < tokens_.size();
    return {};
  }

  // The query whose rows are inserted, up to RETURNING.
  void read_source() {
    take_any({"OVERRIDING", "SYSTEM", "USER", "VALUE"});
    if (is_at_end() || has_with_ || passes_over_) return;
    if (!at_symbol("(") && !is_any_word(tokens_[at_], {"SELECT", "WITH", "TABLE"})) return;
    for (std::size_t i = find_outside(at_, {"ON"}); i < tokens_.size();
         i = find_outside(i + 1, {"ON"})) {
      const bool is_conflict =
          i + 1 < tokens_.size() && is_any_word(tokens_[i + 1], {"CONFLICT", "DUPLICATE"});
      if (is_conflict) return;
    }
    set_query(at_, find_outside(at_, {"RETURNING"}));
  }

  void set_query(std::size_t first, std::size_t end) {
    if (first >= end) return;
    shape_.query = {tokens_[first].begin, end_of(tokens_[end - 1])};
    shape_.parameters_before_query = parameters_before(first);
  }

  std::size_t parameters_before(std::size_t token) const {
    return static_cast<std::size_t>(
        std::count_if(tokens_.begin(), tokens_.begin() + static_cast<std::ptrdiff_t>(token),
                      [](const SqlToken& one) { return one.kind == SqlTokenKind::Parameter; }));
  }

  // CREATE TABLE t AS SELECT ... WITH DATA: WITH NO DATA makes no rows.
  void read_made() {
    const std::size_t as = find_outside(at_, {"AS"});
    std::size_t end = tokens_.size();
    if (as == end) return;
    if (end > as + 2 && is_word(tokens_[end - 1], "DATA")) {
      if (is_word(tokens_[end - 2], "NO")) return;
      if (is_word(tokens_[end - 2], "WITH")) end -= 2;
    }
    set_query(as + 1, end);
  }

  // INSERT INTO t (SELECT ...): a query, not a list of columns.
  bool is_query_next() const {
    std::size_t next = at_;
    while (next < tokens_.size() && is_symbol(tokens_[next], "(")) ++next;
    return next < tokens_.size() && is_any_word(tokens_[next], {"SELECT", "WITH", "VALUES"});
  }

  Result<void> read_column_list() {
    for (++at_; !is_at_end() && !at_symbol(")"); ++at_) {
      if (at_symbol(",")) continue;
      if (!is_name(tokens_[at_])) return other_shape("the name of a column");
      // Where there are several parts (t.a, a.b of a type), the column is one of them: all count.
      shape_.columns.push_back(value(tokens_[at_]));
      if (at_ + 1 < tokens_.size() && is_symbol(tokens_[at_ + 1], ".")) ++at_;
    }
    if (is_at_end()) return other_shape("the end of the list of columns");
    ++at_;
    return {};
  }

  std::optional<std::uint64_t> count_tuples() {
    std::uint64_t count = 0;
    int depth = 0;
    for (; at_ < tokens_.size(); ++at_) {
      if (depth == 0 && tokens_[at_].kind == SqlTokenKind::Word && !is_word(tokens_[at_], "ROW")) {
        break;
      }
      if (depth == 0 && is_symbol(tokens_[at_], "(")) ++count;
      depth += depth_change(tokens_[at_]);
    }
    return count;
  }

  // ON CONFLICT ... DO UPDATE SET, ON DUPLICATE KEY UPDATE: columns that are set too.
  void read_conflict() {
    const std::size_t on = find_outside(at_, {"ON"});
    if (on == tokens_.size()) return;
    const std::size_t update = find_outside(on, {"UPDATE"});
    if (update == tokens_.size()) return;
    shape_.rows.reset();  // some rows are changed instead, and MySQL counts those twice
    std::size_t first = update + 1;
    if (first < tokens_.size() && is_word(tokens_[first], "SET")) ++first;
    read_assignments(first, end_at(first, {"WHERE", "RETURNING"}));
  }

  Result<void> read_update() {
    shape_.kind = WriteKind::Update;
    shape_.verb = "UPDATE";
    take_any({"LOW_PRIORITY", "IGNORE"});
    if (take("OR") && !is_at_end()) ++at_;
    take("ONLY");
    HELVE_TRY(read_target());
    HELVE_TRY(read_alias({"SET", "JOIN", "INNER", "LEFT", "RIGHT", "CROSS", "NATURAL", "PARTITION",
                          "STRAIGHT_JOIN", "USE", "FORCE", "IGNORE", "FOR"}));
    if (!take("SET")) return other_shape("SET");
    const std::size_t end = end_of_set();
    read_assignments(at_, end);
    // What is set must be seen: rules for columns are held against it.
    if (shape_.columns.empty()) return other_shape("what is set");
    at_ = end;
    const bool has_from = at_word("FROM");
    read_rows(!has_from);
    return {};
  }

  // FROM within IS DISTINCT FROM is none.
  std::size_t end_of_set() const {
    std::size_t end = at_;
    while (true) {
      end = end_at(end, {"FROM", "WHERE", "ORDER", "LIMIT", "RETURNING"});
      const bool is_compared =
          end < tokens_.size() && end > at_ && is_word(tokens_[end - 1], "DISTINCT");
      if (!is_compared) return end;
      ++end;
    }
  }

  Result<void> read_delete() {
    shape_.kind = WriteKind::Delete;
    shape_.verb = "DELETE";
    take_any({"LOW_PRIORITY", "QUICK", "IGNORE"});
    if (!take("FROM")) return other_shape("FROM");
    take("ONLY");
    HELVE_TRY(read_target());
    HELVE_TRY(read_alias({"WHERE", "USING", "ORDER", "LIMIT", "RETURNING", "PARTITION", "JOIN",
                          "INNER", "LEFT", "RIGHT", "CROSS", "NATURAL", "FOR"}));
    const bool is_followed =
        is_at_end() || is_any_word(tokens_[at_], {"WHERE", "ORDER", "LIMIT", "RETURNING"});
    const bool has_using = dialect_ == SqlDialect::PostgreSql && at_word("USING");
    if (!is_followed && !has_using) return other_shape("WHERE");
    read_rows(!has_using);
    return {};
  }

  // Behind SET or the target: which rows are meant.
  void read_rows(bool is_alone) {
    const std::size_t where = find_outside(at_, {"WHERE"});
    const std::size_t after = find_outside(at_, {"ORDER", "LIMIT"});
    const std::size_t returning = find_outside(at_, {"RETURNING"});
    shape_.has_returning = returning < tokens_.size();
    shape_.is_plain = is_alone && after == tokens_.size();
    if (where == tokens_.size()) return;
    const std::size_t end = std::min(after, returning);
    if (where + 1 >= end) {
      shape_.is_plain = false;
      return;
    }
    shape_.where = {tokens_[where + 1].begin, end_of(tokens_[end - 1])};
    shape_.parameters_before = parameters_before(where);
    const bool is_cursor = is_word(tokens_[where + 1], "CURRENT") && where + 2 < end &&
                           is_word(tokens_[where + 2], "OF");
    if (is_cursor) shape_.is_plain = false;
  }

  Result<void> read_merge() {
    shape_.kind = WriteKind::Merge;
    shape_.verb = "MERGE";
    if (!take("INTO")) return other_shape("INTO");
    take("ONLY");
    HELVE_TRY(read_target());
    HELVE_TRY(read_alias({"USING"}));
    if (!at_word("USING")) return other_shape("USING");
    read_merged_columns();
    return {};
  }

  // WHEN MATCHED THEN UPDATE SET ..., WHEN NOT MATCHED THEN INSERT (...).
  void read_merged_columns() {
    for (std::size_t i = at_; i < tokens_.size(); ++i) {
      if (is_word(tokens_[i], "SET")) read_assignments(i + 1, end_at(i + 1, {"WHEN", "RETURNING"}));
      if (is_word(tokens_[i], "INSERT") && i + 1 < tokens_.size() &&
          is_symbol(tokens_[i + 1], "(")) {
        const std::size_t kept = std::exchange(at_, i + 1);
        const auto list = read_column_list();
        static_cast<void>(list);  // what is no list of columns, the database refuses
        at_ = kept;
      }
    }
  }

  // a = ..., t.b = ..., (c, d) = ...: the names left of each.
  void read_assignments(std::size_t first, std::size_t end) {
    int depth = 0;
    bool is_left = true;
    for (std::size_t i = first; i < end; ++i) {
      const SqlToken& token = tokens_[i];
      if (depth == 0 && is_symbol(token, ",")) {
        is_left = true;
      } else if (depth == 0 && (is_symbol(token, "=") || is_symbol(token, ":="))) {
        is_left = false;
      } else if (is_left && is_name(token)) {
        shape_.columns.push_back(value(token));
      }
      depth += depth_change(token);
    }
  }

  // The first of these words at or behind `from` that stands in no parentheses; the end otherwise.
  std::size_t find_outside(std::size_t from, Keywords keywords) const {
    int depth = 0;
    for (std::size_t i = from; i < tokens_.size(); ++i) {
      if (depth == 0 && is_any_word(tokens_[i], keywords) && !is_part_of_name(i)) return i;
      depth += depth_change(tokens_[i]);
    }
    return tokens_.size();
  }
  std::size_t end_at(std::size_t from, Keywords keywords) const {
    return find_outside(from, keywords);
  }
  // t.where, where.a: a name, whatever else the word is.
  bool is_part_of_name(std::size_t i) const {
    return (i > 0 && is_symbol(tokens_[i - 1], ".")) ||
           (i + 1 < tokens_.size() && is_symbol(tokens_[i + 1], "."));
  }

  Result<void> read_definition() {
    shape_.kind = WriteKind::Definition;
    shape_.verb = ascii_upper(tokens_[at_].text);
    const bool is_truncate = at_word("TRUNCATE");
    const bool is_comment = at_word("COMMENT");
    ++at_;
    if (is_comment && !take("ON")) return other_shape("ON");
    std::string object = read_object();
    if (object.empty() && !is_truncate) {
      return wrong("this definition is not one that is known",
                   "tables, indexes, views, sequences, types and schemas can be defined");
    }
    if (!object.empty()) shape_.verb += " " + object;
    take_any({"CONCURRENTLY"});
    if (take("IF")) take_any({"NOT", "EXISTS"});
    take("ONLY");
    if (object == "INDEX") return read_index();
    HELVE_TRY(read_target());
    if (object == "COLUMN") return name_of_column();
    if (object != "TABLE" && object != "VIEW" && object != "MATERIALIZED VIEW" && !is_truncate) {
      shape_.table.clear();
      shape_.schema.clear();
    }
    if (at_symbol(",")) return other_shape("the end: one table at a time,");
    if (shape_.verb == "CREATE TABLE" || shape_.verb == "CREATE MATERIALIZED VIEW") read_made();
    return {};
  }

  // TABLE, MATERIALIZED VIEW: behind words that say how it is made.
  std::string read_object() {
    take_any({"OR", "REPLACE", "TEMP", "TEMPORARY", "UNLOGGED", "UNIQUE", "FULLTEXT", "SPATIAL",
              "GLOBAL", "LOCAL", "RECURSIVE"});
    static constexpr std::array<std::string_view, 8> kObjects = {
        "TABLE", "INDEX", "VIEW", "SEQUENCE", "TYPE", "DOMAIN", "SCHEMA", "COLUMN"};
    const bool is_kept = take("MATERIALIZED");
    if (is_at_end()) return {};
    for (const std::string_view object : kObjects) {
      if (!take(object)) continue;
      return is_kept ? "MATERIALIZED " + std::string(object) : std::string(object);
    }
    return {};
  }

  // CREATE INDEX name ON table (...), DROP INDEX name [ON table].
  Result<void> read_index() {
    const std::size_t on = find_outside(at_, {"ON"});
    shape_.table.clear();
    if (on == tokens_.size()) return {};
    at_ = on + 1;
    take("ONLY");
    return read_target();
  }

  // COMMENT ON COLUMN t.c: the last part is the column.
  Result<void> name_of_column() {
    shape_.columns.push_back(std::exchange(shape_.table, std::exchange(shape_.schema, {})));
    return shape_.table.empty() ? Result<void>(other_shape("a column with its table"))
                                : Result<void>();
  }

  std::string_view sql_;
  SqlDialect dialect_;
  std::vector<SqlToken> tokens_;
  std::size_t at_ = 0;
  bool has_with_ = false;     // before the statement
  bool passes_over_ = false;  // rows that are in the way: OR IGNORE
  WriteShape shape_;
};

}  // namespace

Result<WriteShape> read_write_shape(std::string_view sql, SqlDialect dialect) {
  HELVE_ASSIGN(auto tokens, read_sql_tokens(sql, dialect));
  return ShapeReader(sql, dialect, std::move(tokens)).read();
}

}  // namespace helve
