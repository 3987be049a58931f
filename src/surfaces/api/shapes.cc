// Tools::shape: how a tool is called, for surfaces that make functions of tools.
#include "base/json.h"
#include "helve/tools.h"
#include "surfaces/api/state.h"
#include "toolkit/tools/parameter_names.h"
#include "toolkit/tools/source_families.h"

namespace helve::api {

namespace {

using toolkit::Parameter;
using toolkit::ParameterType;

const char* type_of(ParameterType type) {
  switch (type) {
    case ParameterType::Text:
    case ParameterType::Choice:
      return "string";
    case ParameterType::Integer:
      return "integer";
    case ParameterType::Boolean:
      return "boolean";
    case ParameterType::Seconds:
      return "number";
    case ParameterType::Handle:
      return "handle";
    case ParameterType::Texts:
    case ParameterType::Values:
      return "array";
    case ParameterType::Object:
      return "object";
    case ParameterType::Json:
      break;
  }
  return "any";
}

ToolParameter shape_of(const Parameter& parameter, const toolkit::Tool& tool) {
  ToolParameter out;
  out.name = parameter.name;
  out.type = type_of(parameter.type);
  if (parameter.type == ParameterType::Texts) out.items = "string";
  if (parameter.type == ParameterType::Values) out.items = "any";
  out.doc = parameter.doc;
  if (parameter.otherwise && !parameter.otherwise->is_null()) {
    out.otherwise = to_json(*parameter.otherwise);
  }
  out.is_required = parameter.is_required;
  out.choices = parameter.choices;
  out.aliases = toolkit::aliases_of(parameter, tool);
  return out;
}

}  // namespace

Result<ToolShape> Tools::shape(std::string_view name) const {
  const auto found = state_->shared->toolkit->registry().find(name);
  if (!found) return to_public(found.error());
  const toolkit::Tool& tool = **found;
  ToolShape shape;
  shape.info = {tool.name, std::string(name_of(tool.category)), tool.purpose};
  shape.title = tool.title;
  shape.is_usual =
      tool.listing != toolkit::Listing::OnRequest &&
      toolkit::is_needed(tool, toolkit::families_of(*state_->shared->toolkit, state_->caller));
  for (const Parameter* const parameter : toolkit::all_parameters(tool)) {
    shape.parameters.push_back(shape_of(*parameter, tool));
  }
  for (const toolkit::ReturnKey& key : tool.returns) {
    shape.returns.push_back({key.name, key.type, key.doc, key.is_optional});
  }
  return shape;
}

}  // namespace helve::api
