// Short ways to declare the parameters and return keys that many tools share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "toolkit/tools/tool.h"

namespace helve::toolkit {

Parameter text_parameter(std::string name, std::string doc, std::vector<std::string> aliases = {});
Parameter optional_text(std::string name, std::string doc, std::vector<std::string> aliases = {});
Parameter limit_parameter(std::int64_t otherwise, std::int64_t max, std::string doc);
Parameter flag_parameter(std::string name, bool otherwise, std::string doc);
Parameter choice_parameter(std::string name, std::vector<std::string> choices, std::string doc,
                           std::vector<std::string> aliases = {});  // the first is the default
Parameter handle_parameter(std::string name, std::string doc);
Parameter timeout_parameter(std::int64_t otherwise_s, std::int64_t max_s);

// Of statements of SQL: "sql", and the values of its marks.
Parameter sql_parameter(std::string doc);
Parameter params_parameter();

// {"query": "..."} for examples.
JsonValue arguments_of(const std::vector<std::pair<std::string, JsonValue>>& members);

// key, rows, columns, total_available, total_is, truncated, limit_applied, preview, usage.
std::vector<ReturnKey> stored_result_keys();

}  // namespace helve::toolkit
