#include "sources/sql/postgres/definition_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "sources/sql/postgres/parse_tree.h"
#include "sources/sql_tokens.h"

namespace helve::sql {

namespace {

using Keys = std::initializer_list<std::string_view>;

constexpr std::string_view kDefinitions =
    "definitions that are allowed: CREATE TABLE, INDEX, VIEW, SCHEMA; ALTER TABLE for columns and "
    "constraints; DROP TABLE, INDEX, VIEW; TRUNCATE; COMMENT";

constexpr auto kMethods =
    std::to_array<std::string_view>({"brin", "btree", "gin", "gist", "hash", "spgist"});
// Classes of the database's own could run anything.
constexpr auto kClasses = std::to_array<std::string_view>(
    {"bpchar_pattern_ops", "gin_trgm_ops", "gist_trgm_ops", "inet_ops", "jsonb_ops",
     "jsonb_path_ops", "text_ops", "text_pattern_ops", "varchar_ops", "varchar_pattern_ops"});

constexpr auto kAlterations = std::to_array<std::string_view>({
    "AT_AddColumn",
    "AT_AddConstraint",
    "AT_AddIdentity",
    "AT_AlterColumnType",
    "AT_ColumnDefault",
    "AT_DropColumn",
    "AT_DropConstraint",
    "AT_DropExpression",
    "AT_DropIdentity",
    "AT_DropNotNull",
    "AT_SetIdentity",
    "AT_SetNotNull",
    "AT_ValidateConstraint",
});

template <std::size_t kCount>
bool is_among(const std::array<std::string_view, kCount>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::size_t location_of(const JsonValue& node) {
  const JsonValue* value = node.find("location");
  return value == nullptr ? 0 : static_cast<std::size_t>(value->to_uint64().value_or(0));
}

class DefinitionReader {
 public:
  DefinitionReader(std::string_view sql, const JsonValue& statement, GuardedWrite& found)
      : sql_(sql), statement_(statement), found_(found) {}

  Result<void> run(std::string_view node) {
    found_.kind = WriteKind::Definition;
    HELVE_TRY(check_parts());
    if (node == "CreateStmt") return read_table();
    if (node == "CreateTableAsStmt") return read_table_as();
    if (node == "IndexStmt") return read_index();
    if (node == "ViewStmt") return read_view();
    if (node == "CreateSchemaStmt") return read_schema();
    if (node == "AlterTableStmt") return read_alteration();
    if (node == "RenameStmt") return read_rename();
    if (node == "DropStmt") return read_drop();
    if (node == "TruncateStmt") return read_truncate();
    if (node == "CommentStmt") return read_comment();
    return denied("this definition");
  }

 private:
  Error denied(std::string_view what, std::string hint = std::string(kDefinitions)) const {
    return Error(ErrorCode::Denied, fmt::format("{} is not allowed", what), std::move(hint))
        .at("sql", sql_position(sql_, found_.statement.begin));
  }

  // What is not named here may do something that nobody thought of.
  Result<void> allow_only(Keys keys) const {
    for (const JsonMember& member : *statement_.if_object()) {
      if (std::find(keys.begin(), keys.end(), member.key) == keys.end()) {
        return denied(fmt::format("{} with {}", found_.verb, member.key));
      }
    }
    return {};
  }

  // Those that may stand anywhere within: foreign keys, indexes, classes.
  Result<void> check_parts() {
    std::vector<const JsonValue*> open{&statement_};
    while (!open.empty()) {
      const JsonValue* value = open.back();
      open.pop_back();
      if (const auto* items = value->if_array()) {
        for (const JsonValue& item : *items) open.push_back(&item);
      }
      const auto* members = value->if_object();
      if (members == nullptr) continue;
      for (const JsonMember& member : *members) {
        HELVE_TRY(check_part(member));
        open.push_back(&member.value);
      }
    }
    return {};
  }

  Result<void> check_part(const JsonMember& member) {
    if (member.key == "pktable") {
      HELVE_ASSIGN(WrittenName name, name_of_relation(sql_, &member.value));
      found_.references.push_back(std::move(name));
    }
    if (member.key == "opclass") {
      const auto names = strings_of(&member.value);
      if (names.size() != 1 || !is_among(kClasses, names.front())) {
        return denied("an operator class of this name", "leave it out");
      }
    }
    if (member.key == "accessMethod" || member.key == "access_method") {
      const std::string* method = member.value.if_string();
      if (method == nullptr || !is_among(kMethods, *method)) return denied("this method");
    }
    const bool is_storage = member.key == "tablespacename" || member.key == "indexspace" ||
                            member.key == "tableSpaceName" || member.key == "tableSpace";
    if (is_storage) return denied("a tablespace", "leave it out");
    return {};
  }

  Result<void> set_new(const JsonValue* relation) {
    found_.target_kind = GuardedWrite::Target::New;
    HELVE_ASSIGN(found_.target, name_of_relation(sql_, relation));
    if (text_of(*relation, "relpersistence") == "t") {
      return denied("a temporary table or view", "it would be gone with the statement's session");
    }
    return {};
  }

  Result<void> read_table() {
    found_.verb = "CREATE TABLE";
    HELVE_TRY(
        allow_only({"relation", "tableElts", "partspec", "options", "oncommit", "if_not_exists"}));
    return set_new(statement_.find("relation"));
  }

  Result<void> read_table_as() {
    const std::string_view type = text_of(statement_, "objtype");
    found_.verb = type == "OBJECT_MATVIEW" ? "CREATE MATERIALIZED VIEW" : "CREATE TABLE AS";
    HELVE_TRY(allow_only({"query", "into", "objtype", "if_not_exists", "is_select_into"}));
    const JsonValue* query = statement_.find("query");
    const JsonValue* into = statement_.find("into");
    const bool is_select = query != nullptr && query->find("SelectStmt") != nullptr;
    if (!is_select || into == nullptr) return denied(found_.verb);
    return set_new(into->find("rel"));
  }

  Result<void> read_index() {
    found_.verb = "CREATE INDEX";
    if (truth_of(statement_, "concurrent")) {
      return denied("CONCURRENTLY", "it cannot be a part of a transaction: leave it out");
    }
    HELVE_TRY(
        allow_only({"idxname", "relation", "accessMethod", "indexParams", "indexIncludingParams",
                    "options", "whereClause", "unique", "nulls_not_distinct", "if_not_exists"}));
    HELVE_ASSIGN(found_.target, name_of_relation(sql_, statement_.find("relation")));
    return {};
  }

  Result<void> read_view() {
    found_.verb = "CREATE VIEW";
    HELVE_TRY(allow_only({"view", "aliases", "query", "replace", "options", "withCheckOption"}));
    return set_new(statement_.find("view"));
  }

  Result<void> read_schema() {
    found_.verb = "CREATE SCHEMA";
    found_.target_kind = GuardedWrite::Target::Schema;
    HELVE_TRY(allow_only({"schemaname", "if_not_exists"}));
    found_.target = {std::string(text_of(statement_, "schemaname")), {}, found_.statement.begin};
    return {};
  }

  Result<void> read_alteration() {
    found_.verb = "ALTER TABLE";
    HELVE_TRY(allow_only({"relation", "cmds", "objtype", "missing_ok"}));
    if (text_of(statement_, "objtype") != "OBJECT_TABLE") return denied("this ALTER");
    HELVE_ASSIGN(found_.target, name_of_relation(sql_, statement_.find("relation")));
    for (const JsonValue& item : items_of(statement_.find("cmds"))) {
      const JsonValue* command = item.find("AlterTableCmd");
      const std::string_view type = command == nullptr ? "" : text_of(*command, "subtype");
      if (!is_among(kAlterations, type)) return denied("this part of ALTER TABLE");
      note_cascade(*command);
      found_.takes_rows = found_.takes_rows || writes_rows(*command, type);
    }
    return {};
  }

  // A new column without a value, or with the same for all, is no work on rows.
  static bool writes_rows(const JsonValue& command, std::string_view type) {
    if (type == "AT_AlterColumnType" || type == "AT_DropColumn" || type == "AT_AddIdentity") {
      return true;
    }
    if (type != "AT_AddColumn") return false;
    const JsonValue* definition = command.find("def");
    const JsonValue* column = definition == nullptr ? nullptr : definition->find("ColumnDef");
    if (column == nullptr) return true;
    const JsonValue* name = column->find("typeName");
    const std::vector<std::string_view> names =
        strings_of(name == nullptr ? nullptr : name->find("names"));
    if (!names.empty() && names.back().find("serial") != std::string_view::npos) return true;
    const auto& constraints = items_of(column->find("constraints"));
    return std::any_of(constraints.begin(), constraints.end(), [](const JsonValue& item) {
      const JsonValue* one = item.find("Constraint");
      if (one == nullptr) return true;
      const std::string_view kind = text_of(*one, "contype");
      if (kind == "CONSTR_IDENTITY" || kind == "CONSTR_GENERATED") return true;
      return kind == "CONSTR_DEFAULT" && !is_constant(one->find("raw_expr"));
    });
  }

  // 'x', 1, NULL, '1'::int.
  static bool is_constant(const JsonValue* expression) {
    if (expression == nullptr) return false;
    const JsonValue* cast = expression->find("TypeCast");
    if (cast != nullptr) return is_constant(cast->find("arg"));
    return expression->find("A_Const") != nullptr;
  }

  void note_cascade(const JsonValue& node) {
    found_.has_cascade = found_.has_cascade || text_of(node, "behavior") == "DROP_CASCADE";
  }

  Result<void> read_rename() {
    const std::string_view type = text_of(statement_, "renameType");
    const bool is_of_table =
        type == "OBJECT_TABLE" ||
        (type == "OBJECT_COLUMN" && text_of(statement_, "relationType") == "OBJECT_TABLE") ||
        type == "OBJECT_TABCONSTRAINT";
    found_.verb = type == "OBJECT_INDEX"  ? "ALTER INDEX"
                  : type == "OBJECT_VIEW" ? "ALTER VIEW"
                                          : "ALTER TABLE";
    if (!is_of_table && type != "OBJECT_INDEX" && type != "OBJECT_VIEW") {
      return denied("this RENAME");
    }
    found_.renames = true;
    if (type == "OBJECT_INDEX") found_.target_kind = GuardedWrite::Target::Index;
    HELVE_ASSIGN(found_.target, name_of_relation(sql_, statement_.find("relation")));
    return {};
  }

  // [a, b] as written with dots; the table is `behind` names before the end.
  Result<void> set_target(const std::vector<std::string_view>& names, std::size_t behind) {
    if (names.size() <= behind || names.size() > behind + 2) {
      return denied("a name with this many parts", "write schema.table");
    }
    const std::size_t at = names.size() - 1 - behind;
    found_.target = {std::string(at > 0 ? names[at - 1] : std::string_view()),
                     std::string(names[at]), found_.statement.begin};
    return {};
  }

  Result<void> read_drop() {
    const std::string_view type = text_of(statement_, "removeType");
    if (type == "OBJECT_TABLE") found_.verb = "DROP TABLE";
    if (type == "OBJECT_VIEW") found_.verb = "DROP VIEW";
    if (type == "OBJECT_MATVIEW") found_.verb = "DROP MATERIALIZED VIEW";
    if (type == "OBJECT_INDEX") {
      found_.verb = "DROP INDEX";
      found_.target_kind = GuardedWrite::Target::Index;
    }
    if (found_.verb.empty()) return denied("this DROP");
    found_.takes_rows = type == "OBJECT_TABLE" || type == "OBJECT_MATVIEW";
    if (truth_of(statement_, "concurrent")) {
      return denied("CONCURRENTLY", "it cannot be a part of a transaction: leave it out");
    }
    const auto& objects = items_of(statement_.find("objects"));
    const JsonValue* list = objects.size() == 1 ? objects.front().find("List") : nullptr;
    if (list == nullptr) return denied("dropping several at once", "drop one in each call");
    note_cascade(statement_);
    return set_target(strings_of(list->find("items")), 0);
  }

  Result<void> read_truncate() {
    found_.verb = "TRUNCATE";
    const auto& tables = items_of(statement_.find("relations"));
    if (tables.size() != 1) return denied("truncating several at once", "name one table");
    found_.deletes = found_.takes_rows = true;
    note_cascade(statement_);
    HELVE_ASSIGN(found_.target, name_of_relation(sql_, tables.front().find("RangeVar")));
    return {};
  }

  Result<void> read_comment() {
    const std::string_view type = text_of(statement_, "objtype");
    found_.verb = "COMMENT";
    const bool is_of_table =
        type == "OBJECT_TABLE" || type == "OBJECT_VIEW" || type == "OBJECT_MATVIEW";
    const JsonValue* object = statement_.find("object");
    const JsonValue* list = object == nullptr ? nullptr : object->find("List");
    if (list == nullptr) return denied("a comment on this");
    const auto names = strings_of(list->find("items"));
    if (type == "OBJECT_INDEX") found_.target_kind = GuardedWrite::Target::Index;
    if (is_of_table || type == "OBJECT_INDEX") return set_target(names, 0);
    if (type != "OBJECT_COLUMN") return denied("a comment on this");
    return set_target(names, 1);
  }

  std::string_view sql_;
  const JsonValue& statement_;
  GuardedWrite& found_;
};

}  // namespace

Result<void> read_definition(std::string_view sql, std::string_view node,
                             const JsonValue& statement, GuardedWrite& found) {
  return DefinitionReader(sql, statement, found).run(node);
}

Result<WrittenName> name_of_relation(std::string_view sql, const JsonValue* relation) {
  const bool has_name = relation != nullptr && !text_of(*relation, "relname").empty();
  if (!has_name || relation->find("catalogname") != nullptr) {
    return Error(ErrorCode::Denied, "the table that is changed is not plainly named",
                 "write table or schema.table")
        .at("sql", sql_position(sql, relation == nullptr ? 0 : location_of(*relation)));
  }
  return WrittenName{std::string(text_of(*relation, "schemaname")),
                     std::string(text_of(*relation, "relname")), location_of(*relation)};
}

}  // namespace helve::sql
