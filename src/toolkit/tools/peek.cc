// peek_resource: a first look at a class, a property or an instance. explore.h declares it.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "sources/rdf/vocabulary.h"
#include "toolkit/tools/explore.h"
#include "toolkit/tools/graph_access.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kPeekCommonShown = 10;
constexpr std::size_t kInstancePropertiesShown = 4;  // of one instance
constexpr std::uint64_t kTriplesOfOne = 40;          // looked at, of one instance
constexpr std::size_t kRelatedInstancesShown = 10;
constexpr std::uint64_t kRelatedSampled = 100;

struct SampledInstance {
  rdf::Term term;
  ReplyValue::Members properties;
};

// A few properties of each, by one query. Instances that have none but their classes stay.
Result<void> add_properties(std::vector<SampledInstance>& instances, const std::string& some,
                            const GraphSource& graph, const OpContext& op) {
  HELVE_ASSIGN(const SmallTable table,
               ask_small(graph,
                         fmt::format("SELECT ?s ?p ?o {{ {{ {} }} ?s ?p ?o FILTER(?p != {}) }}",
                                     some, in_query(rdf::kRdfType)),
                         instances.size() * kTriplesOfOne, op));
  const ShownPrefixes prefixes = shown_prefixes(graph);
  for (const Cells& row : table.rows) {
    const auto place =
        std::find_if(instances.begin(), instances.end(),
                     [&](const SampledInstance& one) { return one.term == *row[0]; });
    if (place == instances.end() || place->properties.size() >= kInstancePropertiesShown) continue;
    std::string name = show_term(rdf::TermView::iri(row[1]->value), prefixes);
    const bool is_there = std::any_of(place->properties.begin(), place->properties.end(),
                                      [&](const auto& one) { return one.first == name; });
    if (!is_there) place->properties.emplace_back(std::move(name), *row[2]);
  }
  return {};
}

// The instances as they come, each with a few of its properties.
Result<ReplyList> sample_instances(const std::string& iri, const PeekChoices& choices,
                                   const GraphSource& graph, const OpContext& op) {
  const std::string some =
      fmt::format("SELECT DISTINCT ?s {{ ?s a {} }} LIMIT {}", in_query(iri), choices.limit);
  HELVE_ASSIGN(const SmallTable table, ask_small(graph, some, choices.limit, op));
  std::vector<SampledInstance> instances;
  for (const Cells& row : table.rows) instances.push_back({*row[0], {}});
  if (choices.shows_properties) HELVE_TRY(add_properties(instances, some, graph, op));
  ReplyList list{"sample_instances", {}, {}};
  for (SampledInstance& one : instances) {
    ReplyValue::Members item{{"uri", std::move(one.term)}};
    if (choices.shows_properties) item.emplace_back("properties", std::move(one.properties));
    list.items.emplace_back(std::move(item));
  }
  return list;
}

// The same of an endpoint: it is asked for their names alone, what it tells of itself has the
// numbers.
Result<ReplyList> told_subclasses(const std::string& iri, const GraphSource& graph,
                                  const OpContext& op) {
  constexpr std::uint64_t kBelowMax = 1'000;
  HELVE_ASSIGN(const auto schema, graph.schema(op));
  HELVE_ASSIGN(const SmallTable table,
               ask_small(graph,
                         fmt::format("SELECT DISTINCT ?c {{ ?c {}+ {} }} LIMIT {}",
                                     in_query(std::string(rdf::kRdfs) + "subClassOf"),
                                     in_query(iri), kBelowMax),
                         kBelowMax, op));
  std::vector<const ClassInfo*> below;
  for (const Cells& row : table.rows) {
    const ClassInfo* const known = schema->find_class(row[0]->value);
    if (known != nullptr && known->instances > 0) below.push_back(known);
  }
  std::stable_sort(below.begin(), below.end(), [](const ClassInfo* a, const ClassInfo* b) {
    return a->instances > b->instances;
  });
  if (below.size() > kRelatedInstancesShown) below.resize(kRelatedInstancesShown);
  ReplyList list{"subclasses", {}, {}};
  for (const ClassInfo* one : below) {
    list.items.emplace_back(
        ReplyValue::Members{{"uri", ReplyValue::iri(one->iri)}, {"count", one->instances}});
  }
  return list;
}

// Classes below one that has no instances of its own, the largest first.
Result<ReplyList> subclasses(const std::string& iri, const GraphSource& graph,
                             const OpContext& op) {
  if (is_far(graph, op)) return told_subclasses(iri, graph, op);
  HELVE_ASSIGN(
      const SmallTable table,
      ask_small(graph,
                fmt::format("SELECT ?c (COUNT(?x) AS ?n) {{ ?c {}+ {} . ?x a ?c }} "
                            "GROUP BY ?c ORDER BY DESC(?n) ?c",
                            in_query(std::string(rdf::kRdfs) + "subClassOf"), in_query(iri)),
                kRelatedInstancesShown, op));
  ReplyList list{"subclasses", {}, {}};
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    list.items.emplace_back(
        ReplyValue::Members{{"uri", *table.rows[row][0]}, {"count", table.number(row, 1)}});
  }
  return list;
}

