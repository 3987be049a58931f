// get_schema_summary, get_skills_summary: texts for the prompt of another agent. toolkit/context/
// and toolkit/skills/ make them.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "toolkit/context/context_builder.h"
#include "toolkit/skills/skill_set.h"
#include "toolkit/tools/declare.h"
#include "toolkit/tools/registry.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

namespace {

using context::BuiltContext;
using context::ContextRequest;

// Of what stands around the text, and of what JSON escapes in it.
std::size_t room_for_text(std::size_t max_chars) {
  constexpr std::size_t kFrame = 400;
  return max_chars > 2 * kFrame ? max_chars - kFrame : max_chars / 2;
}

// L0 and L1, and the guide where it is asked for; as in any context, or less where there is less
// room.
ContextRequest request_of(const ToolCall& call) {
  ContextRequest request;
  request.layers = context::LayerSet(call.arguments.boolean("guide") ? 0b1011 : 0b0011);
  const std::size_t room = room_for_text(call.max_chars);
  std::size_t whole = 0;
  for (std::size_t i = 0; i < context::kLayers; ++i) {
    if (request.layers[i]) whole += context::kFullBudgets[i];
  }
  for (std::size_t i = 0; i < context::kLayers && whole > room; ++i) {
    request.budgets[i] = context::kFullBudgets[i] * room / whole;
  }
  return request;
}

Result<BuiltContext> build_of_graph(const ToolCall& call, const ContextRequest& request) {
  // Of an endpoint this finds out what its state is.
  HELVE_TRY(call.graph->schema(call.op));
  context::ContextParts parts;
  parts.graph = call.graph;
  const std::string key = fmt::format(
      "context {} {} {}", request.layers.to_string(), request.budgets[3],
      context::brief_key(*call.graph, nullptr, {request.budgets[0], request.budgets[1]}));
  // What could not be found out is asked for anew the next time.
  std::optional<BuiltContext> partial;
  const auto known = call.facts.get<BuiltContext>(key, [&]() -> Result<BuiltContext> {
    HELVE_ASSIGN(BuiltContext built, build_context(parts, request, call.op));
    if (built.notes.empty()) return built;
    partial = std::move(built);
    return Error{ErrorCode::Unavailable, "not all of it could be found out"};
  });
  if (partial) return *std::move(partial);
  if (!known) return known.error();
  return **known;
}

Result<BuiltContext> build(const ToolCall& call, const ContextRequest& request) {
  if (call.tables == nullptr) return build_of_graph(call, request);
  context::ContextParts parts;
  parts.tables = call.tables.get();
  return build_context(parts, request, call.op);
}

ToolAnswer get_schema_summary(ToolCall& call) {
  const auto built = build(call, request_of(call));
  if (!built) return ToolError(built.error());
  Reply reply;
  reply.set_quietly("sz", std::uint64_t{built->chars});
  reply.set_quietly("schema_fingerprint", built->schema_fingerprint);
  reply.text("text", built->text);
  for (const std::string& note : built->notes) reply.warn(note);
  return reply;
}

ToolAnswer get_summary_of_skills(ToolCall& call, const SkillSet& skills) {
  constexpr std::size_t kCharsMax = 4'000;
  Reply reply;
  reply.is_own = true;  // words of who wrote the program, or started it with a folder of skills
  reply.about("skills", {});
  reply.set_quietly("skills", std::uint64_t{skills.all().size()});
  reply.text("text",
             get_skills_summary(skills, std::min(kCharsMax, room_for_text(call.max_chars))));
  reply.next("read_skill name=NAME");
  return reply;
}

Tool declare_schema_summary() {
  Tool tool;
  tool.name = "get_schema_summary";
  tool.title = "Summary of a source for a prompt";
  tool.category = ToolCategory::Explore;
  tool.phase = ReplyPhase::Get;
  tool.purpose =
      "What a source is and what queries should avoid and may rely on, in some 1,600 characters: a "
      "text for the prompt of an agent that works on it. For names and counts use sparql_schema or "
      "schema_inspect.";
  tool.parameters = {
      flag_parameter("guide", false, "also 1,000 characters of the guide, where there is one")};
  tool.returns = {{"text", "string", "in Markdown"},
                  {"sz", "integer", "characters of the text"},
                  {"schema_fingerprint", "string", "changes with the names of the schema"}};
  tool.examples = {{"for the prompt of another agent", arguments_of({})}};
  tool.needs_either = true;
  tool.handler = get_schema_summary;
  return tool;
}

Tool declare_skills_summary(std::shared_ptr<const SkillSet> skills) {
  Tool tool;
  tool.name = "get_skills_summary";
  tool.title = "The skills there are, for a prompt";
  tool.category = ToolCategory::Tasks;
  tool.phase = ReplyPhase::Get;
  tool.purpose =
      "Names and descriptions of all skills, a line for each: a text for the prompt of an agent "
      "that can call read_skill.";
  tool.returns = {{"text", "string", "in Markdown"}, {"skills", "integer", "how many there are"}};
  tool.examples = {{"what there is", arguments_of({})}};
  tool.handler = [skills = std::move(skills)](ToolCall& call) {
    return get_summary_of_skills(call, *skills);
  };
  return tool;
}

}  // namespace

void add_summary_tools(Registry& registry, std::shared_ptr<const SkillSet> skills) {
  registry.add(declare_schema_summary());
  registry.add(declare_skills_summary(std::move(skills)));
}

}  // namespace helve::toolkit
