// show_schema: classes, properties and namespaces of a graph, and patterns of queries that give
// rows on it. explore.h declares it.
#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"
#include "toolkit/tools/explore.h"
#include "toolkit/tools/graph_access.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kTopClasses = 10;
constexpr std::size_t kNamespacesShown = 8;
constexpr std::size_t kSchemaCommonShown = 4;
constexpr std::size_t kClassesLookedAt = 50;  // for their common properties
constexpr std::size_t kAskedThere = 5;        // the same of an endpoint: each is a request
constexpr std::uint64_t kGroupedMax =
    100'000;  // instances of an endpoint; of more, some are grouped
constexpr std::size_t kGraphsShown = 10;

bool contains_folded(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](char a, char b) { return is_same_in_any_case(a, b); }) != text.end();
}

// What the filter of a call leaves: those in a namespace, or with a text in their name.
class NameFilter {
 public:
  NameFilter(const std::string& filter, const GraphSource& graph) : text_(filter) {
    std::string_view prefix = text_;
    if (prefix.size() > 2 && prefix.front() == '<' && prefix.back() == '>') {
      space_ = prefix.substr(1, prefix.size() - 2);
      return;
    }
    if (prefix.ends_with(':')) prefix.remove_suffix(1);
    for (const auto& [name, iri] : shown_prefixes(graph)) {
      if (name == prefix) space_ = iri;
    }
    if (space_.empty() && prefix.find("://") != std::string_view::npos) space_ = text_;
  }

  bool leaves(const std::string& iri, const std::string& label) const {
    if (text_.empty()) return true;
    if (!space_.empty()) return iri.starts_with(space_);
    return contains_folded(iri, text_) || contains_folded(label, text_);
  }

 private:
  std::string text_;
  std::string space_;
};

void show_overview(const GraphSchema& schema, const GraphSource& graph,
                   const SchemaChoices& choices, Reply& reply) {
  reply.say(fmt::format("{}: {} triples, {} classes, {} properties", graph.info().name,
                        format_count(schema.triples), format_count(schema.classes.size()),
                        format_count(schema.properties.size())));
  reply.set_quietly("endpoint", graph.info().uri);
  reply.set_quietly("name", graph.info().name);
  reply.set_quietly("triples", schema.triples);
  reply.set_quietly("class_count", std::uint64_t{schema.classes.size()});
  reply.set_quietly("property_count", std::uint64_t{schema.properties.size()});
  ReplyList classes{"top_classes", {}, {}};
  const std::uint64_t limit = std::min<std::uint64_t>(choices.limit, kTopClasses);
  for (std::size_t i = 0; i < std::min<std::uint64_t>(schema.classes.size(), limit); ++i) {
    const ClassInfo& one = schema.classes[i];
    ReplyValue::Members item{{"uri", ReplyValue::iri(one.iri)}};
    item.emplace_back("label", text_or_null(one.label));
    item.emplace_back("count", one.instances);
    classes.items.emplace_back(std::move(item));
  }
  classes.left_out = schema.classes.size() - classes.items.size();
  reply.set_quietly("truncated", classes.left_out > 0);
  reply.set_quietly("limit_applied", limit);
  reply.list(std::move(classes));
  ReplyList spaces{"namespaces", {}, {}};
  for (std::size_t i = 0; i < std::min(schema.namespaces.size(), kNamespacesShown); ++i) {
    const NamespaceInfo& one = schema.namespaces[i];
    spaces.items.emplace_back(ReplyValue::Members{
        {"prefix", text_or_null(one.prefix)}, {"iri", one.iri}, {"terms", one.terms}});
  }
  spaces.left_out = schema.namespaces.size() - spaces.items.size();
  reply.list(std::move(spaces));
  if (!schema.graphs.empty()) {
    ReplyList graphs{"graphs", {}, {}};
    for (std::size_t i = 0; i < std::min(schema.graphs.size(), kGraphsShown); ++i) {
      graphs.items.emplace_back(
          ReplyValue::Members{{"graph", ReplyValue::iri(schema.graphs[i].first)},
                              {"statements", schema.graphs[i].second}});
    }
    graphs.left_out = schema.graphs.size() - graphs.items.size();
    reply.list(std::move(graphs));
  }
  if (!schema.is_complete) reply.warn("the schema is not complete: it was told from a sample");
  reply.next("sparql_peek resource=CLASS");
  reply.next("sparql_find pattern=WORDS");
}

// Of what does not fit, the largest are enough, where the call did not say how many it wants.
std::size_t share_if_cut(const ToolCall& call) {
  return call.arguments.was_given("limit") ? 0 : call.max_chars * 3 / 5;
}

