#include "base/sqlite_file_judge.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

#include "base/ascii.h"

namespace helve::sqlite {

namespace {

constexpr std::string_view kPragma = "pragma_";
// What ALTER TABLE looks into the rows by.
constexpr std::string_view kQuickCheck = "quick_check";

// Statements cannot call these themselves: SQLite does, to rewrite definitions.
bool is_of_alter(std::string_view function) {
  return function.starts_with("sqlite_rename_") || function == "sqlite_drop_column";
}

}  // namespace

void FileJudge::set_origin(StatementOrigin origin, bool is_running) {
  origin_ = origin;
  is_running_ = is_running;
  // Ours may come between an ALTER TABLE and its steps.
  if (!is_running && origin != StatementOrigin::Ours) is_altering_ = false;
}

int FileJudge::deny(std::string why) { return deny(ReadRefusal{std::move(why), ""}); }

int FileJudge::deny(ReadRefusal refusal) {
  if (refusal_) return SQLITE_DENY;
  refusal_ = std::move(refusal);
  if (refusal_->hint.empty()) {
    refusal_->hint = origin_ == StatementOrigin::Change ? kChangeHint : kReadHint;
  }
  return SQLITE_DENY;
}

int FileJudge::decide(int action, std::string_view first, std::string_view second,
                      std::string_view inside) {
  if (origin_ == StatementOrigin::Ours) return SQLITE_OK;
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_READ:
      return decide_read(first, second, inside);
    case SQLITE_FUNCTION:
      return decide_function(second);
    case SQLITE_PRAGMA:
      return decide_pragma(first, second);
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
      return deny("other databases cannot be attached or detached");
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
      return deny("transactions are not allowed");
    default:
      break;
  }
  if (origin_ == StatementOrigin::Caller) {
    return deny("nothing can be written: only statements that read are allowed");
  }
  return decide_other(action, first, second, inside);
}

int FileJudge::decide_other(int action, std::string_view first, std::string_view second,
                            std::string_view inside) {
  using Kind = FileChange::Kind;
  switch (action) {
    case SQLITE_INSERT:
      return decide_change({Kind::Insert, first, "", inside});
    case SQLITE_UPDATE:
      return decide_change({Kind::Update, first, second, inside});
    case SQLITE_DELETE:
      return decide_change({Kind::Delete, first, "", inside});
    case SQLITE_CREATE_TABLE:
      return decide_change({Kind::CreateTable, first, "", inside});
    case SQLITE_CREATE_INDEX:
      return decide_change({Kind::CreateIndex, first, second, inside});
    case SQLITE_CREATE_VIEW:
      return decide_change({Kind::CreateView, first, "", inside});
    case SQLITE_DROP_TABLE:
      return decide_change({Kind::DropTable, first, "", inside});
    case SQLITE_DROP_INDEX:
      return decide_change({Kind::DropIndex, first, second, inside});
    case SQLITE_DROP_VIEW:
      return decide_change({Kind::DropView, first, "", inside});
    case SQLITE_DROP_TRIGGER:
      return decide_change({Kind::DropTrigger, first, second, inside});
    case SQLITE_ALTER_TABLE:
      return decide_change({Kind::AlterTable, second, "", inside});
    case SQLITE_REINDEX:
      return decide_change({Kind::Reindex, first, "", inside});
    case SQLITE_CREATE_TRIGGER:
    case SQLITE_CREATE_TEMP_TRIGGER:
      return deny(
          ReadRefusal{"a trigger cannot be made: it would run later, under the rights of others",
                      "let the owner of the database make it"});
    case SQLITE_CREATE_VTABLE:
    case SQLITE_DROP_VTABLE:
      return deny(ReadRefusal{"virtual tables cannot be made or dropped",
                              "let the owner of the database do it"});
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_CREATE_TEMP_VIEW:
      return deny(
          ReadRefusal{"temporary tables, indexes and views cannot be made",
                      "results of queries stay behind their handles: result_sql joins them"});
    default:
      return deny(ReadRefusal{"the statement does what is not allowed",
                              "write one INSERT, UPDATE or DELETE"});
  }
}

int FileJudge::decide_change(FileChange change) {
  change.is_running = is_running_;
  if (changes_ == nullptr) return deny("nothing can be changed");
  if (auto refusal = changes_(change)) return deny(*std::move(refusal));
  if (change.kind == FileChange::Kind::AlterTable) is_altering_ = true;
  return SQLITE_OK;
}

int FileJudge::decide_function(std::string_view name) {
  const std::string plain = ascii_lower(name);
  if (permits_.functions.contains(plain)) return SQLITE_OK;
  if (is_altering_ && is_of_alter(plain)) return SQLITE_OK;
  return deny(fmt::format("the function '{}' is not allowed", name));
}

int FileJudge::decide_read(std::string_view table, std::string_view column,
                           std::string_view inside) {
  const std::string name = ascii_lower(table);
  if (name.starts_with(kPragma)) {
    const std::string_view pragma = std::string_view(name).substr(kPragma.size());
    const bool is_allowed =
        permits_.pragmas.contains(pragma) || (is_altering_ && pragma == kQuickCheck);
    if (!is_allowed) return deny(fmt::format("the table '{}' cannot be read", table));
  }
  if (reads_ == nullptr) return SQLITE_OK;
  if (auto refusal = reads_(table, column, inside)) return deny(*std::move(refusal));
  return SQLITE_OK;
}

int FileJudge::decide_pragma(std::string_view pragma, std::string_view argument) {
  const std::string name = ascii_lower(pragma);
  // What virtual tables and ALTER TABLE ask of their own accord.
  const bool is_of_tables = (name == "data_version" || name == "page_size") && argument.empty();
  if (is_of_tables || (is_altering_ && name == kQuickCheck)) return SQLITE_OK;
  if (!permits_.pragmas.contains(name)) {
    return deny(fmt::format("PRAGMA {} is not allowed", pragma));
  }
  if (reads_ == nullptr) return SQLITE_OK;
  if (auto refusal = reads_(fmt::format("{}{}", kPragma, name), "", "")) {
    return deny(*std::move(refusal));
  }
  return SQLITE_OK;
}

}  // namespace helve::sqlite
