#include "agent/tasks/task_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

#include "agent/tasks/task_place.h"
#include "base/ascii.h"
#include "base/json.h"
#include "base/near_names.h"
#include "base/text.h"
#include "base/utf8.h"

namespace helve::agent {

namespace {

using learning::QueryLanguage;

constexpr std::array<std::string_view, 4> kSetMembers = {"name", "source", "language", "prefixes"};
constexpr std::array<std::string_view, 8> kTaskMembers = {
    "id", "question", "reference", "language", "level", "is_ordered", "is_bag", "keywords"};

Limits json_limits(const TaskLimits& limits) {
  Limits json;
  json.json_bytes_max = limits.file_bytes_max;
  json.json_depth_max = limits.depth_max;
  json.json_values_max = limits.values_max;
  return json;
}

std::string_view kind_of(const JsonValue& value) {
  switch (value.kind()) {
    case JsonKind::Null:
      return "null";
    case JsonKind::Bool:
      return "a truth";
    case JsonKind::String:
      return "a text";
    case JsonKind::Array:
      return "a list";
    case JsonKind::Object:
      return "an object";
    default:
      return "a number";
  }
}

constexpr const char* kSetForm =
    "write {\"tasks\": [{\"id\": ..., \"question\": ..., \"reference\": ...}]}";

// One object of the file, read strictly. `where` begins every error: "task 3", "the set".
class Members {
 public:
  static Result<Members> open(const JsonValue& value, std::string where,
                              std::span<const std::string_view> known) {
    const JsonValue::Object* const object = value.if_object();
    if (object == nullptr) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("{} must be an object and is {}", where, kind_of(value)),
                   "write {\"id\": \"a\", \"question\": \"...\", \"reference\": \"SELECT ...\"}"};
    }
    const std::vector<std::string_view> names(known.begin(), known.end());
    for (const JsonMember& member : *object) {
      if (std::find(names.begin(), names.end(), member.key) != names.end()) continue;
      const auto near = near_names(member.key, names, 1);
      return Error{ErrorCode::InvalidInput,
                   fmt::format("{} has an unknown member \"{}\"", where,
                               escape_for_terminal(member.key.substr(0, 64))),
                   near.empty() ? fmt::format("there are: {}", fmt::join(names, ", "))
                                : fmt::format("did you mean {}?", near.front())};
    }
    return Members(value, std::move(where));
  }

  const JsonValue* find(std::string_view key) const { return value_->find(key); }

  // Empty where it is not there. `lines`: it may have several.
  Result<std::string> text(std::string_view key, std::size_t chars_max, bool may_have_lines) const {
    const JsonValue* const value = find(key);
    if (value == nullptr) return std::string();
    const std::string* const text = value->if_string();
    if (text == nullptr) return wrong(key, "a text", *value);
    return checked(key, *text, chars_max, may_have_lines);
  }

  Result<bool> flag(std::string_view key) const {
    const JsonValue* const value = find(key);
    if (value == nullptr) return false;
    if (value->if_bool() == nullptr) return wrong(key, "true or false", *value);
    return *value->if_bool();
  }

  Result<unsigned> level() const {
    const JsonValue* const value = find("level");
    if (value == nullptr) return 1U;
    const auto number = value->to_uint64();
    if (!number || *number < 1 || *number > 3) return wrong("level", "1, 2 or 3", *value);
    return static_cast<unsigned>(*number);
  }

  Result<QueryLanguage> language(QueryLanguage otherwise) const {
    const JsonValue* const value = find("language");
    if (value == nullptr) return otherwise;
    const std::string* const text = value->if_string();
    for (const QueryLanguage one : {QueryLanguage::Sparql, QueryLanguage::Sql}) {
      if (text != nullptr && *text == learning::name_of(one)) return one;
    }
    return wrong("language", "\"sparql\" or \"sql\"", *value);
  }

  Result<std::vector<std::string>> keywords(const TaskLimits& limits) const {
    const JsonValue* const value = find("keywords");
    std::vector<std::string> words;
    if (value == nullptr) return words;
    const JsonValue::Array* const array = value->if_array();
    if (array == nullptr) return wrong("keywords", "a list of texts", *value);
    if (array->size() > limits.keywords_max) {
      return refused("keywords", fmt::format("are more than {}", limits.keywords_max));
    }
    for (const JsonValue& one : *array) {
      if (one.if_string() == nullptr) return wrong("keywords", "a list of texts", one);
      HELVE_ASSIGN(std::string word,
                   checked("keywords", *one.if_string(), limits.keyword_chars_max, false));
      if (word.empty()) return refused("keywords", "have an empty one");
      if (std::find(words.begin(), words.end(), word) == words.end()) {
        words.push_back(std::move(word));
      }
    }
    return words;
  }

