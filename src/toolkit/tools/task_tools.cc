// load_shacl_tasks, get_task_stats, sample_tasks: questions with the queries that answer them, of a
// folder of SHACL SPARQL examples. They are made in toolkit/tasks/.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "toolkit/tasks/task.h"
#include "toolkit/tools/declare.h"
#include "toolkit/tools/loaded_file.h"
#include "toolkit/tools/registry.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kListed = 20;  // of endpoints and of keywords

ReplyValue complexities(const std::array<std::uint64_t, kTaskComplexities>& counts) {
  ReplyValue::Members members;
  for (std::size_t i = 0; i < kTaskComplexities; ++i) {
    members.emplace_back(name_of(static_cast<TaskComplexity>(i)), counts[i]);
  }
  return members;
}

// Nothing where none is asked for; the parameter has no other values.
std::optional<TaskComplexity> chosen_complexity(const ToolCall& call, std::string_view parameter) {
  if (!call.arguments.has(parameter)) return std::nullopt;
  return find_complexity(call.arguments.text(parameter));
}

void warn_of_folder_gaps(const ExampleFolder& folder, Reply& reply) {
  const auto warn = [&](std::uint64_t count, std::string_view one, std::string_view many) {
    if (count > 0) reply.warn(fmt::format("{} {}", format_count(count), count == 1 ? one : many));
  };
  if (folder.queries.empty()) reply.warn("there are no example queries (sh:SPARQLExecutable)");
  warn(folder.broken_files, "file could not be read and is left out; see problems",
       "files could not be read and are left out; see problems");
  warn(folder.unparsed, "query could not be parsed: its complexity is that of its length alone",
       "queries could not be parsed: their complexity is that of their length alone");
  warn(folder.links, "symbolic link was not followed", "symbolic links were not followed");
  if (!folder.incomplete.empty()) reply.warn("not complete: " + folder.incomplete);
}

Reply tasks_reply(const std::vector<Task>& tasks, const ExampleFolder& folder, const Ref& ref) {
  const TaskStats stats = stats_of(tasks);
  Reply reply;
  reply.about(ref.source, {});
  reply.say(tasks.size() == folder.queries.size()
                ? fmt::format("{} tasks in {} files", format_count(tasks.size()),
                              format_count(folder.files))
                : fmt::format("{} tasks of {} in {} files", format_count(tasks.size()),
                              format_count(folder.queries.size()), format_count(folder.files)));
  reply.ref(ref);
  reply.set_quietly("total", stats.total);
  reply.set_quietly("queries", std::uint64_t{folder.queries.size()});
  reply.set_quietly("files", folder.files);
  reply.set("by_complexity", complexities(stats.by_complexity));
  reply.set_quietly("endpoints", std::uint64_t{stats.by_endpoint.size()});
  reply.set_quietly("broken_files", folder.broken_files);
  reply.set_quietly("unparsed_queries", folder.unparsed);
  if (!folder.problems.empty()) {
    ReplyList problems{"problems", {}, {}};
    for (const FileProblem& one : folder.problems) {
      problems.items.emplace_back(
          ReplyValue::Members{{"file", one.file}, {"message", one.message}});
    }
    problems.left_out = folder.broken_files + folder.unparsed - folder.problems.size();
    reply.list(std::move(problems));
  }
  warn_of_folder_gaps(folder, reply);
  reply.next(fmt::format("get_task_stats ref={}", ref.key));
  reply.next(fmt::format("sample_tasks ref={}", ref.key));
  return reply;
}

Result<Ref> store_tasks(const std::vector<Task>& tasks, HandleOrigin origin, ToolCall& call) {
  std::string text = to_text(tasks);
  if (text.size() > call.policy.bytes_stored_max) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("the tasks take {}, the policy lets {} be stored",
                             format_bytes(text.size()), format_bytes(call.policy.bytes_stored_max)),
                 "name a folder with fewer examples, or give complexity_filter"};
  }
  return call.handles.put(std::move(text), HandleType::Tasks, std::move(origin), call.op);
}

ToolAnswer load_shacl_tasks(ToolCall& call) {
  const std::string& path = call.arguments.text("path");
  const auto allowed = readable_path(call.policy, path);
  if (!allowed) return ToolError(allowed.error());
  const auto folder = read_examples(*allowed, {}, call.env, call.op);
  if (!folder) return ToolError(folder.error());
  auto tasks = tasks_of(*folder, call.op);
  if (!tasks) return ToolError(tasks.error());
  if (const auto wanted = chosen_complexity(call, "complexity_filter")) {
    std::erase_if(*tasks, [&](const Task& task) { return task.complexity != *wanted; });
  }
  HandleOrigin origin;
  origin.tool = call.tool.name;
  origin.source = name_of_path(path);
  origin.query = path;
  origin.snapshot = folder->fingerprint;
  origin.call_hash = call.call_hash;
  origin.incomplete = folder->incomplete;
  if (const auto same = call.handles.find_same(origin)) {
    Reply reply = tasks_reply(*tasks, *folder, *same);
    reply.warn(fmt::format("the same files, unchanged: {} is their handle", same->key));
    return reply;
  }
  const auto put = store_tasks(*tasks, std::move(origin), call);
  if (!put) return ToolError(put.error());
  return tasks_reply(*tasks, *folder, *put);
}

