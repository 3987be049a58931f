// read_skill: how to go about one kind of work with the tools. The texts are in toolkit/skills/.
#include <fmt/format.h>

#include "base/digest.h"
#include "base/near_names.h"
#include "base/utf8.h"
#include "toolkit/skills/skill_set.h"
#include "toolkit/tools/declare.h"
#include "toolkit/tools/registry.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

namespace {

ToolError unknown_skill(const std::string& name, const SkillSet& skills) {
  constexpr std::size_t kNear = 3;
  constexpr std::size_t kNamesCharsMax = 600;
  const auto names = skills.names();
  std::string list;
  std::size_t shown = 0;
  for (const std::string_view one : names) {
    if (list.size() + one.size() > kNamesCharsMax) break;
    list += (shown++ > 0 ? ", " : "") + std::string(one);
  }
  if (shown < names.size()) list += fmt::format(" and {} more", names.size() - shown);
  ToolError error(Error{ErrorCode::NotFound, fmt::format("there is no skill \"{}\"", name),
                        fmt::format("skills: {}", list)});
  for (const std::string_view near : near_names(name, names, kNear)) {
    error.error.suggestions.emplace_back(near);
  }
  return error;
}

// Where all of a text is that the reply has no room for.
Result<std::string> stored_text(const Skill& skill, ToolCall& call) {
  HandleOrigin origin;
  origin.tool = call.tool.name;
  origin.source = "skills";
  origin.query = skill.name;
  origin.snapshot = digest_hex(DigestKind::Sha256, skill.text);
  origin.call_hash = call.call_hash;
  if (const auto same = call.handles.find_same(origin)) return same->key;
  HELVE_ASSIGN(const Ref ref,
               call.handles.put(skill.text, HandleType::Text, std::move(origin), call.op));
  return ref.key;
}

ToolAnswer read_skill(ToolCall& call, const SkillSet& skills) {
  const std::string& name = call.arguments.text("name");
  const Skill* skill = skills.find(name);
  if (skill == nullptr) return unknown_skill(name, skills);
  constexpr std::size_t kRoomForRest = 1'500;  // of description, frame and what JSON escapes
  const std::size_t characters = utf8_length(skill->text);
  std::string rest_at;
  if (characters + kRoomForRest > call.max_chars) {
    auto stored = stored_text(*skill, call);
    if (!stored) return ToolError(stored.error());
    rest_at = *std::move(stored);
  }
  Reply reply;
  // Words of who wrote the program, or of who started it with a folder of skills.
  reply.is_own = true;
  reply.about("skills", {});
  reply.set_word("name", skill->name);
  reply.set("description", skill->description);
  reply.set_quietly("origin", skill->is_built_in ? "built-in" : "workspace");
  reply.set_quietly("sz", std::uint64_t{characters});
  if (!rest_at.empty()) reply.next(fmt::format("ctx_slice key={} end=-1 (all of it)", rest_at));
  reply.text("text", skill->text, std::move(rest_at));
  return reply;
}

}  // namespace

void add_skill_tools(Registry& registry, std::shared_ptr<const SkillSet> skills) {
  Tool tool;
  tool.name = "read_skill";
  tool.title = "Read a skill";
  tool.category = ToolCategory::Tasks;
  tool.phase = ReplyPhase::Get;
  tool.purpose =
      "How to go about one kind of work with these tools: when, the steps, pitfalls and a worked "
      "example. Without a name that it knows, it names the skills there are.";
  tool.parameters = {text_parameter("name", "of the skill, e.g. debug-empty-results", {"skill"})};
  tool.returns = {{"name", "string", ""},
                  {"description", "string", "what it is for"},
                  {"origin", "string", "built-in or workspace"},
                  {"sz", "integer", "characters of the whole text"},
                  {"text", "string", "in Markdown"}};
  tool.examples = {
      {"no rows, and no idea why", arguments_of({{"name", JsonValue("debug-empty-results")}})}};
  tool.handler = [skills = std::move(skills)](ToolCall& call) { return read_skill(call, *skills); };
  registry.add(std::move(tool));
}

}  // namespace helve::toolkit
