#include "agent/llm/rules/sparql_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"

namespace helve::llm::rules {

namespace {

std::string var_of(std::size_t node) { return node == 0 ? "?x" : fmt::format("?y{}", node); }

std::string term_of(const Sketch& sketch, std::size_t node) {
  return sketch.nodes[node].thing.empty() ? var_of(node) : sketch.nodes[node].thing;
}

// What is said of the node itself.
std::string node_pattern(const Sketch& sketch, std::size_t at, const Knowledge& known) {
  const Node& node = sketch.nodes[at];
  std::string text;
  if (!node.type.empty()) {
    text += fmt::format("  {} a{} {} .\n", term_of(sketch, at),
                        known.asks_subclasses ? "/rdfs:subClassOf*" : "", node.type);
  }
  if (!node.text.empty()) {
    text += fmt::format("  FILTER(LCASE(STR({})) = {})\n", var_of(at),
                        sparql_quoted(ascii_lower(node.text)));
  }
  return text;
}

std::string one_path(const std::string& property, const Knowledge& known) {
  const auto instead = known.used_instead.find(property);
  return instead != known.used_instead.end() ? "^" + instead->second : property;
}

// Where a thing has one of several properties, any of them.
std::string path_of(const std::vector<std::string>& options, std::size_t choice, bool is_both_ways,
                    const Knowledge& known) {
  const std::string& chosen = options[std::min(choice, options.size() - 1)];
  std::string path = one_path(chosen, known);
  for (const auto& group : known.either) {
    if (std::find(group.begin(), group.end(), chosen) == group.end()) continue;
    for (const std::string& other : options) {
      const bool is_same = std::find(group.begin(), group.end(), other) != group.end();
      if (is_same && other != chosen) path += "|" + one_path(other, known);
    }
    break;
  }
  if (is_both_ways && !path.starts_with('^')) path = fmt::format("({}|^({}))", path, path);
  return path;
}

std::string bound_text(const std::string& value, const Bound& bound) {
  if (!bound.is_year) return fmt::format("{} {} {}", value, bound.op, bound.number);
  // Of dates and of years alike.
  return fmt::format("<http://www.w3.org/2001/XMLSchema#integer>(SUBSTR(STR({}), 1, 4)) {} {}",
                     value, bound.op, bound.number);
}

class SparqlWriter {
 public:
  SparqlWriter(const Sketch& sketch, const Reading& reading, const Knowledge& known)
      : sketch_(sketch), reading_(reading), known_(known) {}

  std::string write() {
    for (std::size_t i = 0; i < sketch_.nodes.size(); ++i) {
      if (!is_inside_negation(i)) patterns_ += node_pattern(sketch_, i, known_);
    }
    for (std::size_t i = 0; i < sketch_.edges.size(); ++i) add_edge(i);
    for (std::size_t i = 0; i < sketch_.values.size(); ++i) add_value(i);
    if (sketch_.form == Form::YesNo) return fmt::format("ASK {{\n{}}}", patterns_);
    if (!sketch_.aggregate.empty()) return aggregated();
    if (sketch_.counted || sketch_.group_value) return grouped();
    if (sketch_.form == Form::Count) {
      return fmt::format("SELECT (COUNT(DISTINCT ?x) AS ?count) WHERE {{\n{}}}", patterns_);
    }
    return listed();
  }

 private:
  bool is_inside_negation(std::size_t node) const {
    return node != 0 &&
           std::any_of(sketch_.edges.begin(), sketch_.edges.end(), [node](const Edge& edge) {
             return edge.is_negated && (edge.from == node || edge.to == node);
           });
  }

  void add_edge(std::size_t index) {
    const Edge& edge = sketch_.edges[index];
    if (edge.options.empty()) {
      // Any way that there is: said of yes and no alone.
      if (sketch_.form == Form::YesNo) {
        const std::string from = term_of(sketch_, edge.from);
        const std::string to = term_of(sketch_, edge.to);
        patterns_ += fmt::format("  {{ {} ?p {} }} UNION {{ {} ?p {} }}\n", from, to, to, from);
      }
      return;
    }
    const std::size_t choice = index < reading_.edges.size() ? reading_.edges[index] : 0;
    std::string text = fmt::format("  {} {} {} .\n", term_of(sketch_, edge.from),
                                   path_of(edge.options, choice, reading_.is_both_ways, known_),
                                   term_of(sketch_, edge.to));
    if (edge.is_negated) {
      for (const std::size_t node : {edge.from, edge.to}) {
        if (node != 0) text += node_pattern(sketch_, node, known_);
      }
      text = fmt::format("  FILTER NOT EXISTS {{\n{}  }}\n", text);
    }
    patterns_ += text;
  }

  void add_value(std::size_t index) {
    const Value& value = sketch_.values[index];
    if (value.options.empty()) return;
    const std::size_t choice = index < reading_.values.size() ? reading_.values[index] : 0;
    if (choice == kLeftOut) return;
    const std::string path = path_of(value.options, choice, false, known_);
    const std::string& property = value.options[std::min(choice, value.options.size() - 1)];
    const Term* const term = known_.find(property);
    const bool is_truth = term != nullptr && term->range.find("boolean") != std::string::npos;
    const std::string var = value.is_claim && is_truth ? "true" : fmt::format("?v{}", index);
    std::string text = fmt::format("  {} {} {} .\n", term_of(sketch_, value.node), path, var);
    if (!value.than.empty()) {
      text += fmt::format("  {} {} ?limit{} .\n", value.than, path, index);
      text += fmt::format("  FILTER({} {} ?limit{})\n", var, value.bounds.front().op, index);
    }
    for (const Bound& bound : value.bounds) {
      if (!bound.number.empty()) text += fmt::format("  FILTER({})\n", bound_text(var, bound));
    }
    if (value.is_negated) text = fmt::format("  FILTER NOT EXISTS {{\n{}  }}\n", text);
    patterns_ += text;
    if (value.is_shown && !value.is_negated) shown_ += " " + var;
    if (sketch_.ordered_by == index) order_ = var;
  }

