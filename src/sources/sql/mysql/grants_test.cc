#include "sources/sql/mysql/grants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::sql::mysql {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

TEST(Grants, AReaderIsLeast) {
  const SourceRights rights = read_grants(
      {"GRANT USAGE ON *.* TO `r`@`%` IDENTIFIED BY PASSWORD '*D821809F681A40A6E379B50D0463EFAE'",
       "GRANT SELECT, SHOW VIEW ON `my\\_shop`.* TO `r`@`%`",
       "GRANT SELECT (`a`, `b`) ON `my_shop`.`t` TO `r`@`%`"},
      "my_shop");
  EXPECT_TRUE(rights.is_least) << ::testing::PrintToString(rights.beyond_reading);
  EXPECT_THAT(rights.notes, IsEmpty());
}

TEST(Grants, AllElseIsTold) {
  const SourceRights rights = read_grants(
      {"GRANT SELECT, INSERT, UPDATE (`a`), CREATE TEMPORARY TABLES ON `shop`.* TO `w`@`%`",
       "GRANT FILE, PROCESS ON *.* TO `w`@`%` WITH GRANT OPTION",
       "GRANT EXECUTE ON FUNCTION `shop`.`f` TO `w`@`%`", "GRANT SELECT ON `other`.* TO `w`@`%`"},
      "shop");
  EXPECT_FALSE(rights.is_least);
  EXPECT_THAT(
      rights.beyond_reading,
      ElementsAre("may create temporary tables on the database shop",
                  "may give its rights on everything on the server to others",
                  "may insert on the database shop", "may read and write files on the server",
                  "may read the database other", "may run the stored function shop.f",
                  "may see the statements of all users", "may update on the database shop"));
}

TEST(Grants, WhatCannotBeReadIsNoted) {
  EXPECT_THAT(read_grants({"GRANT `boss` TO `w`@`%`"}, "shop").notes,
              ElementsAre("has the role boss"));
  EXPECT_FALSE(read_grants({"something else"}, "shop").is_least);
  EXPECT_FALSE(read_grants({"GRANT 'x"}, "shop").is_least);
  EXPECT_TRUE(read_grants({"GRANT"}, "shop").beyond_reading.empty());
}

const std::vector<ReadableColumn> kReadable = {{"shop", "customer", "id"},
                                               {"shop", "customer", "email"},
                                               {"shop", "invoice", "id"},
                                               {"other", "customer", "id"}};

TEST(Rules, NamesWithoutASchemaAllowTheDefaultOneAlone) {
  const TableRules rules{.allowed_tables = {{"CUSTOMER", "invoice"}}};
  EXPECT_THAT(beyond_rules(kReadable, rules, "shop"), ElementsAre("other.customer.id"));
  const TableRules both{.allowed_tables = {{"customer", "shop.invoice", "other.customer"}}};
  EXPECT_THAT(beyond_rules(kReadable, both, "shop"), IsEmpty());
}

TEST(Rules, NamesWithoutASchemaDenyEverywhere) {
  const TableRules rules{.denied_tables = {"customer"}};
  EXPECT_THAT(beyond_rules(kReadable, rules, "shop"),
              ElementsAre("shop.customer.id", "shop.customer.email", "other.customer.id"));
  const TableRules column{.denied_columns = {"customer.EMAIL"}};
  EXPECT_THAT(beyond_rules(kReadable, column, "shop"), ElementsAre("shop.customer.email"));
  const TableRules qualified{.denied_columns = {"other.customer.id"}};
  EXPECT_THAT(beyond_rules(kReadable, qualified, "shop"), ElementsAre("other.customer.id"));
}

TEST(Rules, TablesWithAllowedColumnsMustBeReadableByThoseAlone) {
  const TableRules rules{.allowed_columns = {{"customer.id"}}};
  EXPECT_THAT(beyond_rules(kReadable, rules, "shop"), ElementsAre("shop.customer.email"));
  const TableRules qualified{.allowed_columns = {{"shop.customer.email", "other.customer.x"}}};
  EXPECT_THAT(beyond_rules(kReadable, qualified, "shop"),
              ElementsAre("shop.customer.id", "other.customer.id"));
  EXPECT_THAT(setup_script("shop", rules, kReadable, {}),
              HasSubstr("GRANT SELECT (`id`) ON `shop`.`customer`"));
  const std::vector<ReadableView> views = {
      {"shop", "a", "select `c`.`email` AS `e` from `shop`.`customer` `c`"},
      {"shop", "b", "select `i`.`id` AS `id` from `shop`.`invoice` `i`"}};
  EXPECT_THAT(judge_views(views, rules, "shop").beyond, ElementsAre("the view shop.a"));
}

