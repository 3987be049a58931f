#include "toolkit/policy/restricted_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/ascii.h"
#include "base/near_names.h"
#include "sources/table_rules.h"
#include "toolkit/policy/restricted_writer.h"

namespace helve::toolkit {

namespace {

// "customer" is any table of that name, "sales.customer" the one of that schema.
bool names_table(std::string_view name, const TableInfo& table) {
  if (is_same_in_any_case(name, table.name)) return true;
  return !table.schema.empty() && is_same_in_any_case(name, table.schema + "." + table.name);
}

// SQLite's adapter refuses what is computed from hidden columns, and the catalogue does not tell
// what that is: of a table that has some, what is computed is told of only where it is named as
// allowed.
bool is_untold(const ColumnInfo& column, const TableInfo& table, const TableRules& rules,
               SqlDialect dialect) {
  return column.is_generated && dialect == SqlDialect::Sqlite &&
         !limits_columns(rules, table.schema, table.name);
}

bool has_column_rules(const TableRules& rules, const TableInfo& table) {
  return limits_columns(rules, table.schema, table.name) ||
         std::any_of(rules.denied_columns.begin(), rules.denied_columns.end(),
                     [&](const std::string& name) {
                       return names_table(std::string_view(name).substr(0, name.rfind('.')), table);
                     });
}

bool leads_to_hidden(const ForeignKeyInfo& key, const Catalogue& whole, const TableRules& rules) {
  const TableInfo* const other =
      whole.find(key.schema.empty() ? key.table : key.schema + "." + key.table);
  if (other == nullptr) return true;  // the rights of the connection hide it
  return !allows_table(rules, *other, whole) ||
         std::any_of(key.other_columns.begin(), key.other_columns.end(),
                     [&](const std::string& column) {
                       return !allows_column(rules, *other, whole, column);
                     });
}

Catalogue restricted(const Catalogue& whole, const TableRules& rules, SqlDialect dialect) {
  Catalogue part;
  part.default_schema = whole.default_schema;
  part.is_complete = whole.is_complete;
  for (const TableInfo& table : whole.tables) {
    if (!allows_table(rules, table, whole)) continue;
    TableInfo& kept = part.tables.emplace_back(table);
    const auto is_hidden = [&](std::string_view column) {
      return !allows_column(rules, table, whole, column);
    };
    std::erase_if(kept.columns, [&](const ColumnInfo& column) { return is_hidden(column.name); });
    std::erase_if(kept.indexes, [&](const IndexInfo& index) {
      return std::any_of(index.columns.begin(), index.columns.end(), is_hidden);
    });
    if (std::any_of(kept.primary_key.begin(), kept.primary_key.end(), is_hidden)) {
      kept.primary_key.clear();
    }
    std::erase_if(kept.foreign_keys, [&](const ForeignKeyInfo& key) {
      return std::any_of(key.columns.begin(), key.columns.end(), is_hidden) ||
             leads_to_hidden(key, whole, rules);
    });
    // What an expression reads is not known. Where the rights of the connection hide a column, the
    // catalogue does not have it.
    if (kept.columns.size() < table.columns.size() || has_column_rules(rules, table)) {
      kept.checks.clear();
      std::erase_if(kept.indexes, [](const IndexInfo& index) {
        return std::any_of(index.columns.begin(), index.columns.end(),
                           [](const std::string& column) { return column.starts_with('('); });
      });
      std::erase_if(kept.columns, [&](const ColumnInfo& column) {
        return is_untold(column, table, rules, dialect);
      });
    }
  }
  return part;
}

class RestrictedTables final : public TableSource {
 public:
  RestrictedTables(std::shared_ptr<const TableSource> source, TableRules rules)
      : source_(std::move(source)),
        rules_(std::make_shared<const TableRules>(std::move(rules))),
        writer_(restrict_writer(source_->writer(), rules_)) {}

