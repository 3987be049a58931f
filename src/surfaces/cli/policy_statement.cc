#include "surfaces/cli/policy_statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sources/sql/open/statement_outlook.h"
#include "sources/sql_tokens.h"
#include "toolkit/policy/restricted_tables.h"
#include "toolkit/writes/change.h"

namespace helve::cli {

namespace {

using toolkit::Policy;
using toolkit::Tool;

constexpr std::array kDialects = {SqlDialect::Sqlite, SqlDialect::PostgreSql, SqlDialect::MySql};

// A policy that has no rules for tables, but for one of them where there is one.
struct TableKey {
  const char* key;
  void (*keep)(const Policy& from, Policy& into);
  bool (*is_there)(const Policy& policy);
};
constexpr std::array kTableKeys = {
    TableKey{"denied_tables",
             [](const Policy& from, Policy& into) { into.denied_tables = from.denied_tables; },
             [](const Policy& policy) { return !policy.denied_tables.empty(); }},
    TableKey{"allowed_tables",
             [](const Policy& from, Policy& into) { into.allowed_tables = from.allowed_tables; },
             [](const Policy& policy) { return policy.allowed_tables.has_value(); }},
    TableKey{"denied_columns",
             [](const Policy& from, Policy& into) { into.denied_columns = from.denied_columns; },
             [](const Policy& policy) { return !policy.denied_columns.empty(); }},
    TableKey{"allowed_columns",
             [](const Policy& from, Policy& into) { into.allowed_columns = from.allowed_columns; },
             [](const Policy& policy) { return policy.allowed_columns.has_value(); }},
};

Policy without_table_rules(Policy policy) {
  policy.denied_tables.clear();
  policy.allowed_tables.reset();
  policy.denied_columns.clear();
  policy.allowed_columns.reset();
  return policy;
}

class StatementJudge {
 public:
  StatementJudge(const JudgedStatement& statement, const Tool& tool, const Policy& policy,
                 const std::shared_ptr<const TableSource>& tables, const OpContext& context)
      : statement_(statement), tool_(tool), policy_(policy), tables_(tables), context_(context) {}

  StatementJudgement judge() {
    if (is_writing() && policy_.max_affected_rows == 0) {
      refuse("max_affected_rows",
             {ErrorCode::Denied, "the policy lets no row be changed (max_affected_rows is 0)",
              "a policy with a larger max_affected_rows would allow changes"});
      return std::move(judgement_);
    }
    if (has_feed()) {
      leave("what the statement does: it is fed from a handle, and there are none here");
      return std::move(judgement_);
    }
    if (tables_ == nullptr || !is_judged_by_database()) judge_by_words();
    return std::move(judgement_);
  }

 private:
  // What came of looking at the statement within a policy.
  struct Look {
    std::optional<Error> error;
    std::string rule;
    std::optional<bool> is_definition;  // of a change
    std::string verb;

    bool is_denied() const { return error && error->code == ErrorCode::Denied; }
  };

  bool is_writing() const { return tool_.is_writing || tool_.is_defining; }
  void leave(std::string what) { judgement_.open.push_back(std::move(what)); }
  void refuse(std::string rule, Error error) {
    judgement_.rule = std::move(rule);
    judgement_.refusal = std::move(error);
  }

  bool has_feed() const {
    const auto tokens = read_sql_tokens(statement_.sql, SqlDialect::Sqlite);
    return tokens && std::any_of(tokens->begin(), tokens->end(), [](const SqlToken& token) {
             return token.kind == SqlTokenKind::Feed;
           });
  }

  // False: it does not answer.
  bool is_judged_by_database() {
    const auto look = [this](const Policy& policy) { return look_with_database(policy); };
    const Look met = look(policy_);
    if (met.error && met.error->code == ErrorCode::Unavailable) {
      leave("what the database says: it cannot be asked (" + met.error->full_message() + ")");
      return false;
    }
    take(met, look);
    return true;
  }

  void judge_by_words() {
    const auto look = [this](const Policy& policy) { return look_at_words(policy); };
    const Look met = look(policy_);
    take(met, look);
    if (judgement_.refusal || met.error) return;
    leave(is_writing() ? "whether the statement is one that may be run, what else it changes, and "
                         "whether all that it reads may be read: the database says it"
                       : "whether the statement is one that may be run, and whether its tables and "
                         "columns may be read: the database says it");
  }