  Error wrong(std::string_view key, std::string_view expected, const JsonValue& met) const {
    return refused(
        key, fmt::format("must be {} and is {}", expected,
                         met.is_number() ? to_json(met).substr(0, 40) : std::string(kind_of(met))));
  }
  Error refused(std::string_view key, std::string_view why) const {
    return {ErrorCode::InvalidInput, fmt::format("{}: {} {}", where_, key, why)};
  }

 private:
  Members(const JsonValue& value, std::string where) : value_(&value), where_(std::move(where)) {}

  Result<std::string> checked(std::string_view key, const std::string& text, std::size_t chars_max,
                              bool may_have_lines) const {
    if (utf8_length(text) > chars_max) {
      return refused(key, fmt::format("has more than {} characters", format_count(chars_max)));
    }
    const auto is_control = [&](unsigned char c) {
      const bool is_break = c == '\n' || c == '\r' || c == '\t';
      return (c < 0x20 || c == 0x7F) && !(may_have_lines && is_break);
    };
    if (std::any_of(text.begin(), text.end(),
                    [&](char c) { return is_control(static_cast<unsigned char>(c)); })) {
      return refused(key, "has a control character");
    }
    return text;
  }

  const JsonValue* value_;
  std::string where_;
};

// What stands for all tasks of a file.
struct SetHead {
  std::string name;
  std::string source;
  QueryLanguage language = QueryLanguage::Sparql;
  std::vector<std::pair<std::string, std::string>> prefixes;
};

Result<void> read_prefixes(const Members& members, const TaskLimits& limits, SetHead& head) {
  constexpr std::size_t kIriMax = 2'000;
  const JsonValue* const value = members.find("prefixes");
  if (value == nullptr) return {};
  const JsonValue::Object* const object = value->if_object();
  if (object == nullptr) return members.wrong("prefixes", "an object of names and IRIs", *value);
  if (object->size() > limits.prefixes_max) {
    return members.refused("prefixes", fmt::format("are more than {}", limits.prefixes_max));
  }
  for (const JsonMember& member : *object) {
    const std::string* const iri = member.value.if_string();
    const bool is_name = std::all_of(member.key.begin(), member.key.end(), [](char c) {
      return is_letter_or_digit(c) || c == '-' || c == '_';
    });
    const bool is_iri = iri != nullptr && iri->size() <= kIriMax &&
                        iri->find_first_of(" <>\"{}|\\^`\n\r\t") == std::string::npos;
    if (!is_name || !is_iri) {
      return members.refused("prefixes",
                             "must be names of letters and digits with IRIs, as "
                             "{\"sol\": \"https://helve.example/solar/\"}");
    }
    head.prefixes.emplace_back(member.key, *iri);
  }
  return {};
}

Result<SetHead> read_head(const JsonValue& value, std::span<const std::string_view> known,
                          std::string name, const TaskLimits& limits) {
  SetHead head;
  HELVE_ASSIGN(const Members members, Members::open(value, "the set", known));
  HELVE_ASSIGN(head.name, members.text("name", limits.id_chars_max, false));
  if (head.name.empty()) head.name = std::move(name);
  HELVE_ASSIGN(head.source, members.text("source", limits.question_chars_max, false));
  HELVE_ASSIGN(head.language, members.language(QueryLanguage::Sparql));
  HELVE_TRY(read_prefixes(members, limits, head));
  return head;
}

// With the prefixes of the set that it uses: a reference stands alone.
std::string with_prefixes(const std::string& reference, const SetHead& head) {
  std::string text;
  for (const auto& [name, iri] : head.prefixes) {
    if (reference.find(name + ":") != std::string::npos) {
      text += fmt::format("PREFIX {}: <{}>\n", name, iri);
    }
  }
  return text + reference;
}

Result<TaskCase> read_task(const JsonValue& value, const std::string& where, const SetHead& head,
                           const TaskLimits& limits) {
  TaskCase task;
  HELVE_ASSIGN(Members members, Members::open(value, where, kTaskMembers));
  HELVE_ASSIGN(task.id, members.text("id", limits.id_chars_max, false));
  if (task.id.empty()) return members.refused("id", "is missing");
  if (task.id.front() == ' ' || task.id.back() == ' ' || task.id.find(',') != std::string::npos) {
    return members.refused("id", "has blanks around it, or a comma");
  }
  HELVE_ASSIGN(members,
               Members::open(value, fmt::format("{} (\"{}\")", where, task.id), kTaskMembers));
  HELVE_ASSIGN(task.question, members.text("question", limits.question_chars_max, true));
  if (task.question.find_first_not_of(" \n\r\t") == std::string::npos) {
    return members.refused("question", "is missing");
  }
  HELVE_ASSIGN(task.language, members.language(head.language));
  HELVE_ASSIGN(std::string reference, members.text("reference", limits.reference_chars_max, true));
  const bool is_sparql = task.language == QueryLanguage::Sparql;
  task.reference =
      is_sparql && !reference.empty() ? with_prefixes(reference, head) : std::move(reference);
  HELVE_ASSIGN(task.level, members.level());
  HELVE_ASSIGN(task.is_ordered, members.flag("is_ordered"));
  HELVE_ASSIGN(task.is_bag, members.flag("is_bag"));
  HELVE_ASSIGN(task.keywords, members.keywords(limits));
  return task;
}

