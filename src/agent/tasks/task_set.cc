#include "agent/tasks/task_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <set>
#include <utility>

#include "agent/tasks/bundled_texts.h"
#include "agent/tasks/task_json.h"
#include "base/ascii.h"
#include "base/digest.h"
#include "base/near_names.h"
#include "base/text.h"
#include "toolkit/tasks/task.h"

namespace helve::agent {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBundled = "bundled:";
constexpr std::string_view kLevel = "level:";

struct BundledSet {
  std::string_view name;
  std::string_view (*text)();
};
constexpr std::array<BundledSet, 3> kSets = {
    {{"solar", bundled::solar}, {"solar-tables", bundled::solar_tables}, {"prov", bundled::prov}}};

// Every part with its length, so that no two sets have the same text.
std::string digest_of(const TaskSet& set) {
  std::string text;
  const auto add = [&text](std::string_view part) {
    text += fmt::format("{}:{}\n", part.size(), part);
  };
  add(set.name);
  add(set.source);
  for (const TaskCase& task : set.cases) {
    add(task.id);
    add(task.question);
    add(task.reference);
    add(learning::name_of(task.language));
    add(fmt::format("{} {} {} {}", task.level, task.is_ordered, task.is_bag, task.keywords.size()));
    for (const std::string& word : task.keywords) add(word);
  }
  return digest_hex(DigestKind::Sha256, text);
}

Result<TaskSet> with_digest(Result<TaskSet> set) {
  if (set) set->digest = digest_of(*set);
  return set;
}

std::string bundled_list() {
  return fmt::format("there are: bundled:{}", fmt::join(bundled_task_sets(), ", bundled:"));
}

Result<TaskSet> read_bundled(std::string_view name, const OpContext& context) {
  const auto found = std::find_if(kSets.begin(), kSets.end(),
                                  [&](const BundledSet& set) { return set.name == name; });
  if (found == kSets.end()) {
    return Error{ErrorCode::NotFound,
                 fmt::format("no task set named \"{}\" comes with the program",
                             escape_for_terminal(name.substr(0, 64))),
                 bundled_list()};
  }
  return parse_task_document(found->text(), std::string(kBundled) + std::string(name),
                             std::string(name), {}, context);
}

Result<std::string> read_whole(const fs::path& path, std::size_t bytes_max, Files& files) {
  const auto too_large = [&] {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("{} is larger than {}", escape_for_terminal(path.string()),
                             format_bytes(bytes_max)),
                 "make several files of it"};
  };
  HELVE_ASSIGN(const FileStatus status, files.status(path));
  if (status.size > bytes_max) return too_large();
  HELVE_ASSIGN(const auto source, files.open_read(path));
  std::string text;
  std::array<char, 16 * kKiB> piece;
  while (true) {
    HELVE_ASSIGN(const std::size_t count, source->read(piece));
    if (count == 0) return text;
    text.append(piece.data(), count);
    if (text.size() > bytes_max) return too_large();
  }
}

unsigned level_of(toolkit::TaskComplexity complexity) {
  return static_cast<unsigned>(complexity) + 1;
}

// What is broken in a folder of others is passed over; `helve tasks FOLDER` tells of it.
Result<TaskSet> read_example_folder(const fs::path& path, Env& env, const OpContext& context) {
  HELVE_ASSIGN(const toolkit::ExampleFolder folder, toolkit::read_examples(path, {}, env, context));
  if (!folder.incomplete.empty()) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("not all of {} can be read: {}", escape_for_terminal(path.string()),
                             folder.incomplete),
                 "name one of its folders"};
  }
  HELVE_ASSIGN(const auto tasks, toolkit::tasks_of(folder, context));
  TaskSet set;
  set.name = folder.name;
  std::set<std::string> endpoints;
  for (const toolkit::Task& task : tasks) {
    if (task.query.find_first_not_of(" \n\r\t") == std::string::npos) continue;
    endpoints.insert(task.endpoint);
    set.cases.push_back({task.id, task.query, task.expected_sparql, learning::QueryLanguage::Sparql,
                         level_of(task.complexity), false, false, task.keywords});
  }
  if (set.cases.empty()) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("there are no SPARQL examples with a question in {}",
                             escape_for_terminal(path.string())),
                 "name a folder of SHACL SPARQL examples, a .json or a .jsonl file"};
  }
  if (endpoints.size() == 1) set.source = *endpoints.begin();
  return set;
}

