#include "sources/remote/survey_file.h"

#include <array>

#include "base/iri.h"
#include "base/json.h"
#include "base/utc.h"

namespace helve::remote {

namespace {

constexpr int kSurveyVersion = 1;

constexpr std::array<std::string_view, 5> kKinds = {"unknown", "object", "datatype", "mixed",
                                                    "annotation"};

std::string text_in(const JsonValue& object, std::string_view key) {
  const JsonValue* const value = object.find(key);
  const std::string* const text = value != nullptr ? value->if_string() : nullptr;
  return text != nullptr ? *text : std::string();
}

std::uint64_t number_member(const JsonValue& object, std::string_view key) {
  const JsonValue* const value = object.find(key);
  return value != nullptr ? value->to_uint64().value_or(0) : 0;
}

bool flag_in(const JsonValue& object, std::string_view key) {
  const JsonValue* const value = object.find(key);
  const bool* const flag = value != nullptr ? value->if_bool() : nullptr;
  return flag != nullptr && *flag;
}

template <typename Take>
void each_in(const JsonValue& object, std::string_view key, const Take& take) {
  const JsonValue* const value = object.find(key);
  const auto* const array = value != nullptr ? value->if_array() : nullptr;
  if (array == nullptr) return;
  for (const JsonValue& item : *array) take(item);
}

std::vector<std::string> texts_in(const JsonValue& object, std::string_view key) {
  std::vector<std::string> texts;
  each_in(object, key, [&texts](const JsonValue& item) {
    if (const std::string* text = item.if_string()) texts.push_back(*text);
  });
  return texts;
}

void write_texts(std::string_view key, const std::vector<std::string>& texts, JsonWriter& json) {
  if (texts.empty()) return;
  json.key(key);
  json.begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

void write_class(const ClassInfo& one, JsonWriter& json) {
  json.begin_object();
  json.member("iri", one.iri);
  if (!one.label.empty()) json.member("label", one.label);
  json.member("instances", one.instances);
  if (one.is_declared) json.member("is_declared", true);
  json.end_object();
}

void write_property(const PropertyInfo& one, JsonWriter& json) {
  json.begin_object();
  json.member("iri", one.iri);
  if (!one.label.empty()) json.member("label", one.label);
  json.member("kind", kKinds.at(static_cast<std::size_t>(one.kind)));
  json.member("triples", one.triples);
  json.member("subjects", one.subjects);
  json.member("objects", one.objects);
  if (one.is_declared) json.member("is_declared", true);
  write_texts("domains", one.domains, json);
  write_texts("ranges", one.ranges, json);
  json.end_object();
}

ClassInfo read_class(const JsonValue& item) {
  return {text_in(item, "iri"), text_in(item, "label"), number_member(item, "instances"),
          flag_in(item, "is_declared")};
}

PropertyInfo read_property(const JsonValue& item) {
  PropertyInfo one;
  one.iri = text_in(item, "iri");
  one.label = text_in(item, "label");
  const std::string kind = text_in(item, "kind");
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds.at(i) == kind) one.kind = static_cast<PropertyKind>(i);
  }
  one.triples = number_member(item, "triples");
  one.subjects = number_member(item, "subjects");
  one.objects = number_member(item, "objects");
  one.is_declared = flag_in(item, "is_declared");
  one.domains = texts_in(item, "domains");
  one.ranges = texts_in(item, "ranges");
  return one;
}

void write_schema(const GraphSchema& schema, JsonWriter& json) {
  json.member("origin", schema.origin);
  json.member("triples", schema.triples);
  json.member("subjects", schema.subjects);
  json.member("objects", schema.objects);
  json.member("is_complete", schema.is_complete);
  json.key("graphs");
  json.begin_array();
  for (const auto& [iri, triples] : schema.graphs) {
    json.begin_object();
    json.member("iri", iri);
    json.member("triples", triples);
    json.end_object();
  }
  json.end_array();
  json.key("namespaces");
  json.begin_array();
  for (const NamespaceInfo& one : schema.namespaces) {
    json.begin_object();
    json.member("prefix", one.prefix);
    json.member("iri", one.iri);
    json.member("terms", one.terms);
    json.end_object();
  }
  json.end_array();
  json.key("classes");
  json.begin_array();
  for (const ClassInfo& one : schema.classes) write_class(one, json);
  json.end_array();
  json.key("properties");
  json.begin_array();
  for (const PropertyInfo& one : schema.properties) write_property(one, json);
  json.end_array();
}

void read_schema(const JsonValue& root, GraphSchema& schema) {
  schema.origin = text_in(root, "origin");
  schema.triples = number_member(root, "triples");
  schema.subjects = number_member(root, "subjects");
  schema.objects = number_member(root, "objects");
  schema.is_complete = flag_in(root, "is_complete");
  each_in(root, "graphs", [&](const JsonValue& item) {
    schema.graphs.emplace_back(text_in(item, "iri"), number_member(item, "triples"));
  });
  each_in(root, "namespaces", [&](const JsonValue& item) {
    schema.namespaces.push_back(
        {text_in(item, "prefix"), text_in(item, "iri"), number_member(item, "terms")});
  });
  each_in(root, "classes",
          [&](const JsonValue& item) { schema.classes.push_back(read_class(item)); });
  each_in(root, "properties",
          [&](const JsonValue& item) { schema.properties.push_back(read_property(item)); });
}

}  // namespace

std::string to_text(const EndpointSurvey& survey) {
  std::string text;
  JsonWriter json(text, JsonStyle::Indented);
  json.begin_object();
  json.member("helve_endpoint_schema", kSurveyVersion);
  json.member("asked", to_utc(survey.asked));
  json.key("asked_graphs");
  json.begin_array();
  for (const sparql::DatasetGraph& graph : survey.asked_graphs) {
    json.begin_object();
    json.member("iri", graph.iri);
    json.member("is_named", graph.is_named);
    json.end_object();
  }
  json.end_array();
  json.key("prefixes");
  json.begin_object();
  for (const auto& [name, iri] : survey.prefixes) json.member(name, iri);
  json.end_object();
  write_schema(survey.schema, json);
  json.end_object();
  return text + "\n";
}

Result<EndpointSurvey> read_survey(std::string_view text) {
  HELVE_ASSIGN(const JsonValue root, parse_json(text));
  const auto asked = read_utc(text_in(root, "asked"));
  if (number_member(root, "helve_endpoint_schema") != kSurveyVersion || !asked) {
    return Error{ErrorCode::InvalidInput, "this is no schema of an endpoint that is known here",
                 "remove it: it is made again"};
  }
  EndpointSurvey survey;
  survey.asked = *asked;
  each_in(root, "asked_graphs", [&survey](const JsonValue& item) {
    std::string iri = text_in(item, "iri");
    if (iri.empty() || find_bad_iri_character(iri)) return;
    survey.asked_graphs.push_back({std::move(iri), flag_in(item, "is_named"), {}});
  });
  const JsonValue* const prefixes = root.find("prefixes");
  const auto* const members = prefixes != nullptr ? prefixes->if_object() : nullptr;
  if (members != nullptr) {
    for (const JsonMember& member : *members) {
      const std::string* const iri = member.value.if_string();
      if (iri != nullptr) survey.prefixes.emplace_back(member.key, *iri);
    }
  }
  read_schema(root, survey.schema);
  return survey;
}

}  // namespace helve::remote
