#include "sources/sql/mysql/definition_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"

namespace helve::sql::mysql {

namespace {

constexpr std::string_view kDefinitionHint =
    "definitions that are allowed: CREATE, ALTER, DROP, TRUNCATE and RENAME TABLE, CREATE and DROP "
    "INDEX, CREATE and DROP VIEW; put names that are words of SQL into back-ticks";

constexpr auto kVerbs = std::to_array<std::string_view>(
    {"ALTER TABLE", "CREATE INDEX", "CREATE TABLE", "CREATE VIEW", "DROP INDEX", "DROP TABLE",
     "DROP VIEW", "RENAME TABLE", "TRUNCATE", "TRUNCATE TABLE"});

// Queries, but for those of views; files, other engines and what takes errors for warnings.
constexpr auto kClosed = std::to_array<std::string_view>(
    {"CONNECTION", "DEFINER", "DIRECTORY", "ENGINE", "IGNORE", "INTO", "LIKE", "PARTITION",
     "PROCEDURE", "REPLACE", "SECURITY", "SELECT", "TABLE", "TABLESPACE", "TEMPORARY", "TRIGGER",
     "VERSIONING", "WITH", "UNION"});
constexpr auto kAlterations =
    std::to_array<std::string_view>({"ADD", "ALTER", "CHANGE", "DROP", "MODIFY", "RENAME"});

// Before a parenthesis, and no function: types and parts of definitions.
constexpr auto kListed = std::to_array<std::string_view>(
    {"ADD",     "AS",     "BIGINT",    "BINARY",   "BIT",     "BLOB",    "CHAR",   "CHARACTER",
     "CHECK",   "COLUMN", "DATETIME",  "DEC",      "DECIMAL", "DEFAULT", "DOUBLE", "ENUM",
     "FIXED",   "FLOAT",  "FULLTEXT",  "INDEX",    "INT",     "INTEGER", "KEY",    "MEDIUMINT",
     "NUMERIC", "REAL",   "SET",       "SMALLINT", "SPATIAL", "TEXT",    "TIME",   "TIMESTAMP",
     "TINYINT", "UNIQUE", "VARBINARY", "VARCHAR",  "YEAR"});
// Behind these comes a name that may have a list of columns.
constexpr auto kBeforeNames = std::to_array<std::string_view>(
    {"EXISTS", "INDEX", "KEY", "ON", "REFERENCES", "TABLE", "UNIQUE", "VIEW"});

constexpr auto kKeys =
    std::to_array<std::string_view>({"FULLTEXT", "INDEX", "KEY", "ON", "UNIQUE"});

constexpr auto kOptions = std::to_array<std::string_view>(
    {"AUTO_INCREMENT", "CHARSET", "COLLATE", "COMMENT", "ROW_FORMAT"});

class DefinitionReader {
 public:
  DefinitionReader(std::string_view sql, const std::vector<SqlToken>& tokens,
                   const WriteShape& shape)
      : sql_(sql), tokens_(tokens), shape_(shape) {
    while (count_ > 0 && is_symbol(count_ - 1, ";")) --count_;
  }

  Result<DefinitionWords> read() {
    const bool is_known = std::find(kVerbs.begin(), kVerbs.end(), shape_.verb) != kVerbs.end();
    if (!is_known) return denied(0, fmt::format("{} is not allowed", shape_.verb));
    if (shape_.verb == "CREATE VIEW") return read_view();
    if (shape_.verb == "RENAME TABLE") return read_rename();
    place(0);
    found_.takes_rows = shape_.verb == "DROP TABLE" || shape_.verb.starts_with("TRUNCATE");
    HELVE_ASSIGN(const std::size_t end, end_of_parts());
    for (std::size_t i = 1; i < end; ++i) HELVE_TRY(check(i));
    return std::move(found_);
  }

