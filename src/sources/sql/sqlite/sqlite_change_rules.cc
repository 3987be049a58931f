#include "sources/sql/sqlite/sqlite_change_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "base/text.h"

namespace helve::sql {

namespace {

using ChangeKind = sqlite::FileChange::Kind;
using sqlite::ReadRefusal;

constexpr std::string_view kOwn = "sqlite_";
constexpr const char* kAllowed = "change tables and columns that are allowed";
constexpr const char* kLetOwner = "let the owner of the database do it";

bool is_same(std::string_view left, std::string_view right) {
  return is_same_in_any_case(left, right);
}

bool is_rowid(std::string_view column) {
  return is_same(column, "rowid") || is_same(column, "oid") || is_same(column, "_rowid_");
}

ReadRefusal other_than_words() {
  return {"what the statement changes is not what its words tell",
          "write one plain INSERT, UPDATE, DELETE, CREATE, ALTER or DROP over one table"};
}

Error denied_change(std::string why, std::string hint) {
  return {ErrorCode::Denied, std::move(why), std::move(hint)};
}

// Who would change a table beside the one that is named.
std::string cause_of(const sqlite::FileChange& change) {
  if (change.inside.empty()) return ": a foreign key would do it";
  return fmt::format(": the trigger {} would do it", quote_name(change.inside));
}

std::string listed(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", quote_name(name));
  return text;
}

ReadRefusal shadow_refusal(std::string_view table, std::string_view owner) {
  return {fmt::format("the table {} is the inside of {}: it may not be changed", quote_name(table),
                      quote_name(owner)),
          kAllowed};
}

// Within an expression.
bool may_stand_before_parenthesis(const std::string& word) {
  static const sqlite::FilePermits permits = sqlite_permits();
  constexpr std::array<std::string_view, 13> kKeywords = {
      "and", "case", "cast", "check", "collate", "default", "else",
      "in",  "not",  "or",   "then",  "when",    "between"};
  return permits.functions.contains(word) ||
         std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

bool is_kind(WriteKind shape, ChangeKind change) {
  switch (shape) {
    case WriteKind::Insert:
    case WriteKind::Replace:
      return change == ChangeKind::Insert;
    case WriteKind::Update:
      return change == ChangeKind::Update;
    case WriteKind::Delete:
      return change == ChangeKind::Delete;
    default:
      return false;
  }
}

}  // namespace

std::optional<ReadRefusal> ChangeRules::begin_read(std::string_view sql) {
  is_changing_ = false;
  return has_rules_ ? reads_.begin(sql) : std::nullopt;
}

std::optional<ReadRefusal> ChangeRules::begin(std::string_view sql, WriteShape shape) {
  shape_ = std::move(shape);
  is_changing_ = true;
  words_.clear();
  mentions_schema_ = false;
  has_column_list_ = false;
  target_.clear();
  index_.clear();
  triggers_.clear();
  cascades_.clear();
  updates_.clear();
  dropped_triggers_.clear();
  virtuals_.clear();
  const auto tokens = read_sql_tokens(sql, SqlDialect::Sqlite);
  if (!tokens) return ReadRefusal{tokens.error().message, ""};
  bool is_behind_target = false;
  for (const SqlToken& token : *tokens) {
    words_.push_back(ascii_lower(value_of(token, SqlDialect::Sqlite)));
    mentions_schema_ = mentions_schema_ || is_schema_table(words_.back());
    if (is_behind_target || token.begin < shape_.target.end) continue;
    is_behind_target = true;
    has_column_list_ = token.text == "(";
  }
  if (auto refusal = judge_words(*tokens)) return refusal;
  auto refusal = reads_.begin(sql);
  return has_rules_ ? refusal : std::nullopt;
}

// SQLite does not look into a DEFAULT before it is used, nor at what REFERENCES names.
ChangeRules::Refusal ChangeRules::judge_words(const std::vector<SqlToken>& tokens) const {
  const auto shadow = reads_.names().shadows.find(ascii_lower(shape_.table));
  if (shadow != reads_.names().shadows.end()) return shadow_refusal(shape_.table, shadow->second);
  if (shape_.kind != WriteKind::Definition) return std::nullopt;
  int depth = 0;
  int default_depth = 0;  // 0: not within one
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text == "(") ++depth;
    if (tokens[i].text == ")" && --depth < default_depth) default_depth = 0;
    const bool is_open = tokens[i + 1].text == "(";
    if (is_word(tokens[i], "DEFAULT") && is_open && default_depth == 0) default_depth = depth + 1;
    if (is_word(tokens[i], "REFERENCES") && !reads_.may_use(words_[i + 1])) {
      return ReadRefusal{
          fmt::format("the table {} may not be referred to", quote_name(words_[i + 1])), kAllowed};
    }
    const bool is_call =
        default_depth > 0 && is_open &&
        (tokens[i].kind == SqlTokenKind::Word || tokens[i].kind == SqlTokenKind::Name);
    if (is_call && !may_stand_before_parenthesis(words_[i])) {
      return ReadRefusal{fmt::format("the function {} is not allowed", quote_name(words_[i])),
                         "write a DEFAULT without it"};
    }
  }
  return std::nullopt;
}

