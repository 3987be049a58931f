#include "agent/llm/rules/lesson_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "agent/llm/rules/sparql_text.h"
#include "agent/llm/rules/sql_text.h"
#include "agent/llm/rules/words.h"
#include "base/ascii.h"

namespace helve::llm::rules {

namespace {

bool has_word(std::string_view query, std::string_view word) {
  return ascii_lower(query).find(ascii_lower(word)) != std::string::npos;
}

// "larger" and "largest" are of one root.
std::string root_of(std::string_view word) {
  std::string root = ascii_lower(word);
  if (root.ends_with("est")) {
    root.resize(root.size() - 3);
  } else if (root.ends_with("er")) {
    root.resize(root.size() - 2);
  }
  return root;
}

std::vector<std::string> content_stems(std::string_view text) {
  std::vector<std::string> found;
  for (const std::string& word : words_of_name(text)) {
    if (!is_function_word(word)) found.push_back(stem(word));
  }
  return found;
}

bool replace_all(std::string& text, std::string_view what, std::string_view with) {
  bool is_found = false;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    // ?slot1 is no part of ?slot10.
    const std::size_t end = at + what.size();
    const bool is_whole = end >= text.size() || !is_digit(text[end]);
    if (is_whole) text.replace(at, what.size(), with);
    is_found = is_found || is_whole;
    at += is_whole ? with.size() : what.size();
  }
  return is_found;
}

// "The largest" is one, whatever was asked for before.
void set_limit(const Question& question, std::string& query) {
  const std::size_t at = query.rfind("LIMIT ");
  if (at == std::string::npos || !question.extreme) return;
  query = query.substr(0, at) + fmt::format("LIMIT {}", question.top.value_or(1));
}

class Fitting {
 public:
  Fitting(const Question& question, const std::vector<Mention>& mentions, const SlotValues& values,
          const Knowledge& known)
      : question_(question), mentions_(mentions), values_(values), known_(known) {}

  // How well, and the query; nothing where it does not fit.
  double fit(const Lesson& lesson, std::string& query) const {
    if (lesson.query.empty()) return 0;
    if (lesson.kind == LessonKind::Example) return fit_example(lesson, query);
    if (lesson.kind != LessonKind::Worked || !has_same_form(lesson.query)) return 0;
    query = lesson.query;
    set_limit(question_, query);
    return fill(lesson, query) ? names_in_question(lesson) : 0;
  }

 private:
  bool has_same_form(const std::string& query) const {
    const bool counts = question_.form == Form::Count || counts_for_each();
    const bool is_ask = has_word(query.substr(0, query.find('{')), "ask ");
    return has_word(query, "count(") == counts && is_ask == (question_.form == Form::YesNo) &&
           has_word(query, "group by") == (question_.group_at.has_value() || counts_for_each()) &&
           has_word(query, "order by") == question_.extreme.has_value() &&
           has_word(query, "not exists") == !question_.negations.empty();
  }

  bool counts_for_each() const {
    if (!question_.extreme) return false;
    const std::size_t next = question_.extreme->at + 1;
    const bool is_plain = question_.extreme->word == "most" || question_.extreme->word == "fewest";
    return is_plain && std::any_of(mentions_.begin(), mentions_.end(), [&](const Mention& one) {
             return one.from == next && one.kind == MentionKind::Class;
           });
  }

  // Every class and property of the question is one of the pattern, and most of the pattern's are
  // asked for.
  double names_in_question(const Lesson& lesson) const {
    const std::vector<std::string> names = names_of(lesson.query);
    const auto asked = content_stems(question_.text);
    std::size_t matched = 0;
    for (const std::string& name : names) {
      const auto words = stems(words_of_name(name));
      matched += std::any_of(words.begin(), words.end(), [&](const std::string& word) {
        return std::find(asked.begin(), asked.end(), word) != asked.end();
      });
    }
    for (const Mention& mention : mentions_) {
      if (mention.kind != MentionKind::Class && mention.kind != MentionKind::Property) continue;
      const bool is_there = std::any_of(
          mention.options.begin(), mention.options.end(), [&](const std::string& option) {
            return std::find(names.begin(), names.end(), option) != names.end();
          });
      if (!is_there) return 0;
    }
    if (names.empty() || matched * 2 < names.size()) return 0;
    return static_cast<double>(matched) / static_cast<double>(names.size());
  }

