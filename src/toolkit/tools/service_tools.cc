// service_desc and service_desc_*: SPARQL 1.1 Service Descriptions and VoID. A description is a
// graph behind a handle, so that the g_* tools can ask it too.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "toolkit/tools/declare.h"
#include "toolkit/tools/explore.h"
#include "toolkit/tools/fetch_description.h"
#include "toolkit/tools/graph_access.h"
#include "toolkit/tools/registry.h"
#include "toolkit/tools/service_description.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

namespace {

using GraphPtr = std::shared_ptr<const GraphSource>;

std::uint64_t service_limit(const ToolCall& call) {
  return static_cast<std::uint64_t>(call.arguments.integer("limit"));
}

// An IRI as such, a blank node by its label, nothing as null.
ReplyValue node_value(const std::string& node) {
  if (node.empty()) return {};
  return node.starts_with("_:") ? ReplyValue(node) : ReplyValue::iri(node);
}

void set_service_totals(const ServiceDescription& description, Reply& reply) {
  reply.set_quietly("triples",
                    description.triples() ? ReplyValue(*description.triples()) : ReplyValue());
  reply.set_quietly("services", std::uint64_t{description.services.size()});
  reply.set_quietly("named_graphs", std::uint64_t{description.graphs.size()});
  reply.set_quietly("linksets", description.linksets);
}

void warn_if_empty(const ServiceDescription& description, Reply& reply) {
  if (!description.is_empty()) return;
  reply.warn("it describes no service, dataset or graph (sd:Service, void:Dataset, sd:name)");
}

ToolAnswer service_desc(ToolCall& call) {
  const std::string& url = call.arguments.text("url");
  auto fetched = fetch_description(url, call);
  if (!fetched) {
    Error error = std::move(fetched).error();
    if (error.code != ErrorCode::Denied) error.restate("the description cannot be read");
    return ToolError(std::move(error));
  }
  const GraphPtr graph = call.within_policy(fetched->graph);
  const auto description = read_service_description(*graph, call.op);
  if (!description) return ToolError(description.error());
  HandleOrigin origin;
  origin.tool = call.tool.name;
  origin.source = fetched->name;
  origin.query = url;
  origin.snapshot = fetched->graph->fingerprint();
  origin.call_hash = call.call_hash;
  origin.prefixes = kept_prefixes(*fetched->graph);
  Reply reply;
  reply.about(fetched->name, origin.prefixes);
  auto same = call.handles.find_same(origin);
  if (same) {
    reply.warn(fmt::format("the same description, unchanged: {} is its handle", same->key));
  } else {
    auto put =
        call.handles.put(fetched->graph, HandleType::ServiceDesc, std::move(origin), call.op);
    if (!put) return ToolError(std::move(put).error());
    same = *std::move(put);
  }
  reply.say(fmt::format(
      "{} statements: {} services, {} datasets, {} named graphs, {} features",
      format_count(description->statements), format_count(description->services.size()),
      format_count(description->datasets.size()), format_count(description->graphs.size()),
      format_count(description->features.size())));
  reply.ref(*same);
  reply.set_quietly("statements", description->statements);
  set_service_totals(*description, reply);
  reply.set_quietly("datasets", std::uint64_t{description->datasets.size()});
  reply.set_quietly("features", std::uint64_t{description->features.size()});
  warn_if_empty(*description, reply);
  for (const char* next : {"service_desc_stats", "service_desc_graphs", "service_desc_features"}) {
    reply.next(fmt::format("{} ref={}", next, same->key));
  }
  return reply;
}

Result<GraphPtr> graph_of_ref_argument(ToolCall& call) {
  const std::string& key = call.arguments.text("ref");
  HELVE_ASSIGN(const Handle handle, call.handles.get(key, call.op));
  if (handle.graph == nullptr) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} is a handle of type {}, not of a description", key,
                             name_of(handle.ref.dtype)),
                 "read one with service_desc"};
  }
  return call.within_policy(handle.graph);
}

// Answers from the description behind the handle, which may be any graph.
template <typename Show>
ToolAnswer on_description(ToolCall& call, Show show) {
  const auto graph = graph_of_ref_argument(call);
  if (!graph) return ToolError(graph.error());
  const auto description = read_service_description(**graph, call.op);
  if (!description) return ToolError(description.error());
  Reply reply = show(*description);
  reply.about((*graph)->info().name, shown_prefixes(**graph));
  warn_if_empty(*description, reply);
  return reply;
}

