// federated_endpoints, endpoints_list, endpoint_detail, data_graphs: what a folder of SHACL SPARQL
// examples tells of endpoints. The reader is toolkit/examples/.
//
// They show names of endpoints and graphs that files have; none of them is asked, so that the
// policy's endpoints and graphs do not matter here, and its folders do.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "toolkit/examples/endpoint_registry.h"
#include "toolkit/tools/declare.h"
#include "toolkit/tools/loaded_file.h"
#include "toolkit/tools/nearest_name.h"
#include "toolkit/tools/registry.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

namespace {

std::uint64_t limit_of(const ToolCall& call) {
  return static_cast<std::uint64_t>(call.arguments.integer("limit"));
}

ReplyValue forms_of(const std::array<std::uint64_t, kExampleForms>& forms) {
  ReplyValue::Members members;
  for (std::size_t i = 0; i < kExampleForms; ++i) {
    if (forms[i] == 0) continue;
    members.emplace_back(name_of(static_cast<ExampleForm>(i)), forms[i]);
  }
  return members;
}

void warn_of_registry_gaps(const EndpointRegistry& registry, Reply& reply) {
  const auto warn = [&](std::uint64_t count, std::string_view one, std::string_view many) {
    if (count > 0) reply.warn(fmt::format("{} {}", format_count(count), count == 1 ? one : many));
  };
  if (registry.queries == 0) reply.warn("there are no example queries (sh:SPARQLExecutable)");
  warn(registry.broken_files, "file could not be read and is left out; see problems",
       "files could not be read and are left out; see problems");
  warn(registry.unparsed, "query could not be parsed: what it asks for is not known; see problems",
       "queries could not be parsed: what they ask for is not known; see problems");
  warn(registry.links, "symbolic link was not followed", "symbolic links were not followed");
  warn(registry.variable_services, "query has a SERVICE whose endpoint is a variable",
       "queries have a SERVICE whose endpoint is a variable");
  if (!registry.incomplete.empty()) reply.warn("not complete: " + registry.incomplete);
}

Reply registry_reply(const EndpointRegistry& registry, const Ref& ref) {
  const std::uint64_t primary = registry.primary_count();
  Reply reply;
  reply.about(ref.source, {});
  reply.say(
      fmt::format("{} queries in {} files: {} endpoints that they are for, {} that they ask "
                  "too, {} graphs, {} prefixes",
                  format_count(registry.queries), format_count(registry.files),
                  format_count(primary), format_count(registry.endpoints.size() - primary),
                  format_count(registry.graphs.size()), format_count(registry.prefixes.size())));
  reply.ref(ref);
  reply.set_quietly("files", registry.files);
  reply.set_quietly("queries", registry.queries);
  reply.set("forms", forms_of(registry.forms));
  reply.set("federated_queries", registry.federated_queries);
  reply.set_quietly("endpoints", std::uint64_t{registry.endpoints.size()});
  reply.set_quietly("primary_endpoints", primary);
  reply.set_quietly("graphs", std::uint64_t{registry.graphs.size()});
  reply.set_quietly("declared_prefixes", std::uint64_t{registry.prefixes.size()});
  reply.set_quietly("broken_files", registry.broken_files);
  reply.set_quietly("unparsed_queries", registry.unparsed);
  if (!registry.problems.empty()) {
    ReplyList problems{"problems", {}, {}};
    for (const FileProblem& one : registry.problems) {
      problems.items.emplace_back(
          ReplyValue::Members{{"file", one.file}, {"message", one.message}});
    }
    problems.left_out = registry.broken_files + registry.unparsed - registry.problems.size();
    reply.list(std::move(problems));
  }
  warn_of_registry_gaps(registry, reply);
  reply.next(fmt::format("endpoints_list ref={}", ref.key));
  reply.next(fmt::format("data_graphs ref={}", ref.key));
  return reply;
}

Result<Ref> store_registry(const EndpointRegistry& registry, HandleOrigin origin, ToolCall& call) {
  origin.incomplete = registry.incomplete;
  std::string text = to_text(registry);
  if (text.size() > call.policy.bytes_stored_max) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("the registry takes {}, the policy lets {} be stored",
                             format_bytes(text.size()), format_bytes(call.policy.bytes_stored_max)),
                 "name a folder with fewer examples"};
  }
  return call.handles.put(std::move(text), HandleType::Registry, std::move(origin), call.op);
}

