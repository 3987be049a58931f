#include "toolkit/tools/declare.h"

namespace helve::toolkit {

Parameter text_parameter(std::string name, std::string doc, std::vector<std::string> aliases) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.doc = std::move(doc);
  parameter.is_required = true;
  parameter.aliases = std::move(aliases);
  return parameter;
}

Parameter optional_text(std::string name, std::string doc, std::vector<std::string> aliases) {
  Parameter parameter = text_parameter(std::move(name), std::move(doc), std::move(aliases));
  parameter.is_required = false;
  return parameter;
}

Parameter limit_parameter(std::int64_t otherwise, std::int64_t max, std::string doc) {
  Parameter parameter;
  parameter.name = "limit";
  parameter.type = ParameterType::Integer;
  parameter.doc = std::move(doc);
  parameter.otherwise = JsonValue(otherwise);
  parameter.min = 1;
  parameter.max = max;
  parameter.aliases = {"n", "k", "max_rows", "top"};
  return parameter;
}

Parameter flag_parameter(std::string name, bool otherwise, std::string doc) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.type = ParameterType::Boolean;
  parameter.doc = std::move(doc);
  parameter.otherwise = JsonValue(otherwise);
  return parameter;
}

Parameter choice_parameter(std::string name, std::vector<std::string> choices, std::string doc,
                           std::vector<std::string> aliases) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.type = ParameterType::Choice;
  parameter.doc = std::move(doc);
  parameter.otherwise = JsonValue(choices.front());
  parameter.choices = std::move(choices);
  parameter.aliases = std::move(aliases);
  return parameter;
}

Parameter handle_parameter(std::string name, std::string doc) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.type = ParameterType::Handle;
  parameter.doc = std::move(doc);
  parameter.is_required = true;
  for (const char* alias : {"result", "key", "ref", "ref_key", "handle", "result_key"}) {
    if (parameter.name != alias) parameter.aliases.emplace_back(alias);
  }
  return parameter;
}

Parameter timeout_parameter(std::int64_t otherwise_s, std::int64_t max_s) {
  Parameter parameter;
  parameter.name = "timeout";
  parameter.type = ParameterType::Seconds;
  parameter.doc = "seconds";
  parameter.otherwise = JsonValue(otherwise_s);
  parameter.max = max_s;
  return parameter;
}

Parameter sql_parameter(std::string doc) {
  return text_parameter("sql", std::move(doc), {"statement", "query", "q"});
}

Parameter params_parameter() {
  Parameter parameter;
  parameter.name = "params";
  parameter.type = ParameterType::Values;
  parameter.doc = "values for ? or $1";
  parameter.aliases = {"parameters", "values"};
  return parameter;
}

JsonValue arguments_of(const std::vector<std::pair<std::string, JsonValue>>& members) {
  JsonValue::Object object;
  for (const auto& [key, value] : members) object.push_back({key, value});
  return JsonValue(std::move(object));
}

std::vector<ReturnKey> stored_result_keys() {
  return {
      {"key", "string", "the handle that holds all rows"},
      {"rows", "integer", "rows stored behind the handle"},
      {"columns", "array", "names of the columns"},
      {"total_available", "integer", "rows of the whole answer; null where that is not known",
       true},
      {"total_is", "string", "exact, at_least or estimate"},
      {"truncated", "boolean", "there are more rows than limit_applied"},
      {"limit_applied", "integer", "rows that the reply may show"},
      {"preview", "array", "the first rows, in Turtle's notation", true},
      {"usage", "array", "what to call next", true},
  };
}

}  // namespace helve::toolkit
