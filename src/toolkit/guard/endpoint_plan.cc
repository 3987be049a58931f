#include "toolkit/guard/endpoint_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/printer.h"
#include "toolkit/guard/group_builder.h"
#include "toolkit/guard/words.h"
#include "toolkit/guard/workload.h"

namespace helve::toolkit {

namespace {

using sparql::Pattern;

constexpr double kServiceRows = 1'000;
constexpr double kGroupsUsual = 1'000;
constexpr double kNanoseconds = 1e9;
constexpr std::size_t kOrderedMax = 256;    // parts that are put in order; more: as written
constexpr std::size_t kPatternChars = 300;  // of a step, shown

struct PlanStep {
  std::string operation;
  std::string pattern;
  double rows = 1;
  std::string from;  // of the rows; empty: of the steps below
  double work = 0;   // rows walked through, those of the steps below among them
  std::vector<PlanStep> inputs;
  std::set<std::string> variables;
};

std::string_view name_of(SizeFrom from) {
  if (from == SizeFrom::Profile) return "profile";
  return from == SizeFrom::Probe ? "probe" : "guess";
}

double finite(double number) {
  constexpr double kMost = 1e18;
  return std::isnan(number) ? kMost : std::clamp(number, 0.0, kMost);
}

std::set<std::string> in_scope(const Pattern& pattern) {
  const auto names = sparql::variables_in_scope(pattern);
  return {names.begin(), names.end()};
}

bool share_any(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& name) { return b.contains(name); });
}

std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n';
    if (is_space && (line.empty() || line.back() == ' ')) continue;
    line += is_space ? ' ' : c;
  }
  return elide_end(escape_for_terminal(line), kPatternChars);
}

class Planner {
 public:
  Planner(const sparql::Query& query, const GraphProfile& profile)
      : query_(query), profile_(profile) {}

  PlanStep run() {
    Sizes sizes(profile_);
    std::vector<std::string> graphs;
    for (const sparql::DatasetGraph& graph : query_.dataset) graphs.push_back(graph.iri);
    if (!graphs.empty()) sizes = sizes.within(graphs);
    if (const auto* select = std::get_if<sparql::Select>(&query_.form)) {
      return plan_select(*select, "select", sizes);
    }
    constexpr std::array<const char*, 4> kForms = {"select", "construct", "ask", "describe"};
    PlanStep step = plan_body(query_.body(), false, sizes);
    return above(std::move(step), kForms.at(query_.form.index()), "");
  }

 private:
  static PlanStep above(PlanStep input, std::string operation, std::string pattern) {
    PlanStep step;
    step.operation = std::move(operation);
    step.pattern = std::move(pattern);
    step.rows = input.rows;
    step.work = input.work;
    step.variables = input.variables;
    step.inputs.push_back(std::move(input));
    return step;
  }

  std::string text_of(const sparql::Expression& expression) const {
    return on_one_line(sparql::to_sparql(expression, query_.prefixes));
  }

  template <typename Items, typename Show>
  static std::string listed(const Items& items, Show show) {
    std::string text;
    for (const auto& item : items) text += (text.empty() ? "" : " ") + show(item);
    return text;
  }

  PlanStep plan_select(const sparql::Select& select, const char* operation, const Sizes& sizes) {
    PlanStep step = plan_body(select.body, sparql::is_grouped(select), sizes);
    if (select.duplicates != sparql::Duplicates::Keep)
      step = above(std::move(step), "distinct", "");
    step = sliced(std::move(step), select.body);
    const auto names = sparql::result_variables(select);
    step = above(std::move(step), operation,
                 listed(names, [](const std::string& name) { return "?" + name; }));
    step.variables = {names.begin(), names.end()};
    return step;
  }

  static PlanStep sliced(PlanStep step, const sparql::Body& body) {
    if (!body.limit && !body.offset) return step;
    std::string text;
    if (body.limit) text = fmt::format("LIMIT {}", *body.limit);
    if (body.offset) text += fmt::format("{}OFFSET {}", text.empty() ? "" : " ", *body.offset);
    step = above(std::move(step), "slice", std::move(text));
    if (body.limit) step.rows = std::min(step.rows, static_cast<double>(*body.limit));
    return step;
  }

