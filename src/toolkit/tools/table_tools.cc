#include "toolkit/tools/table_tools.h"

#include "sources/rdf/vocabulary.h"
#include "toolkit/tools/declare.h"
#include "toolkit/tools/registry.h"

namespace helve::toolkit {

namespace {

Tool inspect_tool() {
  Tool tool;
  tool.name = "schema_inspect";
  tool.title = "Look at the tables";
  tool.listing = Listing::Standard;
  tool.category = ToolCategory::Sql;
  tool.needs_tables = true;
  tool.purpose = "Tables, columns, keys and indexes of a SQL database; table=NAME describes one.";
  tool.parameters = {
      choice_parameter(
          "action",
          {"list_tables", "describe_table", "list_indexes", "list_foreign_keys", "search"},
          "what to show"),
      optional_text("table", "its name", {"name", "table_name"}),
      choice_parameter("detail", {"summary", "names", "full"}, "how much", {"level"}),
      optional_text("pattern", "words to search for", {"q", "text"}),
      limit_parameter(50, 500, "items to show")};
  tool.returns = {
      {"tables", "array", "table, kind, rows_about, columns, primary_key, comment", true},
      {"table", "string", "the table that is described", true},
      {"rows_about", "integer", "an estimate of the catalogue; rows: exact", true},
      {"columns", "array", "name, type, nullable, key, default, comment, samples", true},
      {"foreign_keys", "array", "columns and what they refer to", true},
      {"referenced_by", "array", "foreign keys that point at the table", true},
      {"indexes", "array", "index, columns, is", true},
      {"checks", "array", "conditions that every row meets", true},
      {"hits", "array", "search: table, column, type, comment, best first", true},
      {"total_available", "integer", "how many there are", true},
      {"total_is", "string", "exact or at_least", true},
      {"truncated", "boolean", "there are more than limit_applied", true},
      {"limit_applied", "integer", "items that the reply may show", true}};
  tool.examples = {
      {"what there is", arguments_of({})},
      {"one table with sample values", arguments_of({{"action", JsonValue("describe_table")},
                                                     {"table", JsonValue("customer")},
                                                     {"detail", JsonValue("full")}})},
      {"where something is",
       arguments_of({{"action", JsonValue("search")}, {"pattern", JsonValue("email")}})}};
  tool.handler = schema_inspect;
  return tool;
}

Tool execute_tool() {
  Tool tool;
  tool.name = "query_execute";
  tool.title = "Run a SQL query";
  tool.listing = Listing::Standard;
  tool.category = ToolCategory::Sql;
  tool.needs_tables = true;
  tool.purpose =
      "Runs one SELECT on a SQL database. All rows are stored behind a handle; empty answers are "
      "explained.";
  tool.parameters = {
      sql_parameter("in the dialect of the database; IN (@results_0.x) takes a column"),
      limit_parameter(100, 10'000, "rows to show; all are stored"), timeout_parameter(30, 300),
      params_parameter()};
  tool.returns = stored_result_keys();
  tool.returns.push_back({"column_types", "array", "as the database names them", true});
  tool.returns.push_back({"row_count", "integer", "the same as rows"});
  tool.returns.push_back({"diagnosis", "object",
                          "why there are no rows: cause, says, parts, candidates, suggestion",
                          true});
  tool.examples = {
      {"some rows", arguments_of({{"sql", JsonValue("SELECT name FROM artist ORDER BY name")}})},
      {"with a parameter",
       arguments_of({{"sql", JsonValue("SELECT * FROM customer WHERE country = ?")},
                     {"params", JsonValue(JsonValue::Array{JsonValue("Norway")})}})}};
  tool.handler = query_execute;
  return tool;
}

Tool plan_tool() {
  Tool tool;
  tool.name = "explain_plan";
  tool.title = "How a query would run";
  tool.category = ToolCategory::Sql;
  tool.needs_tables = true;
  tool.purpose =
      "How a SQL database would run a SELECT: the plan, estimated rows and cost. Nothing is run.";
  tool.parameters = {sql_parameter("the statement"), params_parameter(),
                     timeout_parameter(30, 300)};
  tool.returns = {{"plan", "string", "an indented tree"},
                  {"tree", "object", "the same, where the database gives it", true},
                  {"estimated_rows", "number", "of the whole answer; null where not known", true},
                  {"cost", "number", "in the units of the database", true}};
  tool.examples = {
      {"a join", arguments_of({{"sql", JsonValue("SELECT a.title FROM album a JOIN artist r ON "
                                                 "r.artist_id = a.artist_id")}})}};
  tool.handler = explain_plan;
  return tool;
}

}  // namespace

const ShownPrefixes& table_prefixes() {
  static const ShownPrefixes prefixes(
      PrefixList{{"xsd", std::string(rdf::kXsd)}, {"rdf", std::string(rdf::kRdf)}});
  return prefixes;
}

void add_table_tools(Registry& registry) {
  registry.add(inspect_tool());
  registry.add(execute_tool());
  registry.add(plan_tool());
}

}  // namespace helve::toolkit
