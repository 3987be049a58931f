#include "agent/python_tools/python_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "agent/python_tools/answer_value.h"
#include "base/text.h"
#include "toolkit/policy/gate.h"
#include "toolkit/tools/parameter_names.h"

namespace helve::python_tools {

namespace {

using toolkit::Parameter;
using toolkit::ParameterType;
using toolkit::Reply;
using toolkit::Tool;

constexpr std::uint64_t kPageRows = 1'000;  // the most that sparql_slice takes

std::string_view type_of(ParameterType type) {
  switch (type) {
    case ParameterType::Text:
    case ParameterType::Choice:
      return "str";
    case ParameterType::Integer:
      return "int";
    case ParameterType::Boolean:
      return "bool";
    case ParameterType::Seconds:
      return "float";
    case ParameterType::Texts:
    case ParameterType::Values:
      return "list";
    case ParameterType::Object:
      return "dict";
    case ParameterType::Handle:  // what a call answered, or its key
    case ParameterType::Json:
      break;
  }
  return "object";
}

// Replies do not go into a prompt: their size and form are not for the code to choose.
bool is_shown(const Parameter& parameter) {
  return parameter.name != "max_chars" && parameter.name != "output_format";
}

std::string line_of(const Parameter& parameter) {
  std::string line = fmt::format("    {}: {}", parameter.name, parameter.doc);
  if (parameter.type == ParameterType::Choice) {
    line += fmt::format(" ({})", fmt::join(parameter.choices, ", "));
  } else if (parameter.type == ParameterType::Handle) {
    line += "; or what a call answered";
  } else if (parameter.max != INT64_MAX) {
    line += fmt::format(" (at most {})", format_count(static_cast<std::uint64_t>(parameter.max)));
  }
  return line + "\n";
}

std::string doc_of(const Tool& tool, const std::vector<const Parameter*>& parameters) {
  std::string doc = tool.purpose + "\n";
  if (!parameters.empty()) doc += "\nParameters:\n";
  for (const Parameter* const parameter : parameters) doc += line_of(*parameter);
  if (!tool.returns.empty()) doc += "\nReturns a dict:\n";
  for (const toolkit::ReturnKey& key : tool.returns) {
    doc += fmt::format("    {}{}: {}\n", key.name, key.is_optional ? "?" : "", key.doc);
  }
  return doc;
}

// Python wants the required ones first; `source` comes last.
std::vector<const Parameter*> parameters_of(const Tool& tool) {
  std::vector<const Parameter*> parameters = toolkit::all_parameters(tool);
  const auto is_hidden = [](const Parameter* parameter) { return !is_shown(*parameter); };
  parameters.erase(std::remove_if(parameters.begin(), parameters.end(), is_hidden),
                   parameters.end());
  std::stable_partition(parameters.begin(), parameters.end(),
                        [](const Parameter* parameter) { return parameter->is_required; });
  return parameters;
}

// What is as the default says is left to the tool: some tell a word that was said from one that
// was not.
JsonValue given_of(const std::vector<sandbox::FunctionParameter>& parameters,
                   const JsonValue& arguments, std::size_t chars_max) {
  JsonValue::Object given;
  for (const sandbox::FunctionParameter& parameter : parameters) {
    const JsonValue* const value = arguments.find(parameter.name);
    if (value == nullptr || value->is_null()) continue;
    if (parameter.otherwise && *parameter.otherwise == *value) continue;
    given.push_back({parameter.name, *value});
  }
  given.push_back({"max_chars", JsonValue(std::uint64_t{chars_max})});
  return JsonValue(std::move(given));
}

sandbox::FunctionValue value_of_reply(const Reply& reply, const toolkit::CallOutcome& outcome) {
  sandbox::FunctionValue answer;
  JsonValue object = object_of(reply, outcome);
  if (reply.handle) {
    answer.handle = {reply.handle->key, to_string(*reply.handle), std::move(object)};
  } else {
    answer.value = std::move(object);
  }
  return answer;
}

sandbox::Function function_of(const Tool& tool, std::size_t chars_max, const CallTool& call) {
  sandbox::Function function;
  const std::vector<const Parameter*> parameters = parameters_of(tool);
  function.name = tool.name;
  function.doc = doc_of(tool, parameters);
  function.returns = "dict";
  for (const Parameter* const parameter : parameters) {
    const bool has_default = parameter->otherwise && !parameter->otherwise->is_null();
    function.parameters.push_back({parameter->name, std::string(type_of(parameter->type)),
                                   has_default ? parameter->otherwise : std::nullopt,
                                   parameter->is_required});
  }
  function.handler = [name = tool.name, declared = function.parameters, chars_max, call](
                         const JsonValue& arguments,
                         const OpContext& context) -> Result<sandbox::FunctionValue> {
    const auto outcome = call(name, given_of(declared, arguments, chars_max), context);
    if (const auto* failure = std::get_if<toolkit::ToolError>(&outcome.answer)) {
      return failure->error;
    }
    return value_of_reply(std::get<Reply>(outcome.answer), outcome);
  };
  return function;
}

Error too_many_rows(std::uint64_t asked, std::uint64_t most, std::string_view who) {
  return {ErrorCode::LimitExceeded,
          fmt::format("{} rows are asked for at once, and {} gives at most {}", format_count(asked),
                      who, format_count(most)),
          fmt::format("read them in parts: rows(0, {0}), rows({0}, {0}), ...; or let result_sql "
                      "or sparql_query do the work",
                      most)};
}

const Reply::Fact* find_fact(const Reply& reply, std::string_view key) {
  const auto found = std::find_if(reply.facts.begin(), reply.facts.end(),
                                  [key](const Reply::Fact& fact) { return fact.key == key; });
  return found == reply.facts.end() ? nullptr : &*found;
}

// Rows of one page are appended; true: there are more behind them.
Result<bool> read_page(const std::string& key, std::uint64_t offset, std::uint64_t limit,
                       const CallTool& call, const OpContext& context, JsonValue::Array& rows) {
  // The text of the reply is for nobody: the shortest costs least.
  JsonValue::Object arguments;
  arguments.push_back({"result", JsonValue(key)});
  arguments.push_back({"offset", JsonValue(offset)});
  arguments.push_back({"limit", JsonValue(limit)});
  arguments.push_back({"max_chars", JsonValue(std::uint64_t{toolkit::kCharsMin})});
  const auto outcome = call("sparql_slice", JsonValue(std::move(arguments)), context);
  if (const auto* failure = std::get_if<toolkit::ToolError>(&outcome.answer)) {
    return failure->error;
  }
  const Reply& reply = std::get<Reply>(outcome.answer);
  const Reply::Fact* const applied = find_fact(reply, "limit_applied");
  const auto* const granted = applied != nullptr ? applied->value.if_is<std::uint64_t>() : nullptr;
  const auto page = std::find_if(reply.lists.begin(), reply.lists.end(),
                                 [](const toolkit::ReplyList& list) { return list.is_page; });
  if (page == reply.lists.end()) return false;
  const bool has_more = offset + page->items.size() < page->total;
  // The policy of the source that the rows came from allows less than that of the caller.
  if (granted != nullptr && *granted < limit && has_more) {
    return too_many_rows(limit, *granted, "the policy of their source");
  }
  JsonValue items = items_of(*page);
  for (JsonValue& item : *items.if_array()) rows.push_back(std::move(item));
  return has_more && !page->items.empty();
}

}  // namespace

CallTool call_as(toolkit::Toolkit& toolkit, toolkit::Caller caller) {
  return [&toolkit, caller = std::move(caller)](std::string_view tool, const JsonValue& arguments,
                                                const OpContext& context) {
    return toolkit.call(tool, arguments, caller, context);
  };
}

std::vector<sandbox::Function> functions_of(const toolkit::Registry& registry,
                                            const toolkit::Policy& policy, const CallTool& call) {
  // The first of the common parameters is max_chars.
  const auto ceiling = static_cast<std::size_t>(toolkit::common_parameters().front().max);
  const std::size_t chars_max = std::min(policy.max_chars, ceiling);
  std::vector<sandbox::Function> functions;
  for (const Tool& tool : registry.tools()) {
    if (!toolkit::may_call(policy, nature_of(tool))) continue;
    functions.push_back(function_of(tool, chars_max, call));
  }
  return functions;
}

// By sparql_slice, page by page, and not from Toolkit::handles(): that store knows nothing of the
// policies of the sources that a handle was made of, and reading it is in no audit.
sandbox::RowsReader rows_reader(const toolkit::Policy& policy, CallTool call) {
  const std::uint64_t most = std::min(kRowsMax, policy.max_rows);
  return [most, call = std::move(call)](const std::string& key, std::uint64_t offset,
                                        std::uint64_t limit,
                                        const OpContext& context) -> Result<JsonValue> {
    if (limit > most) return too_many_rows(limit, most, most < kRowsMax ? "the policy" : "rows()");
    JsonValue::Array rows;
    if (limit == 0) return JsonValue(std::move(rows));
    bool has_more = true;
    while (has_more && rows.size() < limit) {
      HELVE_TRY(context.check());
      const std::uint64_t page = std::min(kPageRows, limit - rows.size());
      HELVE_ASSIGN(has_more, read_page(key, offset + rows.size(), page, call, context, rows));
    }
    return JsonValue(std::move(rows));
  };
}

}  // namespace helve::python_tools
