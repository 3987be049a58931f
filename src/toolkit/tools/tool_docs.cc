#include "toolkit/tools/tool_docs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "toolkit/tools/parameter_names.h"
#include "toolkit/tools/tool_words.h"

namespace helve::toolkit {

namespace {

constexpr std::array kCategories = {
    ToolCategory::Explore,  ToolCategory::Query,  ToolCategory::Analyze, ToolCategory::Sql,
    ToolCategory::Endpoint, ToolCategory::Memory, ToolCategory::Tasks};

// A cell of a table: a bar would end it.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string default_cell(const Parameter& parameter) {
  if (parameter.is_required) return "required";
  const std::string standard = default_text(parameter);
  return standard.empty() ? "–" : "`" + cell(standard) + "`";
}

std::string range_cell(const Parameter& parameter) {
  if (parameter.type == ParameterType::Choice) {
    return cell(fmt::format("{}", fmt::join(parameter.choices, ", ")));
  }
  const bool is_number =
      parameter.type == ParameterType::Integer || parameter.type == ParameterType::Seconds;
  if (!is_number || parameter.max == INT64_MAX) return {};
  return fmt::format("{} to {}", parameter.min,
                     format_count(static_cast<std::uint64_t>(parameter.max)));
}

void add_parameters(std::string& out, std::span<const Parameter> parameters) {
  out += "| parameter | type | default | range | |\n|---|---|---|---|---|\n";
  for (const Parameter& parameter : parameters) {
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", parameter.name, name_of(parameter.type),
                       default_cell(parameter), range_cell(parameter), cell(parameter.doc));
  }
  out += '\n';
}

void add_returns(std::string& out, const Tool& tool) {
  if (tool.returns.empty()) return;
  out += "Returns: ";
  for (std::size_t i = 0; i < tool.returns.size(); ++i) {
    const ReturnKey& key = tool.returns[i];
    if (i > 0) out += "; ";
    out += fmt::format("`{}`{} ({})", key.name, key.is_optional ? "?" : "", key.type);
    if (!key.doc.empty()) out += " " + key.doc;
  }
  out += ".\n\n";
}

void add_examples(std::string& out, const Tool& tool) {
  if (tool.examples.empty()) return;
  out += "```\n";
  for (const ToolExample& example : tool.examples) {
    out += fmt::format("{} {}", tool.name, to_json(example.arguments));
    if (!example.says.empty()) out += "   # " + example.says;
    out += '\n';
  }
  out += "```\n\n";
}

void add_tool(std::string& out, const Tool& tool) {
  out += fmt::format("### {}\n\n{}", tool.name, tool.purpose);
  if (tool.phase == ReplyPhase::Get) out += " Replies have up to 6,000 characters.";
  if (tool.is_writing) out += " It writes: refused where the policy is read_only.";
  if (tool.memory_writes == MemoryWrites::Always) {
    out += " It writes the memory bank: refused without memory_writes.";
  } else if (tool.memory_writes == MemoryWrites::IfAllowed) {
    out += " It also writes the memory bank if memory_writes allows it.";
  }
  out += "\n\n";
  if (!tool.parameters.empty()) add_parameters(out, tool.parameters);
  add_returns(out, tool);
  add_examples(out, tool);
}

}  // namespace

std::string tools_markdown(const Registry& registry) {
  std::string out =
      "# Tools\n\n"
      "Made from the declarations of the tools; the test `ToolDocs` checks it, and rewrites it "
      "with `UPDATE_EXPECT=1`.\n\n"
      "Arguments may be named or in order. Numbers may be texts, a handle may be its key, "
      "`@key`, its `Ref` or a list of one of them; what is out of range is clamped, an unknown "
      "parameter is ignored, and the reply warns of both. Every reply has `source`, "
      "`execution_time_ms` and `warnings`, fits `max_chars` characters (2,000 unless it says "
      "otherwise) in each of its forms, and tells under `shown` and `left_out` what was cut. A "
      "failed call answers `error` with `code`, `message`, `hint` and what helps to repair it; "
      "`detail` quotes a database, an endpoint or a file.\n\n"
      "Every tool takes these as well:\n\n";
  add_parameters(out, common_parameters());
  for (const ToolCategory category : kCategories) {
    bool is_first = true;
    for (const Tool& tool : registry.tools()) {
      if (tool.category != category) continue;
      if (is_first) out += fmt::format("## Category {}\n\n", name_of(category));
      is_first = false;
      add_tool(out, tool);
    }
  }
  out.pop_back();
  return out;
}

}  // namespace helve::toolkit