  const SourceInfo& info() const override { return source_->info(); }
  std::string fingerprint() const override { return source_->fingerprint(); }
  SqlDialect dialect() const override { return source_->dialect(); }
  TableRun run(const TableQuery& query, RowSink& sink, const OpContext& context) const override {
    if (auto known = check_names(context, false); !known) {
      TableRun refused;
      refused.error = std::move(known).error();
      return refused;
    }
    return source_->run(within_rules(query), sink, context);
  }
  PlanOutcome explain(const TableQuery& query, const OpContext& context) const override {
    if (auto known = check_names(context, false); !known) {
      PlanOutcome refused;
      refused.error = std::move(known).error();
      return refused;
    }
    return source_->explain(within_rules(query), context);
  }
  Result<std::shared_ptr<const Catalogue>> catalogue(const OpContext& context,
                                                     bool is_fresh) const override {
    HELVE_TRY(check_names(context, is_fresh));
    HELVE_ASSIGN(const auto whole, source_->catalogue(context));
    return std::make_shared<const Catalogue>(restricted(*whole, *rules_, dialect()));
  }
  Result<SourceRights> rights(const OpContext& context) const override {
    return source_->rights(context);
  }
  std::string setup_script() const override { return source_->setup_script(); }
  Result<PolicyRights> policy_rights(const TableRules& rules,
                                     const OpContext& context) const override {
    return source_->policy_rights(rules, context);
  }
  const TableWriter* writer() const override { return writer_.get(); }

 private:
  // A rule that was meant to protect something and does not must not pass silently. SQLite shows
  // all there is; elsewhere a name that is not seen may be one that rights hide. In words that
  // tell who asks nothing of what is hidden.
  Result<void> check_names(const OpContext& context, bool is_fresh) const {
    if (source_->dialect() != SqlDialect::Sqlite) return {};
    HELVE_ASSIGN(const auto whole, source_->catalogue(context, is_fresh));
    const auto unknown = unknown_names(*rules_, *whole);
    const auto open = std::count_if(unknown.begin(), unknown.end(),
                                    [](const UnmetName& name) { return name.is_open; });
    if (open == 0) return {};
    return Error{ErrorCode::Denied,
                 fmt::format("the policy denies what {} does not have under that name: nothing is "
                             "read until it is mended",
                             info().name),
                 "helve source check, with --config or --policy, tells whoever keeps the policy "
                 "which names these are"};
  }

  TableQuery within_rules(TableQuery query) const {
    query.rules = rules_;
    return query;
  }