  std::vector<std::string> names_of(const std::string& query) const {
    if (!known_.is_of_tables) {
      std::vector<std::string> names = names_in(query);
      std::erase(names, known_.label_property);
      return names;
    }
    std::vector<std::string> names;
    for (const Table& table : known_.tables) {
      if (has_word(query, table.name)) names.push_back(table.name);
      for (const Column& column : table.columns) {
        if (has_word(query, column.name)) names.push_back(table.name + "." + column.name);
      }
    }
    return names;
  }

  bool fill(const Lesson& lesson, std::string& query) const {
    std::size_t thing = 0;
    std::size_t text = 0;
    std::size_t number = 0;
    for (const auto& [mark, kind] : lesson.slots) {
      if (mark == "LIMIT") {
        if (!question_.extreme) return false;
        continue;
      }
      std::string with;
      if (kind == "an entity") {
        if (thing == values_.things.size()) return false;
        with = values_.things[thing++];
      } else if (kind == "a text" && text < values_.texts.size()) {
        with = known_.is_of_tables ? sql_quoted(values_.texts[text++])
                                   : sparql_quoted(values_.texts[text++]);
      } else if (number < values_.numbers.size()) {
        with = values_.numbers[number++];
      } else {
        return false;
      }
      if (!replace_all(query, mark, with)) return false;
    }
    // On tables names are texts.
    const bool has_all_texts = !known_.is_of_tables || text == values_.texts.size();
    return has_all_texts && thing == values_.things.size() && number == values_.numbers.size();
  }

  // Almost the same question, or one about another thing.
  double fit_example(const Lesson& example, std::string& query) const {
    const auto asked = content_stems(question_.text);
    const auto told = content_stems(example.title);
    const std::set<std::string> left(asked.begin(), asked.end());
    const std::set<std::string> right(told.begin(), told.end());
    std::size_t common = 0;
    for (const std::string& word : left) common += right.count(word);
    const std::size_t all = left.size() + right.size() - common;
    constexpr double kAlikeMin = 0.75;
    const double alike = all == 0 ? 0 : static_cast<double>(common) / static_cast<double>(all);
    query = example.query;
    set_limit(question_, query);
    return alike >= kAlikeMin ? alike : 0;
  }

  const Question& question_;
  const std::vector<Mention>& mentions_;
  const SlotValues& values_;
  const Knowledge& known_;
};

}  // namespace

std::vector<std::string> lesson_queries(const Question& question,
                                        const std::vector<Mention>& mentions,
                                        const SlotValues& values, const Knowledge& known) {
  const Fitting fitting(question, mentions, values, known);
  std::vector<std::pair<double, std::string>> found;
  for (const Lesson& lesson : known.lessons) {
    std::string query;
    const double score = fitting.fit(lesson, query);
    if (score > 0) found.emplace_back(score, std::move(query));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> queries;
  queries.reserve(found.size());
  for (auto& [score, query] : found) queries.push_back(std::move(query));
  return queries;
}

std::string shape_of(const std::string& query, const Knowledge& known) {
  std::set<std::string> names;
  for (const std::string& name : names_in(query)) {
    const Term* const term = known.find(name);
    const bool is_thing = term != nullptr && term->kind == TermKind::Instance;
    if (!is_thing && name != known.label_property) names.insert(name);
  }
  std::string shape = fmt::format("{}", fmt::join(names, " "));
  for (const std::string_view clause :
       {"ask ", "count(", "group by", "order by", "not exists", "subclassof*", "filter(", "avg("}) {
    shape += has_word(query, clause) ? "+" : "-";
  }
  return shape;
}

bool is_warned_of(const std::string& query, const Knowledge& known) {
  const std::string shape = shape_of(query, known);
  return std::any_of(known.lessons.begin(), known.lessons.end(), [&](const Lesson& lesson) {
    return lesson.kind == LessonKind::Avoid && shape_of(lesson.query, known) == shape;
  });
}

std::string property_for(std::string_view word, const Knowledge& known) {
  const std::string root = root_of(word);
  constexpr std::size_t kRootMin = 3;
  if (root.size() < kRootMin) return {};
  for (const Lesson& lesson : known.lessons) {
    if (lesson.kind != LessonKind::Example) continue;
    const auto words = words_of_name(lesson.title);
    const bool is_there = std::any_of(words.begin(), words.end(),
                                      [&](const std::string& one) { return root_of(one) == root; });
    if (!is_there) continue;
    for (const std::string& name : names_in(lesson.query)) {
      const Term* const term = known.find(name);
      if (term != nullptr && term->kind == TermKind::Property && name != known.label_property) {
        return name;
      }
    }
  }
  return {};
}

}  // namespace helve::llm::rules