std::optional<ReadRefusal> ChangeRules::judge_read(std::string_view table, std::string_view column,
                                                   std::string_view inside) {
  const bool is_trigger = is_changing_ && reads_.names().triggers.contains(ascii_lower(inside));
  if (is_trigger) triggers_[std::string(inside)];
  if (!has_rules_) return std::nullopt;
  const bool is_defining = is_changing_ && shape_.kind == WriteKind::Definition;
  const std::string name = ascii_lower(table);
  // By SQLite itself, to write the definition down.
  if (is_defining && inside.empty() && !mentions_schema_ &&
      (is_schema_table(name) || name.starts_with(kOwn))) {
    return std::nullopt;
  }
  // A trigger that has the name of a view is not that view.
  auto refusal = reads_.judge(table, column, is_trigger ? "" : inside);
  if (refusal && is_trigger)
    refusal->why += fmt::format(": the trigger {} would do it", quote_name(inside));
  return refusal;
}

std::optional<ReadRefusal> ChangeRules::judge(const sqlite::FileChange& change) {
  const std::string name = ascii_lower(change.name);
  switch (change.kind) {
    case ChangeKind::Insert:
    case ChangeKind::Update:
    case ChangeKind::Delete:
      return judge_rows(change, name);
    default:
      break;
  }
  if (shape_.kind != WriteKind::Definition || !change.inside.empty()) return other_than_words();
  return judge_definition(change, name);
}

ChangeRules::Refusal ChangeRules::judge_rows(const sqlite::FileChange& change,
                                             const std::string& name) {
  const bool is_defining = shape_.kind == WriteKind::Definition;
  if (name.starts_with(kOwn)) {
    if (is_defining && change.inside.empty() && !mentions_schema_) return std::nullopt;
    return ReadRefusal{
        fmt::format("the table {} is SQLite's own: it may not be changed", quote_name(change.name)),
        kAllowed};
  }
  const auto shadow = reads_.names().shadows.find(name);
  if (shadow != reads_.names().shadows.end()) {
    const bool is_of_index = change.is_running && change.inside.empty() &&
                             virtuals_.contains(shadow->second) && !reads_.is_mentioned(name);
    if (is_of_index) return std::nullopt;
    return ReadRefusal{fmt::format("the table {} is the inside of {}: it may not be changed",
                                   quote_name(change.name), quote_name(shadow->second)),
                       kAllowed};
  }
  if (!target_.empty()) return judge_besides(change, name);
  return is_defining ? other_than_words() : judge_target(change, name);
}

// The first that SQLite tells is what the statement names.
ChangeRules::Refusal ChangeRules::judge_target(const sqlite::FileChange& change,
                                               const std::string& name) {
  const bool is_told = change.inside.empty() && is_kind(shape_.kind, change.kind) &&
                       is_same(shape_.table, change.name) && !change.is_running;
  if (!is_told) return other_than_words();
  if (reads_.names().views.contains(name)) {
    return ReadRefusal{
        fmt::format("{} is a view: only tables can be changed", quote_name(change.name)),
        "change the tables that it reads"};
  }
  if (reads_.names().virtuals.contains(name)) {
    return ReadRefusal{fmt::format("{} is a virtual table: only plain tables can be changed",
                                   quote_name(change.name)),
                       "change the table that it is made from, if there is one"};
  }
  if (!reads_.may_use(name)) {
    return ReadRefusal{fmt::format("the table {} may not be changed", quote_name(change.name)),
                       kAllowed};
  }
  target_ = change.name;
  if (change.kind == ChangeKind::Insert) return judge_inserted_columns(change.name, name);
  return change.kind == ChangeKind::Update ? judge_updated_column(change, name) : std::nullopt;
}

// SQLite does not tell which columns an INSERT fills.
ChangeRules::Refusal ChangeRules::judge_inserted_columns(std::string_view table,
                                                         const std::string& name) const {
  if (!reads_.has_hidden_columns(name)) return std::nullopt;
  if (is_replacing(name)) {
    return ReadRefusal{fmt::format("rows of {} may not be replaced: not all of its columns may be "
                                   "changed",
                                   quote_name(table)),
                       "write ON CONFLICT ... DO UPDATE SET"};
  }
  if (!has_column_list_) {
    return ReadRefusal{
        fmt::format("not all columns of {} may be changed: the statement has to name them",
                    quote_name(table)),
        "write INSERT INTO t (columns) VALUES ..."};
  }
  for (const std::string& column : shape_.columns) {
    if (reads_.is_column_hidden(name, ascii_lower(column)) || is_rowid(column)) {
      return ReadRefusal{fmt::format("the column '{}.{}' may not be changed", table, column),
                         kAllowed};
    }
  }
  return std::nullopt;
}