  std::shared_ptr<const TableSource> source_;
  std::shared_ptr<const TableRules> rules_;
  std::unique_ptr<const TableWriter> writer_;  // null where the source has none
};

}  // namespace

TableRules table_rules(const Policy& policy) {
  return {policy.allowed_tables, policy.denied_tables, policy.denied_columns,
          policy.allowed_columns, policy.allowed_functions.value_or(std::vector<std::string>())};
}

std::shared_ptr<const TableSource> restrict_tables(std::shared_ptr<const TableSource> source,
                                                   const Policy& policy) {
  TableRules rules = table_rules(policy);
  if (!rules.is_any() && rules.allowed_functions.empty()) return source;
  return std::make_shared<const RestrictedTables>(std::move(source), std::move(rules));
}

std::vector<UnmetName> unknown_names(const TableRules& rules, const Catalogue& catalogue) {
  std::vector<UnmetName> unknown;
  if (!catalogue.is_complete) return unknown;
  std::vector<std::string> whole;
  std::vector<std::string_view> tables;
  for (const TableInfo& table : catalogue.tables) whole.push_back(table.schema + "." + table.name);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    tables.emplace_back(catalogue.tables[i].name);
    tables.emplace_back(whole[i]);
  }
  const auto is_there = [&catalogue](std::string_view name) {
    return std::any_of(catalogue.tables.begin(), catalogue.tables.end(),
                       [&](const TableInfo& table) { return names_table(name, table); });
  };
  const auto add_table = [&](const char* key, const std::string& name, std::string_view table) {
    if (is_there(table)) return false;
    // The name with the wrong schema is as near as one can be.
    const std::string_view bare = table.substr(table.rfind('.') + 1);
    const auto same =
        std::find_if(catalogue.tables.begin(), catalogue.tables.end(),
                     [&](const TableInfo& one) { return is_same_in_any_case(one.name, bare); });
    std::string near;
    if (same != catalogue.tables.end()) {
      near = same->name;
    } else if (const auto names = near_names(table, tables, 1); !names.empty()) {
      near = names.front();
    }
    const bool is_open = !near.empty() && std::string_view(key) != "allowed_tables";
    unknown.push_back({key, name, std::move(near), is_open});
    return true;
  };
  for (const std::string& name : rules.allowed_tables.value_or(std::vector<std::string>())) {
    add_table("allowed_tables", name, name);
  }
  for (const std::string& name : rules.denied_tables) add_table("denied_tables", name, name);
  // A table that it limits by mistake in another's place shows all of its columns.
  for (const std::string& name : rules.allowed_columns.value_or(std::vector<std::string>())) {
    add_table("allowed_columns", name,
              std::string_view(name).substr(0, std::min(name.rfind('.'), name.size())));
  }
  for (const std::string& name : rules.denied_columns) {
    const std::size_t dot = std::min(name.rfind('.'), name.size());
    const std::string_view table = std::string_view(name).substr(0, dot);
    const std::string_view column = std::string_view(name).substr(std::min(dot + 1, name.size()));
    if (add_table("denied_columns", name, table)) continue;
    std::vector<std::string_view> columns;
    for (const TableInfo& one : catalogue.tables) {
      if (!names_table(table, one)) continue;
      for (const ColumnInfo& each : one.columns) columns.emplace_back(each.name);
    }
    // SQLite has them without naming them.
    const bool is_row_id = is_same_in_any_case(column, "rowid") ||
                           is_same_in_any_case(column, "oid") ||
                           is_same_in_any_case(column, "_rowid_");
    const auto is_it = [&column](std::string_view one) { return is_same_in_any_case(one, column); };
    if (is_row_id || std::any_of(columns.begin(), columns.end(), is_it)) continue;
    const auto near = near_names(column, columns, 1);
    unknown.push_back({"denied_columns", name,
                       near.empty() ? "" : std::string(table) + "." + std::string(near.front()),
                       true});
  }
  return unknown;
}

bool allows_table(const TableRules& rules, const TableInfo& table, const Catalogue& catalogue) {
  const auto names_it = [&table](const std::string& name) { return names_table(name, table); };
  if (std::any_of(rules.denied_tables.begin(), rules.denied_tables.end(), names_it)) return false;
  if (!rules.allowed_tables) return true;
  // A bare name allows the table of the default schema alone.
  return std::any_of(rules.allowed_tables->begin(), rules.allowed_tables->end(),
                     [&](const std::string& name) {
                       return names_table(name, table) &&
                              (!is_same_in_any_case(name, table.name) ||
                               is_same_in_any_case(table.schema, catalogue.default_schema));
                     });
}

bool allows_column(const TableRules& rules, const TableInfo& table, const Catalogue& catalogue,
                   std::string_view column) {
  if (!allows_table(rules, table, catalogue)) return false;
  if (!leaves_column(rules, table.schema, table.name, column)) return false;
  return std::none_of(
      rules.denied_columns.begin(), rules.denied_columns.end(), [&](const std::string& name) {
        const std::size_t dot = name.rfind('.');
        return dot != std::string::npos &&
               is_same_in_any_case(std::string_view(name).substr(dot + 1), column) &&
               names_table(std::string_view(name).substr(0, dot), table);
      });
}

}  // namespace helve::toolkit
