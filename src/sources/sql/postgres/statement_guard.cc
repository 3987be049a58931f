#include "sources/sql/postgres/statement_guard.h"

#include <fmt/format.h>
#include <pg_query.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/json.h"
#include "base/utf8.h"
#include "sources/sql/postgres/allowed_functions.h"
#include "sources/sql/postgres/server_error.h"
#include "sources/sql_tokens.h"

namespace helve::sql {

namespace {

// The grammar's library recurses along chains of operators and joins: this many of them are far
// from the end of a stack. Lists of values do not count.
constexpr std::size_t kPartsMax = 10'000;
constexpr std::size_t kSyntaxMessageBytesMax = 500;
constexpr std::size_t kTreeDepthMax = 800;  // some two hundred operators in a chain

constexpr std::string_view kReads =
    "only statements that read are allowed: SELECT, VALUES, TABLE, WITH and EXPLAIN";

// Kinds of nodes that a read is made of. What is not here is refused.
constexpr auto kReadNodes = std::to_array<std::string_view>({
    "A_ArrayExpr",
    "A_Const",
    "A_Expr",
    "A_Indices",
    "A_Indirection",
    "A_Star",
    "Alias",
    "BitString",
    "BoolExpr",
    "Boolean",
    "BooleanTest",
    "CTECycleClause",
    "CTESearchClause",
    "CaseExpr",
    "CaseWhen",
    "CoalesceExpr",
    "CollateClause",
    "ColumnDef",
    "ColumnRef",
    "CommonTableExpr",
    "Float",
    "FuncCall",
    "GroupingFunc",
    "GroupingSet",
    "Integer",
    "JoinExpr",
    "List",
    "MinMaxExpr",
    "NamedArgExpr",
    "NullTest",
    "ParamRef",
    "RangeFunction",
    "RangeSubselect",
    "RangeTableFunc",
    "RangeTableFuncCol",
    "RangeTableSample",
    "RangeVar",
    "ResTarget",
    "RowExpr",
    "SQLValueFunction",
    "SelectStmt",
    "SortBy",
    "String",
    "SubLink",
    "TypeCast",
    "TypeName",
    "WindowDef",
    "WithClause",
    "XmlExpr",
    "XmlSerialize",
});

struct FreeParse {
  void operator()(PgQueryParseResult* result) const {
    pg_query_free_parse_result(*result);
    delete result;
  }
};

// [{"String": {"sval": "a"}}, ...] as texts.
std::vector<std::string_view> names_of(const JsonValue& list) {
  std::vector<std::string_view> names;
  const auto* items = list.if_array();
  if (items == nullptr) return names;
  for (const JsonValue& item : *items) {
    const JsonValue* text = item.find("String");
    text = text == nullptr ? nullptr : text->find("sval");
    const std::string* value = text == nullptr ? nullptr : text->if_string();
    names.push_back(value == nullptr ? std::string_view() : std::string_view(*value));
  }
  return names;
}

std::string_view text_member(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.find(key);
  const std::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

class Guard {
  using Kind = UsedName::Kind;

 public:
  Guard(std::string_view sql, SqlProblem& problem, const GuardExtension* extension = nullptr)
      : sql_(sql), problem_(problem), extension_(extension) {}

  Result<GuardedTree> run() {
    HELVE_ASSIGN(tokens_, read_sql_tokens(sql_, SqlDialect::PostgreSql));
    HELVE_TRY(check_parts());
    HELVE_ASSIGN(const JsonValue tree, parse());
    const JsonValue* list = tree.find("stmts");
    const auto* statements = list == nullptr ? nullptr : list->if_array();
    if (statements == nullptr || statements->empty()) {
      return Error{ErrorCode::InvalidInput, "there is no statement",
                   extension_ == nullptr ? "write a SELECT" : hint()};
    }
    if (statements->size() > 1) {
      const std::size_t second = start_of(number((*statements)[1], "stmt_location"));
      return refuse(second, "there is more than one statement",
                    "send one statement without the ones behind it");
    }
    HELVE_ASSIGN(GuardedStatement found, check_statement(statements->front()));
    return GuardedTree{std::move(found),
                       extension_ == nullptr ? JsonValue() : *statements->front().find("stmt")};
  }

 private:
  bool is_beyond_reads(std::span<const std::string_view> GuardExtension::*list,
                       std::string_view name) const {
    if (extension_ == nullptr) return false;
    const auto& names = extension_->*list;
    return std::find(names.begin(), names.end(), name) != names.end();
  }
  std::string hint() const {
    return std::string(extension_ == nullptr ? kReads : extension_->hint);
  }

  Error refuse(std::size_t byte, std::string message, std::string hint) const {
    return Error(ErrorCode::Denied, std::move(message), std::move(hint))
        .at("sql", sql_position(sql_, byte));
  }

  Result<void> check_parts() const {
    const auto counts = [](const SqlToken& token) {
      if (token.kind == SqlTokenKind::Word || token.kind == SqlTokenKind::Name) return true;
      if (token.kind != SqlTokenKind::Symbol) return false;
      return token.text != "," && token.text != "." && token.text != ";";
    };
    const auto parts =
        static_cast<std::size_t>(std::count_if(tokens_.begin(), tokens_.end(), counts));
    if (parts <= kPartsMax) return {};
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("the statement has {} words and signs: {} at most", parts, kPartsMax),
                 "split it, or feed long lists of values by a handle: IN (@results_0.column)"};
  }

  Result<JsonValue> parse() {
    const std::string text(sql_);
    const std::unique_ptr<PgQueryParseResult, FreeParse> parsed(
        new PgQueryParseResult(pg_query_parse(text.c_str())));
    if (parsed->error != nullptr) return syntax_error(*parsed->error);
    if (parsed->parse_tree == nullptr) {
      return Error{ErrorCode::InvalidInput, "the statement cannot be read"};
    }
    Limits limits;
    limits.json_depth_max = kTreeDepthMax;
    auto tree = parse_json(parsed->parse_tree, limits);
    if (tree) return tree;
    return Error{ErrorCode::LimitExceeded, "the statement is nested too deeply, or too long",
                 "write it with fewer levels, or in parts"};
  }

  Error syntax_error(const PgQueryError& error) {
    const std::string_view message = error.message == nullptr ? "" : error.message;
    if (message.starts_with("memory exhausted")) {
      return {ErrorCode::LimitExceeded, "the statement is nested too deeply",
              "write it with fewer levels, or in parts"};
    }
    problem_.kind = SqlProblem::Kind::Syntax;
    Error found(ErrorCode::InvalidInput, "the SQL is malformed",
                extension_ == nullptr ? "write one statement of PostgreSQL that reads" : hint());
    found.detail = bounded_text(message, kSyntaxMessageBytesMax);
    if (error.cursorpos > 0) {
      found.at("sql", sql_position(sql_, byte_of(static_cast<std::size_t>(error.cursorpos))));
    }
    return found;
  }

  // Of a character that is counted from 1.
  std::size_t byte_of(std::size_t character) const {
    const char* at = sql_.data();
    const char* const end = at + sql_.size();
    while (at < end && --character > 0) decode_utf8(at, end);
    return static_cast<std::size_t>(at - sql_.data());
  }

  static std::size_t number(const JsonValue& object, std::string_view key) {
    const JsonValue* value = object.find(key);
    return value == nullptr ? 0 : static_cast<std::size_t>(value->to_uint64().value_or(0));
  }

  // The first word at or behind a byte.
  std::size_t start_of(std::size_t byte) const {
    const SqlToken* token = token_at(byte);
    return token == nullptr ? byte : token->begin;
  }
  const SqlToken* token_at(std::size_t byte) const {
    const auto token =
        std::lower_bound(tokens_.begin(), tokens_.end(), byte,
                         [](const SqlToken& one, std::size_t place) { return one.begin < place; });
    return token == tokens_.end() ? nullptr : &*token;
  }

  Result<GuardedStatement> check_statement(const JsonValue& raw) {
    GuardedStatement found;
    found.begin = std::min(number(raw, "stmt_location"), sql_.size());
    found.size = std::min(number(raw, "stmt_len"), sql_.size() - found.begin);
    if (found.size == 0) found.size = sql_.size() - found.begin;
    found.inner_begin = found.begin;
    place_ = start_of(found.begin);
    const JsonValue* statement = raw.find("stmt");
    const auto* members = statement == nullptr ? nullptr : statement->if_object();
    if (members == nullptr || members->size() != 1) {
      return Error{ErrorCode::InvalidInput, "there is no statement",
                   extension_ == nullptr ? "write a SELECT" : hint()};
    }
    const JsonMember& top = members->front();
    if (extension_ != nullptr) {
      if (!is_beyond_reads(&GuardExtension::statements, top.key)) return no_read();
      HELVE_TRY(walk(top.value));
      return finish(std::move(found));
    }
    if (top.key == "VariableShowStmt") {
      HELVE_TRY(check_setting(text_member(top.value, "name"), place_));
      found.kind = GuardedStatement::Kind::Show;
      return found;
    }
    if (top.key == "ExplainStmt") {
      HELVE_TRY(check_explain(top.value));
      const JsonValue* query = top.value.find("query");
      if (query == nullptr || query->find("SelectStmt") == nullptr) return no_read();
      HELVE_TRY(walk(*query));
      found.kind = GuardedStatement::Kind::Explain;
      found.inner_begin = inner_begin();
    } else if (top.key == "SelectStmt") {
      HELVE_TRY(walk(*statement));
    } else {
      return no_read();
    }
    return finish(std::move(found));
  }

  GuardedStatement finish(GuardedStatement found) {
    found.parameters = parameters_;
    // A function in FROM may have values without columns: x.name is (x).name there.
    for (UsedName& used : names_) {
      if (has_function_table_ && used.kind == Kind::Column) used.kind = Kind::Part;
    }
    if (!names_.empty()) {
      found.names = std::make_shared<const std::vector<UsedName>>(std::move(names_));
    }
    return found;
  }

  Error no_read() const {
    const SqlToken* first = token_at(place_);
    const std::string word = ascii_upper(first == nullptr ? "this" : first->text.substr(0, 40));
    return refuse(place_, fmt::format("{} is not allowed", word), hint());
  }

  Result<void> check_explain(const JsonValue& statement) const {
    const JsonValue* options = statement.find("options");
    if (options == nullptr || options->if_array() == nullptr) return {};
    for (const JsonValue& option : *options->if_array()) {
      const JsonValue* element = option.find("DefElem");
      if (element == nullptr) return no_read();
      if (!is_same_in_any_case(text_member(*element, "defname"), "analyze")) continue;
      const JsonValue* argument = element->find("arg");
      const JsonValue* text = argument == nullptr ? nullptr : argument->find("String");
      const std::string value = text == nullptr ? "" : ascii_lower(text_member(*text, "sval"));
      if (value == "false" || value == "off") continue;
      return refuse(place_, "EXPLAIN ANALYZE is not allowed: it runs the statement",
                    "leave ANALYZE out");
    }
    return {};
  }

  // Behind EXPLAIN and its options.
  std::size_t inner_begin() const {
    const auto first = static_cast<std::size_t>(token_at(place_) - tokens_.data());
    std::size_t next = first + 1;
    const auto is_option_list = [this](std::size_t at) {  // and no query in parentheses
      return at + 1 < tokens_.size() && tokens_[at].text == "(" &&
             !is_word(tokens_[at + 1], "SELECT") && !is_word(tokens_[at + 1], "WITH") &&
             !is_word(tokens_[at + 1], "VALUES") && !is_word(tokens_[at + 1], "TABLE") &&
             tokens_[at + 1].text != "(";
    };
    if (is_option_list(next)) {
      while (next < tokens_.size() && tokens_[next].text != ")") ++next;
      ++next;
    }
    while (next < tokens_.size() &&
           (is_word(tokens_[next], "VERBOSE") || is_word(tokens_[next], "ANALYZE"))) {
      ++next;
    }
    return next < tokens_.size() ? tokens_[next].begin : sql_.size();
  }

  struct Visit {
    const JsonValue* value;
    std::size_t place;  // the nearest that is known
  };

  Result<void> walk(const JsonValue& root) {
    std::vector<Visit> open{{&root, place_}};
    while (!open.empty()) {
      const Visit visit = open.back();
      open.pop_back();
      if (const auto* items = visit.value->if_array()) {
        for (const JsonValue& item : *items) open.push_back({&item, visit.place});
      } else if (const auto* members = visit.value->if_object()) {
        const std::size_t own = number(*visit.value, "location");
        const std::size_t place = own == 0 ? visit.place : own;
        for (const JsonMember& member : *members) {
          HELVE_TRY(check_member(*visit.value, member, place));
          open.push_back({&member.value, place});
        }
      }
    }
    return {};
  }

  Result<void> check_member(const JsonValue& object, const JsonMember& member, std::size_t place) {
    const std::string_view key = member.key;
    if (!key.empty() && is_upper(key.front())) {
      note_node(key, place);
      return check_node(key, place);
    }
    if (key == "funcname") return check_function(object, member.value, place);
    if (key == "relname") return check_table(object, member.value, place);
    if (key == "intoClause") {
      return refuse(place, "SELECT INTO is not allowed: it makes a table", hint());
    }
    if (key == "lockingClause") {
      return refuse(place, "FOR UPDATE and FOR SHARE are not allowed: they lock rows",
                    "leave the clause out");
    }
    if (key == "name" || key == "operName" || key == "useOp") {
      return check_operator(member.value, place);
    }
    if (key == "method" && member.value.if_array() != nullptr) {
      return check_sample(member.value, place);
    }
    if (key == "fields" || key == "indirection") return check_attributes(key, member.value, place);
    if (key == "names") add_type(member.value, place);
    if (key == "usingClause" || key == "isNatural") add(Kind::Operator, "=", place);
    // Only ParamRef has a number without an object around it.
    if (key == "number") parameters_ = std::max(parameters_, number(object, "number"));
    return {};
  }

  void add(Kind kind, std::string_view name, std::size_t place) {
    std::string key(1, static_cast<char>('a' + static_cast<int>(kind)));
    key += name;
    if (seen_.insert(std::move(key)).second) names_.push_back({kind, std::string(name), place});
  }

  // Comparisons have operators that the text does not have.
  void note_node(std::string_view node, std::size_t place) {
    if (node == "RangeFunction") has_function_table_ = true;
    if (node == "CaseExpr" || node == "SubLink") add(Kind::Operator, "=", place);
  }

  void add_type(const JsonValue& list, std::size_t place) {
    const auto names = names_of(list);
    if (names.empty()) return;
    const std::string_view schema = names.size() < 2 ? "" : names[names.size() - 2];
    const bool may_be_of_catalogue = schema.empty() || schema == "pg_catalog";
    const bool has_dot = names.back().find('.') != std::string_view::npos;
    if (has_dot || (may_be_of_catalogue && is_lookup_type(names.back()))) {
      add(Kind::ObjectLookup, names.back(), place);
    }
    if (schema == "pg_catalog") return;
    std::string full(schema);
    if (!full.empty()) full += '.';
    add(Kind::Type, full.append(names.back()), place);
  }

  Result<void> check_node(std::string_view kind, std::size_t place) const {
    if (std::find(kReadNodes.begin(), kReadNodes.end(), kind) != kReadNodes.end()) return {};
    if (is_beyond_reads(&GuardExtension::nodes, kind)) return {};
    for (const std::string_view word : {"Insert", "Update", "Delete", "Merge"}) {
      if (kind.starts_with(word)) {
        return refuse(place, fmt::format("{} within a statement is not allowed", word), hint());
      }
    }
    return refuse(place, fmt::format("the statement has a part that is not allowed: {}", kind),
                  hint());
  }

  Result<void> check_function(const JsonValue& call, const JsonValue& list, std::size_t place) {
    const auto names = names_of(list);
    if (names.empty()) return no_read();
    const std::string_view name = names.back();
    const bool is_own = names.size() == 1 || (names.size() == 2 && names.front() == "pg_catalog");
    if (names.size() == 1) add(Kind::Function, name, place);
    if (is_own && is_lookup_function(name)) add(Kind::ObjectLookup, name, place);
    if (is_own && is_allowed_function(name)) return {};
    if (is_own && is_beyond_reads(&GuardExtension::functions, name)) return {};
    if (is_own && name == "current_setting") return check_current_setting(call, place);
    const JsonValue* arguments = call.find("args");
    const auto* given = arguments == nullptr ? nullptr : arguments->if_array();
    if (is_own && name == "ts_rewrite" && given != nullptr && given->size() == 3) return {};
    const bool has_dot = std::any_of(names.begin(), names.end(), [](std::string_view one) {
      return one.find('.') != std::string_view::npos;
    });
    const bool may_be_own = names.size() <= 2 && names.front() != "pg_catalog" && !has_dot;
    if (may_be_own && !is_closed_attribute(name)) {
      add(Kind::UnlistedFunction, fmt::format("{}", fmt::join(names, ".")), place);
      return {};
    }
    return closed_function(fmt::format("{}", fmt::join(names, ".")), place);
  }

  Error closed_function(std::string_view full, std::size_t place) {
    return unlisted_function_error(full, problem_).at("sql", sql_position(sql_, place));
  }

  Result<void> check_current_setting(const JsonValue& call, std::size_t place) const {
    const JsonValue* arguments = call.find("args");
    const auto* given = arguments == nullptr ? nullptr : arguments->if_array();
    const JsonValue* constant = nullptr;
    if (given != nullptr && !given->empty() && call.find("func_variadic") == nullptr) {
      constant = given->front().find("A_Const");
    }
    const JsonValue* text = constant == nullptr ? nullptr : constant->find("sval");
    return check_setting(text == nullptr ? "" : text_member(*text, "sval"), place);
  }

  Result<void> check_setting(std::string_view name, std::size_t place) const {
    if (is_shown_setting(name)) return {};
    return refuse(place,
                  name.empty()
                      ? std::string("only settings that are named may be shown")
                      : fmt::format("the setting {} may not be shown", name.substr(0, 100)),
                  "settings that may be shown: server_version, TimeZone, search_path, "
                  "server_encoding and the like");
  }

  Result<void> check_table(const JsonValue& object, const JsonValue& value, std::size_t place) {
    const std::string* name = value.if_string();
    if (name == nullptr) return no_read();
    const std::string_view schema = text_member(object, "schemaname");
    const bool is_of_system =
        schema == "pg_catalog" || (schema.empty() && name->starts_with("pg_"));
    if (is_of_system) add(Kind::SystemTable, *name, place);
    const bool may_be_closed =
        schema.empty() || schema == "pg_catalog" || schema == "information_schema";
    if (!may_be_closed || !is_closed_table(*name)) return {};
    return refuse(place, fmt::format("{} may not be read", *name),
                  "it holds secrets or shows files of the server");
  }

  // The first name of a column may be its table.
  Result<void> check_attributes(std::string_view key, const JsonValue& list, std::size_t place) {
    const auto names = names_of(list);
    for (std::size_t i = key == "fields" ? 1 : 0; i < names.size(); ++i) {
      if (names[i].empty()) continue;  // a star, a subscript
      if (is_closed_attribute(names[i])) return closed_function(names[i], place);
      // (x).name is a cast, too, where name is a type.
      if (is_lookup_function(names[i]) || is_lookup_type(names[i])) {
        add(Kind::ObjectLookup, names[i], place);
      }
      add(key == "fields" ? Kind::Column : Kind::Part, names[i], place);
    }
    return {};
  }

  Result<void> check_operator(const JsonValue& list, std::size_t place) {
    const auto names = names_of(list);
    if (names.size() == 1) {
      const bool is_range = names.front().find("BETWEEN") != std::string_view::npos;
      for (const std::string_view name : {">=", "<=", ">", "<"}) {
        if (is_range) add(Kind::Operator, name, place);
      }
      add(Kind::Operator, names.front(), place);
    }
    if (names.size() < 2 || names.front() == "pg_catalog") return {};
    return refuse(place,
                  fmt::format("the operator {} is not one of PostgreSQL's own",
                              fmt::format("{}", fmt::join(names, ".")).substr(0, 200)),
                  "write the operator without its schema, or another one");
  }

  Result<void> check_sample(const JsonValue& list, std::size_t place) const {
    const auto names = names_of(list);
    const bool is_own = names.size() == 1 || (names.size() == 2 && names.front() == "pg_catalog");
    if (is_own && (names.back() == "system" || names.back() == "bernoulli")) return {};
    return refuse(place, "TABLESAMPLE is allowed with SYSTEM and BERNOULLI alone",
                  "write TABLESAMPLE SYSTEM (1)");
  }

  std::string_view sql_;
  SqlProblem& problem_;
  const GuardExtension* extension_;
  std::vector<SqlToken> tokens_;
  std::size_t place_ = 0;  // of the statement's first word
  std::size_t parameters_ = 0;
  bool has_function_table_ = false;
  std::vector<UsedName> names_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

Result<GuardedStatement> guard_statement(std::string_view sql, SqlProblem& problem) {
  problem = {};
  auto found = Guard(sql, problem).run();
  if (found) return std::move(found->statement);
  if (found.error().code == ErrorCode::InvalidInput) problem.kind = SqlProblem::Kind::Syntax;
  return std::move(found).error();
}

Error unlisted_function_error(std::string_view name, SqlProblem& problem) {
  problem = {SqlProblem::Kind::UnknownFunction, std::string(name)};
  const auto near = near_functions(name.substr(name.rfind('.') + 1));
  return {
      ErrorCode::Denied,
      fmt::format("the function {} is not one of those that may be called", name.substr(0, 200)),
      near.empty() ? "call PostgreSQL's own functions that compute or aggregate; an operator can "
                     "add functions by allowed_functions in the policy, or offer what they give "
                     "as a view"
                   : fmt::format("did you mean {}?", fmt::join(near, ", "))};
}

Result<GuardedTree> guard_tree(std::string_view sql, const GuardExtension& extension,
                               SqlProblem& problem) {
  problem = {};
  auto found = Guard(sql, problem, &extension).run();
  if (!found && found.error().code == ErrorCode::InvalidInput) {
    problem.kind = SqlProblem::Kind::Syntax;
  }
  return found;
}

}  // namespace helve::sql
