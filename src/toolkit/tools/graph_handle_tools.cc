// g_* and ont_*: graphs that were loaded or made in a session, behind handles.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "toolkit/tools/declare.h"
#include "toolkit/tools/explore.h"
#include "toolkit/tools/explore_arguments.h"
#include "toolkit/tools/graph_access.h"
#include "toolkit/tools/loaded_file.h"
#include "toolkit/tools/query_answer.h"
#include "toolkit/tools/registry.h"

namespace helve::toolkit {

namespace {

using GraphPtr = std::shared_ptr<const GraphSource>;

Result<GraphPtr> graph_of_handle_argument(ToolCall& call) {
  const std::string& key = call.arguments.text("handle");
  HELVE_ASSIGN(const Handle handle, call.handles.get(key, call.op));
  if (handle.graph == nullptr) {
    return Error{
        ErrorCode::InvalidInput,
        fmt::format("{} is a handle of type {}, not of a graph", key, name_of(handle.ref.dtype)),
        "load a graph with g_load, or make one with a CONSTRUCT query"};
  }
  return call.within_policy(handle.graph);
}

// Runs a function on the graph of the handle.
template <typename Show>
ToolAnswer on_graph(ToolCall& call, Show show) {
  const auto graph = graph_of_handle_argument(call);
  if (!graph) return ToolError(graph.error());
  ToolAnswer answer = show(**graph);
  if (auto* reply = std::get_if<Reply>(&answer)) {
    reply->about((*graph)->info().name, shown_prefixes(**graph));
  }
  return answer;
}

std::uint64_t limit_argument(const ToolCall& call) {
  return static_cast<std::uint64_t>(call.arguments.integer("limit"));
}

ToolAnswer load(ToolCall& call, HandleType type) {
  const std::string& path = call.arguments.text("path");
  const auto allowed = readable_path(call.policy, path);
  if (!allowed) return ToolError(allowed.error());
  const auto name = path.substr(path.find_last_of('/') + 1);
  auto graph = call.graphs.open(allowed->string(), name, call.op);
  if (!graph) return ToolError(std::move(graph).error().restate("the file cannot be read"));
  const auto schema = call.within_policy(*graph)->schema(call.op);
  if (!schema) return ToolError(schema.error());
  HandleOrigin origin;
  origin.tool = call.tool.name;
  origin.source = name;
  origin.query = path;
  origin.snapshot = (*graph)->fingerprint();
  origin.call_hash = call.call_hash;
  origin.prefixes = kept_prefixes(**graph);
  Reply reply;
  reply.about(name, origin.prefixes);
  auto same = call.handles.find_same(origin);
  if (same) {
    reply.warn(fmt::format("the same file, unchanged: {} is its handle", same->key));
  } else {
    auto put = call.handles.put(*graph, type, std::move(origin), call.op);
    if (!put) return ToolError(std::move(put).error());
    same = *std::move(put);
  }
  reply.say(fmt::format("{} triples, {} classes, {} properties", format_count((*schema)->triples),
                        format_count((*schema)->classes.size()),
                        format_count((*schema)->properties.size())));
  reply.ref(*same);
  reply.set_quietly("triples", (*schema)->triples);
  reply.set_quietly("classes", std::uint64_t{(*schema)->classes.size()});
  reply.set_quietly("properties", std::uint64_t{(*schema)->properties.size()});
  const char* family = type == HandleType::Ontology ? "ont_classes" : "g_classes";
  reply.next(fmt::format("{} handle={}", family, same->key));
  reply.next(fmt::format("g_query handle={} query=\"...\"", same->key));
  return reply;
}

ToolAnswer g_stats(ToolCall& call) {
  return on_graph(call, [&](const GraphSource& graph) -> ToolAnswer {
    const auto schema = graph.schema(call.op);
    if (!schema) return ToolError(schema.error());
    Reply reply;
    reply.set("triples", (*schema)->triples);
    reply.set("classes", std::uint64_t{(*schema)->classes.size()});
    reply.set("props", std::uint64_t{(*schema)->properties.size()});
    ReplyList spaces{"ns", {}, {}};
    constexpr std::size_t kShown = 12;
    for (std::size_t i = 0; i < std::min((*schema)->namespaces.size(), kShown); ++i) {
      const NamespaceInfo& one = (*schema)->namespaces[i];
      spaces.items.emplace_back(ReplyValue::Members{
          {"prefix", text_or_null(one.prefix)}, {"iri", one.iri}, {"terms", one.terms}});
    }
    spaces.left_out = (*schema)->namespaces.size() - spaces.items.size();
    reply.list(std::move(spaces));
    return reply;
  });
}

ToolAnswer g_query(ToolCall& call) {
  return on_graph(call, [&](const GraphSource& graph) {
    QueryChoices choices;
    choices.query = call.arguments.text("query");
    choices.limit = limit_argument(call);
    choices.is_validated = call.arguments.boolean("validate");
    choices.is_explained = call.arguments.boolean("explain");
    choices.is_diagnosed = call.arguments.boolean("diagnose");
    return answer_query(call, graph, choices);
  });
}

// Without a class: triples as they come.
ToolAnswer g_sample(ToolCall& call) {
  return on_graph(call, [&](const GraphSource& graph) -> ToolAnswer {
    PeekChoices choices;
    choices.limit = limit_argument(call);
    if (call.arguments.has("resource")) {
      choices.resource = call.arguments.text("resource");
      return peek_resource(call, graph, choices);
    }
    const auto table = ask_small(graph, "SELECT ?s ?p ?o { ?s ?p ?o }", choices.limit, call.op);
    if (!table) return ToolError(table.error());
    Reply reply;
    ReplyList list{"triples", {"subject", "predicate", "object"}, {}};
    for (const Cells& row : table->rows) {
      list.items.emplace_back(ReplyValue::List{*row[0], *row[1], *row[2]});
    }
    reply.set_quietly("truncated", table->has_more);
    reply.set_quietly("limit_applied", choices.limit);
    if (const auto schema = graph.schema(call.op); schema && table->has_more) {
      list.left_out =
          (*schema)->triples - std::min<std::uint64_t>((*schema)->triples, list.items.size());
    }
    reply.list(std::move(list));
    return reply;
  });
}

ToolAnswer listed(ToolCall& call, SchemaMode mode) {
  return on_graph(call, [&](const GraphSource& graph) {
    SchemaChoices choices;
    choices.mode = mode;
    choices.limit = limit_argument(call);
    choices.is_short = true;
    return show_schema(call, graph, choices);
  });
}

ToolAnswer g_describe(ToolCall& call) {
  return on_graph(call, [&](const GraphSource& graph) {
    return describe_resource(call, graph, describe_choices(call.arguments));
  });
}

// Declared ones, used or not.
template <typename Info, typename Item>
ToolAnswer declared(ToolCall& call, const std::vector<Info> GraphSchema::*all, const char* key,
                    Item item) {
  return on_graph(call, [&](const GraphSource& graph) -> ToolAnswer {
    const auto schema = graph.schema(call.op);
    if (!schema) return ToolError(schema.error());
    ReplyList list{key, {}, {}};
    std::uint64_t found = 0;
    for (const Info& one : (**schema).*all) {
      if (one.is_declared && ++found <= limit_argument(call)) list.items.emplace_back(item(one));
    }
    Reply reply;
    reply.say(fmt::format("{} declared {}", format_count(found), key));
    reply.set_quietly("total_available", found);
    reply.set_quietly("total_is", (*schema)->is_complete ? "exact" : "at_least");
    reply.set_quietly("truncated", found > limit_argument(call));
    reply.set_quietly("limit_applied", limit_argument(call));
    list.left_out = found - list.items.size();
    reply.list(std::move(list));
    return reply;
  });
}

ToolAnswer ont_classes(ToolCall& call) {
  return declared<ClassInfo>(call, &GraphSchema::classes, "classes", [](const ClassInfo& one) {
    return ReplyValue::Members{{"uri", ReplyValue::iri(one.iri)},
                               {"label", text_or_null(one.label)}};
  });
}

ToolAnswer ont_properties(ToolCall& call) {
  return declared<PropertyInfo>(call, &GraphSchema::properties, "properties",
                                [](const PropertyInfo& one) {
                                  return ReplyValue::Members{{"name", ReplyValue::iri(one.iri)},
                                                             {"label", text_or_null(one.label)},
                                                             {"kind", name_of(one.kind)},
                                                             {"domain", first_or_null(one.domains)},
                                                             {"range", first_or_null(one.ranges)}};
                                });
}

Tool load_tool(const char* name, const char* title, const char* purpose, HandleType type) {
  Tool tool;
  tool.name = name;
  tool.title = title;
  tool.category = ToolCategory::Explore;
  tool.purpose = purpose;
  tool.parameters = {text_parameter("path",
                                    "a file (Turtle, N-Triples, TriG, N-Quads, RDF/XML, "
                                    "compressed too) or an index folder",
                                    {"ontology_path", "file"})};
  tool.returns = {{"key", "string", "the handle of the graph"},
                  {"triples", "integer", ""},
                  {"classes", "integer", ""},
                  {"properties", "integer", ""}};
  tool.examples = {{"a file", arguments_of({{"path", JsonValue("data.ttl")}})}};
  tool.handler = [type](ToolCall& call) { return load(call, type); };
  return tool;
}

Tool handle_tool(const char* name, const char* title, const char* purpose,
                 std::vector<Parameter> more, std::vector<ReturnKey> returns, ToolHandler handler) {
  Tool tool;
  tool.name = name;
  tool.title = title;
  tool.category = ToolCategory::Explore;
  tool.purpose = purpose;
  tool.parameters = {handle_parameter("handle", "the graph, e.g. graph_0")};
  for (Parameter& parameter : more) tool.parameters.push_back(std::move(parameter));
  tool.returns = std::move(returns);
  tool.examples = {{"of a graph", arguments_of({{"handle", JsonValue("graph_0")}})}};
  tool.handler = std::move(handler);
  return tool;
}

Tool g_query_tool() {
  Tool tool = handle_tool(
      "g_query", "Query a loaded graph", "Runs a SPARQL query on a graph behind a handle.",
      {text_parameter("query", "the query", {"q", "sparql", "sparql_query"}),
       limit_parameter(100, 10'000, "rows to show at most; all are stored"),
       timeout_parameter(30, 300),
       flag_parameter("validate", true, "refuse what cannot end in time, with a better query"),
       flag_parameter("explain", false, "show the plan, run nothing"),
       flag_parameter("diagnose", true, "find out why there are no rows")},
      stored_result_keys(), g_query);
  tool.category = ToolCategory::Query;
  tool.examples = {{"all classes", arguments_of({{"handle", JsonValue("graph_0")},
                                                 {"query", JsonValue("SELECT DISTINCT ?c WHERE { "
                                                                     "?x a ?c }")}})}};
  return tool;
}

Tool g_describe_tool() {
  Tool tool = handle_tool("g_describe", "All about one thing of a graph",
                          "What is said about one thing in a graph behind a handle.",
                          describe_parameters(), describe_returns(), g_describe);
  tool.examples = {{"a resource", arguments_of({{"handle", JsonValue("graph_0")},
                                                {"resource", JsonValue("ex:Earth")}})}};
  return tool;
}

}  // namespace

void add_handle_tools(Registry& registry) {
  registry.add(load_tool("g_load", "Load a file of RDF",
                         "Loads a file of RDF and gives a handle of the graph.",
                         HandleType::Graph));
  registry.add(handle_tool("g_stats", "Size of a graph", "The size of a graph behind a handle.", {},
                           {{"triples", "integer", ""},
                            {"classes", "integer", ""},
                            {"props", "integer", ""},
                            {"ns", "array", "namespaces in the data"}},
                           g_stats));
  registry.add(g_query_tool());
  registry.add(handle_tool(
      "g_sample", "Sample of a graph",
      "Some triples of a graph behind a handle, or instances of a class of it.",
      {limit_parameter(10, 50, "triples or instances to show"),
       optional_text("resource", "a class", {"uri", "iri", "class", "class_uri", "cls"})},
      {{"triples", "array", "without a class", true},
       {"sample_instances", "array", "of a class", true}},
      g_sample));
  registry.add(handle_tool(
      "g_classes", "Classes of a loaded graph", "The classes of a graph behind a handle.",
      {limit_parameter(50, 500, "entries to show")}, {{"classes", "array", "uri, label, count"}},
      [](ToolCall& call) { return listed(call, SchemaMode::Classes); }));
  registry.add(handle_tool(
      "g_props", "Properties of a loaded graph", "The properties of a graph behind a handle.",
      {limit_parameter(50, 500, "entries to show")}, {{"properties", "array", "name, kind, count"}},
      [](ToolCall& call) { return listed(call, SchemaMode::Properties); }));
  registry.add(g_describe_tool());
  registry.add(load_tool("ont_load", "Load an ontology",
                         "Loads an ontology and gives a handle of it.", HandleType::Ontology));
  registry.add(handle_tool("ont_classes", "Classes of an ontology",
                           "The classes that an ontology declares.",
                           {limit_parameter(50, 500, "entries to show")},
                           {{"classes", "array", "uri, label"}}, ont_classes));
  registry.add(handle_tool(
      "ont_properties", "Properties of an ontology", "The properties that an ontology declares.",
      {limit_parameter(50, 500, "entries to show")},
      {{"properties", "array", "name, label, kind, domain, range"}}, ont_properties));
}

}  // namespace helve::toolkit
