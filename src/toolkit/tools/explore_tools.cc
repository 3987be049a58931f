// sparql_peek, sparql_describe, sparql_schema, sparql_find, sparql_classes, sparql_properties,
// sparql_sample.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "toolkit/tools/bank_hooks.h"
#include "toolkit/tools/declare.h"
#include "toolkit/tools/explore.h"
#include "toolkit/tools/explore_arguments.h"
#include "toolkit/tools/graph_access.h"
#include "toolkit/tools/handle_view.h"
#include "toolkit/tools/registry.h"

namespace helve::toolkit {

namespace {

std::vector<std::string> resource_aliases() {
  return {"uri", "iri", "class",   "class_uri", "cls",       "result",
          "key", "ref", "ref_key", "handle",    "result_key"};
}

std::vector<std::string> name_aliases() { return {"uri", "iri", "class", "class_uri", "cls"}; }

ToolAnswer peek_handle(ToolCall& call, const Handle& handle) {
  constexpr std::int64_t kRowsShown = 20;
  const std::int64_t limit =
      call.arguments.was_given("limit") ? call.arguments.integer("limit") : kRowsShown;
  Reply reply;
  reply.about(handle.origin.source, handle.origin.prefixes);
  reply.ref(handle.ref);
  reply.set_quietly("type", name_of(handle.ref.dtype));
  reply.set_quietly("total_available", handle.ref.rows);
  reply.set_quietly("total_is", "exact");
  reply.set_quietly("limit_applied", limit);
  if (!handle.ref.complete) reply.warn("not complete: " + handle.origin.incomplete);
  if (handle.rows != nullptr) {
    ReplyList list = rows_of(handle, 0, static_cast<std::uint64_t>(limit), {}, "rows");
    reply.set_quietly("truncated", list.left_out > 0);
    reply.list(std::move(list));
  } else {
    const auto text = text_of(handle.ref.key, call.max_chars * 4, call);
    if (!text) return ToolError(text.error());
    reply.set_quietly("truncated", text->is_cut);
    reply.text("text", text->text, handle.ref.key);
  }
  return reply;
}

ToolAnswer sparql_peek(ToolCall& call) {
  const std::string& resource = call.arguments.text("resource");
  const std::string_view key =
      resource.starts_with('@') ? std::string_view(resource).substr(1) : resource;
  if (call.handles.is_live(key) || (looks_like_key(key) && key.find('[') == key.npos)) {
    const auto handle = call.handles.get(key, call.op);
    if (!handle) return ToolError(handle.error());
    return peek_handle(call, *handle);
  }
  if (call.graph == nullptr) {
    return ToolError(Error{ErrorCode::NotFound,
                           fmt::format("{} is no live handle, and there is no graph", resource),
                           "schema_inspect table=NAME describes a table of a database; --source "
                           "NAME=FILE names a graph"});
  }
  PeekChoices choices;
  choices.resource = resource;
  choices.limit = static_cast<std::uint64_t>(call.arguments.integer("limit"));
  choices.shows_properties = call.arguments.boolean("properties");
  const std::string& mode = call.arguments.text("output_mode");
  choices.mode = mode == "schema"  ? PeekMode::Schema
                 : mode == "count" ? PeekMode::Count
                                   : PeekMode::Sample;
  ToolAnswer answer = peek_resource(call, *call.graph, choices);
  auto* reply = std::get_if<Reply>(&answer);
  if (reply != nullptr) reply->about(call.graph->info().name, shown_prefixes(*call.graph));
  if (reply != nullptr && call.memory == nullptr && call.arguments.was_given("related_memories") &&
      call.arguments.boolean("related_memories")) {
    reply->warn("related_memories: no bank configured");
  }
  if (reply != nullptr) show_related(call, *reply);
  return answer;
}

ToolAnswer sparql_describe(ToolCall& call) {
  return describe_resource(call, *call.graph, describe_choices(call.arguments));
}

ToolAnswer sparql_schema(ToolCall& call) {
  SchemaChoices choices;
  const std::string& mode = call.arguments.text("output_mode");
  choices.mode = mode == "classes"      ? SchemaMode::Classes
                 : mode == "properties" ? SchemaMode::Properties
                 : mode == "patterns"   ? SchemaMode::Patterns
                                        : SchemaMode::Overview;
  choices.limit = static_cast<std::uint64_t>(call.arguments.integer("limit"));
  if (call.arguments.has("filter_prefix")) choices.filter = call.arguments.text("filter_prefix");
  return show_schema(call, *call.graph, choices);
}

struct FoundNames {
  std::vector<NameHit> hits;
  std::optional<Error> unsearched;  // why things could not be searched, only the vocabulary
};

// The vocabulary of an endpoint is known, its things must be asked for: where that fails, what is
// known is still good, and nothing known is no answer.
Result<FoundNames> find_names(const FindRequest& request, const GraphSource& graph,
                              const OpContext& context) {
  FoundNames found;
  if (!graph.info().is_remote || request.kind != NameKind::Any) {
    HELVE_ASSIGN(found.hits, graph.find(request, context));
    return found;
  }
  for (const NameKind kind : {NameKind::Class, NameKind::Property, NameKind::Instance}) {
    FindRequest part = request;
    part.kind = kind;
    auto hits = graph.find(part, context);
    if (!hits && (kind != NameKind::Instance || found.hits.empty())) return hits.error();
    if (!hits) {
      found.unsearched = std::move(hits).error();
    } else {
      std::move(hits->begin(), hits->end(), std::back_inserter(found.hits));
    }
  }
  std::stable_sort(found.hits.begin(), found.hits.end(), [](const NameHit& a, const NameHit& b) {
    return std::pair(a.score, a.count) > std::pair(b.score, b.count);
  });
  if (found.hits.size() > request.hits_max) found.hits.resize(request.hits_max);
  return found;
}

ToolAnswer sparql_find(ToolCall& call) {
  const std::string& kind = call.arguments.text("kind");
  FindRequest request;
  request.text = call.arguments.text("pattern");
  request.kind = kind == "class"      ? NameKind::Class
                 : kind == "property" ? NameKind::Property
                 : kind == "instance" ? NameKind::Instance
                                      : NameKind::Any;
  const auto limit = static_cast<std::uint64_t>(call.arguments.integer("limit"));
  constexpr std::size_t kCountedMax = 1'000;
  constexpr std::size_t kPatternShown = 200;
  request.hits_max = kCountedMax + 1;  // more than are shown: how many are left is then known
  const auto found = find_names(request, *call.graph, call.op);
  if (!found) return ToolError(found.error());
  const std::vector<NameHit>* const hits = &found->hits;
  Reply reply;
  if (found->unsearched) {
    const std::string own =
        "only classes and properties were searched: the endpoint did not answer";
    const std::string why = found->unsearched->full_message();
    reply.warn_from_data({fmt::format("{} ({})", own, why), own, "failure", why});
  }
  ReplyList list{"hits", {}, {}};
  for (std::size_t i = 0; i < std::min<std::size_t>(hits->size(), limit); ++i) {
    const NameHit& hit = (*hits)[i];
    list.items.emplace_back(ReplyValue::Members{{"uri", ReplyValue::iri(hit.iri)},
                                                {"label", text_or_null(hit.label)},
                                                {"kind", name_of(hit.kind)},
                                                {"count", hit.count}});
  }
  const bool is_truncated = hits->size() > limit;
  list.left_out = hits->size() - list.items.size();
  const std::string pattern = elide_end(request.text, kPatternShown);
  const std::string of = hits->size() > kCountedMax
                             ? fmt::format(" of more than {}", format_count(kCountedMax))
                             : fmt::format(" of {}", hits->size());
  reply.say(hits->empty() ? fmt::format("nothing is named like \"{}\"", pattern)
                          : fmt::format("{}{} named like \"{}\", best first", list.items.size(),
                                        is_truncated ? of : "", pattern));
  reply.set_quietly("total_available", std::uint64_t{hits->size()});
  const bool is_all = hits->size() <= kCountedMax && !found->unsearched;
  reply.set_quietly("total_is", is_all ? "exact" : "at_least");
  reply.set_quietly("truncated", is_truncated);
  reply.set_quietly("limit_applied", limit);
  if (hits->empty()) {
    reply.warn(
        "try fewer or other words, a part of a word, or kind=any; "
        "sparql_schema output_mode=classes lists what there is");
  }
  reply.list(std::move(list));
  return reply;
}

ToolAnswer short_schema(ToolCall& call, SchemaMode mode) {
  SchemaChoices choices;
  choices.mode = mode;
  choices.limit = static_cast<std::uint64_t>(call.arguments.integer("limit"));
  choices.is_short = true;
  if (call.arguments.has("filter_prefix")) choices.filter = call.arguments.text("filter_prefix");
  return show_schema(call, *call.graph, choices);
}

ToolAnswer sparql_sample(ToolCall& call) {
  PeekChoices choices;
  choices.resource = call.arguments.text("resource");
  choices.limit = static_cast<std::uint64_t>(call.arguments.integer("limit"));
  choices.kind = NameKind::Class;
  return peek_resource(call, *call.graph, choices);
}

Tool peek_tool() {
  Tool tool;
  tool.name = "sparql_peek";
  tool.title = "First look at a thing";
  tool.listing = Listing::Standard;
  tool.category = ToolCategory::Explore;
  tool.takes_graph = true;
  tool.purpose =
      "A first look at a class (instances, properties), a property, an instance, or the first rows "
      "of a handle.";
  Parameter limit = limit_parameter(5, 50, "instances or rows to show");
  tool.parameters = {text_parameter("resource", "IRI, prefixed name, label, or the key of a handle",
                                    resource_aliases()),
                     std::move(limit), flag_parameter("properties", true, "show properties"),
                     choice_parameter("output_mode", {"sample", "schema", "count"},
                                      "what to show of it", {"mode", "output"}),
                     flag_parameter("related_memories", true, "show procedures of a bank")};
  tool.returns = {{"resource", "string", "as it was read"},
                  {"type", "string", "class, property, instance, or the type of a handle"},
                  {"instance_count", "integer", "of a class", true},
                  {"sample_instances", "array", "uri and properties of some", true},
                  {"subclasses", "array", "of a class without instances: uri, count", true},
                  {"common_properties", "array", "the commonest first", true},
                  {"properties", "array", "schema: name, type, required, count", true},
                  {"superclasses", "array", "schema", true},
                  {"related_classes", "array", "schema: what instances point at", true},
                  {"count", "integer", "count", true},
                  {"truncated", "boolean", "there are more instances", true},
                  {"related_procedures", "array", "from the memory bank", true}};
  tool.examples = {{"a class", arguments_of({{"resource", JsonValue("ex:Planet")}})},
                   {"its properties", arguments_of({{"resource", JsonValue("ex:Planet")},
                                                    {"output_mode", JsonValue("schema")}})}};
  tool.handler = sparql_peek;
  return tool;
}

Tool describe_tool() {
  Tool tool;
  tool.name = "sparql_describe";
  tool.title = "All about one thing";
  tool.listing = Listing::Standard;
  tool.category = ToolCategory::Explore;
  tool.needs_graph = true;
  tool.purpose = "What is said about one thing, and what points at it.";
  tool.parameters = describe_parameters();
  tool.returns = describe_returns();
  tool.examples = {{"a resource", arguments_of({{"resource", JsonValue("ex:Earth")}})}};
  tool.handler = sparql_describe;
  return tool;
}

Tool schema_tool() {
  Tool tool;
  tool.name = "sparql_schema";
  tool.title = "What is in the graph";
  tool.listing = Listing::Minimal;
  tool.category = ToolCategory::Explore;
  tool.needs_graph = true;
  tool.purpose =
      "What is in the graph: an overview, its classes, its properties, or patterns of queries that "
      "give rows on it. Start here.";
  tool.parameters = {
      choice_parameter("output_mode", {"overview", "classes", "properties", "patterns"},
                       "what to show", {"mode", "output"}),
      optional_text("filter_prefix", "only names of this prefix or namespace, or with this text",
                    {"filter"}),
      limit_parameter(50, 500, "entries to show"),
      flag_parameter("use_cache", true, "take what is known of unchanged data")};
  tool.returns = {{"endpoint", "string", "where it is", true},
                  {"name", "string", "of the source", true},
                  {"class_count", "integer", "overview", true},
                  {"property_count", "integer", "overview", true},
                  {"namespaces", "array", "overview: those in the data", true},
                  {"top_classes", "array", "overview: the largest", true},
                  {"classes", "array", "uri, label, count, common_properties", true},
                  {"properties", "array", "name, kind, domain, range, count", true},
                  {"patterns", "array", "name, description, template, example", true}};
  tool.examples = {
      {"what is there", arguments_of({})},
      {"the properties of a namespace", arguments_of({{"output_mode", JsonValue("properties")},
                                                      {"filter_prefix", JsonValue("ex")}})}};
  tool.handler = sparql_schema;
  return tool;
}

Tool find_tool() {
  Tool tool;
  tool.name = "sparql_find";
  tool.title = "Find names by words";
  tool.listing = Listing::Minimal;
  tool.category = ToolCategory::Explore;
  tool.needs_graph = true;
  tool.purpose =
      "Finds classes, properties and instances by words of their labels, synonyms or names, "
      "misspelt ones too. Use it before writing an IRI.";
  tool.parameters = {
      text_parameter("pattern", "words, the beginning of a word, or a name",
                     {"q", "query", "text", "words", "name"}),
      choice_parameter("kind", {"any", "class", "property", "instance"}, "what to look for"),
      limit_parameter(20, 200, "hits to show")};
  tool.returns = {{"hits", "array", "uri, label, kind, count; the best first"}};
  tool.examples = {{"by words", arguments_of({{"pattern", JsonValue("dwarf planet")}})}};
  tool.handler = sparql_find;
  return tool;
}

Tool short_tool(const char* name, const char* title, const char* purpose, SchemaMode mode) {
  Tool tool;
  tool.name = name;
  tool.title = title;
  tool.category = ToolCategory::Explore;
  tool.needs_graph = true;
  tool.purpose = purpose;
  tool.parameters = {
      limit_parameter(50, 500, "entries to show"),
      optional_text("filter_prefix", "only names of this prefix or with this text", {"filter"})};
  tool.returns = {{mode == SchemaMode::Classes ? "classes" : "properties", "array",
                   mode == SchemaMode::Classes ? "uri, label, count" : "name, kind, count"}};
  tool.examples = {{"the largest", arguments_of({{"limit", JsonValue(10)}})}};
  tool.handler = [mode](ToolCall& call) { return short_schema(call, mode); };
  return tool;
}

Tool sample_tool() {
  Tool tool;
  tool.name = "sparql_sample";
  tool.title = "Instances of a class";
  tool.category = ToolCategory::Explore;
  tool.needs_graph = true;
  tool.purpose = "Some instances of a class with a few of their properties.";
  tool.parameters = {text_parameter("resource", "the class", name_aliases()),
                     limit_parameter(10, 50, "instances to show")};
  tool.returns = {{"instance_count", "integer", "of the class"},
                  {"sample_instances", "array", "uri and properties"}};
  tool.examples = {{"of a class", arguments_of({{"resource", JsonValue("ex:Planet")}})}};
  tool.handler = sparql_sample;
  return tool;
}

}  // namespace

std::string_view name_of(NameKind kind) {
  switch (kind) {
    case NameKind::Class:
      return "class";
    case NameKind::Property:
      return "property";
    case NameKind::Instance:
      return "instance";
    case NameKind::Any:
      break;
  }
  return "any";
}

void add_explore_tools(Registry& registry) {
  registry.add(schema_tool());
  registry.add(find_tool());
  registry.add(peek_tool());
  registry.add(describe_tool());
  registry.add(short_tool("sparql_classes", "Classes of the graph",
                          "The classes of the graph, the largest first.", SchemaMode::Classes));
  registry.add(short_tool("sparql_properties", "Properties of the graph",
                          "The properties of the graph, the largest first.",
                          SchemaMode::Properties));
  registry.add(sample_tool());
}

}  // namespace helve::toolkit
