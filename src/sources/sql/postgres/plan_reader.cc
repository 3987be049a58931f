#include "sources/sql/postgres/plan_reader.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "base/json.h"
#include "base/text.h"

namespace helve::sql {

namespace {

constexpr std::size_t kTextBytesMax = 100'000;
constexpr std::size_t kPlanDetailBytesMax = 300;

constexpr auto kDetails = std::to_array<std::string_view>(
    {"Index Cond", "Recheck Cond", "Hash Cond", "Merge Cond", "Join Filter", "Filter", "Sort Key",
     "Group Key", "Function Name", "CTE Name"});

std::string json_text(const JsonValue& value) {
  if (const auto* text = value.if_string()) return *text;
  if (const auto* items = value.if_array()) {
    std::string list;
    for (const JsonValue& item : *items) {
      if (item.if_string() == nullptr) continue;
      if (!list.empty()) list += ", ";
      list += *item.if_string();
    }
    return list;
  }
  return to_json(value);
}

std::string member(const JsonValue& node, std::string_view key) {
  const JsonValue* value = node.find(key);
  return value == nullptr ? std::string() : json_text(*value);
}

double number(const JsonValue& node, std::string_view key) {
  const JsonValue* value = node.find(key);
  return value == nullptr ? 0 : value->to_double().value_or(0);
}

void write_line(std::string& text, std::size_t depth, std::string_view line) {
  text.append(2 * depth, ' ').append(escape_for_terminal(line)).append("\n");
}

std::string title_of(const JsonValue& node) {
  std::string title = member(node, "Node Type");
  const std::string join = member(node, "Join Type");
  if (!join.empty() && join != "Inner") title += " " + join;
  const std::string index = member(node, "Index Name");
  if (!index.empty()) title += " using " + index;
  const std::string relation = member(node, "Relation Name");
  if (!relation.empty()) title += " on " + relation;
  const std::string alias = member(node, "Alias");
  if (!alias.empty() && alias != relation) title += (relation.empty() ? " on " : " ") + alias;
  return title + fmt::format("  (rows={:.0f} cost={:.2f}..{:.2f})", number(node, "Plan Rows"),
                             number(node, "Startup Cost"), number(node, "Total Cost"));
}

// Recurses as deep as parse_json() lets a text be.
void write_node(const JsonValue& node, std::size_t depth, std::string& text) {
  if (text.size() > kTextBytesMax) return;
  write_line(text, depth, title_of(node));
  for (const std::string_view key : kDetails) {
    const std::string detail = member(node, key);
    if (detail.empty()) continue;
    write_line(text, depth + 2, fmt::format("{}: {}", key, elide_end(detail, kPlanDetailBytesMax)));
  }
  const JsonValue* children = node.find("Plans");
  if (children == nullptr || children->if_array() == nullptr) return;
  for (const JsonValue& child : *children->if_array()) write_node(child, depth + 1, text);
}

}  // namespace

Result<TablePlan> read_plan(std::string_view json) {
  HELVE_ASSIGN(JsonValue tree, parse_json(json));
  const auto* plans = tree.if_array();
  const JsonValue* root =
      plans == nullptr || plans->empty() ? nullptr : plans->front().find("Plan");
  if (root == nullptr) {
    return Error{ErrorCode::Unavailable, "the database gave no plan that can be read"};
  }
  TablePlan plan;
  write_node(*root, 0, plan.text);
  if (!plan.text.empty()) plan.text.pop_back();
  plan.estimated_rows = number(*root, "Plan Rows");
  plan.cost = number(*root, "Total Cost");
  JsonValue kept = *root;
  plan.tree = std::move(kept);
  return plan;
}

}  // namespace helve::sql