ChangeRules::Refusal ChangeRules::judge_updated_column(const sqlite::FileChange& change,
                                                       const std::string& name) const {
  if (!reads_.has_hidden_columns(name)) return std::nullopt;
  if (!reads_.is_column_hidden(name, ascii_lower(change.detail)) && !is_rowid(change.detail)) {
    // UPDATE OR REPLACE takes rows away that are in the way.
    if (!is_replacing(name)) return std::nullopt;
    return ReadRefusal{fmt::format("rows of {} may not be replaced: not all of its columns may be "
                                   "changed",
                                   quote_name(change.name)),
                       kAllowed};
  }
  const bool is_besides = !change.inside.empty() || !is_same(change.name, shape_.table);
  return ReadRefusal{fmt::format("the column '{}.{}' may not be changed{}", change.name,
                                 change.detail, is_besides ? cause_of(change) : ""),
                     kAllowed};
}

// By triggers and foreign keys; and again by the statement itself: other columns, ON CONFLICT.
ChangeRules::Refusal ChangeRules::judge_besides(const sqlite::FileChange& change,
                                                const std::string& name) {
  const bool is_target = is_same(change.name, target_);
  const bool is_own = change.inside.empty();
  if (is_own && !is_target && change.kind == ChangeKind::Insert) return other_than_words();
  if (!is_own && !reads_.names().triggers.contains(ascii_lower(change.inside))) {
    return other_than_words();
  }
  if (!reads_.may_use(name) ||
      (!is_own && change.kind == ChangeKind::Insert && reads_.has_hidden_columns(name))) {
    return ReadRefusal{
        fmt::format("the table {} may not be changed{}", quote_name(change.name), cause_of(change)),
        kAllowed};
  }
  if (change.kind == ChangeKind::Update) {
    if (auto refusal = judge_updated_column(change, name)) return refusal;
  }
  if (change.is_running) return std::nullopt;
  if (!is_own) {
    triggers_[std::string(change.inside)].insert(std::string(change.name));
    if (reads_.names().virtuals.contains(name)) virtuals_.insert(name);
    return std::nullopt;
  }
  const bool is_dropped = is_target && shape_.kind == WriteKind::Definition;
  if (change.kind == ChangeKind::Delete && !is_dropped) cascades_.emplace(change.name);
  if (change.kind == ChangeKind::Update && !is_target) updates_.emplace(change.name);
  return std::nullopt;
}

ChangeRules::Refusal ChangeRules::judge_definition(const sqlite::FileChange& change,
                                                   const std::string& name) {
  const std::string& verb = shape_.verb;
  const bool is_named = is_same(change.name, shape_.table);
  const auto define = [&](std::string_view table, bool is_there) {
    target_ = table;
    return judge_defined(table, is_there);
  };
  switch (change.kind) {
    case ChangeKind::CreateTable:
      if (verb == "CREATE TABLE" && is_named) return define(change.name, false);
      break;
    case ChangeKind::CreateView:
      if (verb == "CREATE VIEW" && is_named) return define(change.name, false);
      break;
    case ChangeKind::CreateIndex:
      if (verb != "CREATE INDEX" || !is_same(change.detail, shape_.table)) break;
      index_ = change.name;
      return define(change.detail, true);
    case ChangeKind::DropTable:
      if (verb == "DROP TABLE" && is_named) return define(change.name, true);
      break;
    case ChangeKind::DropView:
      if (verb == "DROP VIEW" && is_named) return define(change.name, true);
      break;
    case ChangeKind::DropIndex:
      if (verb != "DROP INDEX") break;
      if (define(change.detail, true)) {  // whose table is not told
        return ReadRefusal{fmt::format("the index {} may not be dropped", quote_name(change.name)),
                           kLetOwner};
      }
      return std::nullopt;
    case ChangeKind::AlterTable:
      if (verb != "ALTER TABLE" || !is_named) break;
      if (auto refusal = judge_new_name()) return refusal;
      return define(change.name, true);
    case ChangeKind::DropTrigger:
      dropped_triggers_.emplace(change.name);
      break;
    default:
      break;
  }
  return is_part_of_definition(change, name) ? std::nullopt : Refusal(other_than_words());
}

