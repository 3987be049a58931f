#include "agent/learn/lesson_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/learn/executed_query.h"
#include "base/ascii.h"
#include "base/text.h"
#include "toolkit/learning/variable_names.h"

namespace helve::agent {

namespace {

using learning::QueryLanguage;
using learning::QueryPattern;

// So many words of the question in a row are the question.
constexpr std::size_t kPhraseWords = 6;
constexpr std::size_t kNameShown = 80;
// Shorter values of the answer may stand in a query: LIMIT 10.
constexpr std::size_t kAnswerInQuery = 4;

bool is_word_character(char c) {
  return is_letter_or_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80U;
}
bool is_word_start(char c) { return is_word_character(c) && !is_digit(c); }
bool is_name(char c) { return is_word_character(c) || c == '-'; }

std::set<std::string> phrases_of(std::string_view text, std::size_t words) {
  std::vector<std::string> found;
  const std::string lower = ascii_lower(text);
  for (std::size_t at = 0; at < lower.size();) {
    std::size_t end = at;
    while (end < lower.size() && is_word_character(lower[end])) ++end;
    if (end > at) found.push_back(lower.substr(at, end - at));
    at = end + 1;
  }
  std::set<std::string> phrases;
  for (std::size_t i = 0; i + words <= found.size(); ++i) {
    phrases.insert(
        fmt::format("{}", fmt::join(found.begin() + static_cast<std::ptrdiff_t>(i),
                                    found.begin() + static_cast<std::ptrdiff_t>(i + words), " ")));
  }
  return phrases;
}

// "up:Protein", and addresses whole.
std::vector<std::string> graph_names_in(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    std::size_t begin = colon;
    while (begin > 0 && is_name(text[begin - 1])) --begin;
    const bool is_variable = begin > 0 && (text[begin - 1] == '?' || text[begin - 1] == '$');
    if (begin == colon || !is_word_start(text[begin]) || is_variable) continue;
    if (text.substr(colon).starts_with("://")) {
      const std::size_t end = std::min(text.find_first_of(" \t\r\n<>\"'`),;", colon), text.size());
      names.emplace_back(text.substr(begin, end - begin));
      colon = end - 1;
      continue;
    }
    std::size_t end = colon + 1;
    while (end < text.size() && is_name(text[end])) ++end;
    if (end > colon + 1 && is_word_start(text[colon + 1])) {
      names.emplace_back(text.substr(begin, end - begin));
    }
  }
  return names;
}

// "artist.name", what stands in `marks` for names, and tables behind the words of SQL.
std::vector<std::string> table_names_in(std::string_view text) {
  std::vector<std::string> names;
  const auto word_before = [text](std::size_t at) {
    std::size_t begin = at;
    while (begin > 0 && is_word_character(text[begin - 1])) --begin;
    return std::string(text.substr(begin, at - begin));
  };
  const auto word_after = [text](std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && is_word_character(text[end])) ++end;
    return std::string(text.substr(at, end - at));
  };
  for (std::size_t dot = text.find('.'); dot != std::string_view::npos;
       dot = text.find('.', dot + 1)) {
    const std::string left = word_before(dot);
    const std::string right = word_after(dot + 1);
    // "e.g." is no table.
    if (left.size() < 2 || right.size() < 2 || !is_word_start(left[0]) || !is_word_start(right[0]))
      continue;
    names.push_back(left);
    names.push_back(right);
  }
  for (const std::string_view keyword : {"FROM ", "JOIN "}) {
    for (std::size_t at = text.find(keyword); at != std::string_view::npos;
         at = text.find(keyword, at + 1)) {
      const std::string name = word_after(at + keyword.size());
      if ((at == 0 || !is_word_character(text[at - 1])) && !name.empty()) names.push_back(name);
    }
  }
  for (std::size_t mark = text.find('`'); mark != std::string_view::npos;
       mark = text.find('`', mark + 1)) {
    const std::string name = word_after(mark + 1);
    const std::size_t end = mark + 1 + name.size();
    if (!name.empty() && end < text.size() && text[end] == '`') {
      names.push_back(name);
      mark = end;
    }
  }
  return names;
}

std::string without_block(const memory::Item& item) {
  const auto remembered = learning::remembered_query(item);
  if (!remembered) return item.content;
  const std::size_t at = item.content.find(remembered->text);
  return item.content.substr(0, at) + item.content.substr(at + remembered->text.size());
}

// Of blocks, open or closed.
std::size_t count_of_fences(const memory::Item& item) {
  std::size_t count = 0;
  for (const std::string* const text : {&item.title, &item.desc, &item.content}) {
    for (const std::string_view fence : {"```", "~~~"}) {
      for (std::size_t at = text->find(fence); at != std::string::npos;
           at = text->find(fence, at + fence.size())) {
        ++count;
      }
    }
  }
  return count;
}

Error not_grounded(std::string_view name) {
  return {ErrorCode::InvalidInput,
          fmt::format("{} stands in no query that ran",
                      escape_for_terminal(elide_end(std::string(name), kNameShown))),
          "name only what was executed"};
}

std::string reasons_of(const std::vector<JudgedRun>& runs) {
  std::string reasons;
  for (const JudgedRun& run : runs) reasons += run.judgment.says + "\n";
  return reasons;
}

// Of the languages themselves.
bool is_of_language(std::string_view name) {
  return name == "rdf:type" || name.starts_with("xsd:") ||
         name == "http://www.w3.org/1999/02/22-rdf-syntax-ns#type" ||
         name.starts_with("http://www.w3.org/2001/XMLSchema#");
}

}  // namespace