ToolAnswer federated_endpoints(ToolCall& call) {
  const std::string& path = call.arguments.text("path");
  const auto allowed = readable_path(call.policy, path);
  if (!allowed) return ToolError(allowed.error());
  const auto folder = read_examples(*allowed, {}, call.env, call.op);
  if (!folder) return ToolError(folder.error());
  const auto registry = registry_of(*folder, call.op);
  if (!registry) return ToolError(registry.error());
  HandleOrigin origin;
  origin.tool = call.tool.name;
  origin.source = name_of_path(path);
  origin.query = path;
  origin.snapshot = folder->fingerprint;
  origin.call_hash = call.call_hash;
  if (const auto same = call.handles.find_same(origin)) {
    Reply reply = registry_reply(*registry, *same);
    reply.warn(fmt::format("the same files, unchanged: {} is their handle", same->key));
    return reply;
  }
  const auto put = store_registry(*registry, std::move(origin), call);
  if (!put) return ToolError(put.error());
  return registry_reply(*registry, *put);
}

struct StoredRegistry {
  Ref ref;
  EndpointRegistry registry;
};

Result<StoredRegistry> stored_registry(ToolCall& call) {
  const std::string& key = call.arguments.text("ref");
  HELVE_ASSIGN(const Handle handle, call.handles.get(key, call.op));
  if (handle.ref.dtype != HandleType::Registry || handle.text == nullptr) {
    return Error{
        ErrorCode::InvalidInput,
        fmt::format("{} is a handle of type {}, not of a registry", key, name_of(handle.ref.dtype)),
        "make one with federated_endpoints"};
  }
  HELVE_ASSIGN(EndpointRegistry registry, registry_from_text(*handle.text));
  return StoredRegistry{handle.ref, std::move(registry)};
}

void set_limits(std::uint64_t total, const StoredRegistry& stored, const ToolCall& call,
                Reply& reply) {
  reply.set_quietly("total_available", total);
  reply.set_quietly("total_is", stored.ref.complete ? "exact" : "at_least");
  reply.set_quietly("truncated", total > limit_of(call));
  reply.set_quietly("limit_applied", limit_of(call));
  if (!stored.ref.complete) reply.warn("not complete: " + stored.registry.incomplete);
}

ToolAnswer endpoints_list(ToolCall& call) {
  const auto stored = stored_registry(call);
  if (!stored) return ToolError(stored.error());
  const auto& endpoints = stored->registry.endpoints;
  const std::uint64_t primary_total = stored->registry.primary_count();
  ReplyList primary{"primary", {}, {}};
  ReplyList federated{"federated", {}, {}};
  for (std::size_t i = 0; i < std::min<std::size_t>(endpoints.size(), limit_of(call)); ++i) {
    const EndpointEntry& one = endpoints[i];
    ReplyValue::Members item{{"name", one.name}, {"url", one.url}};
    if (one.is_primary()) {
      item.emplace_back("example_count", one.example_count);
      item.emplace_back("federated_count", one.federated_count);
      primary.items.emplace_back(std::move(item));
    } else {
      item.emplace_back("example_count", one.federated_count);
      federated.items.emplace_back(std::move(item));
    }
  }
  primary.left_out = primary_total - primary.items.size();
  federated.left_out = endpoints.size() - primary_total - federated.items.size();
  Reply reply;
  reply.about(stored->ref.source, {});
  reply.say(fmt::format("{} endpoints: examples are for {}, and ask {} others from there",
                        format_count(endpoints.size()), format_count(primary_total),
                        format_count(endpoints.size() - primary_total)));
  reply.set_quietly("primary_total", primary_total);
  reply.set_quietly("federated_total", std::uint64_t{endpoints.size()} - primary_total);
  reply.list(std::move(primary));
  reply.list(std::move(federated));
  set_limits(endpoints.size(), *stored, call, reply);
  reply.next(fmt::format("endpoint_detail ref={} name=...", stored->ref.key));
  return reply;
}

ToolError no_endpoint(const std::string& name, const StoredRegistry& stored) {
  constexpr std::size_t kNear = 3;
  std::vector<std::string_view> names;
  for (const EndpointEntry& one : stored.registry.endpoints) names.emplace_back(one.name);
  ToolError error(
      Error{ErrorCode::NotFound, fmt::format("{} has no endpoint \"{}\"", stored.ref.key, name),
            fmt::format("endpoints_list ref={} shows names and addresses", stored.ref.key)});
  for (const std::string_view near : nearest_names_of(name, names, kNear)) {
    error.error.suggestions.emplace_back(near);
  }
  return error;
}