void finish_list(ReplyList list, std::uint64_t matching, const SchemaChoices& choices,
                 const char* what, bool is_complete, const ToolCall& call, Reply& reply) {
  list.chars_if_cut = share_if_cut(call);
  reply.say(fmt::format("{} {}", format_count(matching), what));
  reply.set_quietly("limit_applied", choices.limit);
  list.left_out = matching - list.items.size();
  reply.set_quietly("total_available", matching);
  reply.set_quietly("total_is", is_complete ? "exact" : "at_least");
  reply.set_quietly("truncated", list.left_out > 0);
  reply.list(std::move(list));
}

Result<void> show_classes(const GraphSchema& schema, const GraphSource& graph,
                          const SchemaChoices& choices, ToolCall& call, Reply& reply) {
  const NameFilter filter(choices.filter, graph);
  const bool is_sampled = is_far(graph, call.op);
  const std::size_t looked_at = is_sampled ? kAskedThere : kClassesLookedAt;
  ReplyList list{"classes", {}, {}};
  std::uint64_t matching = 0;
  for (const ClassInfo& one : schema.classes) {
    if (!filter.leaves(one.iri, one.label)) continue;
    if (++matching > choices.limit) continue;
    ReplyValue::Members item{{"uri", ReplyValue::iri(one.iri)}};
    item.emplace_back("label", text_or_null(one.label));
    item.emplace_back("count", one.instances);
    if (!choices.is_short && list.items.size() < looked_at) {
      HELVE_ASSIGN(const auto facts, class_facts(one.iri, graph, call));
      item.emplace_back("common_properties", common_properties(*facts, kSchemaCommonShown));
    }
    list.items.emplace_back(std::move(item));
  }
  if (!choices.is_short && is_sampled && list.items.size() > looked_at) {
    reply.warn(
        fmt::format("common_properties: of the first {} classes, from samples; sparql_peek "
                    "shows those of others",
                    looked_at));
  }
  finish_list(std::move(list), matching, choices, "classes", schema.is_complete, call, reply);
  return {};
}

void show_properties(const GraphSchema& schema, const GraphSource& graph,
                     const SchemaChoices& choices, const ToolCall& call, Reply& reply) {
  const NameFilter filter(choices.filter, graph);
  ReplyList list{"properties", {}, {}};
  std::uint64_t matching = 0;
  for (const PropertyInfo& one : schema.properties) {
    if (!filter.leaves(one.iri, one.label)) continue;
    if (++matching > choices.limit) continue;
    ReplyValue::Members item{{"name", ReplyValue::iri(one.iri)}, {"kind", name_of(one.kind)}};
    if (!choices.is_short) {
      item.emplace_back("domain", first_or_null(one.domains));
      item.emplace_back("range", first_or_null(one.ranges));
    }
    item.emplace_back("count", one.triples);
    list.items.emplace_back(std::move(item));
  }
  finish_list(std::move(list), matching, choices, "properties", schema.is_complete, call, reply);
}

struct QueryPattern {
  std::string name;
  std::string description;
  std::string text;  // with {} for what changes
  std::string example;
};

// How many, grouped: all of them, or of what is too large elsewhere some.
QueryPattern grouped_pattern(const std::string& name, const std::string& predicate,
                             bool is_sampled) {
  const std::string of = is_sampled
                             ? fmt::format("{{ SELECT ?x {{ ?x a {} }} LIMIT 1000 }} ?x", name)
                             : fmt::format("?x a {} ;", name);
  const std::string shape =
      is_sampled ? "{ SELECT ?x { ?x a <CLASS> } LIMIT 1000 } ?x" : "?x a <CLASS> ;";
  return {fmt::format("{} by {}", name, predicate),
          is_sampled ? "how many of a thousand, grouped by what they are linked to"
                     : "how many, grouped by what they are linked to",
          fmt::format("SELECT ?value (COUNT(?x) AS ?n) WHERE {{ {} <PROPERTY> ?value }} GROUP BY "
                      "?value ORDER BY DESC(?n)",
                      shape),
          fmt::format("SELECT ?value (COUNT(?x) AS ?n) WHERE {{ {} {} ?value }} GROUP BY "
                      "?value ORDER BY DESC(?n) LIMIT 10",
                      of, predicate)};
}