// What SQLite makes and drops with it.
bool ChangeRules::is_part_of_definition(const sqlite::FileChange& change,
                                        const std::string& name) const {
  if (target_.empty()) return false;
  switch (change.kind) {
    case ChangeKind::CreateTable:
      return shape_.verb == "CREATE TABLE" && name == "sqlite_sequence" && !mentions_schema_;
    case ChangeKind::CreateIndex:
      return shape_.verb == "CREATE TABLE" && is_same(change.detail, target_) &&
             name.starts_with("sqlite_autoindex_");
    case ChangeKind::Reindex:
      return shape_.verb == "CREATE INDEX" && is_same(change.name, index_);
    case ChangeKind::DropTrigger:
      return (shape_.verb == "DROP TABLE" || shape_.verb == "DROP VIEW") &&
             is_same(change.detail, target_);
    default:
      return false;
  }
}

ChangeRules::Refusal ChangeRules::judge_defined(std::string_view table, bool is_there) const {
  const std::string name = ascii_lower(table);
  const SqliteNames& names = reads_.names();
  if (name.starts_with(kOwn)) {
    return ReadRefusal{fmt::format("the name {} is SQLite's own", quote_name(table)),
                       "take another name"};
  }
  if (is_there && (names.virtuals.contains(name) || names.shadows.contains(name))) {
    return ReadRefusal{
        fmt::format("{} is a virtual table: its definition may not be changed", quote_name(table)),
        kLetOwner};
  }
  if (!reads_.may_use(name)) {
    return ReadRefusal{
        fmt::format("nothing of the name {} may be defined, altered or dropped", quote_name(table)),
        "define tables of names that are allowed"};
  }
  // What is hidden by its name would be there under another.
  if (reads_.has_hidden_columns(name)) {
    return ReadRefusal{fmt::format("the definition of {} may not be changed: not all of its "
                                   "columns may be read",
                                   quote_name(table)),
                       kLetOwner};
  }
  return std::nullopt;
}

// ALTER TABLE a RENAME TO b: SQLite tells a alone.
ChangeRules::Refusal ChangeRules::judge_new_name() const {
  for (std::size_t i = 0; i + 2 < words_.size(); ++i) {
    if (words_[i] == "rename" && words_[i + 1] == "to") {
      if (auto refusal = judge_defined(words_[i + 2], false)) return refusal;
    }
  }
  return std::nullopt;
}

bool ChangeRules::is_replacing(const std::string& table) const {
  if (shape_.kind == WriteKind::Replace || reads_.names().replacing.contains(table)) return true;
  if (shape_.kind != WriteKind::Update) return false;
  constexpr std::array<std::string_view, 3> kReplacing = {"update", "or", "replace"};
  return std::search(words_.begin(), words_.end(), kReplacing.begin(), kReplacing.end()) !=
         words_.end();
}

Result<ChangeOutline> ChangeRules::outline() const {
  const bool is_defining = shape_.kind == WriteKind::Definition;
  ChangeOutline outline{shape_.kind, target_, {}};
  outline.drops_table = shape_.verb == "DROP TABLE";
  if (target_.empty()) {
    const bool is_conditional = std::find(words_.begin(), words_.end(), "if") != words_.end();
    if (!is_defining || !is_conditional) {
      ReadRefusal refusal = other_than_words();
      return denied_change(std::move(refusal.why), std::move(refusal.hint));
    }
    outline.table = shape_.table;
    outline.notes.emplace_back("nothing would be changed: it is there already, or not there");
    return outline;
  }
  const bool replaces =
      !is_defining && shape_.kind != WriteKind::Delete && is_replacing(ascii_lower(target_));
  if (replaces && outline.kind == WriteKind::Insert) outline.kind = WriteKind::Replace;
  outline.notes = notes();
  outline.replaces = replaces;
  if (replaces) {
    outline.notes.emplace_back(
        "rows that are in the way of others are taken away, and counted besides the affected");
  }
  return outline;
}

std::vector<std::string> ChangeRules::notes() const {
  std::vector<std::string> notes;
  for (const auto& [trigger, tables] : triggers_) {
    notes.push_back(tables.empty() ? fmt::format("the trigger {} runs", quote_name(trigger))
                                   : fmt::format("the trigger {} runs and changes {}",
                                                 quote_name(trigger), listed(tables)));
  }
  if (!cascades_.empty()) {
    notes.push_back(
        fmt::format("rows that refer to deleted ones are deleted too, in {} (ON DELETE "
                    "CASCADE)",
                    listed(cascades_)));
  }
  if (!updates_.empty()) {
    notes.push_back(fmt::format("rows that refer to them are changed too, in {} (foreign keys)",
                                listed(updates_)));
  }
  if (!dropped_triggers_.empty()) {
    notes.push_back(fmt::format("its triggers are dropped too: {}", listed(dropped_triggers_)));
  }
  return notes;
}

}  // namespace helve::sql