struct StoredTasks {
  Ref ref;
  std::string incomplete;
  TaskLines content;
};

Result<StoredTasks> stored_tasks(ToolCall& call) {
  const std::string& key = call.arguments.text("ref");
  HELVE_ASSIGN(const Handle handle, call.handles.get(key, call.op));
  if (handle.ref.dtype != HandleType::Tasks || handle.text == nullptr) {
    return Error{
        ErrorCode::InvalidInput,
        fmt::format("{} is a handle of type {}, not of tasks", key, name_of(handle.ref.dtype)),
        "make one with load_shacl_tasks"};
  }
  HELVE_ASSIGN(TaskLines content, tasks_from_text(*handle.text, call.op));
  return StoredTasks{handle.ref, handle.origin.incomplete, std::move(content)};
}

ReplyList counted_tasks(const char* key, const char* what, const CountedTexts& texts) {
  ReplyList list{key, {}, {}};
  for (std::size_t i = 0; i < std::min(texts.size(), kListed); ++i) {
    list.items.emplace_back(
        ReplyValue::Members{{what, texts[i].first}, {"tasks", texts[i].second}});
  }
  list.left_out = texts.size() - list.items.size();
  return list;
}

ToolAnswer get_task_stats(ToolCall& call) {
  const auto stored = stored_tasks(call);
  if (!stored) return ToolError(stored.error());
  const TaskStats stats = stats_of(stored->content.tasks);
  Reply reply;
  reply.about(stored->ref.source, {});
  reply.say(fmt::format("{} tasks for {} endpoints", format_count(stats.total),
                        format_count(stats.by_endpoint.size())));
  reply.set_quietly("total", stats.total);
  reply.set_quietly("total_is", stored->ref.complete ? "exact" : "at_least");
  reply.set("by_complexity", complexities(stats.by_complexity));
  reply.set("federated", stats.federated);
  if (stats.without_endpoint > 0) reply.set("without_endpoint", stats.without_endpoint);
  reply.list(counted_tasks("by_endpoint", "endpoint", stats.by_endpoint));
  reply.list(counted_tasks("top_keywords", "keyword", stats.keywords));
  if (!stored->ref.complete) reply.warn("not complete: " + stored->incomplete);
  reply.next(fmt::format("sample_tasks ref={}", stored->ref.key));
  return reply;
}

ReplyValue::List list_of(const std::vector<std::string>& texts) {
  ReplyValue::List list;
  for (const std::string& text : texts) list.emplace_back(text);
  return list;
}

ReplyValue item_of(const Task& task, const TaskLines::Line& line) {
  ReplyValue::Members item{{"id", task.id},
                           {"query", task.query},
                           {"complexity", name_of(task.complexity)},
                           {"endpoint", task.endpoint}};
  if (!task.also_for.empty()) item.emplace_back("also_for", list_of(task.also_for));
  if (!task.federated.empty()) item.emplace_back("federated", list_of(task.federated));
  item.emplace_back("keywords", list_of(task.keywords));
  item.emplace_back("expected_sparql", task.expected_sparql);
  item.emplace_back("start", line.start);
  item.emplace_back("end", line.end);
  return item;
}

ToolAnswer sample_tasks(ToolCall& call) {
  const auto stored = stored_tasks(call);
  if (!stored) return ToolError(stored.error());
  const auto& [tasks, lines] = stored->content;
  const auto complexity = chosen_complexity(call, "complexity");
  const auto limit = static_cast<std::uint64_t>(call.arguments.integer("limit"));
  const auto seed = static_cast<std::uint64_t>(call.arguments.integer("seed"));
  const auto matching =
      static_cast<std::uint64_t>(std::count_if(tasks.begin(), tasks.end(), [&](const Task& task) {
        return !complexity || task.complexity == *complexity;
      }));
  ReplyList list{"tasks", {}, {}};
  for (const std::size_t place : sample_of(tasks, limit, complexity, seed)) {
    list.items.push_back(item_of(tasks[place], lines[place]));
  }
  Reply reply;
  reply.about(stored->ref.source, {});
  reply.say(fmt::format(
      "{} of {}{} tasks, by seed {}", format_count(list.items.size()), format_count(matching),
      complexity ? fmt::format(" {}", name_of(*complexity)) : std::string(), seed));
  reply.set_quietly("total_available", matching);
  reply.set_quietly("total_is", stored->ref.complete ? "exact" : "at_least");
  reply.set_quietly("truncated", matching > limit);
  reply.set_quietly("limit_applied", limit);
  reply.set_quietly("seed", seed);
  if (list.items.empty() && !tasks.empty()) {
    reply.warn(fmt::format("{} has no {} task", stored->ref.key, name_of(*complexity)));
  }
  reply.list(std::move(list));
  if (!stored->ref.complete) reply.warn("not complete: " + stored->incomplete);
  reply.next(fmt::format("ctx_slice key={} start=... end=... (a task, whole)", stored->ref.key));
  return reply;
}