// Patterns that the data suggests: not yet known to give rows.
Result<std::vector<QueryPattern>> suggest_patterns(const GraphSchema& schema,
                                                   const GraphSource& graph, ToolCall& call) {
  const bool is_remote = is_far(graph, call.op);
  const std::size_t classes_max = is_remote ? 3 : 5;  // each is some requests there
  constexpr std::size_t kProperties = 3;
  const ShownPrefixes prefixes = shown_prefixes(graph);
  const auto shown = [&](const std::string& iri) {
    return show_term(rdf::TermView::iri(iri), prefixes);
  };
  std::vector<QueryPattern> patterns;
  std::size_t classes = 0;
  for (const ClassInfo& type : schema.classes) {
    if (type.instances == 0 || ++classes > classes_max) break;
    const std::string name = shown(type.iri);
    HELVE_ASSIGN(const auto facts, class_facts(type.iri, graph, call));
    patterns.push_back({"instances of " + name, "the things of one class",
                        "SELECT ?x WHERE { ?x a <CLASS> }",
                        fmt::format("SELECT ?x WHERE {{ ?x a {} }} LIMIT 10", name)});
    std::size_t used = 0;
    for (const ClassProperty& property : facts->properties) {
      const PropertyInfo* info = schema.find_property(property.iri);
      if (info == nullptr || property.iri.ends_with("#type") || ++used > kProperties) continue;
      const std::string predicate = shown(property.iri);
      const bool is_link = info->kind == PropertyKind::Object;
      patterns.push_back(
          {fmt::format("{} of {}", predicate, name),
           is_link ? "how things of a class are linked" : "a value of the things of a class",
           "SELECT ?x ?value WHERE { ?x a <CLASS> ; <PROPERTY> ?value }",
           fmt::format("SELECT ?x ?value WHERE {{ ?x a {} ; {} ?value }} LIMIT 10", name,
                       predicate)});
      if (!is_link) continue;
      const bool is_sampled = is_remote && type.instances > kGroupedMax;
      patterns.push_back(grouped_pattern(name, predicate, is_sampled));
    }
  }
  return patterns;
}

// The prefixes of the graph are not in the text: they are declared for the check.
Result<bool> gives_rows(const QueryPattern& pattern, const GraphSource& graph,
                        const OpContext& op) {
  std::string declared;
  for (const auto& [name, iri] : shown_prefixes(graph)) {
    if (pattern.example.find(name + ":") != std::string::npos) {
      declared += fmt::format("PREFIX {}: {} ", name, in_query(iri));
    }
  }
  HELVE_ASSIGN(const SmallTable table, ask_small(graph, declared + pattern.example, 1, op));
  return !table.rows.empty();
}

Result<void> show_patterns(const GraphSchema& schema, const GraphSource& graph,
                           const SchemaChoices& choices, ToolCall& call, Reply& reply) {
  HELVE_ASSIGN(const auto suggested, suggest_patterns(schema, graph, call));
  const NameFilter filter(choices.filter, graph);
  ReplyList list{"patterns", {}, {}};
  const bool is_remote = is_far(graph, call.op);
  std::uint64_t good = 0;
  bool has_checked_all = true;
  for (const QueryPattern& pattern : suggested) {
    if (!filter.leaves(pattern.example, pattern.name)) continue;
    // What is not shown is not asked of others.
    if (is_remote && good >= choices.limit) {
      has_checked_all = false;
      break;
    }
    HELVE_ASSIGN(const bool is_good, gives_rows(pattern, graph, call.op));
    if (!is_good || ++good > choices.limit) continue;
    list.items.emplace_back(ReplyValue::Members{{"name", pattern.name},
                                                {"description", pattern.description},
                                                {"template", pattern.text},
                                                {"example", pattern.example}});
  }
  finish_list(std::move(list), good, choices, "patterns, each seen to give rows",
              schema.is_complete && has_checked_all, call, reply);
  if (!has_checked_all) reply.set_quietly("truncated", true);
  return {};
}

Result<void> show(const GraphSchema& schema, const GraphSource& graph, const SchemaChoices& choices,
                  ToolCall& call, Reply& reply) {
  switch (choices.mode) {
    case SchemaMode::Overview:
      show_overview(schema, graph, choices, reply);
      return {};
    case SchemaMode::Classes:
      return show_classes(schema, graph, choices, call, reply);
    case SchemaMode::Properties:
      show_properties(schema, graph, choices, call, reply);
      return {};
    case SchemaMode::Patterns:
      break;
  }
  return show_patterns(schema, graph, choices, call, reply);
}

}  // namespace

ToolAnswer show_schema(ToolCall& call, const GraphSource& graph, const SchemaChoices& choices) {
  const auto schema = graph.schema(call.op);
  if (!schema) return ToolError(schema.error());
  Reply reply;
  if (auto done = show(**schema, graph, choices, call, reply); !done) {
    return ToolError(std::move(done).error());
  }
  if (!(*schema)->origin.empty()) reply.warn("the schema is from " + (*schema)->origin);
  return reply;
}

}  // namespace helve::toolkit
