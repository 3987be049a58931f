#include "surfaces/mcp/offer/prompts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <span>

#include "base/ascii.h"
#include "base/json_writer.h"
#include "surfaces/mcp/offer/prompt_texts.h"
#include "surfaces/mcp/offer/tool_entries.h"
#include "toolkit/tools/shown_text.h"

namespace helve::mcp {

namespace {

constexpr std::size_t kArgumentCharsMax = 20'000;

struct PromptArgument {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  bool is_required = false;
};

// For which sources a prompt is.
enum class PromptReach : std::uint8_t { Graphs, Databases, Any };

struct Prompt {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::span<const PromptArgument> arguments;
  std::string_view opening;
  PromptReach reach = PromptReach::Any;
};

constexpr std::string_view kSource = "source";
constexpr std::array kGraphArguments = {
    PromptArgument{kSource, "Source", "Name of the graph; the first one unless given", false},
    PromptArgument{"goal", "Goal", "What the graph is to be used for, if that is known", false}};
constexpr std::array kDatabaseArguments = {
    PromptArgument{kSource, "Source", "Name of the SQL database; the first one unless given",
                   false},
    PromptArgument{"goal", "Goal", "What the database is to be used for, if that is known", false}};
constexpr PromptArgument kAnySource = {kSource, "Source",
                                       "Name of the source; one that fits unless given", false};
constexpr std::array kAnswerArguments = {
    PromptArgument{"question", "Question", "The question to answer from the sources", true},
    kAnySource};
constexpr std::string_view kSkill = "skill";
constexpr std::array kSkillArguments = {
    PromptArgument{kSkill, "Skill", "Name of the skill, such as write-sparql", true},
    PromptArgument{"task", "Task", "What is to be done", true}, kAnySource};
constexpr std::array kDebugArguments = {
    PromptArgument{"query", "Query", "The SPARQL query or SQL statement that goes wrong", true},
    kAnySource,
    PromptArgument{"problem", "Problem", "What is wrong: an error, no rows, too many, too slow",
                   false}};

constexpr std::array<Prompt, 5> kPrompts = {{
    {"explore-this-graph", "Explore this graph",
     "Find out what a graph holds, how it hangs together and what it can answer", kGraphArguments,
     "Explore a knowledge graph with the Helve tools and report what it holds.",
     PromptReach::Graphs},
    {"explore-this-database", "Explore this database",
     "Find out what a SQL database holds, how its tables hang together and what it can answer",
     kDatabaseArguments, "Explore a SQL database with the Helve tools and report what it holds.",
     PromptReach::Databases},
    {"answer-with-evidence", "Answer with evidence",
     "Answer a question from a source, with queries and results that can be checked",
     kAnswerArguments,
     "Answer a question with the Helve tools, with evidence that can be checked."},
    {"debug-my-query", "Debug my query",
     "Find out why a query fails, gives nothing or takes too long, and mend it", kDebugArguments,
     "Find out what is wrong with a query, and mend it, with the Helve tools."},
    {"follow-a-skill", "Follow a skill", "Do a task in the way that one of the skills tells",
     kSkillArguments, "Do a task with the Helve tools, in the way that the skill below tells."},
}};

bool needs_skills(const Prompt& prompt) {
  return prompt.arguments.data() == kSkillArguments.data();
}

bool reaches(const Prompt& prompt, bool is_database) {
  return prompt.reach == PromptReach::Any ||
         is_database == (prompt.reach == PromptReach::Databases);
}

bool has_any(const std::vector<PromptSource>& sources, bool is_database) {
  return std::any_of(sources.begin(), sources.end(),
                     [&](const PromptSource& source) { return source.is_database == is_database; });
}

std::vector<PromptSource> reached(const Prompt& prompt, const std::vector<PromptSource>& sources) {
  std::vector<PromptSource> fitting;
  std::copy_if(sources.begin(), sources.end(), std::back_inserter(fitting),
               [&](const PromptSource& source) { return reaches(prompt, source.is_database); });
  return fitting;
}

// SQL has braces in texts at most, SPARQL around its patterns.
bool looks_like_sparql(std::string_view query) {
  return query.find('{') != std::string_view::npos &&
         query.find_first_of("?$") != std::string_view::npos;
}

// `sources` are those that are meant: the one that was chosen, or all.
std::string_view steps_of(const Prompt& prompt, const std::vector<PromptSource>& sources,
                          std::string_view query) {
  const bool has_databases = has_any(sources, true);
  const bool has_graphs = has_any(sources, false) || !has_databases;
  if (prompt.arguments.data() == kGraphArguments.data()) return kExploreGraph;
  if (prompt.arguments.data() == kDatabaseArguments.data()) return kExploreDatabase;
  if (prompt.arguments.data() == kAnswerArguments.data()) {
    if (has_graphs && has_databases) return kAnswerFromBoth;
    return has_graphs ? kAnswerFromGraph : kAnswerFromDatabase;
  }
  const bool is_sparql = has_graphs && (!has_databases || looks_like_sparql(query));
  return is_sparql ? kDebugSparql : kDebugSql;
}

const Prompt* find_prompt(std::string_view name) {
  const auto found = std::find_if(kPrompts.begin(), kPrompts.end(),
                                  [&](const Prompt& prompt) { return prompt.name == name; });
  return found == kPrompts.end() ? nullptr : &*found;
}

std::string prompt_entry(const Prompt& prompt, Revision revision) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("name", prompt.name);
  if (has_structure(revision)) json.member("title", prompt.title);
  json.member("description", prompt.description);
  json.key("arguments");
  json.begin_array();
  for (const PromptArgument& argument : prompt.arguments) {
    json.begin_object();
    json.member("name", argument.name);
    if (has_structure(revision)) json.member("title", argument.title);
    json.member("description", argument.description);
    json.member("required", argument.is_required);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return out;
}

RpcError invalid(std::string message) { return {code::kInvalidParams, std::move(message), {}}; }

// <goal 5f3a9c> ... </goal 5f3a9c>, with a number that the text does not have.
void append_quoted(std::string& out, std::string_view name, std::string_view text, Random& random) {
  std::string id = random.hex(3);
  while (text.find(id) != std::string_view::npos) id = random.hex(8);
  out += fmt::format("<{} {}>\n", name, id);
  toolkit::append_shown(out, text, toolkit::Spelling::Lines, toolkit::ReplyForm::Text,
                        kArgumentCharsMax);
  out += fmt::format("\n</{} {}>\n", name, id);
}

std::string source_instructions(const std::string& chosen,
                                const std::vector<PromptSource>& sources) {
  constexpr std::size_t kNamed = 20;
  if (!chosen.empty())
    return fmt::format("The source is {0}: pass source={0} in every call.\n", chosen);
  if (sources.size() < 2) return {};
  const bool is_mixed = has_any(sources, true) && has_any(sources, false);
  std::string names;
  for (std::size_t i = 0; i < std::min(sources.size(), kNamed); ++i) {
    names += (i > 0 ? ", " : "") + sources[i].name;
    if (is_mixed) names += sources[i].is_database ? " (SQL)" : " (graph)";
  }
  return fmt::format(
      "There are {} sources: {}{}. Choose the one that fits and pass source=NAME in every call.\n",
      sources.size(), names, sources.size() > kNamed ? " and others (helve://sources)" : "");
}

// A text, or an error that says what is the matter with it.
std::variant<std::string, RpcError> read_argument(const Prompt& prompt,
                                                  const PromptArgument& argument,
                                                  const JsonValue& given) {
  const JsonValue* value = given.find(argument.name);
  const std::string* text = value != nullptr ? value->if_string() : nullptr;
  if (value != nullptr && !value->is_null() && text == nullptr) {
    return invalid(fmt::format("the argument {} of {} must be a text", argument.name, prompt.name));
  }
  const bool is_missing = text == nullptr || is_blank(*text);
  if (is_missing && argument.is_required) {
    return invalid(fmt::format("{} needs the argument {}: {}", prompt.name, argument.name,
                               argument.description));
  }
  if (is_missing) return std::string();
  if (text->size() > kArgumentCharsMax) {
    return invalid(fmt::format("the argument {} of {} has more than {} bytes", argument.name,
                               prompt.name, kArgumentCharsMax));
  }
  return *text;
}

// What is the matter with the source that was named; nothing where it fits.
std::optional<RpcError> wrong_source(const std::string& name, const Prompt& prompt,
                                     const std::vector<PromptSource>& sources) {
  const auto found = std::find_if(sources.begin(), sources.end(),
                                  [&](const PromptSource& one) { return one.name == name; });
  if (found == sources.end()) {
    return invalid(fmt::format("there is no such source; sources: {}",
                               fmt::join(sources_of_prompt(prompt.name, sources), ", ")));
  }
  if (reaches(prompt, found->is_database)) return std::nullopt;
  return invalid(found->is_database
                     ? fmt::format("{} is a SQL database: take explore-this-database", name)
                     : fmt::format("{} is a graph: take explore-this-graph", name));
}

std::string result_of(const Prompt& prompt, std::string_view text) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("description", prompt.description);
  json.key("messages");
  json.begin_array();
  json.begin_object();
  json.member("role", "user");
  json.key("content");
  json.begin_object();
  json.member("type", "text");
  json.member("text", text);
  json.end_object();
  json.end_object();
  json.end_array();
  json.end_object();
  return out;
}

}  // namespace

