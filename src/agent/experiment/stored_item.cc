#include "agent/experiment/stored_item.h"

#include <fmt/format.h>

#include "agent/learn/executed_query.h"
#include "base/ascii.h"

namespace helve::agent {

namespace {

// Words in small letters with a space between them, whatever else stands there.
std::string plain_words(std::string_view text) {
  std::string out = " ";
  for (const char c : text) {
    if (is_letter_or_digit(c) || static_cast<unsigned char>(c) >= 0x80U) {
      out += ascii_lower(c);
    } else if (out.back() != ' ') {
      out += ' ';
    }
  }
  if (out.back() != ' ') out += ' ';
  return out;
}

}  // namespace

Result<void> check_stored_item(const memory::Item& item, const TaskSet& tasks,
                               const LessonOrigin& origin) {
  HELVE_TRY(memory::check_item(item));
  const std::string words = plain_words(fmt::format("{}\n{}\n{}\n{}", item.title, item.desc,
                                                    item.content, fmt::join(item.tags, "\n")));
  for (const TaskCase& task : tasks.cases) {
    const std::string question = plain_words(task.question);
    if (question.size() > 1 && words.find(question) != std::string::npos) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("{} has the question of {} in it", item.id, task.id)};
    }
  }
  // What is to be avoided need not be readable: that may be why.
  if (item.src == memory::ItemSource::Failure) return {};
  const auto remembered = learning::remembered_query(item);
  if (!remembered) return {};
  TaskCase any;
  any.language = remembered->language;
  HELVE_TRY(pattern_of(remembered->text, any, origin));
  return {};
}

}  // namespace helve::agent
