#include "sources/sql/mysql/write_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "sources/sql/mysql/definition_guard.h"
#include "sources/sql_tokens.h"

namespace helve::sql::mysql {

namespace {

constexpr std::string_view kWriteHint =
    "one statement that changes one table is allowed: INSERT INTO t ..., REPLACE INTO t ..., "
    "UPDATE "
    "t SET ..., DELETE FROM t WHERE ...";

class WriteGuard {
 public:
  WriteGuard(std::string_view sql, std::vector<SqlToken> tokens, WriteShape shape)
      : sql_(sql), tokens_(std::move(tokens)) {
    found_.shape = std::move(shape);
    placed_.hint = kWriteHint;
  }

  Result<GuardedWrite> check(StoredFunctions stored_functions, SqlProblem& problem) {
    placed_.stored_functions = stored_functions;
    if (found_.shape.kind == WriteKind::Definition) {
      HELVE_ASSIGN(DefinitionWords words, read_definition(sql_, tokens_, found_.shape));
      placed_.words = std::move(words.words);
      placed_.lists = std::move(words.lists);
      found_.references = std::move(words.references);
      found_.takes_rows = words.takes_rows;
    } else {
      HELVE_TRY(place_words());
    }
    std::sort(placed_.words.begin(), placed_.words.end());
    std::sort(placed_.lists.begin(), placed_.lists.end());
    HELVE_ASSIGN(found_.statement, check_placed(sql_, placed_, problem));
    return std::move(found_);
  }

 private:
  bool is(std::size_t i, std::string_view word) const {
    return i < tokens_.size() && is_word(tokens_[i], word);
  }
  bool is_symbol(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].kind == SqlTokenKind::Symbol && tokens_[i].text == text;
  }
  Error denied(std::size_t i, std::string message, std::string hint) const {
    const std::size_t byte = i < tokens_.size() ? tokens_[i].begin : sql_.size();
    return Error(ErrorCode::Denied, std::move(message), std::move(hint))
        .at("sql", sql_position(sql_, byte));
  }
  void place(std::size_t i) { placed_.words.push_back(tokens_[i].begin); }

  // Behind the target and its alias.
  std::size_t after_target() const {
    const auto found = std::find_if(tokens_.begin(), tokens_.end(), [this](const SqlToken& token) {
      return token.begin >= found_.shape.target.end;
    });
    return static_cast<std::size_t>(found - tokens_.begin());
  }

  Result<void> place_words() {
    const bool is_insert =
        found_.shape.kind == WriteKind::Insert || found_.shape.kind == WriteKind::Replace;
    // Words like IGNORE would turn errors into values that nobody gave.
    const bool is_direct = is_insert                                ? is(1, "INTO")
                           : found_.shape.kind == WriteKind::Delete ? is(1, "FROM")
                                                                    : begins_target(1);
    if (is(0, "WITH") || !is_direct) {
      return denied(1, "this form of the statement is not allowed", std::string(kWriteHint));
    }
    place(0);
    return is_insert ? place_insert() : place_change();
  }
  bool begins_target(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].begin == found_.shape.target.begin;
  }

  Result<void> place_insert() {
    place(1);
    const std::size_t after = after_target();
    if (!begins_target(2) || !found_.shape.alias.empty()) {
      return denied(2, "the table is not plainly named", std::string(kWriteHint));
    }
    found_.deletes = found_.shape.kind == WriteKind::Replace;
    found_.sets_all_columns = found_.shape.columns.empty();
    if (is_symbol(after, "(")) {
      // The name before the list looks like a call.
      placed_.lists.push_back(tokens_[after - 1].begin);
      // Those of ON DUPLICATE KEY are named, too: only the list tells which are set.
      found_.sets_all_columns = is(after + 1, "SELECT") || is(after + 1, "WITH") ||
                                is(after + 1, "VALUES") || is_symbol(after + 1, ")") ||
                                is_symbol(after + 1, "(");
    } else if (is(after, "SET")) {
      place(after);
    } else {
      found_.sets_all_columns = true;
    }
    place_duplicates(after);
    return {};
  }

  void place_duplicates(std::size_t from) {
    for (std::size_t i = from; i + 3 < tokens_.size(); ++i) {
      if (is(i, "ON") && is(i + 1, "DUPLICATE") && is(i + 2, "KEY") && is(i + 3, "UPDATE")) {
        place(i + 3);
        found_.updates = true;
        return;
      }
    }
  }

  Result<void> place_change() {
    found_.updates = found_.shape.kind == WriteKind::Update;
    found_.deletes = found_.shape.kind == WriteKind::Delete;
    if (!found_.updates) return {};
    const std::size_t after = after_target();
    if (!is(after, "SET")) return denied(after, "SET is missing", std::string(kWriteHint));
    place(after);
    return {};
  }

  std::string_view sql_;
  std::vector<SqlToken> tokens_;
  GuardedWrite found_;
  PlacedWords placed_;
};

}  // namespace

Result<GuardedWrite> guard_write(std::string_view sql, StoredFunctions stored_functions,
                                 SqlProblem& problem) {
  problem = {};
  auto shape = read_write_shape(sql, SqlDialect::MySql);
  if (!shape) {
    if (shape.error().code == ErrorCode::InvalidInput) problem.kind = SqlProblem::Kind::Syntax;
    return std::move(shape).error();
  }
  HELVE_ASSIGN(auto tokens, read_sql_tokens(sql, SqlDialect::MySql));
  return WriteGuard(sql, std::move(tokens), *std::move(shape)).check(stored_functions, problem);
}

}  // namespace helve::sql::mysql