Result<void> show_class_sample(const std::string& iri, std::uint64_t instances,
                               const PeekChoices& choices, const GraphSource& graph, ToolCall& call,
                               Reply& reply) {
  reply.say(fmt::format("a class with {} instances", format_count(instances)));
  reply.set("resource", ReplyValue::iri(iri));
  reply.set_quietly("type", "class");
  reply.set_quietly("instance_count", instances);
  HELVE_ASSIGN(ReplyList list, sample_instances(iri, choices, graph, call.op));
  list.left_out = instances - std::min<std::uint64_t>(instances, list.items.size());
  list.chars_if_cut = call.arguments.was_given("limit") ? 0 : call.max_chars * 2 / 5;
  reply.set_quietly("truncated", list.left_out > 0);
  reply.set_quietly("limit_applied", choices.limit);
  if (instances == 0) {
    HELVE_ASSIGN(ReplyList below, subclasses(iri, graph, call.op));
    if (!below.items.empty()) reply.list(std::move(below));
  }
  if (choices.shows_properties) {
    HELVE_ASSIGN(const auto facts, class_facts(iri, graph, call));
    reply.set("common_properties", common_properties(*facts, kPeekCommonShown));
  }
  reply.list(std::move(list));
  reply.set_quietly("related_procedures", ReplyValue::List());
  reply.next_from_data({fmt::format("sparql_peek resource={} output_mode=schema", in_query(iri)),
                        "sparql_peek output_mode=schema",
                        "resource",
                        {}});
  return {};
}

ReplyValue names(const std::vector<std::string>& iris) {
  ReplyValue::List list;
  for (const std::string& iri : iris) list.push_back(ReplyValue::iri(iri));
  return list;
}

Result<ReplyValue> superclasses(const std::string& iri, const GraphSource& graph,
                                const OpContext& op) {
  HELVE_ASSIGN(
      const SmallTable table,
      ask_small(graph,
                fmt::format("SELECT DISTINCT ?c {{ {} {} ?c FILTER(isIRI(?c)) }}", in_query(iri),
                            in_query(std::string(rdf::kRdfs) + "subClassOf")),
                kRelatedInstancesShown, op));
  ReplyValue::List list;
  for (const Cells& row : table.rows) list.emplace_back(*row[0]);
  return ReplyValue(std::move(list));
}

// Classes of what some instances point at.
Result<ReplyList> related_classes(const std::string& iri, const GraphSource& graph,
                                  const OpContext& op) {
  HELVE_ASSIGN(const SmallTable table,
               ask_small(graph,
                         fmt::format("SELECT ?p ?c (COUNT(*) AS ?n) {{ {{ SELECT ?s {{ ?s a {} }} "
                                     "LIMIT {} }} ?s ?p ?o . ?o a ?c FILTER(isIRI(?c)) }} "
                                     "GROUP BY ?p ?c ORDER BY DESC(?n) ?p ?c",
                                     in_query(iri), kRelatedSampled),
                         kRelatedInstancesShown, op));
  ReplyList list{"related_classes", {}, {}};
  for (const Cells& row : table.rows) {
    list.items.emplace_back(ReplyValue::Members{{"by", *row[0]}, {"class", *row[1]}});
  }
  return list;
}

// What is asked for; without a word, enough to see what kind of thing it is.
std::uint64_t limit_of_properties(const PeekChoices& choices, const ToolCall& call) {
  if (call.arguments.was_given("limit")) return choices.limit;
  return std::max<std::uint64_t>(choices.limit, kPeekCommonShown);
}

Result<void> show_class_schema(const std::string& iri, const PeekChoices& choices,
                               const GraphSchema& schema, const GraphSource& graph, ToolCall& call,
                               Reply& reply) {
  HELVE_ASSIGN(const auto facts, class_facts(iri, graph, call));
  reply.say(fmt::format("a class, as {} of its instances show it", format_count(facts->sampled)));
  reply.set("resource", ReplyValue::iri(iri));
  reply.set_quietly("type", "class");
  reply.set_quietly("sampled_instances", facts->sampled);
  HELVE_ASSIGN(ReplyValue above, superclasses(iri, graph, call.op));
  reply.set("superclasses", std::move(above));
  ReplyList list{"properties", {}, {}};
  const std::uint64_t limit = limit_of_properties(choices, call);
  for (const ClassProperty& property : facts->properties) {
    if (list.items.size() >= limit) {
      ++list.left_out;
      continue;
    }
    const PropertyInfo* info = schema.find_property(property.iri);
    ReplyValue type = info != nullptr && !info->ranges.empty()
                          ? ReplyValue::iri(info->ranges.front())
                          : ReplyValue(info != nullptr ? name_of(info->kind) : "unknown");
    list.items.emplace_back(ReplyValue::Members{{"name", ReplyValue::iri(property.iri)},
                                                {"type", std::move(type)},
                                                {"required", property.is_required},
                                                {"count", property.instances}});
  }
  reply.set_quietly("truncated", list.left_out > 0);
  reply.set_quietly("limit_applied", limit);
  reply.list(std::move(list));
  HELVE_ASSIGN(ReplyList related, related_classes(iri, graph, call.op));
  reply.list(std::move(related));
  return {};
}