LessonCheck::LessonCheck(const TaskCase& task, const std::vector<JudgedRun>& runs,
                         const LessonOrigin& origin)
    : task_(task),
      origin_(origin),
      leaks_(task.question),
      answers_(task.question),
      figures_(reasons_of(runs)),
      phrases_(phrases_of(task.question, kPhraseWords)) {
  for (const JudgedRun& run : runs) {
    answers_.forbid(run.judgment.answer_words);
    take_query(run.result.query);
    for (const std::string& query : run.failed_queries) take_query(query);
    for (const learning::Failure& failure : run.failures) {
      texts_.push_back(failure.message + "\n" + failure.hint);
    }
  }
  // What answers the question must not be told either.
  if (const auto pattern = pattern_of(task.reference, task, origin)) leaks_.forbid(*pattern);
  if (task.language == QueryLanguage::Sql) {
    for (std::string& text : texts_) text = ascii_lower(text);
  }
}

void LessonCheck::take_query(std::string_view query) {
  if (query.empty()) return;
  texts_.emplace_back(query);
  const auto pattern = pattern_of(query, task_, origin_);
  if (!pattern) {
    leaks_.forbid_constants_of(query);
    return;
  }
  leaks_.forbid(*pattern);
  leaks_.allow_names_of(*pattern);
  const bool is_sql = task_.language == QueryLanguage::Sql;
  for (const auto* names : {&pattern->classes, &pattern->properties}) {
    for (const learning::SchemaName& name : *names) {
      names_.insert(is_sql ? ascii_lower(name.name) : name.name);
      names_.insert(is_sql ? ascii_lower(name.shown) : name.shown);
      for (const std::string_view one : {std::string_view(name.name), std::string_view(name.shown),
                                         learning::local_name(name.name)}) {
        answers_.allow(one);
      }
    }
  }
}

bool LessonCheck::is_known(std::string_view name) const {
  const bool is_sql = task_.language == QueryLanguage::Sql;
  const std::string wanted = is_sql ? ascii_lower(name) : std::string(name);
  if (names_.contains(wanted) || is_of_language(wanted)) return true;
  return std::any_of(texts_.begin(), texts_.end(), [&wanted](const std::string& text) {
    for (std::size_t at = text.find(wanted); at != std::string::npos;
         at = text.find(wanted, at + 1)) {
      const std::size_t end = at + wanted.size();
      if ((at == 0 || !is_name(text[at - 1])) && (end == text.size() || !is_name(text[end]))) {
        return true;
      }
    }
    return false;
  });
}

// What could be run again must be of what ran.
Result<void> LessonCheck::check_procedure(const memory::Item& item) const {
  const auto remembered = learning::remembered_query(item);
  const bool is_in_block = remembered && remembered->text != item.content;
  if (count_of_fences(item) != (is_in_block ? 2U : 0U)) {
    return Error{ErrorCode::InvalidInput, "it has a block of code other than its one query",
                 "one block, that begins with ```sparql or ```sql"};
  }
  if (!remembered) return {};
  if (remembered->language != task_.language) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("its query is {}, and that which ran was {}",
                             name_of(remembered->language), name_of(task_.language))};
  }
  auto pattern = pattern_of(remembered->text, task_, origin_);
  if (!pattern) {
    return Error{ErrorCode::InvalidInput,
                 "its query cannot be read: " + pattern.error().full_message(),
                 pattern.error().hint};
  }
  const bool is_sql = task_.language == QueryLanguage::Sql;
  for (const auto* names : {&pattern->classes, &pattern->properties}) {
    for (const learning::SchemaName& name : *names) {
      const bool is_there = names_.contains(is_sql ? ascii_lower(name.name) : name.name);
      if (!is_there && !is_of_language(name.name)) return not_grounded(name.shown);
    }
  }
  return {};
}

Result<void> LessonCheck::check_sentences(std::string_view text) const {
  const bool is_sql = task_.language == QueryLanguage::Sql;
  for (const std::string& name : is_sql ? table_names_in(text) : graph_names_in(text)) {
    if (!is_known(name)) return not_grounded(name);
  }
  return {};
}

Result<void> LessonCheck::check(const memory::Item& item) const {
  HELVE_TRY(memory::check_item(item));
  std::string tags;
  for (const std::string& tag : item.tags) tags += tag + "\n";
  const std::string sentences = without_block(item);
  for (const std::string& text : {item.title, item.desc, item.content, tags}) {
    HELVE_TRY(leaks_.check(text));
    for (const std::string& phrase : phrases_of(text, kPhraseWords)) {
      if (!phrases_.contains(phrase)) continue;
      return Error{ErrorCode::InvalidInput, "the lesson repeats words of its question",
                   "say what it is about in general"};
    }
  }
  HELVE_TRY(check_procedure(item));
  for (const std::string& text : {item.title, item.desc, sentences, tags}) {
    HELVE_TRY(check_sentences(text));
    HELVE_TRY(figures_.check(text));
  }
  return {};
}

Result<void> LessonCheck::check_written(const memory::Item& item) const {
  HELVE_TRY(check(item));
  for (const std::string& text : {item.title, item.desc, without_block(item)}) {
    HELVE_TRY(answers_.check(text));
  }
  for (const std::string& tag : item.tags) HELVE_TRY(answers_.check(tag));
  return answers_.check(item.content, kAnswerInQuery);
}

}  // namespace helve::agent