 private:
  bool is(std::size_t i, std::string_view word) const {
    return i < count_ && is_word(tokens_[i], word);
  }
  bool is_symbol(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].kind == SqlTokenKind::Symbol && tokens_[i].text == text;
  }
  bool is_name(std::size_t i) const {
    return i < count_ &&
           (tokens_[i].kind == SqlTokenKind::Word || tokens_[i].kind == SqlTokenKind::Name);
  }
  template <std::size_t kCount>
  bool is_one_of(std::size_t i, const std::array<std::string_view, kCount>& words) const {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return is(i, word); });
  }
  Error denied(std::size_t i, std::string message) const {
    const std::size_t byte = i < tokens_.size() ? tokens_[i].begin : sql_.size();
    return Error(ErrorCode::Denied, std::move(message), std::string(kDefinitionHint))
        .at("sql", sql_position(sql_, byte));
  }
  void place(std::size_t i) { found_.words.push_back(tokens_[i].begin); }
  void list(std::size_t i) { found_.lists.push_back(tokens_[i].begin); }

  // CREATE TABLE has options behind its parenthesis: they are read one by one.
  Result<std::size_t> end_of_parts() const {
    if (shape_.verb != "CREATE TABLE") return count_;
    int depth = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      if (is_symbol(i, "(")) ++depth;
      if (!is_symbol(i, ")") || --depth != 0) continue;
      if (!read_options(i + 1)) return denied(i + 1, "what follows the columns is not allowed");
      return i + 1;
    }
    return denied(count_, "the columns of the table are missing");
  }
  bool read_options(std::size_t i) const {
    while (i < count_) {
      if (is_symbol(i, ",")) ++i;
      if (is(i, "DEFAULT")) ++i;
      std::size_t value = i + 1;
      if (is(i, "CHARACTER") && is(i + 1, "SET")) {
        value = i + 2;
      } else if (!is_one_of(i, kOptions) && !is(i, "ENGINE")) {
        return false;
      }
      if (is_symbol(value, "=")) ++value;
      if (value >= count_ || tokens_[value].kind == SqlTokenKind::Symbol) return false;
      if (is(i, "ENGINE") && !is(value, "INNODB")) return false;
      i = value + 1;
    }
    return true;
  }

  Result<void> check(std::size_t i) {
    const SqlToken& token = tokens_[i];
    if (is_symbol(i, "(")) ++depth_;
    if (is_symbol(i, ")") && depth_-- == key_depth_) key_depth_ = 0;
    if (is_symbol(i + 1, "(") && is_name(i)) place_list(i);
    if (token.kind != SqlTokenKind::Word || is_symbol(i - 1, ".")) return {};
    const bool is_verb = i < 4 && is(i, "TABLE") && tokens_[i].begin < shape_.target.begin;
    if (is_one_of(i, kClosed) && !is_verb) {
      return denied(i, fmt::format("{} is not allowed in a definition", token.text));
    }
    if (is(i, "REFERENCES")) HELVE_TRY(read_reference(i + 1));
    const bool follows = is(i - 1, "ON") && (is(i, "UPDATE") || is(i, "DELETE"));
    const bool is_set = is(i, "SET") && (is_symbol(i + 1, "(") || is(i + 1, "NULL") ||
                                         is(i + 1, "DEFAULT") || is(i - 1, "CHARACTER"));
    if (follows || is_set) place(i);
    return shape_.verb == "ALTER TABLE" ? check_alteration(i) : Result<void>();
  }
  // Names behind "KEY" and the like have lists of columns; types have sizes.
  void place_list(std::size_t i) {
    const bool is_type = tokens_[i].kind == SqlTokenKind::Word && is_one_of(i, kListed);
    std::size_t first = i;
    if (i >= 2 && is_symbol(i - 1, ".") && is_name(i - 2)) first = i - 2;
    const bool is_named = first > 0 && is_one_of(first - 1, kBeforeNames);
    const bool is_key = is_one_of(i, kKeys) || (first > 0 && is_one_of(first - 1, kKeys));
    if (is_key) key_depth_ = depth_ + 1;
    if (is_type || is_named || is_prefix(i)) list(i);
  }
  // name(10) among the columns of a key: the first ten characters.
  bool is_prefix(std::size_t i) const {
    return key_depth_ > 0 && depth_ == key_depth_ &&
           (is_symbol(i - 1, "(") || is_symbol(i - 1, ",")) && i + 3 < count_ &&
           tokens_[i + 2].kind == SqlTokenKind::Number && is_symbol(i + 3, ")");
  }

  Result<void> read_reference(std::size_t i) {
    if (!is_name(i)) return denied(i, "the table that is referred to is not plainly named");
    std::string name = value_of(tokens_[i], SqlDialect::MySql);
    if (is_symbol(i + 1, ".") && is_name(i + 2)) {
      name += "." + value_of(tokens_[i + 2], SqlDialect::MySql);
    }
    found_.references.push_back(std::move(name));
    return {};
  }

  // DROP COLUMN, ALTER COLUMN and RENAME COLUMN begin a part of ALTER TABLE.
  Result<void> check_alteration(std::size_t i) {
    const bool is_part = tokens_[i - 1].begin + tokens_[i - 1].text.size() <= shape_.target.end
                             ? tokens_[i].begin >= shape_.target.end
                             : depth_ == 0 && is_symbol(i - 1, ",");
    if (!is_part) return {};
    if (!is_one_of(i, kAlterations)) {
      return denied(i, fmt::format("{} is not allowed in ALTER TABLE", tokens_[i].text));
    }
    if (is(i, "RENAME") && !is(i + 1, "COLUMN") && !is(i + 1, "INDEX") && !is(i + 1, "KEY")) {
      return denied(i, "a new name for the table is given by RENAME TABLE");
    }
    if (is(i, "DROP") || is(i, "ALTER") || is(i, "RENAME")) place(i);
    found_.takes_rows = found_.takes_rows || writes_rows(i);
    return {};
  }
  // A part of ALTER TABLE that begins there. A new column without a value, or with the same for
  // all, is no work on rows.
  bool writes_rows(std::size_t i) const {
    constexpr auto kNoColumns = std::to_array<std::string_view>(
        {"CHECK", "CONSTRAINT", "FOREIGN", "FULLTEXT", "INDEX", "KEY", "PRIMARY", "UNIQUE"});
    if (is(i, "CHANGE") || is(i, "MODIFY")) return true;
    if (is(i, "DROP")) return !is_one_of(i + 1, kNoColumns);
    if (!is(i, "ADD") || is_one_of(i + 1, kNoColumns)) return false;
    int depth = 0;
    for (std::size_t at = i + 1; at < count_ && (depth > 0 || !is_symbol(at, ",")); ++at) {
      if (is_symbol(at, "(")) ++depth;
      if (is_symbol(at, ")")) --depth;
      const bool is_computed = is(at, "DEFAULT") && (is_symbol(at + 1, "(") ||
                                                     (is_name(at + 1) && is_symbol(at + 2, "(")));
      if (is_computed || is(at, "AUTO_INCREMENT") || is(at, "STORED") || is(at, "PERSISTENT")) {
        return true;
      }
    }
    return false;
  }

  Result<DefinitionWords> read_rename() {
    place(0);
    const std::size_t to = [this] {
      std::size_t i = 1;
      while (i < count_ && !is(i, "TO")) ++i;
      return i;
    }();
    HELVE_TRY(read_reference(to + 1));
    const std::size_t end = to + (is_symbol(to + 2, ".") ? 4 : 2);
    if (end != count_) return denied(end, "one table is renamed at a time");
    return std::move(found_);
  }

  // CREATE [OR REPLACE] VIEW name [(a, b)] AS query: the query is checked as all queries are.
  Result<DefinitionWords> read_view() {
    place(0);
    std::size_t i = 1;
    if (is(i, "OR") && is(i + 1, "REPLACE")) {
      place(i + 1);
      i += 2;
    }
    if (!is(i, "VIEW")) return denied(i, "this form of CREATE VIEW is not allowed");
    ++i;
    if (is(i, "IF")) return denied(i, "IF NOT EXISTS is not allowed here");
    if (!is_name(i)) return denied(i, "the view is not plainly named");
    if (is_symbol(i + 1, ".") && is_name(i + 2)) i += 2;
    if (is_symbol(i + 1, "(")) {
      list(i);
      while (i < count_ && !is_symbol(i, ")")) ++i;
    }
    if (!is(i + 1, "AS")) return denied(i + 1, "AS is missing");
    std::size_t query = i + 2;
    while (is_symbol(query, "(")) ++query;
    if (!is(query, "SELECT") && !is(query, "WITH") && !is(query, "VALUES")) {
      return denied(query, "a view is made of a query");
    }
    return std::move(found_);
  }

  std::string_view sql_;
  const std::vector<SqlToken>& tokens_;
  const WriteShape& shape_;
  std::size_t count_ = tokens_.size();
  int depth_ = 0;
  int key_depth_ = 0;  // of the columns of a key; 0: not in them
  DefinitionWords found_;
};

}  // namespace

Result<DefinitionWords> read_definition(std::string_view sql, const std::vector<SqlToken>& tokens,
                                        const WriteShape& shape) {
  return DefinitionReader(sql, tokens, shape).read();
}

}  // namespace helve::sql::mysql