Parameter complexity_parameter(const char* name, const char* doc,
                               std::vector<std::string> aliases) {
  Parameter parameter =
      choice_parameter(name, {"simple", "moderate", "complex"}, doc, std::move(aliases));
  parameter.otherwise = std::nullopt;
  return parameter;
}

Parameter seed_parameter() {
  Parameter parameter;
  parameter.name = "seed";
  parameter.type = ParameterType::Integer;
  parameter.doc = "the same seed gives the same tasks";
  parameter.otherwise = JsonValue(0);
  return parameter;
}

Tool task_tool(const char* name, const char* title, const char* purpose) {
  Tool tool;
  tool.name = name;
  tool.title = title;
  tool.category = ToolCategory::Tasks;
  tool.purpose = purpose;
  return tool;
}

Tool declare_load_shacl_tasks() {
  Tool tool = task_tool(
      "load_shacl_tasks", "Tasks of a folder of examples",
      "Reads a folder of SHACL SPARQL examples (sh:SPARQLExecutable) and gives a handle of tasks: "
      "each a question with the query that answers it.");
  tool.parameters = {text_parameter("path", "a folder of RDF files, or one of them",
                                    {"folder", "directory", "file"}),
                     complexity_parameter("complexity_filter", "only tasks of this complexity",
                                          {"complexity", "filter"})};
  tool.returns = {{"key", "string", "the handle: a JSON object on a line for each task"},
                  {"total", "integer", "tasks"},
                  {"queries", "integer", "in the folder, of any complexity"},
                  {"files", "integer", "that were read"},
                  {"by_complexity", "object", "tasks that are simple, moderate, complex"},
                  {"endpoints", "integer", "that tasks are for"},
                  {"broken_files", "integer", "that could not be read"},
                  {"unparsed_queries", "integer", ""},
                  {"problems", "array", "the first: file, message", true}};
  tool.examples = {{"a folder", arguments_of({{"path", JsonValue("examples")}})},
                   {"the easy ones", arguments_of({{"path", JsonValue("examples")},
                                                   {"complexity_filter", JsonValue("simple")}})}};
  tool.handler = load_shacl_tasks;
  return tool;
}

Tool declare_get_task_stats() {
  Tool tool = task_tool("get_task_stats", "Figures of tasks",
                        "How many tasks a handle has, by complexity, endpoint and keyword.");
  tool.parameters = {handle_parameter("ref", "the tasks, e.g. tasks_0")};
  tool.returns = {{"total", "integer", ""},
                  {"total_is", "string", "exact, or at_least where not all was read"},
                  {"by_complexity", "object", "simple, moderate, complex"},
                  {"federated", "integer", "tasks that ask another endpoint too"},
                  {"without_endpoint", "integer", "", true},
                  {"by_endpoint", "array", "endpoint, tasks; the commonest first"},
                  {"top_keywords", "array", "keyword, tasks; the commonest first"}};
  tool.examples = {{"of tasks", arguments_of({{"ref", JsonValue("tasks_0")}})}};
  tool.handler = get_task_stats;
  return tool;
}

Tool declare_sample_tasks() {
  Tool tool = task_tool("sample_tasks", "Some of the tasks",
                        "Some tasks by chance: the same for the same seed, and a smaller sample is "
                        "the beginning of a larger one.");
  tool.parameters = {handle_parameter("ref", "the tasks, e.g. tasks_0"),
                     limit_parameter(10, 50, "tasks to take"),
                     complexity_parameter("complexity", "only of this complexity",
                                          {"complexity_filter", "filter"}),
                     seed_parameter()};
  tool.returns = {{"tasks", "array",
                   "id, query (the question), complexity, endpoint, also_for?, federated?, "
                   "keywords, expected_sparql; start and end of the task in the handle"},
                  {"total_available", "integer", "tasks that could be taken"},
                  {"total_is", "string", "exact, or at_least where not all was read"},
                  {"truncated", "boolean", "there are more than limit_applied"},
                  {"limit_applied", "integer", ""},
                  {"seed", "integer", ""}};
  tool.examples = {{"five hard ones", arguments_of({{"ref", JsonValue("tasks_0")},
                                                    {"limit", JsonValue(5)},
                                                    {"complexity", JsonValue("complex")}})}};
  tool.handler = sample_tasks;
  return tool;
}

}  // namespace

void add_task_tools(Registry& registry) {
  registry.add(declare_load_shacl_tasks());
  registry.add(declare_get_task_stats());
  registry.add(declare_sample_tasks());
}

}  // namespace helve::toolkit
