// find, schema, describe and peek of typed.h. typed_query.cc has the rest.
#include "helve/typed.h"
#include "surfaces/api/answer_values.h"

namespace helve::api {

namespace {

TypedCall begin(const AskOptions& options) {
  TypedCall call;
  call.options.cancel = options.cancel;
  call.set_if("source", options.source).set_timeout(options.timeout, false);
  return call;
}

// Calls `read` with each item of a list that may not be there.
template <typename Read>
void for_each(const toolkit::Reply& reply, std::string_view key, Read read) {
  const ReplyList* list = find_list(reply, key);
  if (list == nullptr) return;
  for (const ReplyValue& item : list->items) read(item);
}

void read_classes(const toolkit::Reply& reply, std::string_view key, SchemaAnswer& out) {
  for_each(reply, key, [&](const ReplyValue& item) {
    out.classes.push_back({text_of(find_member(item, "uri")), text_of(find_member(item, "label")),
                           number_of(find_member(item, "count")),
                           texts_of(find_member(item, "common_properties"))});
  });
}

PropertyUse property_use(const ReplyValue& item) {
  PropertyUse use{text_of(find_member(item, "name")), number_of(find_member(item, "count")), {}};
  if (const ReplyValue* sample = find_member(item, "sample")) {
    if (auto cell = cell_of(*sample)) use.values.push_back(*std::move(cell));
  }
  const ReplyValue* values = find_member(item, "values");
  if (const auto* list = values != nullptr ? values->if_is<ReplyValue::List>() : nullptr) {
    for (const ReplyValue& value : *list) use.values.push_back(term_of(value));
  }
  return use;
}

// Pairs of a property and a value.
std::vector<std::pair<std::string, Term>> pairs_of(const ReplyList* list) {
  std::vector<std::pair<std::string, Term>> pairs;
  if (list == nullptr) return pairs;
  for (Row& row : rows_of(*list)) {
    if (row.size() != 2 || !row[0] || !row[1]) continue;
    pairs.emplace_back(std::move(row[0]->value), *std::move(row[1]));
  }
  return pairs;
}

Instance instance_of(const ReplyValue& item) {
  Instance instance;
  if (const ReplyValue* uri = find_member(item, "uri")) instance.term = term_of(*uri);
  const ReplyValue* properties = find_member(item, "properties");
  const auto* members = properties != nullptr ? properties->if_is<ReplyValue::Members>() : nullptr;
  if (members == nullptr) return instance;
  for (const auto& [name, value] : *members) {
    instance.properties.emplace_back(name, term_of(value));
  }
  return instance;
}

std::uint64_t peek_count(const toolkit::Reply& reply) {
  for (const char* key : {"count", "instance_count", "total_triples", "total_available"}) {
    if (const auto number = if_number(find_fact(reply, key))) return *number;
  }
  return 0;
}

}  // namespace

Result<FindAnswer> find(const Tools& tools, std::string_view words, std::string_view kind,
                        std::uint64_t limit, const AskOptions& options) {
  TypedCall call = begin(options);
  call.set_text("pattern", words).set_if("kind", kind).set_number("limit", limit);
  const auto reply = call.run(tools, "sparql_find");
  if (!reply) return reply.error();
  FindAnswer out;
  static_cast<Answer&>(out) = std::move(call.answer);
  for_each(*reply, "hits", [&](const ReplyValue& item) {
    out.hits.push_back({text_of(find_member(item, "uri")), text_of(find_member(item, "label")),
                        text_of(find_member(item, "kind")), number_of(find_member(item, "count"))});
  });
  out.truncated = flag_of(find_fact(*reply, "truncated"));
  return out;
}

Result<SchemaAnswer> schema(const Tools& tools, std::string_view mode, std::string_view filter,
                            std::uint64_t limit, const AskOptions& options) {
  TypedCall call = begin(options);
  call.set_if("output_mode", mode).set_if("filter_prefix", filter).set_number("limit", limit);
  const auto reply = call.run(tools, "sparql_schema");
  if (!reply) return reply.error();
  SchemaAnswer out;
  static_cast<Answer&>(out) = std::move(call.answer);
  out.triples = number_of(find_fact(*reply, "triples"));
  out.class_count = number_of(find_fact(*reply, "class_count"));
  out.property_count = number_of(find_fact(*reply, "property_count"));
  out.truncated = flag_of(find_fact(*reply, "truncated"));
  read_classes(*reply, "classes", out);
  read_classes(*reply, "top_classes", out);
  for_each(*reply, "properties", [&](const ReplyValue& item) {
    out.properties.push_back(
        {text_of(find_member(item, "name")), text_of(find_member(item, "kind")),
         text_of(find_member(item, "domain")), text_of(find_member(item, "range")),
         number_of(find_member(item, "count"))});
  });
  for_each(*reply, "namespaces", [&](const ReplyValue& item) {
    out.namespaces.push_back({text_of(find_member(item, "prefix")),
                              text_of(find_member(item, "iri")),
                              number_of(find_member(item, "terms"))});
  });
  for_each(*reply, "graphs", [&](const ReplyValue& item) {
    out.graphs.emplace_back(text_of(find_member(item, "graph")),
                            number_of(find_member(item, "statements")));
  });
  for_each(*reply, "patterns", [&](const ReplyValue& item) {
    out.patterns.push_back(
        {text_of(find_member(item, "name")), text_of(find_member(item, "description")),
         text_of(find_member(item, "template")), text_of(find_member(item, "example"))});
  });
  return out;
}

Result<DescribeAnswer> describe(const Tools& tools, std::string_view resource,
                                std::string_view direction, std::string_view mode,
                                std::uint64_t limit, const AskOptions& options) {
  TypedCall call = begin(options);
  call.set_text("resource", resource)
      .set_if("direction", direction)
      .set_if("output_mode", mode)
      .set_number("limit", limit);
  const auto reply = call.run(tools, "sparql_describe");
  if (!reply) return reply.error();
  DescribeAnswer out;
  static_cast<Answer&>(out) = std::move(call.answer);
  out.resource = text_of(find_fact(*reply, "resource"));
  out.label = text_of(find_fact(*reply, "label"));
  out.types = texts_of(find_fact(*reply, "types"));
  out.total_triples = number_of(find_fact(*reply, "total_triples"));
  out.truncated = flag_of(find_fact(*reply, "truncated"));
  out.triples = pairs_of(find_list(*reply, "triples"));
  const auto add_use = [&](const ReplyValue& item) {
    out.properties.push_back(property_use(item));
  };
  for_each(*reply, "property_summary", add_use);
  for_each(*reply, "properties", add_use);
  for_each(*reply, "incoming_links",
           [&](const ReplyValue& item) { out.incoming.push_back(property_use(item)); });
  return out;
}

Result<PeekAnswer> peek(const Tools& tools, std::string_view resource, std::string_view mode,
                        std::uint64_t limit, const AskOptions& options) {
  TypedCall call = begin(options);
  call.set_text("resource", resource).set_if("output_mode", mode).set_number("limit", limit);
  const auto reply = call.run(tools, "sparql_peek");
  if (!reply) return reply.error();
  PeekAnswer out;
  static_cast<Answer&>(out) = std::move(call.answer);
  const ReplyValue* name = find_fact(*reply, "resource");
  out.resource = text_of(name != nullptr ? name : find_fact(*reply, "key"));
  out.type = text_of(find_fact(*reply, "type"));
  out.count = peek_count(*reply);
  out.truncated = flag_of(find_fact(*reply, "truncated"));
  out.common_properties = texts_of(find_fact(*reply, "common_properties"));
  out.superclasses = texts_of(find_fact(*reply, "superclasses"));
  for_each(*reply, "sample_instances",
           [&](const ReplyValue& item) { out.instances.push_back(instance_of(item)); });
  for (const char* key : {"properties", "property_summary"}) {
    for_each(*reply, key, [&](const ReplyValue& item) {
      out.properties.push_back(
          {text_of(find_member(item, "name")), text_of(find_member(item, "type")),
           flag_of(find_member(item, "required")), number_of(find_member(item, "count"))});
    });
  }
  for (const char* key : {"rows", "sample_triples"}) {
    if (const ReplyList* list = find_list(*reply, key)) {
      out.columns = list->columns;
      out.rows = rows_of(*list);
    }
  }
  return out;
}

}  // namespace helve::api