// The first of some items, and what is to be told of the rest.
template <typename T, typename Item>
void list_limited(const char* key, const std::vector<T>& all, const ToolCall& call, Item item,
                  Reply& reply) {
  ReplyList list{key, {}, {}};
  for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), service_limit(call)); ++i) {
    list.items.emplace_back(item(all[i]));
  }
  list.left_out = all.size() - list.items.size();
  reply.set_quietly("total_available", std::uint64_t{all.size()});
  reply.set_quietly("total_is", "exact");
  reply.set_quietly("truncated", all.size() > service_limit(call));
  reply.set_quietly("limit_applied", service_limit(call));
  reply.list(std::move(list));
}

// Those that are known, by the names of replies.
void add_sizes(const DescribedSizes& sizes, ReplyValue::Members& members) {
  constexpr std::array<std::string_view, kSizeNames.size()> kKeys = {
      "triples",           "entities",         "classes",  "properties",
      "distinct_subjects", "distinct_objects", "documents"};
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    if (sizes[i]) members.emplace_back(kKeys[i], *sizes[i]);
  }
}

ReplyValue default_dataset_value(const ServiceDescription& description) {
  if (!description.default_dataset) return {};
  const DefaultDataset& dataset = *description.default_dataset;
  ReplyValue::Members members;
  if (!dataset.title.empty()) members.emplace_back("title", dataset.title);
  members.emplace_back("default_graph", node_value(dataset.default_graph));
  add_sizes(dataset.sizes, members);
  members.emplace_back("named_graphs", dataset.named_graphs);
  return members;
}

ReplyValue::Members dataset_members(const DescribedDataset& dataset) {
  ReplyValue::Members members{{"dataset", node_value(dataset.node)}};
  if (!dataset.title.empty()) members.emplace_back("title", dataset.title);
  add_sizes(dataset.sizes, members);
  if (dataset.class_partitions > 0) {
    members.emplace_back("class_partitions", dataset.class_partitions);
  }
  if (dataset.property_partitions > 0) {
    members.emplace_back("property_partitions", dataset.property_partitions);
  }
  if (!dataset.endpoint.empty()) members.emplace_back("endpoint", node_value(dataset.endpoint));
  return members;
}

ToolAnswer service_desc_stats(ToolCall& call) {
  return on_description(call, [&](const ServiceDescription& description) {
    constexpr std::size_t kEndpoints = 10;
    Reply reply;
    reply.say(fmt::format(
        "{} services, {} datasets, {} named graphs", format_count(description.services.size()),
        format_count(description.datasets.size()), format_count(description.graphs.size())));
    set_service_totals(description, reply);
    ReplyList endpoints{"endpoints", {}, {}};
    for (const DescribedService& one : description.services) {
      if (endpoints.items.size() == kEndpoints) break;
      ReplyValue::Members members{
          {"url", one.endpoint.empty() ? ReplyValue(one.node) : ReplyValue(one.endpoint)}};
      if (!one.title.empty()) members.emplace_back("title", one.title);
      endpoints.items.emplace_back(std::move(members));
    }
    endpoints.left_out = description.services.size() - endpoints.items.size();
    reply.list(std::move(endpoints));
    reply.set("default_dataset", default_dataset_value(description));
    list_limited("datasets", description.datasets, call, dataset_members, reply);
    return reply;
  });
}

ToolAnswer service_desc_graphs(ToolCall& call) {
  return on_description(call, [&](const ServiceDescription& description) {
    Reply reply;
    reply.say(fmt::format("{} named graphs", format_count(description.graphs.size())));
    reply.set("default_dataset", default_dataset_value(description));
    const auto item = [](const DescribedGraph& graph) {
      ReplyValue::Members members{{"name", node_value(graph.name)}};
      if (!graph.title.empty()) members.emplace_back("title", graph.title);
      add_sizes(graph.sizes, members);
      return members;
    };
    list_limited("graphs", description.graphs, call, item, reply);
    return reply;
  });
}

ToolAnswer service_desc_features(ToolCall& call) {
  return on_description(call, [&](const ServiceDescription& description) {
    ReplyValue::Members kinds;
    for (const DescribedFeature& one : description.features) {
      if (kinds.empty() || kinds.back().first != one.kind) kinds.emplace_back(one.kind, 0);
      kinds.back().second = *kinds.back().second.if_is<std::int64_t>() + 1;
    }
    Reply reply;
    reply.say(fmt::format("{} features", format_count(description.features.size())));
    reply.set("kinds", std::move(kinds));
    const auto item = [](const DescribedFeature& one) {
      return ReplyValue::Members{{"kind", one.kind}, {"iri", ReplyValue::iri(one.iri)}};
    };
    list_limited("features", description.features, call, item, reply);
    return reply;
  });
}