Result<TaskSet> read_path(const std::string& words, Env& env, const OpContext& context) {
  const fs::path path(words);
  const auto status = env.files().status(path);
  if (!status) {
    Error error = status.error();
    if (error.code == ErrorCode::NotFound) {
      const auto names = bundled_task_sets();
      const bool is_bundled = std::find(names.begin(), names.end(), words) != names.end();
      error.hint = is_bundled ? fmt::format("did you mean bundled:{}?", words)
                              : "name a .json or .jsonl file, a folder of SHACL SPARQL examples, "
                                "or one that comes with the program; " +
                                    bundled_list();
    }
    return error;
  }
  if (status->kind == FileKind::Directory) return read_example_folder(path, env, context);
  const std::string ending = ascii_lower(path.extension().string());
  const bool is_lines = ending == ".jsonl" || ending == ".ndjson";
  // Whatever else it is: RDF is told by its content.
  if (!is_lines && ending != ".json") return read_example_folder(path, env, context);
  const TaskLimits limits;
  HELVE_ASSIGN(const std::string text, read_whole(path, limits.file_bytes_max, env.files()));
  const std::string name = path.stem().string();
  return is_lines ? parse_task_lines(text, words, name, limits, context)
                  : parse_task_document(text, words, name, limits, context);
}

// Whether a word means the task: its id, its level, one of its keywords.
bool is_meant(const TaskCase& task, std::string_view word) {
  if (task.id == word) return true;
  if (word.starts_with(kLevel)) return word.substr(kLevel.size()) == std::to_string(task.level);
  return std::any_of(task.keywords.begin(), task.keywords.end(), [&](const std::string& keyword) {
    return ascii_lower(keyword) == ascii_lower(word);
  });
}

Error nothing_meant(const TaskSet& set, const std::string& word) {
  std::set<std::string_view> names;
  for (const TaskCase& task : set.cases) {
    names.insert(task.id);
    names.insert(task.keywords.begin(), task.keywords.end());
  }
  const auto near = near_names(word, {names.begin(), names.end()}, 1);
  return {ErrorCode::NotFound,
          fmt::format("no task of {} is meant by \"{}\"", escape_for_terminal(set.name),
                      escape_for_terminal(word.substr(0, 64))),
          near.empty() ? "name ids, keywords, or level:1, level:2, level:3"
                       : fmt::format("did you mean {}?", escape_for_terminal(near.front()))};
}

}  // namespace

std::vector<std::string> bundled_task_sets() {
  std::vector<std::string> names;
  names.reserve(std::size(kSets));
  for (const BundledSet& set : kSets) names.emplace_back(set.name);
  return names;
}

Result<TaskSet> read_task_set(std::string_view words, Env& env, const OpContext& context) {
  if (words.starts_with(kBundled)) {
    return with_digest(read_bundled(words.substr(kBundled.size()), context));
  }
  if (words.empty() || words == "-" || words.find('\0') != std::string_view::npos) {
    return Error{ErrorCode::InvalidInput, "no task set was named", bundled_list()};
  }
  return with_digest(read_path(std::string(words), env, context));
}

Result<TaskSet> choose_tasks(TaskSet set, const std::vector<std::string>& words,
                             std::size_t tasks_max) {
  for (const std::string& word : words) {
    const bool is_known = std::any_of(set.cases.begin(), set.cases.end(),
                                      [&](const TaskCase& task) { return is_meant(task, word); });
    if (!is_known) return nothing_meant(set, word);
  }
  if (!words.empty()) {
    std::erase_if(set.cases, [&](const TaskCase& task) {
      return std::none_of(words.begin(), words.end(),
                          [&](const std::string& word) { return is_meant(task, word); });
    });
  }
  if (tasks_max > 0 && set.cases.size() > tasks_max) set.cases.resize(tasks_max);
  set.digest = digest_of(set);
  return set;
}

}  // namespace helve::agent
