#include "surfaces/mcp/offer/prompts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/json_writer.h"
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

struct Prompt {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::span<const PromptArgument> arguments;
  std::string_view opening;
  std::string_view steps;
};

constexpr PromptArgument kSource = {"source", "Source",
                                    "Name of the graph; the first one unless given", false};
constexpr std::array kExploreArguments = {
    kSource,
    PromptArgument{"goal", "Goal", "What the graph is to be used for, if that is known", false}};
constexpr std::array kAnswerArguments = {
    PromptArgument{"question", "Question", "The question to answer from the graph", true}, kSource};
constexpr std::array kDebugArguments = {
    PromptArgument{"query", "Query", "The SPARQL query that does not do what it should", true},
    kSource,
    PromptArgument{"problem", "Problem", "What is wrong: an error, no rows, too many, too slow",
                   false}};

constexpr std::string_view kExploreSteps =
    R"(Work in this order, and go no further than the report needs:

1. sparql_schema: size, namespaces and the largest classes. These prefixes need no declaration in queries.
2. sparql_schema output_mode=patterns: queries that were seen to give rows here. Start from them, not from what you remember of other graphs.
3. Choose three to five classes: the largest, and those nearest to the goal. sparql_peek resource=CLASS output_mode=schema shows their properties, how many instances have each, and what they point at; sparql_peek resource=CLASS shows instances.
4. sparql_describe for one typical instance of each, to see real values: languages of labels, units, dates, identifiers.
5. How the classes hang together: a few sparql_query calls that count instead of listing, such as SELECT ?p ?type (COUNT(*) AS ?n) WHERE { ?x a CLASS ; ?p ?y . ?y a ?type } GROUP BY ?p ?type ORDER BY DESC(?n) LIMIT 20.
6. Take names from replies or from sparql_find pattern=WORDS. Do not guess an IRI.

Keep the context small: rows stay behind handles such as results_0. Ask for counts and samples, narrow with limit, and read more with sparql_slice only if you need those very rows. About ten calls are enough; stop when a further one would not change the report.

An empty result comes with a diagnosis that was found by probing the data: it tells a mistake in the query from a fact about the graph. Both are worth knowing; report the second.

Report: what the graph is about, in two sentences; a table of the main classes with counts and their important properties; how they connect; what is missing or odd (classes without labels, properties that few instances have); and three questions that it can answer, each with a query that you have run and the key of its result. Say what you did not look at.)";

constexpr std::string_view kAnswerSteps =
    R"(Work in this order:

1. Say to yourself what would count as an answer: one value, a list, a count, yes or no.
2. sparql_find pattern=WORDS for each thing, kind and relation in the question: it gives IRIs. Do not guess an IRI. If you do not know the graph yet, call sparql_schema first.
3. sparql_peek resource=CLASS output_mode=schema: which properties lead from one thing to the other, in which direction, and how many instances have them.
4. One sparql_query that answers the question, as small as it can be. For "how many" let COUNT count; for "which has the most" let ORDER BY and LIMIT choose. To ask about the rows of an earlier result write VALUES ?x { @results_0.x } instead of copying identifiers; result_sql joins, filters and groups results.
5. Check it in another way before you trust it: a count, one row looked at with sparql_describe, or the question asked from the other end. Look at truncated, total_is and the warnings of the reply: a partial result supports "at least", never "all" or "none".

Keep the context small: all rows are stored; the reply shows the first. Read others with sparql_slice only if the answer needs them.

No rows: read the diagnosis in the reply. If it names a mistake (an unknown name, a reversed direction, another datatype or language), mend that and ask again. If it says that every part matches and the answer is truly empty, then that is the answer. After three mended queries without progress stop, and say what you tried.

Answer in this form: the answer first, in one or two sentences; then the evidence: for each claim the key of the result (such as results_3), how many rows it has, and the query that made it; then what the graph does not say, and how sure you are. Nothing that is not in a result may be claimed as a fact of this graph; what you know from elsewhere is to be marked as such.)";

constexpr std::string_view kDebugSteps =
    R"(Work in this order, and stop at the first step that explains the trouble:

1. sparql_query with the query as it is and explain=true. Nothing runs; it tells errors of syntax with their place, names that the graph does not know with the nearest that it does, and what the plan is expected to cost.
2. If it is sound, run it with limit=5.
   - An error: mend what its message and hint name; did_you_mean and suggested_query can be taken as they are.
   - No rows: the diagnosis comes from probes of the data and names the smallest part that kills the answer. Mend that part alone. "Truly empty" means that the query is right and the graph has no such thing.
   - A refusal or a time-out: look at the pattern that is named. Bind a subject, a class or an exact value, put the most selective pattern first, replace a FILTER on text by sparql_find and VALUES, or count before listing.
   - Too many rows, or the same row many times: look for a pattern that shares no variable with the others (a product), for an OPTIONAL that multiplies, and for names in several languages; FILTER(LANG(?name) = "en") or DISTINCT.
   - Rows, but wrong ones: check the direction and the meaning of each property with sparql_peek resource=PROPERTY, and one row with sparql_describe.