TEST(Rules, ViewsMayShowWhatIsDenied) {
  const std::vector<ReadableView> views = {
      {"shop", "a", "select `c`.`Email` AS `e` from `shop`.`customer` `c`"},
      {"shop", "b", "select `shop`.`customer`.`id` AS `id` from `shop`.`customer`"},
      {"shop", "c", ""}};
  const auto beyond = [&](const TableRules& rules) {
    return judge_views(views, rules, "shop").beyond;
  };
  EXPECT_THAT(beyond({.denied_columns = {"customer.email"}}), ElementsAre("the view shop.a"));
  EXPECT_THAT(beyond({.denied_tables = {"shop.invoice"}}), IsEmpty());
  EXPECT_THAT(beyond({.denied_columns = {"id"}}), ElementsAre("the view shop.b"));
  EXPECT_THAT(beyond({.allowed_tables = {{"a"}}}), IsEmpty());
  // What is allowed by its name is wanted.
  EXPECT_THAT(beyond({.allowed_tables = {{"a"}}, .denied_columns = {"customer.email"}}), IsEmpty());
}

// They are not read, and what has nothing to do with them is.
TEST(Rules, ViewsThatHideTheirDefinitionsAreUnseen) {
  const std::vector<ReadableView> views = {
      {"shop", "over", "select `shop`.`middle`.`id` AS `id` from `shop`.`middle`"},
      {"shop", "middle", "select `shop`.`C`.`id` AS `id` from `shop`.`C`"},
      {"shop", "c", ""},
      {"shop", "plain", "select `shop`.`t`.`id` AS `id` from `shop`.`t`"}};
  const auto unseen = [&](const TableRules& rules) {
    std::vector<std::string> names;
    for (const ReadableView& view : judge_views(views, rules, "shop").unseen) {
      names.push_back(view.name);
    }
    return names;
  };
  EXPECT_THAT(unseen({.denied_tables = {"x"}}), UnorderedElementsAre("c", "middle", "over"));
  EXPECT_THAT(unseen({.allowed_tables = {{"c", "plain"}}, .denied_tables = {"x"}}), IsEmpty());
  EXPECT_THAT(unseen({.allowed_tables = {{"c"}}}), IsEmpty());
}

TEST(SetupScript, GrantsReadingAlone) {
  EXPECT_THAT(setup_script("my`shop"), HasSubstr("GRANT SELECT, SHOW VIEW ON `my``shop`.* TO"));
  EXPECT_THAT(setup_script("my_shop"), HasSubstr("ON `my\\_shop`.* TO"));
  const TableRules rules{.allowed_tables = {{"customer", "invoice"}},
                         .denied_columns = {"customer.email"}};
  const std::vector<ReadableView> views = {{"shop", "invoice", ""}};
  const std::string script = setup_script("shop", rules, kReadable, views);
  EXPECT_THAT(script, AllOf(HasSubstr("CREATE USER IF NOT EXISTS"), HasSubstr("REVOKE ALL")));
  EXPECT_THAT(script, HasSubstr("GRANT SELECT (`id`) ON `shop`.`customer`"));
  EXPECT_THAT(script, HasSubstr("GRANT SELECT, SHOW VIEW ON `shop`.`invoice`"));
  EXPECT_THAT(script, Not(HasSubstr("other")));
}

// The names in expressions are in back-ticks, as the server writes them.
TEST(BeyondRules, GeneratedColumnsShowWhatTheyAreComputedFrom) {
  const std::vector<ReadableColumn> readable = {{"shop", "pay", "id", ""},
                                                {"shop", "pay", "open", ""},
                                                {"shop", "pay", "twice", "`amount` * 2"},
                                                {"shop", "pay", "more", "`twice` + 1"},
                                                {"shop", "pay", "fine", "`open` + `id`"},
                                                {"shop", "pay", "finer", "`fine` + length('`x`')"},
                                                {"shop", "other", "twice", "`amount` * 2"}};
  TableRules rules;
  rules.denied_columns = {"pay.amount"};
  EXPECT_THAT(beyond_rules(readable, rules, "shop"),
              ::testing::ElementsAre("shop.pay.twice", "shop.pay.more"));
  // Who names it, wants it.
  rules.allowed_columns = {"pay.id", "pay.twice"};
  EXPECT_THAT(
      beyond_rules(readable, rules, "shop"),
      ::testing::ElementsAre("shop.pay.open", "shop.pay.more", "shop.pay.fine", "shop.pay.finer"));
}

}  // namespace
}  // namespace helve::sql::mysql
