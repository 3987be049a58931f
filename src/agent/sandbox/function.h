// Function: a tool as model-written code sees it: a Python function with names, types, defaults and
// a docstring, whose body is a handler in the host.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/op_context.h"
#include "base/result.h"

namespace helve::sandbox {

struct FunctionParameter {
  std::string name;                    // a Python identifier, no keyword
  std::string type = "object";         // an annotation of built-in names: "str", "list[str]", ...
  std::optional<JsonValue> otherwise;  // its default
  bool is_required = false;            // without a default: else None, which is not passed on
};

// Something large that stays in the host. In Python it is a dict of `facts` whose rows(offset,
// limit) asks the host for rows; it is shown as `text`.
struct HandleValue {
  std::string key;
  std::string text;  // Ref('results_0', 'results', 3 items, 161 chars from sample)
  JsonValue facts;   // an object; null: an empty one
};

// What a handler answers: a JSON value, or a handle.
struct FunctionValue {
  JsonValue value;
  std::optional<HandleValue> handle;
};

// `arguments` is an object of those that were given and the defaults of the others. Arguments come
// from model-written code: they are hostile until bound. The context ends with the block.
using FunctionHandler =
    std::function<Result<FunctionValue>(const JsonValue& arguments, const OpContext& context)>;

struct Function {
  std::string name;
  std::string doc;
  std::vector<FunctionParameter> parameters;  // the required ones first
  std::string returns = "object";
  FunctionHandler handler;

  // InvalidInput where Python would not take it.
  Result<void> validate() const;
};

// Whether both look the same from Python; handlers are not compared.
bool is_same_declaration(const Function& a, const Function& b);

// A part of the rows behind a handle: a list, of objects as a rule.
using RowsReader = std::function<Result<JsonValue>(const std::string& key, std::uint64_t offset,
                                                   std::uint64_t limit, const OpContext& context)>;

// Answers prompts, as many texts as prompts.
using ModelQuery = std::function<Result<std::vector<std::string>>(
    const std::vector<std::string>& prompts, const OpContext& context)>;

}  // namespace helve::sandbox