  PlanStep plan_body(const sparql::Body& body, bool is_collecting, const Sizes& sizes) {
    PlanStep step = plan(body.where, sizes);
    if (body.values) {
      std::vector<PlanStep> parts;
      parts.push_back(std::move(step));
      parts.push_back(plan(Pattern(*body.values), sizes));
      step = joined(std::move(parts));
    }
    if (is_collecting || !body.group_by.empty()) {
      step = above(std::move(step), "group",
                   listed(body.group_by,
                          [&](const sparql::GroupKey& key) { return text_of(key.expression); }));
      step.rows = body.group_by.empty() ? 1 : std::min(step.rows, kGroupsUsual);
      step.from = "guess";
    }
    for (const sparql::Expression& condition : body.having) {
      step = above(std::move(step), "having", text_of(condition));
    }
    if (!body.order_by.empty()) {
      step = above(std::move(step), "sort", listed(body.order_by, [&](const sparql::OrderKey& key) {
                     const std::string text = text_of(key.expression);
                     return key.is_descending ? fmt::format("DESC({})", text) : text;
                   }));
    }
    return step;
  }

  PlanStep plan(const Pattern& pattern, const Sizes& sizes) {
    return std::visit([&](const auto& node) { return plan(node, pattern, sizes); }, pattern.node);
  }

  PlanStep plan(const sparql::BasicGraphPattern& node, const Pattern& /*pattern*/,
                const Sizes& sizes) {
    std::vector<PlanStep> parts;
    for (const sparql::TriplePattern& triple : node.triples)
      parts.push_back(step_of(triple, sizes));
    return joined(std::move(parts));
  }

  // Triples of all parts are joined in one order.
  PlanStep plan(const sparql::Join& node, const Pattern& /*pattern*/, const Sizes& sizes) {
    std::vector<PlanStep> parts;
    for (const Pattern& part : node.parts) {
      if (const auto* triples = part.if_is<sparql::BasicGraphPattern>()) {
        for (const auto& triple : triples->triples) parts.push_back(step_of(triple, sizes));
      } else {
        parts.push_back(plan(part, sizes));
      }
    }
    return joined(std::move(parts));
  }

  // As the guard takes it apart: a sequence is as large as the smallest of its steps.
  PlanStep step_of(const sparql::TriplePattern& triple, const Sizes& sizes) {
    sparql::BasicGraphPattern alone;
    alone.triples.push_back(triple);
    Pattern pattern(std::move(alone));
    const Group group = build_group(pattern, sizes, [](auto&, const auto&) { return 1.0; });
    PlanStep step;
    const auto smallest = std::min_element(
        group.elements.begin(), group.elements.end(),
        [](const Element& a, const Element& b) { return rows_alone(a) < rows_alone(b); });
    step.rows = rows_alone(*smallest);
    step.from = name_of(smallest->from);
    const bool is_path = std::holds_alternative<sparql::Path>(triple.predicate);
    const bool is_anchored =
        std::any_of(group.elements.begin(), group.elements.end(), [](const Element& element) {
          return element.subject.is_constant() || element.object.is_constant();
        });
    step.operation = is_path ? "path" : is_anchored ? "look-up" : "scan";
    step.pattern = on_one_line(sparql::to_sparql(triple, query_.prefixes));
    step.work = step.rows;
    step.variables = in_scope(pattern);
    for (const Element& element : group.elements) {
      for (const StepEnd* end : {&element.subject, &element.object}) {
        if (!end->is_constant()) step.variables.insert(end->variable);
      }
    }
    return step;
  }

