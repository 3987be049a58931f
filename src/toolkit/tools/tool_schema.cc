// JSON Schema (2020-12) of what a tool takes and gives.
#include <utility>

#include "toolkit/tools/parameter_names.h"
#include "toolkit/tools/tool.h"

namespace helve::toolkit {

namespace {

constexpr const char* kDialect = "https://json-schema.org/draft/2020-12/schema";

void add(JsonValue::Object& object, const char* key, JsonValue value) {
  object.push_back({key, std::move(value)});
}

JsonValue object_of(std::initializer_list<std::pair<const char*, const char*>> members) {
  JsonValue::Object object;
  for (const auto& [key, value] : members) add(object, key, JsonValue(value));
  return JsonValue(std::move(object));
}

JsonValue array_of(const std::vector<std::string>& texts) {
  JsonValue::Array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return JsonValue(std::move(array));
}

void add_type(JsonValue::Object& schema, const Parameter& parameter) {
  switch (parameter.type) {
    case ParameterType::Text:
    case ParameterType::Handle:
      return add(schema, "type", JsonValue("string"));
    case ParameterType::Integer:
      return add(schema, "type", JsonValue("integer"));
    case ParameterType::Boolean:
      return add(schema, "type", JsonValue("boolean"));
    case ParameterType::Seconds:
      return add(schema, "type", JsonValue("number"));
    case ParameterType::Object:
      return add(schema, "type", JsonValue("object"));
    case ParameterType::Choice:
      return add(schema, "enum", array_of(parameter.choices));
    case ParameterType::Texts:
      add(schema, "type", JsonValue("array"));
      return add(schema, "items", object_of({{"type", "string"}}));
    case ParameterType::Values:
      return add(schema, "type", JsonValue("array"));
    case ParameterType::Json:
      return;
  }
}

JsonValue schema_of(const Parameter& parameter) {
  JsonValue::Object schema;
  add_type(schema, parameter);
  if (!parameter.doc.empty()) add(schema, "description", JsonValue(parameter.doc));
  if (parameter.type == ParameterType::Integer || parameter.type == ParameterType::Seconds) {
    if (parameter.min != INT64_MIN) add(schema, "minimum", JsonValue(parameter.min));
    if (parameter.max != INT64_MAX) add(schema, "maximum", JsonValue(parameter.max));
  }
  if (parameter.otherwise && !parameter.otherwise->is_null()) {
    add(schema, "default", *parameter.otherwise);
  }
  return JsonValue(std::move(schema));
}

JsonValue schema_of(const ReturnKey& key) {
  JsonValue::Object schema;
  // What is not known is null. Branches rather than a list of types, which not all clients read.
  JsonValue::Array branches;
  branches.push_back(object_of({{"type", key.type.c_str()}}));
  branches.push_back(object_of({{"type", "null"}}));
  add(schema, "anyOf", JsonValue(std::move(branches)));
  if (!key.doc.empty()) add(schema, "description", JsonValue(key.doc));
  return JsonValue(std::move(schema));
}

// Keys that any reply may have.
void add_common_keys(JsonValue::Object& properties) {
  const auto add_new = [&](const char* name, const char* type) {
    for (const JsonMember& member : properties) {
      if (member.key == name) return;
    }
    add(properties, name, object_of({{"type", type}}));
  };
  add_new("source", "string");
  add_new("execution_time_ms", "number");
  add_new("warnings", "array");
  add_new("prefixes", "object");
  add_new("shown", "object");
  add_new("left_out", "object");
  add_new("error", "object");
}

}  // namespace

JsonValue input_schema(const Tool& tool) {
  JsonValue::Object properties;
  std::vector<std::string> required;
  for (const Parameter* parameter : all_parameters(tool)) {
    properties.push_back({parameter->name, schema_of(*parameter)});
    if (parameter->is_required) required.push_back(parameter->name);
  }
  JsonValue::Object schema;
  add(schema, "$schema", JsonValue(kDialect));
  add(schema, "type", JsonValue("object"));
  add(schema, "properties", JsonValue(std::move(properties)));
  if (!required.empty()) add(schema, "required", array_of(required));
  return JsonValue(std::move(schema));
}

JsonValue output_schema(const Tool& tool) {
  JsonValue::Object properties;
  for (const ReturnKey& key : tool.returns) properties.push_back({key.name, schema_of(key)});
  add_common_keys(properties);
  JsonValue::Object schema;
  add(schema, "$schema", JsonValue(kDialect));
  add(schema, "type", JsonValue("object"));
  add(schema, "properties", JsonValue(std::move(properties)));
  // What does not fit the budget is left out, so no other key is certain.
  add(schema, "required", array_of({"source", "execution_time_ms", "warnings"}));
  return JsonValue(std::move(schema));
}

}  // namespace helve::toolkit
