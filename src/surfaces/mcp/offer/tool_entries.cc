#include "surfaces/mcp/offer/tool_entries.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "toolkit/policy/gate.h"
#include "toolkit/tools/parameter_names.h"

namespace helve::mcp {

namespace {

using toolkit::Parameter;
using toolkit::ParameterType;
using toolkit::Tool;

void add(JsonValue::Object& object, const char* key, JsonValue value) {
  object.push_back({key, std::move(value)});
}

// Of arguments that are best given so. Texts have items.
JsonValue best_type(ParameterType type) {
  const auto named = [&] {
    switch (type) {
      case ParameterType::Integer:
        return "integer";
      case ParameterType::Seconds:
        return "number";
      case ParameterType::Boolean:
        return "boolean";
      case ParameterType::Texts:
      case ParameterType::Values:
        return "array";
      case ParameterType::Object:
      case ParameterType::Json:
        return "object";
      case ParameterType::Text:
      case ParameterType::Choice:
      case ParameterType::Handle:
        break;
    }
    return "string";
  };
  JsonValue::Object schema;
  add(schema, "type", JsonValue(named()));
  if (type == ParameterType::Texts) {
    JsonValue::Object item;
    add(item, "type", JsonValue("string"));
    add(schema, "items", JsonValue(std::move(item)));
  } else if (type == ParameterType::Values) {
    add(schema, "items", JsonValue(JsonValue::Object{}));  // some clients want it to be there
  }
  return JsonValue(std::move(schema));
}

// All that is read, not only what is best: clients that check arguments must let pass what the tool
// understands. Branches rather than a list of types, which not all clients read.
JsonValue::Object type_of(ParameterType type) {
  JsonValue best = best_type(type);
  if (*best.find("type")->if_string() == "string") return *best.if_object();
  JsonValue::Array branches;
  branches.push_back(std::move(best));
  branches.push_back(best_type(ParameterType::Text));
  JsonValue::Object schema;
  add(schema, "anyOf", JsonValue(std::move(branches)));
  return schema;
}

// Numbers beyond their range are clamped, so the schema does not forbid them.
std::string doc_of(const Parameter& parameter) {
  const bool is_number =
      parameter.type == ParameterType::Integer || parameter.type == ParameterType::Seconds;
  if (!is_number || parameter.max == INT64_MAX) return parameter.doc;
  return fmt::format("{}; max {}", parameter.doc, parameter.max);
}

JsonValue property_of(const Parameter& parameter) {
  JsonValue::Object property = type_of(parameter.type);
  if (parameter.type == ParameterType::Choice) {
    JsonValue::Array choices;
    for (const std::string& choice : parameter.choices) choices.emplace_back(choice);
    add(property, "enum", JsonValue(std::move(choices)));
  }
  add(property, "description", JsonValue(doc_of(parameter)));
  if (parameter.otherwise && !parameter.otherwise->is_null()) {
    add(property, "default", *parameter.otherwise);
  }
  return JsonValue(std::move(property));
}

JsonValue listed_input(const Tool& tool) {
  JsonValue::Object properties;
  JsonValue::Array required;
  for (const Parameter* parameter : toolkit::all_parameters(tool)) {
    if (parameter->name == "output_format") continue;  // both forms are carried
    properties.push_back({parameter->name, property_of(*parameter)});
    if (parameter->is_required) required.emplace_back(parameter->name);
  }
  JsonValue::Object schema;
  add(schema, "type", JsonValue("object"));
  add(schema, "properties", JsonValue(std::move(properties)));
  if (!required.empty()) add(schema, "required", JsonValue(std::move(required)));
  return JsonValue(std::move(schema));
}

JsonValue listed_output(const Tool& tool) {
  JsonValue schema = toolkit::output_schema(tool);
  JsonValue::Object& members = *schema.if_object();
  std::erase_if(members, [](const JsonMember& member) { return member.key == "$schema"; });
  return schema;
}

// What a tool takes of a prompt, as far as that is limited.
constexpr std::size_t kListedMax = 10;
constexpr std::size_t kListedCharsMax = 8'000;
std::size_t chars_of(const Tool& tool) {
  return utf8_length(tool.name) + utf8_length(tool.purpose) +
         utf8_length(to_json(listed_input(tool)));
}

// What the tool may do, or any that it calls.
struct Reach {
  bool is_writing = false;         // sources
  bool is_memory_writing = false;  // the memory bank
  bool is_open = false;            // leads out of the configured sources
};

bool reads_files(const Tool& tool) {
  return std::any_of(tool.parameters.begin(), tool.parameters.end(),
                     [](const Parameter& one) { return one.name == "path" || one.name == "url"; });
}

Reach reach_of(const Tool& tool, const toolkit::Registry& registry, bool may_write,
               bool may_write_memory) {
  const auto writes_memory = [may_write_memory](const Tool& one) {
    return may_write_memory && one.memory_writes != toolkit::MemoryWrites::Never;
  };
  if (tool.name != "call_tool") return {tool.is_writing, writes_memory(tool), reads_files(tool)};
  Reach reach;
  for (const Tool& other : registry.tools()) {
    reach.is_writing = reach.is_writing || (may_write && other.is_writing);
    reach.is_memory_writing = reach.is_memory_writing || writes_memory(other);
    reach.is_open = reach.is_open || reads_files(other);
  }
  return reach;
}

JsonValue annotations_of(const Tool& tool, const Reach& reach, bool has_structure) {
  JsonValue::Object annotations;
  if (!has_structure) add(annotations, "title", JsonValue(tool.title));
  const bool is_read_only = !reach.is_writing && !reach.is_memory_writing;
  add(annotations, "readOnlyHint", JsonValue(is_read_only));
  add(annotations, "destructiveHint", JsonValue(reach.is_writing));
  add(annotations, "idempotentHint", JsonValue(is_read_only));
  add(annotations, "openWorldHint", JsonValue(reach.is_open));
  return JsonValue(std::move(annotations));
}

std::string tool_entry(const Tool& tool, const Reach& reach, bool has_structure) {
  JsonValue::Object entry;
  add(entry, "name", JsonValue(tool.name));
  if (has_structure) add(entry, "title", JsonValue(tool.title));
  add(entry, "description", JsonValue(tool.purpose));
  add(entry, "inputSchema", listed_input(tool));
  if (has_structure) add(entry, "outputSchema", listed_output(tool));
  add(entry, "annotations", annotations_of(tool, reach, has_structure));
  return to_json(JsonValue(std::move(entry)));
}

bool is_in(Toolset toolset, toolkit::Listing listing) {
  switch (toolset) {
    case Toolset::Minimal:
      return listing == toolkit::Listing::Minimal;
    case Toolset::Standard:
      return listing != toolkit::Listing::OnRequest;
    case Toolset::All:
      break;
  }
  return true;
}

}  // namespace

const ToolEntries::Entries& ToolEntries::entries(const Form& form) {
  const std::lock_guard lock(mutex_);
  auto& made = made_[form];
  if (made == nullptr) {
    Entries all;
    for (const Tool& tool : registry_.tools()) {
      Reach reach = reach_of(tool, registry_, form.may_write, form.may_write_memory);
      reach.is_open =
          reach.is_open ||
          (form.is_remote && (tool.needs_graph || tool.needs_tables || tool.needs_either));
      all.push_back(tool_entry(tool, reach, form.has_structure));
    }
    made = std::make_unique<const Entries>(std::move(all));
  }
  return *made;
}

std::vector<std::string> ToolEntries::list(Toolset toolset, const toolkit::Policy& policy,
                                           Revision revision, const SourceFamilies& families) {
  const bool may_write_memory =
      policy.memory_writes && registry_.memory_access() == toolkit::MemoryAccess::Write;
  const Entries& all =
      entries({has_structure(revision), families.is_remote, !policy.read_only, may_write_memory});
  std::vector<std::size_t> listed;
  std::vector<std::size_t> writing;
  std::size_t chars = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Tool& tool = registry_.tools()[i];
    if (!is_in(toolset, tool.listing) || !is_needed(tool, families)) continue;
    if (!toolkit::may_call(policy, nature_of(tool))) continue;
    (tool.is_writing ? writing : listed).push_back(i);
    if (!tool.is_writing) chars += chars_of(tool);
  }
  for (const std::size_t i : writing) {
    const std::size_t more = chars_of(registry_.tools()[i]);
    const bool fits = listed.size() < kListedMax && chars + more <= kListedCharsMax;
    if (toolset != Toolset::All && !fits) continue;
    listed.push_back(i);
    chars += more;
  }
  std::sort(listed.begin(), listed.end());
  std::vector<std::string> entries_of;
  entries_of.reserve(listed.size());
  for (const std::size_t i : listed) entries_of.push_back(all[i]);
  return entries_of;
}

}  // namespace helve::mcp
