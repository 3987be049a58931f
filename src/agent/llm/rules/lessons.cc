#include "agent/llm/rules/lessons.h"

#include <algorithm>

#include "base/ascii.h"

namespace helve::llm::rules {

namespace {

constexpr std::size_t kLessonsMax = 20;

std::vector<std::string_view> lines_of(std::string_view text) {
  constexpr std::size_t kLinesMax = 2'000;
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < kLinesMax) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Slots: ?slot1 is an entity, LIMIT is a number.
void read_slots(std::string_view line, Lesson& lesson) {
  line = trimmed(line.substr(6));
  if (line.ends_with('.')) line.remove_suffix(1);
  for (const std::string& part : split(line, ", ")) {
    const std::size_t is = part.find(" is ");
    if (is != std::string::npos) lesson.slots.emplace_back(part.substr(0, is), part.substr(is + 4));
  }
}

// A line of the content of a lesson.
class Content {
 public:
  void take(std::string_view line, Lesson& lesson) {
    if (line.starts_with("```")) {
      // Only the first block is the query; one that is cut off is none.
      if (is_inside_) is_done_ = true;
      is_inside_ = !is_inside_ && !is_done_;
    } else if (is_inside_) {
      lesson.query += std::string(line) + "\n";
    } else if (line.starts_with("Slots:")) {
      read_slots(line, lesson);
    }
  }
  void finish(Lesson& lesson) const {
    if (!is_done_) lesson.query.clear();
  }

 private:
  bool is_inside_ = false;
  bool is_done_ = false;
};

}  // namespace

std::vector<Lesson> read_lessons(std::string_view text) {
  std::vector<Lesson> lessons;
  Content content;
  const auto finish = [&] {
    if (!lessons.empty()) content.finish(lessons.back());
    content = {};
  };
  for (const std::string_view line : lines_of(text)) {
    const bool worked = line.starts_with("What worked [");
    const bool avoid = line.starts_with("What to avoid [");
    if (worked || avoid || line.starts_with("In general [")) {
      finish();
      if (lessons.size() == kLessonsMax) break;
      lessons.push_back({});
      lessons.back().kind = worked  ? LessonKind::Worked
                            : avoid ? LessonKind::Avoid
                                    : LessonKind::General;
      continue;
    }
    if (lessons.empty() || !line.starts_with("> ")) continue;
    const std::string_view said = line.substr(2);
    if (lessons.back().title.empty()) {
      lessons.back().title = said;
    } else {
      content.take(said, lessons.back());
    }
  }
  finish();
  return lessons;
}

std::vector<Lesson> read_examples(std::string_view text) {
  std::vector<Lesson> examples;
  Content content;
  for (const std::string_view line : lines_of(text)) {
    if (line.starts_with("#")) {
      if (!examples.empty()) content.finish(examples.back());
      content = {};
      if (examples.size() == kLessonsMax) break;
      examples.push_back({LessonKind::Example,
                          std::string(trimmed(line.substr(line.find_first_not_of('#')))),
                          "",
                          {}});
    } else if (!examples.empty()) {
      content.take(line, examples.back());
    }
  }
  if (!examples.empty()) content.finish(examples.back());
  std::erase_if(examples, [](const Lesson& one) { return one.query.empty(); });
  return examples;
}

Lesson read_item(std::string_view title, std::string_view source, std::string_view content) {
  Lesson lesson;
  lesson.title = title;
  lesson.kind = source == "failure" ? LessonKind::Avoid
                : source == "seed"  ? LessonKind::General
                                    : LessonKind::Worked;
  std::string text(content);
  for (std::size_t at = 0; (at = text.find("\\n", at)) != std::string::npos; ++at) {
    text.replace(at, 2, "\n");
  }
  Content reader;
  for (const std::string_view line : lines_of(text)) reader.take(line, lesson);
  reader.finish(lesson);
  return lesson;
}

}  // namespace helve::llm::rules