// Tasks as they come, each id once.
class SetBuilder {
 public:
  SetBuilder(SetHead head, const TaskLimits& limits) : head_(std::move(head)), limits_(limits) {}

  Result<void> add(const JsonValue& value, const std::string& where) {
    if (set_.cases.size() == limits_.tasks_max) {
      return Error{ErrorCode::LimitExceeded,
                   fmt::format("there are more than {} tasks", format_count(limits_.tasks_max)),
                   "make several files of it"};
    }
    HELVE_ASSIGN(TaskCase task, read_task(value, where, head_, limits_));
    if (!ids_.insert(task.id).second) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("{}: the id \"{}\" is that of another task", where, task.id),
                   "every task of a set has an id of its own"};
    }
    set_.cases.push_back(std::move(task));
    return {};
  }

  Result<TaskSet> finish() {
    if (set_.cases.empty()) {
      return Error{ErrorCode::InvalidInput, "there are no tasks",
                   "write at least one with id, question and reference"};
    }
    set_.name = std::move(head_.name);
    set_.source = std::move(head_.source);
    return std::move(set_);
  }

 private:
  SetHead head_;
  const TaskLimits& limits_;
  TaskSet set_;
  std::set<std::string, std::less<>> ids_;
};

Error in_document(Error error, const std::string& document) {
  error.document = document;
  return error;
}

Error in_line(Error error, const std::string& document, std::uint64_t line) {
  TextPosition place = error.position.value_or(TextPosition{});
  place.line += line - 1;
  return std::move(error).at(document, place);
}

}  // namespace

Result<TaskSet> parse_task_document(std::string_view text, const std::string& document,
                                    std::string name, const TaskLimits& limits,
                                    const OpContext& context) {
  const auto parsed = parse_json(text, json_limits(limits));
  if (!parsed) return in_document(parsed.error(), document);
  const auto read = [&]() -> Result<TaskSet> {
    if (parsed->if_array() != nullptr) {
      return Error{ErrorCode::InvalidInput, "the set must be an object and is a list", kSetForm};
    }
    std::vector<std::string_view> known(kSetMembers.begin(), kSetMembers.end());
    known.emplace_back("tasks");
    HELVE_ASSIGN(SetHead head, read_head(*parsed, known, std::move(name), limits));
    const JsonValue* const tasks = parsed->find("tasks");
    if (tasks == nullptr || tasks->if_array() == nullptr) {
      return Error{ErrorCode::InvalidInput, "the set has no list of tasks", kSetForm};
    }
    SetBuilder builder(std::move(head), limits);
    std::size_t number = 0;
    for (const JsonValue& one : *tasks->if_array()) {
      HELVE_TRY(context.check());
      auto added = builder.add(one, fmt::format("task {}", ++number));
      if (added) continue;
      Error error = std::move(added).error();
      error.position = place_of_task(text, number - 1);
      return error;
    }
    return builder.finish();
  };
  auto set = read();
  if (!set) return in_document(std::move(set).error(), document);
  return set;
}

Result<TaskSet> parse_task_lines(std::string_view text, const std::string& document,
                                 std::string name, const TaskLimits& limits,
                                 const OpContext& context) {
  SetHead head;
  head.name = name;
  std::optional<SetBuilder> builder;
  std::uint64_t line = 0;
  const auto read = [&](std::string_view one) -> Result<void> {
    HELVE_TRY(context.check());
    HELVE_ASSIGN(const JsonValue value, parse_json(one, json_limits(limits)));
    const bool is_head = !builder && value.if_object() != nullptr &&
                         value.find("question") == nullptr && value.find("id") == nullptr;
    if (is_head) {
      HELVE_ASSIGN(head, read_head(value, kSetMembers, name, limits));
    }
    if (!builder) builder.emplace(head, limits);
    return is_head ? Result<void>() : builder->add(value, "the task");
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line;
    if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (auto outcome = read(one); !outcome) {
      return in_line(std::move(outcome).error(), document, line);
    }
  }
  auto set = builder ? builder->finish() : SetBuilder(head, limits).finish();
  if (!set) return in_document(std::move(set).error(), document);
  return set;
}

}  // namespace helve::agent
