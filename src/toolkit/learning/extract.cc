#include "toolkit/learning/extract.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/redaction.h"
#include "base/text.h"
#include "base/utf8.h"
#include "sources/sparql/algebra/parser.h"
#include "toolkit/learning/leak_check.h"
#include "toolkit/learning/pattern_words.h"
#include "toolkit/learning/variable_names.h"

namespace helve::learning {

namespace {

using memory::Item;

constexpr std::size_t kMessageChars = 300;
constexpr std::size_t kWordChars = 60;
constexpr std::size_t kNamesListed = 20;
constexpr std::size_t kNamesInDesc = 3;
constexpr std::array<std::string_view, 4> kVerdicts = {"", "correct", "partial", "incorrect"};

// Words of others: one line, without secrets, no longer than it may be.
std::string one_line(std::string_view text, std::size_t chars_max) {
  constexpr std::size_t kBytesLookedAt = 16'384;
  text = text.substr(0, kBytesLookedAt);
  text = text.substr(0, text.find_first_of("\r\n", text.find_first_not_of("\r\n\t ")));
  return elide_end(escape_for_terminal(redact(text)), chars_max);
}

// At most three names, of which none is an IRI in full: such are no words of a title.
std::string title_names(const std::vector<SchemaName>& names, std::size_t most) {
  std::vector<std::string> shown;
  for (const SchemaName& name : names) {
    if (shown.size() == most) break;
    shown.push_back(name.shown.starts_with('<') ? std::string(local_name(name.name)) : name.shown);
    if (shown.back().empty() || shown.back().find(' ') != std::string::npos) shown.pop_back();
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

// Ten words at most: the verb, a class, "by", three properties, and what follows.
std::string title_of(std::string_view verb, const QueryPattern& pattern, std::string_view behind) {
  constexpr std::size_t kTitleChars = 120;
  for (std::size_t most = 3; most > 0; --most) {
    const std::string classes = title_names(pattern.classes, 1);
    const std::string properties = title_names(pattern.properties, most);
    std::string title = fmt::format("{} {}", verb, classes.empty() ? "things" : classes);
    if (!properties.empty()) title += " by " + properties;
    title += behind;
    if (utf8_length(title) <= kTitleChars) return title;
  }
  return fmt::format("{} things by long names{}", verb, behind);
}

void add_tag(std::string text, Item& item) {
  const memory::ItemLimits limits;
  std::replace(text.begin(), text.end(), ',', ' ');
  if (text.find_first_not_of(' ') == std::string::npos) return;
  if (utf8_length(text) > limits.tag_chars_max || item.tags.size() == limits.tags_max) return;
  if (std::find(item.tags.begin(), item.tags.end(), text) == item.tags.end()) {
    item.tags.push_back(std::move(text));
  }
}

void add_tags(const QueryPattern& pattern, Item& item) {
  for (const auto* names : {&pattern.classes, &pattern.properties}) {
    for (const SchemaName& name : *names) {
      add_tag(escape_for_terminal(local_name(name.name)), item);
    }
  }
}

std::string names_of(std::string_view title, const std::vector<SchemaName>& names) {
  if (names.empty()) return {};
  std::string text = fmt::format("{}:", title);
  for (std::size_t i = 0; i < std::min(names.size(), kNamesListed); ++i) {
    text += fmt::format("{} {}", i == 0 ? "" : ",", names[i].shown);
  }
  if (names.size() > kNamesListed) text += " and others";
  return text + "\n";
}

std::string text_of(const QueryPattern& pattern) {
  std::string text = fmt::format("It {}.\n\n```{}\n{}\n```\n", pattern.words,
                                 name_of(pattern.language), pattern.text);
  if (!pattern.slots.empty()) {
    text += "Slots:";
    for (std::size_t i = 0; i < std::min(pattern.slots.size(), kNamesListed); ++i) {
      const Slot& slot = pattern.slots[i];
      text += fmt::format("{} {} is {}", i == 0 ? "" : ",", slot.mark, name_of(slot.kind));
    }
    text += ".\n";
  }
  const bool is_sql = pattern.language == QueryLanguage::Sql;
  text += names_of(is_sql ? "Tables" : "Classes", pattern.classes);
  text += names_of(is_sql ? "Columns" : "Properties", pattern.properties);
  return text;
}

Result<QueryPattern> pattern_of(const Executed& executed, std::string_view task) {
  GeneraliseOptions options;
  options.prefixes = executed.prefixes;
  options.numbers = numbers_in(task);
  if (executed.language == QueryLanguage::Sql) {
    return generalise_sql(executed.query, executed.dialect, options);
  }
  return generalise_sparql(executed.query, options);
}

Item bare_item(const Executed& executed, const Judgment& judgment) {
  const memory::ItemLimits limits;
  Item item;
  item.domain = one_line(executed.domain, limits.domain_chars_max);
  item.schema_fingerprint = one_line(executed.schema_fingerprint, limits.word_chars_max);
  item.provenance.run = one_line(executed.run, limits.word_chars_max);
  item.provenance.evidence = one_line(executed.handle, limits.word_chars_max);
  item.provenance.query_hash = one_line(executed.query_hash, limits.word_chars_max);
  if (judgment.verdict != Verdict::None) {
    item.provenance.verdict = name_of(judgment.verdict);
    if (!judgment.is_verified) item.provenance.verdict += ", not verified";
    const std::string by = one_line(judgment.by, kWordChars);
    if (!by.empty()) item.provenance.verdict += ", by " + by;
  }
  add_tag(std::string(name_of(executed.language)), item);
  return item;
}

std::string over_and_by(const QueryPattern& pattern) {
  std::string text = pattern.classes.empty() ? "things" : listed(pattern.classes, kNamesInDesc);
  if (!pattern.properties.empty()) text += " by " + listed(pattern.properties, kNamesInDesc);
  return text;
}

std::string place_of(const Item& item) {
  return item.domain.empty() ? std::string() : fmt::format(" in {}", item.domain);
}

// A sentence for the description, with a shorter one where names are long.
std::string sentence(std::string text, std::string shorter) {
  const memory::ItemLimits limits;
  return utf8_length(text) <= limits.desc_chars_max ? std::move(text) : std::move(shorter);
}

Result<Item> finished(Item item) {
  item.id = memory::id_of(item);
  HELVE_TRY(memory::check_item(item));
  return item;
}

Result<Item> positive_lesson(const Executed& executed, std::string_view task,
                             const Judgment& judgment) {
  if (executed.rows == 0) {
    return Error{ErrorCode::InvalidInput, "the query gave no rows: there is no success to learn of",
                 "mem_learn_from_failure keeps what to avoid"};
  }
  HELVE_ASSIGN(const QueryPattern pattern, pattern_of(executed, task));
  Item item = bare_item(executed, judgment);
  LeakCheck leaks(task);
  leaks.forbid(pattern);
  leaks.allow_names_of(pattern);
  HELVE_TRY(leaks.check(pattern.text));
  item.title = title_of(pattern.is_counting ? "Count" : "Find", pattern, "");
  item.desc = sentence(
      fmt::format("Use when {} are asked for{}; not for other classes or properties, nor when "
                  "the schema has changed.",
                  over_and_by(pattern), place_of(item)),
      "Use when these classes and properties are asked for; not when the schema has changed.");
  // Without figures: the next time they would be others, and the lesson another one.
  item.content = text_of(pattern);
  add_tags(pattern, item);
  item.quarantined = !(judgment.is_verified && judgment.verdict == Verdict::Correct);
  return item;
}

}  // namespace

std::string_view name_of(Verdict verdict) { return kVerdicts[static_cast<std::size_t>(verdict)]; }

std::optional<Verdict> verdict_of(std::string_view name) {
  const auto* found = std::find(kVerdicts.begin() + 1, kVerdicts.end(), name);
  if (found == kVerdicts.end()) return std::nullopt;
  return static_cast<Verdict>(found - kVerdicts.begin());
}

Result<Item> lesson_of_success(const Executed& executed, std::string_view task,
                               const Judgment& judgment) {
  if (judgment.verdict == Verdict::Incorrect) {
    return Error{ErrorCode::InvalidInput, "the result was judged incorrect",
                 "mem_learn_from_failure keeps what to avoid"};
  }
  HELVE_ASSIGN(Item item, positive_lesson(executed, task, judgment));
  item.src = memory::ItemSource::Success;
  return finished(std::move(item));
}

Result<Item> pattern_lesson(const Executed& executed) {
  HELVE_ASSIGN(Item item, positive_lesson(executed, "", {}));
  item.src = memory::ItemSource::Pattern;
  return finished(std::move(item));
}

Result<Item> lesson_of_failure(const Executed& executed, std::string_view task,
                               const Failure& failure, const Judgment& judgment) {
  const auto pattern = pattern_of(executed, task);
  LeakCheck leaks(task);
  if (pattern) {
    leaks.forbid(*pattern);
    leaks.allow_names_of(*pattern);
    HELVE_TRY(leaks.check(pattern->text));
  } else {
    leaks.forbid_constants_of(executed.query);
  }
  const auto said = [&](std::string_view text, std::size_t most) {
    return leaks.scrubbed(one_line(text, most));
  };
  std::string kind = said(failure.kind, kWordChars);
  std::replace(kind.begin(), kind.end(), ' ', '_');
  if (kind.empty()) kind = "failure";
  const std::string message = said(failure.message, kMessageChars);
  const std::string hint = said(failure.hint, kMessageChars);
  Item item = bare_item(executed, judgment);
  item.src = memory::ItemSource::Failure;
  const std::string behind = fmt::format(" this way: {}", elide_end(kind, kWordChars / 2));
  item.title = title_of("Avoid finding", pattern ? *pattern : QueryPattern{}, behind);
  item.desc = sentence(
      fmt::format("Use before asking for {}{}; it says what went wrong and is no reason to give "
                  "up other ways.",
                  pattern ? over_and_by(*pattern) : "such things", place_of(item)),
      "Use before asking for these classes and properties; it is no reason to give up other ways.");
  item.content = pattern ? text_of(*pattern)
                         : fmt::format("The {} could not be read.\n", name_of(executed.language));
  item.content += fmt::format("It ended with {}.\n", kind);
  if (!message.empty()) item.content += fmt::format("Told by the source: {}\n", message);
  if (!hint.empty()) item.content += fmt::format("Found out: {}\n", hint);
  add_tag(kind, item);
  if (pattern) add_tags(*pattern, item);
  item.quarantined = !(judgment.is_verified && judgment.verdict == Verdict::Incorrect);
  return finished(std::move(item));
}

std::optional<RememberedQuery> remembered_query(const Item& item) {
  const std::string lower = ascii_lower(item.content);
  for (const QueryLanguage language : {QueryLanguage::Sparql, QueryLanguage::Sql}) {
    const std::string open = fmt::format("```{}", name_of(language));
    const std::size_t begin = lower.find(open);
    if (begin == std::string::npos) continue;
    const std::size_t line = lower.find_first_not_of(" \t\r", begin + open.size());
    if (line == std::string::npos || lower[line] != '\n') continue;
    const std::size_t end = lower.find("\n```", line + 1);
    if (end == std::string::npos) continue;
    return RememberedQuery{language, item.content.substr(line + 1, end - line - 1)};
  }
  if (!sparql::parse_query(item.content)) return std::nullopt;
  return RememberedQuery{QueryLanguage::Sparql, item.content};
}

}  // namespace helve::learning