  // Where it is known which property has the names, and in which languages.
  std::string label_of(const std::string& var) {
    if (known_.label_property.empty()) return {};
    const auto& languages = known_.languages;
    std::string language;
    if (!languages.empty()) {
      const bool has_english =
          std::find(languages.begin(), languages.end(), "en") != languages.end();
      language = fmt::format(" FILTER(LANG({}Label) = \"{}\")", var,
                             has_english ? "en" : languages.front());
    }
    patterns_ += fmt::format("  OPTIONAL {{ {} {} {}Label .{} }}\n", var, known_.label_property,
                             var, language);
    return fmt::format(" {}Label", var);
  }

  std::string order_text(const std::string& by) const {
    std::string text;
    if (!by.empty()) {
      text += fmt::format("\nORDER BY {}({})", sketch_.is_descending ? "DESC" : "ASC", by);
      if (sketch_.limit) text += fmt::format(" LIMIT {}", *sketch_.limit);
    }
    return text;
  }

  // Things once, however many of their classes are below the one that is asked for.
  std::string aggregated() {
    std::string vars;
    for (std::size_t i = 0; i < sketch_.nodes.size(); ++i) {
      if (sketch_.nodes[i].thing.empty() && !is_inside_negation(i)) vars += " " + var_of(i);
    }
    std::string of = shown_.empty() ? "?x" : shown_.substr(1, shown_.find(' ', 1) - 1);
    return fmt::format("SELECT ({}({}) AS ?value) WHERE {{ SELECT DISTINCT{}{} WHERE {{\n{}}} }}",
                       sketch_.aggregate, of, vars, shown_, patterns_);
  }

  std::string grouped() {
    std::string by = "?x";
    std::string counted = "?x";
    if (sketch_.counted) {
      counted = var_of(*sketch_.counted);
    } else {
      by = "?group";
      patterns_ += fmt::format("  ?x {} ?group .\n", one_path(*sketch_.group_value, known_));
    }
    by += label_of(by);
    std::string having;
    for (const Bound& bound : sketch_.count_bounds) {
      having += fmt::format(" HAVING(COUNT(DISTINCT {}) {} {})", counted, bound.op, bound.number);
    }
    const bool is_ordered = sketch_.limit.has_value() && !sketch_.ordered_by;
    return fmt::format("SELECT {} (COUNT(DISTINCT {}) AS ?count) WHERE {{\n{}}} GROUP BY {}{}{}",
                       by, counted, patterns_, by, having, order_text(is_ordered ? "?count" : ""));
  }

  std::string listed() {
    // "The depth of each lake": of which lake belongs to it.
    std::string of;
    for (std::size_t i = 1; i < sketch_.nodes.size() && sketch_.nodes[0].type.empty(); ++i) {
      if (sketch_.nodes[i].type.empty() || is_inside_negation(i)) continue;
      of += " " + var_of(i) + label_of(var_of(i));
    }
    const std::string label = label_of("?x");
    return fmt::format("SELECT DISTINCT ?x{}{}{} WHERE {{\n{}}}{}", label, of, shown_, patterns_,
                       order_text(order_));
  }

  const Sketch& sketch_;
  const Reading& reading_;
  const Knowledge& known_;
  std::string patterns_;
  std::string shown_;
  std::string order_;
};

}  // namespace

std::string sparql_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

std::string sparql_text(const Sketch& sketch, const Reading& reading, const Knowledge& known) {
  return SparqlWriter(sketch, reading, known).write();
}

std::string link_query(const Sketch& sketch, const Edge& edge, const Knowledge& known) {
  const std::string from = term_of(sketch, edge.from);
  const std::string to = term_of(sketch, edge.to);
  const std::string nodes =
      node_pattern(sketch, edge.from, known) + node_pattern(sketch, edge.to, known);
  const std::string counted = from.starts_with('?') ? from : to;
  return fmt::format(
      "SELECT ?p ?way (COUNT(DISTINCT {}) AS ?n) WHERE {{\n"
      "  {{ {} ?p {} . BIND(\"out\" AS ?way) }} UNION {{ {} ?p {} . BIND(\"in\" AS ?way) }}\n{}}} "
      "GROUP BY ?p ?way ORDER BY DESC(?n) LIMIT 10",
      counted, from, to, to, from, nodes);
}

std::string value_query(const Sketch& sketch, const Value& value, bool is_time,
                        const Knowledge& known) {
  const std::string node = term_of(sketch, value.node);
  return fmt::format(
      "SELECT ?p (COUNT(DISTINCT {}) AS ?n) WHERE {{\n{}  {} ?p ?value .\n  FILTER({})\n}} "
      "GROUP BY ?p ORDER BY DESC(?n) LIMIT 10",
      node.starts_with('?') ? node : "?value", node_pattern(sketch, value.node, known), node,
      is_time ? "REGEX(STR(DATATYPE(?value)), \"(date|gYear)\", \"i\")" : "ISNUMERIC(?value)");
}

}  // namespace helve::llm::rules