std::vector<std::string> list_prompts(Revision revision, const std::vector<PromptSource>& sources,
                                      const toolkit::SkillSet* skills) {
  std::vector<std::string> listed;
  for (const Prompt& prompt : kPrompts) {
    const bool is_for_none = sources.empty() && prompt.reach == PromptReach::Databases;
    const bool fits = sources.empty() ? !is_for_none : !reached(prompt, sources).empty();
    if (fits && (skills != nullptr || !needs_skills(prompt)))
      listed.push_back(prompt_entry(prompt, revision));
  }
  return listed;
}

bool has_prompt(std::string_view name) { return find_prompt(name) != nullptr; }

std::vector<std::string> sources_of_prompt(std::string_view name,
                                           const std::vector<PromptSource>& sources) {
  std::vector<std::string> names;
  const Prompt* const prompt = find_prompt(name);
  if (prompt == nullptr) return names;
  for (PromptSource& source : reached(*prompt, sources)) names.push_back(std::move(source.name));
  return names;
}

std::optional<Outcome> make_prompt(std::string_view name, const JsonValue& arguments,
                                   const std::vector<PromptSource>& sources,
                                   const toolkit::SkillSet* skills, Random& random) {
  const Prompt* prompt = find_prompt(name);
  if (prompt == nullptr || (needs_skills(*prompt) && skills == nullptr)) return std::nullopt;
  const toolkit::Skill* skill = nullptr;
  std::vector<PromptSource> meant = reached(*prompt, sources);
  std::string source;
  std::string query;
  std::string quoted;
  for (const PromptArgument& argument : prompt->arguments) {
    auto read = read_argument(*prompt, argument, arguments);
    if (auto* error = std::get_if<RpcError>(&read)) return std::move(*error);
    auto& text = std::get<std::string>(read);
    if (text.empty()) continue;
    if (argument.name == kSource) {
      if (auto wrong = wrong_source(text, *prompt, sources)) return *std::move(wrong);
      std::erase_if(meant, [&text](const PromptSource& one) { return one.name != text; });
      source = std::move(text);
    } else if (argument.name == kSkill) {
      skill = skills->find(text);
      if (skill == nullptr) {
        return invalid(
            fmt::format("there is no such skill; skills: {}", fmt::join(skills->names(), ", ")));
      }
    } else {
      append_quoted(quoted, argument.name, text, random);
      if (argument.name == "query") query = std::move(text);
    }
  }
  std::string text(prompt->opening);
  text += "\n\n" + source_instructions(source, meant);
  if (!quoted.empty()) {
    text += "What the user gave stands between marks:\n" + quoted;
  }
  if (!text.ends_with("\n\n")) text += '\n';
  text += skill != nullptr ? std::string_view(skill->text) : steps_of(*prompt, meant, query);
  return result_of(*prompt, text);
}

}  // namespace helve::mcp
