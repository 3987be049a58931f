#include "sources/sql/mysql/plan_text.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace helve::sql::mysql {

namespace {

constexpr std::size_t kPlanDepthMax = 60;
constexpr std::size_t kTextBytesMax = 64 * kKiB;
constexpr std::size_t kValueBytesMax = 200;

std::string scalar_text(const JsonValue& value) {
  std::string text = value.if_string() != nullptr ? *value.if_string() : to_json(value);
  if (text.size() > kValueBytesMax) {
    text.resize(kValueBytesMax);
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) {
      text.pop_back();
    }
    if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0U) text.pop_back();
    text += "...";
  }
  return text;
}

bool is_scalar(const JsonValue& value) {
  return value.if_object() == nullptr && value.if_array() == nullptr;
}

// A list of names stands on the line of what it belongs to.
bool is_list_of_scalars(const JsonValue& value) {
  const auto* const list = value.if_array();
  if (list == nullptr) return false;
  for (const JsonValue& one : *list) {
    if (!is_scalar(one)) return false;
  }
  return true;
}

class PlanWriter {
 public:
  std::string write(const JsonValue& plan) {
    if (const auto* const members = plan.if_object()) {
      for (const JsonMember& member : *members) node(member.key, member.value, 0);
    }
    return std::move(text_);
  }

 private:
  void node(std::string_view name, const JsonValue& value, std::size_t depth) {
    if (depth > kPlanDepthMax || text_.size() > kTextBytesMax) return;
    if (const auto* const list = value.if_array()) {
      line(name, {}, depth);
      for (const JsonValue& one : *list) members(one, depth + 1);
      return;
    }
    line(name, value, depth);
    members(value, depth + 1);
  }

  void members(const JsonValue& value, std::size_t depth) {
    const auto* const all = value.if_object();
    if (all == nullptr) return;
    for (const JsonMember& member : *all) {
      if (!is_scalar(member.value) && !is_list_of_scalars(member.value) &&
          member.key != "cost_info") {
        node(member.key, member.value, depth);
      }
    }
  }

  void line(std::string_view name, const JsonValue& value, std::size_t depth) {
    text_.append(depth * 2, ' ');
    text_ += name;
    std::string_view separator = ": ";
    const auto* const all = value.if_object();
    for (std::size_t i = 0; all != nullptr && i < all->size(); ++i) {
      const JsonMember& member = (*all)[i];
      const bool is_shown = is_scalar(member.value) || is_list_of_scalars(member.value);
      if (!is_shown) continue;
      text_ += fmt::format("{}{}={}", separator, member.key, scalar_text(member.value));
      separator = ", ";
    }
    text_ += '\n';
  }

  std::string text_;
};

std::optional<double> number(const JsonValue* value) {
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) return value->to_double();
  if (value->if_string() == nullptr) return std::nullopt;
  const auto read = parse_json(*value->if_string());
  return read && read->is_number() ? read->to_double() : std::nullopt;
}

// Tables that are joined, in the order of the join; sub-queries beside them are not followed.
void collect_tables(const JsonValue& value, std::vector<const JsonValue*>& tables,
                    std::size_t depth) {
  if (depth > kPlanDepthMax) return;
  if (const auto* const list = value.if_array()) {
    for (const JsonValue& one : *list) collect_tables(one, tables, depth + 1);
  }
  const auto* const members = value.if_object();
  if (members == nullptr) return;
  for (const JsonMember& member : *members) {
    const std::string_view key = member.key;
    if (key == "table") {
      tables.push_back(&member.value);
    } else if (key == "query_block" || key == "nested_loop" || key == "filesort" ||
               key == "temporary_table" || key == "ordering_operation" ||
               key == "grouping_operation" || key == "duplicates_removal" ||
               key == "read_sorted_file" || key == "block-nl-join" || key == "windowing" ||
               key == "window_functions_computation" || key == "having_subqueries") {
      collect_tables(member.value, tables, depth + 1);
    }
  }
}

std::optional<double> estimate_rows(const JsonValue& plan) {
  std::vector<const JsonValue*> tables;
  collect_tables(plan, tables, 0);
  if (tables.empty()) return std::nullopt;
  // MySQL has the rows after each join; MariaDB those of each table.
  if (const auto rows = number(tables.back()->find("rows_produced_per_join"))) return rows;
  double product = 1;
  for (const JsonValue* const table : tables) {
    const auto rows = number(table->find("rows"));
    if (!rows) return std::nullopt;
    product *= *rows * number(table->find("filtered")).value_or(100) / 100;
  }
  return product;
}

}  // namespace

Result<TablePlan> read_plan(std::string_view json) {
  HELVE_ASSIGN(JsonValue tree, parse_json(json));
  TablePlan plan;
  plan.text = PlanWriter().write(tree);
  plan.estimated_rows = estimate_rows(tree);
  if (const JsonValue* const block = tree.find("query_block")) {
    plan.cost = number(block->find("cost"));
    const JsonValue* const costs = block->find("cost_info");
    if (costs != nullptr) plan.cost = number(costs->find("query_cost"));
  }
  plan.tree = std::move(tree);
  return plan;
}

}  // namespace helve::sql::mysql
