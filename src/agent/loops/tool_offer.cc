#include "agent/loops/tool_offer.h"

#include <fmt/format.h>

#include <algorithm>

#include "toolkit/policy/gate.h"
#include "toolkit/tools/source_families.h"

namespace helve::agent {

namespace {

using toolkit::Tool;

// A model that knows the keys of a reply asks less.
std::string description_of(const Tool& tool) {
  std::string text = tool.purpose;
  std::vector<std::string> keys;
  for (const toolkit::ReturnKey& key : tool.returns) {
    keys.push_back(key.name + (key.is_optional ? "?" : ""));
  }
  if (!keys.empty()) text += fmt::format(" Returns: {}.", fmt::join(keys, ", "));
  return text;
}

// Replies are always texts here, and tools that return all they find have no bounds to set.
JsonValue schema_of(const Tool& tool, ReplyForm form) {
  JsonValue schema = toolkit::input_schema(tool);
  JsonValue::Object& members = *schema.if_object();
  std::erase_if(members, [](const JsonMember& member) { return member.key == "$schema"; });
  for (JsonMember& member : members) {
    if (member.key != "properties") continue;
    std::erase_if(*member.value.if_object(), [form](const JsonMember& one) {
      const bool is_bound = one.key == "limit" || one.key == "max_chars";
      return one.key == "output_format" || (is_bound && form == ReplyForm::Payloads);
    });
  }
  return schema;
}

}  // namespace

std::vector<const Tool*> offered_tools(const toolkit::Toolkit& toolkit,
                                       const toolkit::Caller& caller,
                                       const std::vector<std::string>& more) {
  const auto families = toolkit::families_of(toolkit, caller);
  std::vector<const Tool*> offered;
  for (const Tool& tool : toolkit.registry().tools()) {
    const bool is_wanted = std::find(more.begin(), more.end(), tool.name) != more.end();
    const bool is_usual = tool.listing != toolkit::Listing::OnRequest && is_needed(tool, families);
    if (!is_usual && !is_wanted) continue;
    if (toolkit::may_call(*caller.policy, nature_of(tool))) offered.push_back(&tool);
  }
  return offered;
}

std::vector<llm::ToolDeclaration> declare_tools(const std::vector<const Tool*>& tools,
                                                ReplyForm form) {
  std::vector<llm::ToolDeclaration> declared;
  declared.reserve(tools.size());
  for (const Tool* const tool : tools) {
    declared.push_back({tool->name, description_of(*tool), schema_of(*tool, form)});
  }
  return declared;
}

}  // namespace helve::agent