  // The smallest first, then what is connected. A look-up finds one row, as in the guard.
  static PlanStep joined(std::vector<PlanStep> parts) {
    if (parts.size() == 1) return std::move(parts.front());
    PlanStep join;
    join.operation = parts.empty() ? "nothing" : "join";
    while (!parts.empty()) {
      const std::size_t next = parts.size() > kOrderedMax ? 0 : best_of(parts, join);
      PlanStep part = std::move(parts[next]);
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(next));
      const bool is_first = join.inputs.empty();
      const bool is_connected = share_any(part.variables, join.variables);
      if (is_first || !is_connected) {
        join.work += part.work + (is_first ? 0 : join.rows * part.rows);
        join.rows *= part.rows;
      } else {
        // Of a step that is more than a pattern all must be made; of a pattern, what is looked up.
        join.work += part.inputs.empty() ? std::min(join.rows, part.rows) : part.work;
      }
      join.variables.insert(part.variables.begin(), part.variables.end());
      join.inputs.push_back(std::move(part));
    }
    return join;
  }

  static std::size_t best_of(const std::vector<PlanStep>& parts, const PlanStep& join) {
    const bool is_first = join.inputs.empty();
    std::size_t best = 0;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const auto order = [&](const PlanStep& part) {
        const bool is_apart = !is_first && !share_any(part.variables, join.variables);
        return std::pair(is_apart, part.rows);
      };
      if (order(parts[i]) < order(parts[best])) best = i;
    }
    return best;
  }

  PlanStep two(const char* operation, std::string pattern, const Pattern& left,
               const Pattern& right, const Sizes& sizes) {
    PlanStep step = above(plan(left, sizes), operation, std::move(pattern));
    PlanStep other = plan(right, sizes);
    step.work += std::min(step.rows, other.work);
    step.inputs.push_back(std::move(other));
    return step;
  }

  PlanStep plan(const sparql::LeftJoin& node, const Pattern& pattern, const Sizes& sizes) {
    PlanStep step =
        two("optional",
            listed(node.conditions, [&](const sparql::Expression& one) { return text_of(one); }),
            *node.left, *node.right, sizes);
    step.variables = in_scope(pattern);
    return step;
  }

  PlanStep plan(const sparql::Minus& node, const Pattern& /*pattern*/, const Sizes& sizes) {
    return two("minus", "", *node.left, *node.right, sizes);
  }

  PlanStep plan(const sparql::Union& node, const Pattern& pattern, const Sizes& sizes) {
    PlanStep step;
    step.operation = "union";
    step.rows = 0;
    for (const Pattern& part : node.parts) {
      step.inputs.push_back(plan(part, sizes));
      step.rows += step.inputs.back().rows;
      step.work += step.inputs.back().work;
    }
    step.variables = in_scope(pattern);
    return step;
  }

  PlanStep plan(const sparql::Filter& node, const Pattern& /*pattern*/, const Sizes& sizes) {
    return above(
        plan(*node.inner, sizes), "filter",
        listed(node.conditions, [&](const sparql::Expression& one) { return text_of(one); }));
  }

  PlanStep plan(const sparql::Extend& node, const Pattern& /*pattern*/, const Sizes& sizes) {
    PlanStep step = above(plan(*node.inner, sizes), "bind",
                          fmt::format("{} AS ?{}", text_of(*node.expression), node.variable.name));
    step.variables.insert(node.variable.name);
    return step;
  }

  static PlanStep plan(const sparql::Values& node, const Pattern& pattern, const Sizes& /*sizes*/) {
    PlanStep step;
    step.operation = "values";
    step.pattern = listed(node.variables,
                          [](const sparql::Variable& variable) { return "?" + variable.name; });
    step.rows = static_cast<double>(node.rows.size());
    step.from = "query";
    step.variables = in_scope(pattern);
    return step;
  }

  PlanStep plan(const sparql::Graph& node, const Pattern& pattern, const Sizes& sizes) {
    const auto* name = std::get_if<sparql::Constant>(&node.name);
    PlanStep step =
        above(plan(*node.inner, sizes.in_graph(name != nullptr ? name->term.value : "")), "graph",
              name != nullptr
                  ? on_one_line(sparql::to_sparql(sparql::TermPattern(*name), query_.prefixes))
                  : "?" + std::get<sparql::Variable>(node.name).name);
    step.variables = in_scope(pattern);
    return step;
  }

  PlanStep plan(const sparql::Service& node, const Pattern& pattern, const Sizes& /*sizes*/) const {
    PlanStep step;
    step.operation = "service";
    step.rows = kServiceRows;
    step.from = "guess";
    const auto* name = std::get_if<sparql::Constant>(&node.endpoint);
    step.pattern = name != nullptr
                       ? on_one_line(sparql::to_sparql(sparql::TermPattern(*name), query_.prefixes))
                       : "?" + std::get<sparql::Variable>(node.endpoint).name;
    step.variables = in_scope(pattern);
    return step;
  }

  PlanStep plan(const sparql::SubSelect& node, const Pattern& /*pattern*/, const Sizes& sizes) {
    return plan_select(*node.select, "sub-select", sizes);
  }

  const sparql::Query& query_;
  const GraphProfile& profile_;
};

