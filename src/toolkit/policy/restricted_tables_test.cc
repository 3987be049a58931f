#include "toolkit/policy/restricted_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::toolkit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A shop in two schemas; remembers the rules that it was asked with.
class Shop final : public TableSource {
 public:
  Shop() {
    catalogue_.default_schema = "public";
    TableInfo customer;
    customer.schema = "public";
    customer.name = "Customer";
    customer.columns = {{"id", "integer"}, {"email", "text"}};
    customer.indexes = {{"customer_pk", {"id"}, true, true}, {"customer_email", {"email"}}};
    customer.checks = {"email like '%@%'"};
    TableInfo orders = customer;
    orders.name = "orders";
    orders.columns = {{"id", "integer"}, {"customer", "integer"}};
    orders.indexes.clear();
    orders.foreign_keys = {{"fk", {"customer"}, "", "Customer", {"id"}}};
    TableInfo archive = orders;
    archive.schema = "archive";
    catalogue_.tables = {archive, customer, orders};
  }

  const SourceInfo& info() const override { return info_; }
  std::string fingerprint() const override { return "1"; }
  SqlDialect dialect() const override { return SqlDialect::PostgreSql; }
  TableRun run(const TableQuery& query, RowSink& /*sink*/, const OpContext& /*c*/) const override {
    asked = query.rules;
    return {};
  }
  PlanOutcome explain(const TableQuery& query, const OpContext& /*context*/) const override {
    asked = query.rules;
    return {};
  }
  Result<std::shared_ptr<const Catalogue>> catalogue(const OpContext& /*context*/,
                                                     bool /*is_fresh*/) const override {
    return std::make_shared<const Catalogue>(catalogue_);
  }
  Result<SourceRights> rights(const OpContext& /*context*/) const override {
    return SourceRights();
  }
  std::string setup_script() const override { return {}; }

  mutable std::shared_ptr<const TableRules> asked;

 private:
  SourceInfo info_;
  Catalogue catalogue_;
};

class NoRows final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> row(Row /*cells*/) override { return {}; }
};

std::vector<std::string> tables(const Policy& policy) {
  const auto source = restrict_tables(std::make_shared<const Shop>(), policy);
  std::vector<std::string> names;
  const auto catalogue = source->catalogue(OpContext());
  for (const TableInfo& table : (*catalogue)->tables) {
    names.push_back(table.schema + "." + table.name);
  }
  return names;
}

TEST(RestrictedTables, WithoutRulesIsTheSourceItself) {
  const auto shop = std::make_shared<const Shop>();
  EXPECT_EQ(restrict_tables(shop, Policy()), shop);
}

TEST(RestrictedTables, TellOfNothingElse) {
  Policy policy;
  policy.denied_tables = {"ORDERS"};
  EXPECT_THAT(tables(policy), ElementsAre("public.Customer"));
  policy.denied_tables = {"archive.orders"};
  EXPECT_THAT(tables(policy), ElementsAre("public.Customer", "public.orders"));
  policy.allowed_tables = {"orders"};
  EXPECT_THAT(tables(policy), ElementsAre("public.orders"));
  policy.allowed_tables = {"archive.orders"};
  EXPECT_THAT(tables(policy), IsEmpty());
  policy.allowed_tables = std::vector<std::string>();
  EXPECT_THAT(tables(policy), IsEmpty());
}

TEST(RestrictedTables, HideColumnsAndWhatTellsOfThem) {
  Policy policy;
  policy.denied_columns = {"customer.EMAIL"};
  const auto source = restrict_tables(std::make_shared<const Shop>(), policy);
  const auto catalogue = source->catalogue(OpContext());
  const TableInfo* const customer = (*catalogue)->find("customer");
  ASSERT_NE(customer, nullptr);
  EXPECT_EQ(customer->columns.size(), 1U);
  EXPECT_EQ(customer->indexes.size(), 1U);
  EXPECT_THAT(customer->checks, IsEmpty());
  EXPECT_EQ((*catalogue)->find("orders")->foreign_keys.size(), 1U);

  Policy without;
  without.denied_tables = {"customer"};
  const auto blind = restrict_tables(std::make_shared<const Shop>(), without);
  EXPECT_THAT((*blind->catalogue(OpContext()))->find("orders")->foreign_keys, IsEmpty());
}

TEST(RestrictedTables, ShowAllowedColumnsAlone) {
  Policy policy;
  policy.allowed_columns = {"customer.EMAIL"};
  const auto source = restrict_tables(std::make_shared<const Shop>(), policy);
  const auto catalogue = source->catalogue(OpContext());
  const TableInfo* const customer = (*catalogue)->find("customer");
  ASSERT_NE(customer, nullptr);
  ASSERT_EQ(customer->columns.size(), 1U);
  EXPECT_EQ(customer->columns[0].name, "email");
  EXPECT_EQ((*catalogue)->find("orders")->columns.size(), 2U);
  EXPECT_THAT((*catalogue)->find("orders")->foreign_keys, IsEmpty());  // to a hidden column
}