  template <typename LookWithin>
  void take(const Look& met, const LookWithin& look) {
    if (met.is_denied()) {
      refuse(met.rule.empty() ? rule_of_tables(look) : met.rule, *met.error);
    } else if (met.error) {
      leave("what the statement does: " + met.error->full_message());
    } else if (met.is_definition && *met.is_definition != tool_.is_defining) {
      refuse_other_tool(met);
    }
  }

  void refuse_other_tool(const Look& met) {
    if (!*met.is_definition) {
      refuse("", {ErrorCode::InvalidInput, met.verb + " changes rows, not tables",
                  "data_modify does that"});
      return;
    }
    refuse(policy_.allow_ddl ? "" : "allow_ddl",
           {ErrorCode::InvalidInput, met.verb + " changes tables, not rows",
            policy_.allow_ddl
                ? "ddl_execute does that"
                : "ddl_execute does that, and the policy does not allow it (allow_ddl)"});
  }

  // The key that refuses it by itself. Empty: without rules for tables it is refused all the same,
  // or none of them does it alone.
  template <typename LookWithin>
  std::string rule_of_tables(const LookWithin& look) const {
    if (look(without_table_rules(policy_)).is_denied()) return {};
    for (const TableKey& one : kTableKeys) {
      if (!one.is_there(policy_)) continue;
      Policy alone = without_table_rules(policy_);
      one.keep(policy_, alone);
      if (look(alone).is_denied()) return one.key;
    }
    return {};
  }

  Look look_with_database(const Policy& policy) const {
    const auto restricted = toolkit::restrict_tables(tables_, policy);
    Look look;
    if (!is_writing()) {
      TableQuery query;
      query.sql = statement_.sql;
      query.parameters = statement_.parameters;
      look.error = restricted->explain(query, context_).error;
      return look;
    }
    if (restricted->writer() == nullptr) {
      look.error = Error{ErrorCode::Unavailable, "it is not open for writing"};
      return look;
    }
    TableWrite write;
    write.sql = statement_.sql;
    write.parameters = statement_.parameters;
    SqlProblem problem;
    toolkit::WriteNotes notes;
    auto change = toolkit::examine_change(std::move(write), {*restricted,
                                                             *restricted->writer(),
                                                             policy,
                                                             {policy.max_affected_rows},
                                                             context_,
                                                             problem,
                                                             notes});
    look.rule = notes.rule;
    if (change) {
      look.is_definition = change->is_definition();
      look.verb = change->outline.verb;
    } else {
      look.error = std::move(change).error();
    }
    return look;
  }

  // Of a dialect that is not known: an error where all have one.
  Look look_at_words(const Policy& policy) const {
    std::optional<Look> refused;
    for (const SqlDialect dialect : kDialects) {
      if (tables_ != nullptr && dialect != tables_->dialect()) continue;
      const TableRules rules = toolkit::table_rules(policy);
      sql::StatementOutlook outlook = is_writing()
                                          ? sql::outlook_of_write(statement_.sql, dialect, rules)
                                          : sql::outlook_of_read(statement_.sql, dialect, rules);
      Look look{std::move(outlook.error), "", std::nullopt, std::move(outlook.verb)};
      if (is_writing()) look.is_definition = outlook.kind == WriteKind::Definition;
      if (!look.error) return look;
      // What the policy says tells more than what a guard says of its dialect.
      const bool is_by_policy = look.error->reason == ErrorReason::DeniedByPolicy;
      const bool has_better = refused && refused->error->reason == ErrorReason::DeniedByPolicy;
      if (!refused || (is_by_policy && !has_better) ||
          (look.is_denied() && !refused->is_denied())) {
        refused = std::move(look);
      }
    }
    return *std::move(refused);
  }

  const JudgedStatement& statement_;
  const Tool& tool_;
  const Policy& policy_;
  const std::shared_ptr<const TableSource>& tables_;
  const OpContext& context_;
  StatementJudgement judgement_;
};

}  // namespace

StatementJudgement judge_statement(const JudgedStatement& statement, const Tool& tool,
                                   const Policy& policy,
                                   const std::shared_ptr<const TableSource>& tables,
                                   const OpContext& context) {
  return StatementJudge(statement, tool, policy, tables, context).judge();
}

}  // namespace helve::cli