ToolAnswer service_desc_sample(ToolCall& call) {
  const auto graph = graph_of_ref_argument(call);
  if (!graph) return ToolError(graph.error());
  const auto table =
      ask_small(**graph, "SELECT ?s ?p ?o { ?s ?p ?o }", service_limit(call), call.op);
  if (!table) return ToolError(table.error());
  Reply reply;
  reply.about((*graph)->info().name, shown_prefixes(**graph));
  ReplyList list{"triples", {"subject", "predicate", "object"}, {}};
  for (const Cells& row : table->rows) {
    list.items.emplace_back(ReplyValue::List{*row[0], *row[1], *row[2]});
  }
  reply.set_quietly("truncated", table->has_more);
  reply.set_quietly("limit_applied", service_limit(call));
  reply.list(std::move(list));
  return reply;
}

std::vector<ReturnKey> total_keys() {
  return {{"triples", "integer", "of the data that is described; null: it does not say"},
          {"services", "integer", ""},
          {"named_graphs", "integer", ""},
          {"linksets", "integer", ""}};
}

std::vector<ReturnKey> limited_service_keys(std::vector<ReturnKey> keys) {
  keys.push_back({"total_available", "integer", ""});
  keys.push_back({"total_is", "string", "exact"});
  keys.push_back({"truncated", "boolean", "there are more than limit_applied"});
  keys.push_back({"limit_applied", "integer", ""});
  return keys;
}

Tool declare_service_desc() {
  Tool tool;
  tool.name = "service_desc";
  tool.title = "Read the description of an endpoint";
  tool.category = ToolCategory::Endpoint;
  tool.purpose =
      "Reads a SPARQL Service Description or VoID (Turtle, RDF/XML) and gives a handle of it, "
      "which "
      "the g_* tools take too.";
  tool.parameters = {
      text_parameter("url", "a path, file:///... or https://...", {"path", "file", "endpoint"})};
  tool.returns = total_keys();
  tool.returns.insert(tool.returns.begin(), {"key", "string", "the handle of the description"});
  tool.returns.push_back({"statements", "integer", "of the description"});
  tool.returns.push_back({"datasets", "integer", ""});
  tool.returns.push_back({"features", "integer", ""});
  tool.examples = {{"a file", arguments_of({{"url", JsonValue("void.ttl")}})}};
  tool.handler = service_desc;
  return tool;
}

Tool description_tool(const char* name, const char* title, const char* purpose, Parameter limit,
                      std::vector<ReturnKey> returns, ToolHandler handler) {
  Tool tool;
  tool.name = name;
  tool.title = title;
  tool.category = ToolCategory::Endpoint;
  tool.purpose = purpose;
  tool.parameters = {handle_parameter("ref", "the description, e.g. service_desc_0"),
                     std::move(limit)};
  tool.returns = std::move(returns);
  tool.examples = {{"of a description", arguments_of({{"ref", JsonValue("service_desc_0")}})}};
  tool.handler = std::move(handler);
  return tool;
}

}  // namespace

void add_service_tools(Registry& registry) {
  registry.add(declare_service_desc());
  std::vector<ReturnKey> stats = total_keys();
  stats.push_back({"endpoints", "array", "url, title"});
  stats.push_back({"default_dataset", "object", "null: none is described"});
  stats.push_back(
      {"datasets", "array", "the largest first: dataset, title, triples, entities, ..."});
  registry.add(
      description_tool("service_desc_stats", "Size of a described service",
                       "The endpoints and datasets that a description tells of, and their sizes.",
                       limit_parameter(20, 50, "datasets to show"),
                       limited_service_keys(std::move(stats)), service_desc_stats));
  registry.add(description_tool(
      "service_desc_graphs", "Graphs of a described service",
      "The named graphs that a description tells of, and the default dataset.",
      limit_parameter(20, 50, "graphs to show"),
      limited_service_keys(
          {{"graphs", "array", "the largest first: name, title, triples, entities, ..."},
           {"default_dataset", "object", "null: none is described"}}),
      service_desc_graphs));
  registry.add(description_tool(
      "service_desc_features", "Features of a described service",
      "Features, languages, result formats and extension functions that a description names.",
      limit_parameter(20, 50, "features to show"),
      limited_service_keys(
          {{"features", "array", "kind, iri"}, {"kinds", "object", "features by kind"}}),
      service_desc_features));
  registry.add(description_tool("service_desc_sample", "Sample of a description",
                                "Some statements of a description.",
                                limit_parameter(10, 20, "statements to show"),
                                {{"triples", "array", "subject, predicate, object"},
                                 {"truncated", "boolean", "there are more than limit_applied"},
                                 {"limit_applied", "integer", ""}},
                                service_desc_sample));
}

}  // namespace helve::toolkit
