// Tasks as text: a JSON object on a line for each, with the names that corpora of tasks use.
#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/utf8.h"
#include "toolkit/tasks/task.h"

namespace helve::toolkit {

namespace {

JsonValue texts_of(const std::vector<std::string>& all) {
  JsonValue::Array list;
  for (const std::string& text : all) list.emplace_back(text);
  return JsonValue(std::move(list));
}

std::optional<ExampleForm> find_form(std::string_view name) {
  for (std::size_t i = 0; i < kExampleForms; ++i) {
    if (name_of(static_cast<ExampleForm>(i)) == name) return static_cast<ExampleForm>(i);
  }
  return std::nullopt;
}

// Members of one line; the first that is not as it must be is kept.
class LineReader {
 public:
  explicit LineReader(const JsonValue& line) : line_(line) {}

  std::string text(std::string_view key) {
    const JsonValue* value = line_.find(key);
    const std::string* text = value != nullptr ? value->if_string() : nullptr;
    is_sound_ = is_sound_ && text != nullptr;
    return text != nullptr ? *text : std::string();
  }
  std::vector<std::string> texts(std::string_view key) {
    std::vector<std::string> list;
    const JsonValue* value = line_.find(key);
    const JsonValue::Array* items = value != nullptr ? value->if_array() : nullptr;
    is_sound_ = is_sound_ && items != nullptr;
    if (items == nullptr) return list;
    for (const JsonValue& one : *items) {
      const std::string* item = one.if_string();
      is_sound_ = is_sound_ && item != nullptr;
      if (item != nullptr) list.push_back(*item);
    }
    return list;
  }
  template <typename T>
  T known(std::optional<T> value) {
    is_sound_ = is_sound_ && value.has_value();
    return value.value_or(T{});
  }
  bool is_sound() const { return is_sound_; }

 private:
  const JsonValue& line_;
  bool is_sound_ = true;
};

std::optional<Task> read_task(const JsonValue& json) {
  LineReader line(json);
  Task task;
  task.id = line.text("id");
  task.query = line.text("query");
  task.expected_sparql = line.text("expected_sparql");
  task.endpoint = line.text("endpoint");
  task.also_for = line.texts("also_for");
  task.keywords = line.texts("keywords");
  task.federated = line.texts("federated");
  task.complexity = line.known(find_complexity(line.text("complexity")));
  task.form = line.known(find_form(line.text("form")));
  task.iri = line.text("iri");
  return line.is_sound() ? std::optional(std::move(task)) : std::nullopt;
}

Error damaged(std::size_t line) {
  return {ErrorCode::Unavailable, fmt::format("the tasks cannot be read: line {} is no task", line),
          "make them anew with load_shacl_tasks"};
}

}  // namespace

JsonValue to_json(const Task& task) {
  return JsonValue(JsonValue::Object{{"id", JsonValue(task.id)},
                                     {"query", JsonValue(task.query)},
                                     {"expected_sparql", JsonValue(task.expected_sparql)},
                                     {"endpoint", JsonValue(task.endpoint)},
                                     {"also_for", texts_of(task.also_for)},
                                     {"keywords", texts_of(task.keywords)},
                                     {"federated", texts_of(task.federated)},
                                     {"complexity", JsonValue(name_of(task.complexity))},
                                     {"form", JsonValue(name_of(task.form))},
                                     {"iri", JsonValue(task.iri)}});
}

std::string to_text(const std::vector<Task>& tasks) {
  std::string out;
  for (const Task& task : tasks) {
    out += helve::to_json(to_json(task));
    out += '\n';
  }
  return out;
}

Result<TaskLines> tasks_from_text(std::string_view text, const OpContext& context) {
  TaskLines all;
  std::uint64_t at = 0;
  while (!text.empty()) {
    HELVE_TRY(context.check());
    const std::string_view line = text.substr(0, text.find('\n'));
    const auto json = parse_json(line);
    auto task = json ? read_task(*json) : std::nullopt;
    if (!task) return damaged(all.tasks.size() + 1);
    const std::uint64_t end = at + utf8_length(line);
    all.lines.push_back({at, end});
    all.tasks.push_back(std::move(*task));
    at = end + 1;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return all;
}

}  // namespace helve::toolkit
