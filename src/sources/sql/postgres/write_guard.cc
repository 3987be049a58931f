#include "sources/sql/postgres/write_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "sources/sql/postgres/definition_guard.h"
#include "sources/sql/postgres/parse_tree.h"
#include "sources/sql_tokens.h"

namespace helve::sql {

namespace {

constexpr std::string_view kWrites =
    "one statement that changes one table is allowed: INSERT, UPDATE, DELETE, MERGE; or one that "
    "defines: CREATE, ALTER, DROP TABLE, INDEX or VIEW, TRUNCATE, COMMENT";

constexpr auto kStatements = std::to_array<std::string_view>({
    "AlterTableStmt",
    "CommentStmt",
    "CreateSchemaStmt",
    "CreateStmt",
    "CreateTableAsStmt",
    "DeleteStmt",
    "DropStmt",
    "IndexStmt",
    "InsertStmt",
    "MergeStmt",
    "RenameStmt",
    "TruncateStmt",
    "UpdateStmt",
    "ViewStmt",
});

// Within them; statements that change data are not among these: a WITH may only read.
constexpr auto kWriteNodes = std::to_array<std::string_view>({
    "AlterTableCmd",
    "Constraint",
    "DefElem",
    "IndexElem",
    "MergeWhenClause",
    "MultiAssignRef",
    "PartitionElem",
    "SetToDefault",
});

// Sequences step whether or not the transaction stays, which harms nobody.
constexpr auto kSequenceFunctions =
    std::to_array<std::string_view>({"currval", "lastval", "nextval"});

class WriteGuard {
 public:
  WriteGuard(std::string_view sql, GuardedTree tree) : sql_(sql), tree_(std::move(tree)) {}

  Result<GuardedWrite> run(SqlProblem& problem) {
    const JsonMember& top = tree_.tree.if_object()->front();
    found_.statement = tree_.statement;
    found_.steps_sequence = calls_nextval(tree_.tree);
    if (top.key == "InsertStmt") {
      HELVE_TRY(read_insert(top.value));
    } else if (top.key == "UpdateStmt") {
      set(WriteKind::Update, "UPDATE");
      found_.updates = true;
      add_columns(top.value.find("targetList"));
    } else if (top.key == "DeleteStmt") {
      set(WriteKind::Delete, "DELETE");
      found_.deletes = true;
    } else if (top.key == "MergeStmt") {
      set(WriteKind::Merge, "MERGE");
      read_merge(top.value);
    } else {
      HELVE_TRY(read_definition(sql_, top.key, top.value, found_));
      HELVE_TRY(check_functions(problem));
      return std::move(found_);
    }
    return with_target(top.value);
  }

 private:
  // What a definition calls is called for everybody later.
  Result<void> check_functions(SqlProblem& problem) const {
    if (found_.statement.names == nullptr) return {};
    for (const UsedName& used : *found_.statement.names) {
      if (used.kind != UsedName::Kind::UnlistedFunction) continue;
      return unlisted_function_error(used.name, problem).at("sql", sql_position(sql_, used.begin));
    }
    return {};
  }

  void set(WriteKind kind, std::string_view verb) {
    found_.kind = kind;
    found_.verb = verb;
  }

  // With pg_catalog before it, too.
  static bool calls_nextval(const JsonValue& root) {
    std::vector<const JsonValue*> open{&root};
    while (!open.empty()) {
      const JsonValue* value = open.back();
      open.pop_back();
      for (const JsonValue& item : items_of(value)) open.push_back(&item);
      const auto* members = value->if_object();
      if (members == nullptr) continue;
      for (const JsonMember& member : *members) {
        const bool is_name = member.key == "funcname";
        if (is_name && !items_of(&member.value).empty() &&
            strings_of(&member.value).back() == "nextval")
          return true;
        open.push_back(&member.value);
      }
    }
    return false;
  }

  void add_columns(const JsonValue* targets) {
    for (const JsonValue& item : items_of(targets)) {
      const JsonValue* target = item.find("ResTarget");
      if (target != nullptr) found_.columns.emplace_back(text_of(*target, "name"));
    }
  }

  Result<void> read_insert(const JsonValue& statement) {
    set(WriteKind::Insert, "INSERT");
    found_.inserts = true;
    const JsonValue* columns = statement.find("cols");
    // INSERT ... DEFAULT VALUES has neither.
    found_.sets_all_columns = columns == nullptr && statement.find("selectStmt") != nullptr;
    add_columns(columns);
    const JsonValue* conflict = statement.find("onConflictClause");
    if (conflict == nullptr) return {};
    found_.updates = text_of(*conflict, "action") == "ONCONFLICT_UPDATE";
    add_columns(conflict->find("targetList"));
    return {};
  }

  void read_merge(const JsonValue& statement) {
    for (const JsonValue& item : items_of(statement.find("mergeWhenClauses"))) {
      const JsonValue* clause = item.find("MergeWhenClause");
      if (clause == nullptr) continue;
      const std::string_view command = text_of(*clause, "commandType");
      const JsonValue* targets = clause->find("targetList");
      found_.updates = found_.updates || command == "CMD_UPDATE";
      found_.deletes = found_.deletes || command == "CMD_DELETE";
      if (command == "CMD_INSERT") {
        found_.inserts = true;
        found_.sets_all_columns = found_.sets_all_columns || targets == nullptr;
      }
      add_columns(targets);
    }
  }

  Result<GuardedWrite> with_target(const JsonValue& statement) {
    HELVE_ASSIGN(found_.target, name_of_relation(sql_, statement.find("relation")));
    return std::move(found_);
  }

  std::string_view sql_;
  GuardedTree tree_;
  GuardedWrite found_;
};

}  // namespace

Result<GuardedWrite> guard_write(std::string_view sql, SqlProblem& problem) {
  const GuardExtension extension{kStatements, kWriteNodes, kSequenceFunctions, kWrites};
  HELVE_ASSIGN(GuardedTree tree, guard_tree(sql, extension, problem));
  return WriteGuard(sql, std::move(tree)).run(problem);
}

}  // namespace helve::sql