// The steps as text and as JSON.
class PlanShow {
 public:
  explicit PlanShow(double rows_per_second) : rate_(std::max(rows_per_second, 1.0)) {}

  std::string text(const PlanStep& root) {
    add(root, 0);
    std::array<std::size_t, 3> widths{};
    for (const Line& line : lines_) {
      for (std::size_t i = 0; i < widths.size(); ++i)
        widths[i] = std::max(widths[i], line[i].size());
    }
    std::string out;
    for (const Line& line : lines_) {
      out += fmt::format("{}  {}  {}  {}\n", pad_start(line[0], widths[0]),
                         pad_end(line[1], widths[1]), pad_start(line[2], widths[2]), line[3]);
    }
    return out;
  }

  JsonValue tree(const PlanStep& step) const {
    JsonValue::Object object;
    object.push_back({"operator", JsonValue(step.operation)});
    if (!step.pattern.empty()) object.push_back({"pattern", JsonValue(step.pattern)});
    object.push_back({"estimated_rows", JsonValue(std::round(finite(step.rows)))});
    if (!step.from.empty()) object.push_back({"from", JsonValue(step.from)});
    object.push_back({"cost", JsonValue(std::round(cost(step)))});
    if (!step.inputs.empty()) {
      JsonValue::Array inputs;
      for (const PlanStep& input : step.inputs) inputs.push_back(tree(input));
      object.push_back({"inputs", JsonValue(std::move(inputs))});
    }
    return JsonValue(std::move(object));
  }

 private:
  using Line = std::array<std::string, 4>;

  double cost(const PlanStep& step) const { return finite(step.work / rate_ * kNanoseconds); }

  void add(const PlanStep& step, std::size_t depth) {
    if (lines_.empty()) lines_.push_back({"expected rows", "from", "cost at least", "step"});
    constexpr std::size_t kIndentMax = 40;
    std::string shown(2 * std::min(depth, kIndentMax), ' ');
    shown += step.operation;
    if (!step.pattern.empty()) shown += "  " + step.pattern;
    lines_.push_back(
        {count_words(finite(step.rows)), step.from, cost_words(cost(step)), std::move(shown)});
    for (const PlanStep& input : step.inputs) add(input, depth + 1);
  }

  double rate_;
  std::vector<Line> lines_;
};

}  // namespace

GraphPlan plan_for_endpoint(const sparql::Query& query, const GateVerdict& verdict,
                            std::optional<std::uint64_t> rows_max) {
  const PlanStep root = Planner(query, verdict.profile).run();
  PlanShow show(verdict.profile.rows_per_second);
  GraphPlan plan;
  plan.text = show.text(root);
  plan.tree = show.tree(root);
  sparql::Query measured = query;
  const QueryWork work = measure(measured, verdict.profile, rows_max);
  plan.estimated_rows = verdict.unmatched ? 0 : work.rows;
  plan.cost_ns = finite(work.work / std::max(verdict.profile.rows_per_second, 1.0) * kNanoseconds);
  return plan;
}

}  // namespace helve::toolkit