Result<void> show_property(const std::string& iri, const PropertyInfo& info,
                           const PeekChoices& choices, const GraphSource& graph, ToolCall& call,
                           Reply& reply) {
  reply.say(fmt::format("a property of {} triples, {} subjects, {} different values",
                        format_count(info.triples), format_count(info.subjects),
                        format_count(info.objects)));
  reply.set("resource", ReplyValue::iri(iri));
  reply.set_quietly("type", "property");
  reply.set("kind", name_of(info.kind));
  reply.set_quietly("count", info.triples);
  reply.set_quietly("instance_count", info.triples);
  reply.set("domain", names(info.domains));
  reply.set("range", names(info.ranges));
  HELVE_ASSIGN(const SmallTable table,
               ask_small(graph, fmt::format("SELECT ?s ?o {{ ?s {} ?o }}", in_query(iri)),
                         choices.limit, call.op));
  ReplyList list{"sample_triples", {"subject", "object"}, {}};
  for (const Cells& row : table.rows) list.items.emplace_back(ReplyValue::List{*row[0], *row[1]});
  list.left_out = info.triples - std::min<std::uint64_t>(info.triples, list.items.size());
  reply.set_quietly("truncated", list.left_out > 0);
  reply.set_quietly("limit_applied", choices.limit);
  reply.list(std::move(list));
  return {};
}

Result<void> peek(const std::string& iri, const PeekChoices& choices, const GraphSource& graph,
                  ToolCall& call, Reply& reply) {
  HELVE_ASSIGN(const auto schema, graph.schema(call.op));
  const ClassInfo* type = schema->find_class(iri);
  const PropertyInfo* property = schema->find_property(iri);
  const bool is_class =
      type != nullptr && (type->instances > 0 || property == nullptr || property->triples == 0);
  if (choices.mode == PeekMode::Count) {
    std::uint64_t count = is_class ? type->instances : property != nullptr ? property->triples : 0;
    if (!is_class && property == nullptr) {
      HELVE_ASSIGN(
          count,
          ask_number(graph, fmt::format("SELECT (COUNT(*) AS ?n) {{ {} ?p ?o }}", in_query(iri)),
                     call.op));
    }
    reply.set("resource", ReplyValue::iri(iri));
    reply.set("type", is_class ? "class" : property != nullptr ? "property" : "instance");
    reply.set("count", count);
    return {};
  }
  if (is_class && choices.mode == PeekMode::Schema) {
    return show_class_schema(iri, choices, *schema, graph, call, reply);
  }
  if (is_class) return show_class_sample(iri, type->instances, choices, graph, call, reply);
  return show_property(iri, *property, choices, graph, call, reply);
}

}  // namespace

ToolAnswer peek_resource(ToolCall& call, const GraphSource& graph, const PeekChoices& choices) {
  auto read = read_name(choices.resource, choices.kind, graph, call);
  if (auto* error = std::get_if<ToolError>(&read)) return std::move(*error);
  auto& name = std::get<ReadName>(read);
  const auto schema = graph.schema(call.op);
  if (!schema) return ToolError(schema.error());
  if (choices.kind == NameKind::Class &&
      kind_of_resource(name.iri, **schema) != ResourceKind::Class) {
    return ToolError(Error(ErrorCode::InvalidInput, "the name was found, but it is no class",
                           "sparql_describe shows a thing; sparql_classes lists the classes")
                         .with_detail(fmt::format("{} is no class", in_query(name.iri))));
  }
  if (choices.mode != PeekMode::Count &&
      kind_of_resource(name.iri, **schema) == ResourceKind::Instance) {
    const DescribeChoices described{name.iri, limit_of_properties(choices, call),
                                    Direction::Outgoing, DescribeMode::Summary};
    ToolAnswer answer = describe_resource(call, graph, described);
    if (auto* reply = std::get_if<Reply>(&answer)) {
      reply->set_quietly("type", "instance");
      for (DataLine& warning : name.warnings) reply->warn_from_data(std::move(warning));
    }
    return answer;
  }
  Reply reply;
  for (DataLine& warning : name.warnings) reply.warn_from_data(std::move(warning));
  if (auto done = peek(name.iri, choices, graph, call, reply); !done) {
    return ToolError(std::move(done).error());
  }
  return reply;
}

}  // namespace helve::toolkit