TEST(RestrictedTables, EveryStatementHasTheRules) {
  Policy policy;
  policy.denied_columns = {"customer.email"};
  const auto shop = std::make_shared<const Shop>();
  const auto source = restrict_tables(shop, policy);
  NoRows sink;
  TableQuery query;
  query.rules = std::make_shared<const TableRules>();  // none of the caller's counts
  source->run(query, sink, OpContext());
  ASSERT_NE(shop->asked, nullptr);
  EXPECT_THAT(shop->asked->denied_columns, ElementsAre("customer.email"));
  shop->asked.reset();
  source->explain(TableQuery(), OpContext());
  EXPECT_NE(shop->asked, nullptr);
}

TEST(PoliciesOfTables, MeetToTheStricter) {
  Policy a;
  a.allowed_tables = {"customer", "Orders"};
  a.denied_columns = {"customer.email"};
  Policy b;
  b.allowed_tables = {"orders", "archive.orders"};
  b.denied_columns = {"customer.phone", "customer.email"};
  b.denied_tables = {"secrets"};
  const Policy both = intersect(a, b);
  EXPECT_THAT(*both.allowed_tables, ElementsAre("Orders"));
  EXPECT_THAT(both.denied_columns, ElementsAre("customer.email", "customer.phone"));
  EXPECT_THAT(both.denied_tables, ElementsAre("secrets"));
}

TEST(PoliciesOfTables, LeaveColumnsThatBothLeave) {
  Policy a;
  a.allowed_columns = {"t.x", "t.y", "u.z"};
  EXPECT_THAT(*intersect(a, unrestricted_policy()).allowed_columns,
              ElementsAre("t.x", "t.y", "u.z"));
  Policy b;
  b.allowed_columns = {"T.Y", "v.w"};
  EXPECT_THAT(*intersect(a, b).allowed_columns, ElementsAre("t.y", "u.z", "v.w"));
  b.allowed_columns = {"t.w"};
  const Policy none = intersect(a, b);
  TableInfo table;
  table.name = "t";
  for (const char* column : {"x", "y", "w"}) {
    EXPECT_FALSE(allows_column(table_rules(none), table, {}, column)) << column;
  }
}

TEST(PoliciesOfTables, AreReadStrictly) {
  const auto read = [](std::string_view json) { return policy_from_json(*parse_json(json)); };
  const auto policy = read(R"({"allowed_tables":["a"],"denied_columns":["s.t.c"]})");
  ASSERT_TRUE(policy);
  EXPECT_THAT(*policy->allowed_tables, ElementsAre("a"));
  EXPECT_FALSE(read(R"({"denied_columns":["email"]})"));
  EXPECT_FALSE(read(R"({"denied_columns":["a."]})"));
  EXPECT_FALSE(read(R"({"denied_table":["a"]})"));
}

TEST(RestrictedTables, KnowNamesThatProtectNothing) {
  const auto catalogue = Shop().catalogue(OpContext(), false);
  TableRules rules;
  rules.allowed_tables = {"customer", "ordesr"};
  rules.denied_tables = {"public.orders", "custmer", "later"};
  rules.denied_columns = {"customer.email", "Customer.emial", "public.customer.phone",
                          "customer.rowid", "later.x",        "ordrs.id"};
  std::vector<std::string> found;
  for (const UnmetName& name : unknown_names(rules, **catalogue)) {
    found.push_back(name.key + " " + name.name + " " + name.near + (name.is_open ? " open" : ""));
  }
  rules = {};
  rules.denied_tables = {"elsewhere.customer"};
  rules.allowed_columns = {"custmer.id", "customer.id", "customer.nothing", "sales.orders.id",
                           "later.x"};
  for (const UnmetName& name : unknown_names(rules, **catalogue)) {
    found.push_back(name.key + " " + name.name + " " + name.near + (name.is_open ? " open" : ""));
  }
  EXPECT_THAT(
      found,
      ElementsAre("allowed_tables ordesr orders", "denied_tables custmer Customer open",
                  "denied_tables later ", "denied_columns Customer.emial Customer.email open",
                  "denied_columns public.customer.phone  open", "denied_columns later.x ",
                  "denied_columns ordrs.id orders open",
                  "denied_tables elsewhere.customer Customer open",
                  "allowed_columns custmer.id Customer open",
                  "allowed_columns sales.orders.id orders open", "allowed_columns later.x "));
  Catalogue part = **catalogue;
  part.is_complete = false;
  EXPECT_THAT(unknown_names(rules, part), IsEmpty());
}

}  // namespace
}  // namespace helve::toolkit