// The first of a list of texts with their counts.
ReplyList counted_examples(const char* key, const char* what, const CountedTexts& texts) {
  constexpr std::size_t kShown = 10;
  ReplyList list{key, {}, {}};
  for (std::size_t i = 0; i < std::min(texts.size(), kShown); ++i) {
    list.items.emplace_back(
        ReplyValue::Members{{what, texts[i].first}, {"example_count", texts[i].second}});
  }
  list.left_out = texts.size() - list.items.size();
  return list;
}

void list_partners(const EndpointRegistry& registry, const char* key, const CountedTexts& urls,
                   Reply& reply) {
  ReplyList list = counted_examples(key, "url", urls);
  for (ReplyValue& item : list.items) {
    auto members = *item.if_is<ReplyValue::Members>();
    const EndpointEntry* one = registry.find(*members[0].second.if_is<std::string>());
    if (one != nullptr) members.insert(members.begin(), {"name", one->name});
    item = std::move(members);
  }
  if (!list.items.empty()) reply.list(std::move(list));
}

ReplyList graphs_of(const EndpointRegistry& registry, const EndpointEntry& endpoint) {
  CountedTexts graphs;
  for (const GraphEntry& one : registry.graphs) {
    const auto& all = one.endpoints;
    if (std::find(all.begin(), all.end(), endpoint.url) != all.end()) {
      graphs.emplace_back(one.iri, one.example_count);
    }
  }
  return counted_examples("graphs", "graph", graphs);
}

ReplyList prefixes_of(const EndpointEntry& endpoint) {
  ReplyList list{"used_prefixes", {}, {}};
  for (const auto& [prefix, count] : endpoint.prefixes) {
    list.items.emplace_back(ReplyValue::Members{
        {"prefix", prefix.first}, {"iri", prefix.second}, {"example_count", count}});
  }
  return list;
}

void add_if_any(ReplyList list, Reply& reply) {
  if (!list.items.empty()) reply.list(std::move(list));
}

ToolAnswer endpoint_detail(ToolCall& call) {
  const auto stored = stored_registry(call);
  if (!stored) return ToolError(stored.error());
  const EndpointRegistry& registry = stored->registry;
  const EndpointEntry* found = registry.find(call.arguments.text("name"));
  if (found == nullptr) return no_endpoint(call.arguments.text("name"), *stored);
  const EndpointEntry& one = *found;
  Reply reply;
  reply.about(stored->ref.source, {});
  reply.set("name", one.name);
  reply.set("url", one.url);
  reply.set("role", one.is_primary() ? "primary" : "federated");
  reply.set("example_count", one.example_count);
  reply.set("federated_count", one.federated_count);
  if (one.is_primary()) reply.set("forms", forms_of(one.forms));
  ReplyList questions{"questions", {}, {}};
  for (const std::string& question : one.questions) questions.items.emplace_back(question);
  add_if_any(std::move(questions), reply);
  list_partners(registry, "federates_with", one.federates_with, reply);
  list_partners(registry, "asked_from", one.asked_from, reply);
  add_if_any(graphs_of(registry, one), reply);
  add_if_any(counted_examples("keywords", "keyword", one.keywords), reply);
  if (one.addresses.size() > 1) reply.list(counted_examples("addresses", "url", one.addresses));
  add_if_any(prefixes_of(one), reply);
  if (!stored->ref.complete) reply.warn("not complete: " + registry.incomplete);
  return reply;
}

ToolAnswer data_graphs(ToolCall& call) {
  const auto stored = stored_registry(call);
  if (!stored) return ToolError(stored.error());
  const EndpointRegistry& registry = stored->registry;
  ReplyList list{"graphs", {}, {}};
  for (std::size_t i = 0; i < std::min<std::size_t>(registry.graphs.size(), limit_of(call)); ++i) {
    const GraphEntry& graph = registry.graphs[i];
    ReplyValue::List endpoints;
    for (const std::string& url : graph.endpoints) {
      const EndpointEntry* one = registry.find(url);
      endpoints.emplace_back(one != nullptr ? one->name : url);
    }
    list.items.emplace_back(ReplyValue::Members{{"graph", graph.iri},
                                                {"example_count", graph.example_count},
                                                {"endpoints", std::move(endpoints)}});
  }
  list.left_out = registry.graphs.size() - list.items.size();
  Reply reply;
  reply.about(stored->ref.source, {});
  reply.say(fmt::format("{} graphs that queries name (GRAPH, FROM)",
                        format_count(registry.graphs.size())));
  reply.set("variable_graphs", registry.variable_graphs);
  set_limits(registry.graphs.size(), *stored, call, reply);
  reply.list(std::move(list));
  return reply;
}

