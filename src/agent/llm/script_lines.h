// The lines of a script, as scripted.h describes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/llm/provider.h"
#include "base/json.h"
#include "base/result.h"

namespace helve::llm {

struct ScriptLine {
  std::size_t number = 0;  // in the file, from 1
  bool is_recorded = false;
  std::string request_hash;  // of a recorded one; empty: answers whatever comes
  std::string own_hash;      // of `request` as it stands there: without the secrets that it had
  JsonValue request;
  std::string expect;
  bool has_usage = false;
  std::optional<Error> error;  // instead of the answer
  Answer answer;
};

// Blank lines are passed over.
Result<std::vector<ScriptLine>> read_script(std::string_view text, const std::string& name);

// An error as a line has it.
JsonValue to_json_value(const Error& error);

}  // namespace helve::llm
