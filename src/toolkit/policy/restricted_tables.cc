#include "toolkit/policy/restricted_tables.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/ascii.h"

namespace helve::toolkit {

namespace {

// "customer" is any table of that name, "sales.customer" the one of that schema.
bool names_table(std::string_view name, const TableInfo& table) {
  if (is_same_in_any_case(name, table.name)) return true;
  return !table.schema.empty() && is_same_in_any_case(name, table.schema + "." + table.name);
}

Catalogue restricted(const Catalogue& whole, const TableRules& rules) {
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
    std::erase_if(kept.foreign_keys, [&](const ForeignKeyInfo& key) {
      const TableInfo* const other =
          whole.find(key.schema.empty() ? key.table : key.schema + "." + key.table);
      return std::any_of(key.columns.begin(), key.columns.end(), is_hidden) ||
             (other != nullptr && !allows_table(rules, *other, whole));
    });
    // What an expression reads is not known.
    if (kept.columns.size() < table.columns.size()) kept.checks.clear();
  }
  return part;
}

class RestrictedTables final : public TableSource {
 public:
  RestrictedTables(std::shared_ptr<const TableSource> source, TableRules rules)
      : source_(std::move(source)), rules_(std::make_shared<const TableRules>(std::move(rules))) {}

  const SourceInfo& info() const override { return source_->info(); }
  std::string fingerprint() const override { return source_->fingerprint(); }
  SqlDialect dialect() const override { return source_->dialect(); }
  TableRun run(const TableQuery& query, RowSink& sink, const OpContext& context) const override {
    return source_->run(within_rules(query), sink, context);
  }
  PlanOutcome explain(const TableQuery& query, const OpContext& context) const override {
    return source_->explain(within_rules(query), context);
  }
  Result<std::shared_ptr<const Catalogue>> catalogue(const OpContext& context,
                                                     bool is_fresh) const override {
    HELVE_ASSIGN(const auto whole, source_->catalogue(context, is_fresh));
    return std::make_shared<const Catalogue>(restricted(*whole, *rules_));
  }
  Result<SourceRights> rights(const OpContext& context) const override {
    return source_->rights(context);
  }
  std::string setup_script() const override { return source_->setup_script(); }

 private:
  TableQuery within_rules(TableQuery query) const {
    query.rules = rules_;
    return query;
  }

  std::shared_ptr<const TableSource> source_;
  std::shared_ptr<const TableRules> rules_;
};

}  // namespace

std::shared_ptr<const TableSource> restrict_tables(std::shared_ptr<const TableSource> source,
                                                   const Policy& policy) {
  TableRules rules{policy.allowed_tables, policy.denied_tables, policy.denied_columns};
  if (!rules.is_any()) return source;
  return std::make_shared<const RestrictedTables>(std::move(source), std::move(rules));
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
  return std::none_of(
      rules.denied_columns.begin(), rules.denied_columns.end(), [&](const std::string& name) {
        const std::size_t dot = name.rfind('.');
        return dot != std::string::npos &&
               is_same_in_any_case(std::string_view(name).substr(dot + 1), column) &&
               names_table(std::string_view(name).substr(0, dot), table);
      });
}

}  // namespace helve::toolkit