Tool declare_federated_endpoints() {
  Tool tool;
  tool.name = "federated_endpoints";
  tool.title = "Endpoints of a folder of examples";
  tool.category = ToolCategory::Endpoint;
  tool.purpose =
      "Reads a folder of SHACL SPARQL examples (sh:SPARQLExecutable) and gives a handle of the "
      "endpoints, graphs and prefixes that they tell of.";
  tool.parameters = {text_parameter("path", "a folder of RDF files, or one of them",
                                    {"folder", "directory", "file"})};
  tool.returns = {{"key", "string", "the handle of the registry"},
                  {"files", "integer", "that were read"},
                  {"queries", "integer", ""},
                  {"forms", "object", "queries by form"},
                  {"federated_queries", "integer", "that ask another endpoint too"},
                  {"endpoints", "integer", ""},
                  {"primary_endpoints", "integer", "that examples are for (schema:target)"},
                  {"graphs", "integer", "that queries name (GRAPH, FROM)"},
                  {"declared_prefixes", "integer", "by sh:declare"},
                  {"broken_files", "integer", "that could not be read"},
                  {"unparsed_queries", "integer", ""},
                  {"problems", "array", "the first: file, message", true}};
  tool.examples = {{"a folder", arguments_of({{"path", JsonValue("examples")}})}};
  tool.handler = federated_endpoints;
  return tool;
}

Tool registry_tool(const char* name, const char* title, const char* purpose, Parameter second,
                   std::vector<ReturnKey> returns, ToolHandler handler) {
  Tool tool;
  tool.name = name;
  tool.title = title;
  tool.category = ToolCategory::Endpoint;
  tool.purpose = purpose;
  tool.parameters = {handle_parameter("ref", "the registry, e.g. registry_0"), std::move(second)};
  tool.returns = std::move(returns);
  tool.examples = {{"of a registry", arguments_of({{"ref", JsonValue("registry_0")}})}};
  tool.handler = std::move(handler);
  return tool;
}

std::vector<ReturnKey> limited_keys(std::vector<ReturnKey> keys) {
  keys.push_back({"total_available", "integer", ""});
  keys.push_back({"total_is", "string", "exact, or at_least where not all was read"});
  keys.push_back({"truncated", "boolean", "there are more than limit_applied"});
  keys.push_back({"limit_applied", "integer", ""});
  return keys;
}

Tool declare_endpoint_detail() {
  Tool tool = registry_tool(
      "endpoint_detail", "One endpoint of the examples",
      "What the examples tell of one endpoint: questions, other endpoints that are asked with it, "
      "graphs, keywords, addresses, prefixes.",
      text_parameter("name", "its name or address", {"url", "endpoint"}),
      {{"name", "string", ""},
       {"url", "string", "the commonest address"},
       {"role", "string", "primary: examples are for it; federated: others ask it"},
       {"example_count", "integer", "examples that are for it"},
       {"federated_count", "integer", "examples that ask it from another"},
       {"forms", "object", "queries by form", true},
       {"questions", "array", "the first", true},
       {"federates_with", "array", "name, url, example_count", true},
       {"asked_from", "array", "name, url, example_count", true},
       {"graphs", "array", "graph, example_count", true},
       {"keywords", "array", "keyword, example_count", true},
       {"addresses", "array", "where it has several", true},
       {"used_prefixes", "array", "by its examples: prefix, iri, example_count", true}},
      endpoint_detail);
  tool.examples = {{"by name", arguments_of({{"ref", JsonValue("registry_0")},
                                             {"name", JsonValue("UniProt")}})}};
  return tool;
}

}  // namespace

void add_example_tools(Registry& registry) {
  registry.add(declare_federated_endpoints());
  registry.add(registry_tool(
      "endpoints_list", "Endpoints of the examples",
      "The endpoints that examples are for and those that they ask too, the most used first.",
      limit_parameter(10, 50, "endpoints to show, of both lists together"),
      limited_keys({{"primary", "array", "name, url, example_count, federated_count"},
                    {"federated", "array", "only asked from others: name, url, example_count"},
                    {"primary_total", "integer", ""},
                    {"federated_total", "integer", ""}}),
      endpoints_list));
  registry.add(declare_endpoint_detail());
  registry.add(registry_tool(
      "data_graphs", "Graphs of the examples",
      "The named graphs that examples ask, with the endpoints that have them.",
      limit_parameter(20, 50, "graphs to show"),
      limited_keys(
          {{"graphs", "array", "graph, example_count, endpoints"},
           {"variable_graphs", "integer", "queries that leave the graph open (GRAPH ?g)"}}),
      data_graphs));
}

}  // namespace helve::toolkit