3. Change one thing at a time, and run again. Take names from sparql_find or from replies; do not guess an IRI.
4. Test parts: sparql_query for the first pattern alone, then with one more each time, until rows vanish or explode. A count is enough.

Keep the context small: limit=5 while you look; rows stay behind handles. After five attempts stop and tell what is known.

Report: the mended query in a code block; what was wrong and why, in one or two sentences; the key and the number of rows of the result that shows it works. If the query was right all along, say so.)";

constexpr std::array<Prompt, 3> kPrompts = {{
    {"explore-this-graph", "Explore this graph",
     "Find out what a graph holds, how it hangs together and what it can answer", kExploreArguments,
     "Explore a knowledge graph with the Helve tools and report what it holds.", kExploreSteps},
    {"answer-with-evidence", "Answer with evidence",
     "Answer a question from a graph, with queries and results that can be checked",
     kAnswerArguments,
     "Answer a question from a knowledge graph with the Helve tools, with evidence that can be "
     "checked.",
     kAnswerSteps},
    {"debug-my-query", "Debug my query",
     "Find out why a SPARQL query fails, gives nothing or takes too long, and mend it",
     kDebugArguments,
     "Find out what is wrong with a SPARQL query, and mend it, with the Helve tools.", kDebugSteps},
}};

const Prompt* find_prompt(std::string_view name) {
  const auto found = std::find_if(kPrompts.begin(), kPrompts.end(),
                                  [&](const Prompt& prompt) { return prompt.name == name; });
  return found == kPrompts.end() ? nullptr : &*found;
}

std::string entry_of(const Prompt& prompt, Revision revision) {
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

std::string about_sources(const std::string& chosen, const std::vector<std::string>& sources) {
  constexpr std::size_t kNamed = 20;
  if (!chosen.empty())
    return fmt::format("The source is {0}: pass source={0} in every call.\n", chosen);
  if (sources.size() < 2) return {};
  std::string names;
  for (std::size_t i = 0; i < std::min(sources.size(), kNamed); ++i) {
    names += (i > 0 ? ", " : "") + sources[i];
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
  const bool is_blank = text == nullptr || text->find_first_not_of(" \t\r\n") == std::string::npos;
  if (is_blank && argument.is_required) {
    return invalid(fmt::format("{} needs the argument {}: {}", prompt.name, argument.name,
                               argument.description));
  }
  if (is_blank) return std::string();
  if (text->size() > kArgumentCharsMax) {
    return invalid(fmt::format("the argument {} of {} has more than {} bytes", argument.name,
                               prompt.name, kArgumentCharsMax));
  }
  return *text;
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

std::vector<std::string> list_prompts(Revision revision) {
  std::vector<std::string> listed;
  listed.reserve(kPrompts.size());
  for (const Prompt& prompt : kPrompts) listed.push_back(entry_of(prompt, revision));
  return listed;
}

bool has_prompt(std::string_view name) { return find_prompt(name) != nullptr; }

std::optional<Outcome> make_prompt(std::string_view name, const JsonValue& arguments,
                                   const std::vector<std::string>& sources, Random& random) {
  const Prompt* prompt = find_prompt(name);
  if (prompt == nullptr) return std::nullopt;
  std::string source;
  std::string quoted;
  for (const PromptArgument& argument : prompt->arguments) {
    auto read = read_argument(*prompt, argument, arguments);
    if (auto* error = std::get_if<RpcError>(&read)) return std::move(*error);
    auto& text = std::get<std::string>(read);
    if (text.empty()) continue;
    if (argument.name == kSource.name) {
      if (std::find(sources.begin(), sources.end(), text) == sources.end()) {
        return invalid(
            fmt::format("there is no such source; sources: {}", fmt::join(sources, ", ")));
      }
      source = std::move(text);
    } else {
      append_quoted(quoted, argument.name, text, random);
    }
  }
  std::string text(prompt->opening);
  text += "\n\n" + about_sources(source, sources);
  if (!quoted.empty()) {
    text += "What the user gave stands between marks:\n" + quoted;
  }
  if (!text.ends_with("\n\n")) text += '\n';
  text += prompt->steps;
  return result_of(*prompt, text);
}

}  // namespace helve::mcp
