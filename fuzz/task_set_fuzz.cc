// Task sets that others wrote, as a document and as lines. What is read has what every task must
// have, and errors of tasks have a place in the text.
#include <cstdint>
#include <string_view>

#include "agent/tasks/task_json.h"
#include "agent/tasks/task_place.h"
#include "base/check.h"
#include "base/json.h"

namespace {

using namespace helve;
using namespace helve::agent;

void look_at(const Result<TaskSet>& set) {
  if (!set) {
    HELVE_CHECK(!set.error().message.empty());
    return;
  }
  HELVE_CHECK(!set->cases.empty());
  for (const TaskCase& task : set->cases) {
    HELVE_CHECK(!task.id.empty() && !task.question.empty());
    HELVE_CHECK(task.level >= 1 && task.level <= 3);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  look_at(parse_task_document(text, "fuzz", "fuzz", {}, {}));
  look_at(parse_task_lines(text, "fuzz", "fuzz", {}, {}));
  const auto parsed = parse_json(text);
  if (!parsed) return 0;
  const JsonValue* const tasks = parsed->find("tasks");
  const std::size_t count =
      tasks != nullptr && tasks->if_array() != nullptr ? tasks->if_array()->size() : 0;
  // Keys with escapes are not looked for.
  if (text.find('\\') != std::string_view::npos) return 0;
  for (std::size_t i = 0; i < count && i < 100; ++i)
    HELVE_CHECK(place_of_task(text, i).has_value());
  HELVE_CHECK(!place_of_task(text, count).has_value());
  return 0;
}
