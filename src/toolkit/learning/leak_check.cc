#include "toolkit/learning/leak_check.h"

#include <algorithm>

#include "base/ascii.h"
#include "sources/rdf/vocabulary.h"
#include "toolkit/learning/variable_names.h"

namespace helve::learning {

namespace {

constexpr std::size_t kForbiddenMax = 5'000;
constexpr std::size_t kWordMax = 4;  // longer ones count inside of words too
constexpr std::string_view kGone = "...";

bool is_word_character(char c) {
  return is_letter_or_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80U;
}

bool is_whole_word(std::string_view text, std::size_t at, std::size_t size) {
  const bool begins = at == 0 || !is_word_character(text[at - 1]) || !is_word_character(text[at]);
  const std::size_t end = at + size;
  return begins &&
         (end == text.size() || !is_word_character(text[end]) || !is_word_character(text[end - 1]));
}

bool is_number(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.'; });
}

// Where it stands, from a place on; npos: nowhere.
std::size_t find_forbidden(std::string_view text, std::string_view forbidden, std::size_t from) {
  const bool is_word = forbidden.size() < kWordMax || is_number(forbidden);
  for (std::size_t at = text.find(forbidden, from); at != std::string_view::npos;
       at = text.find(forbidden, at + 1)) {
    if (!is_word || is_whole_word(text, at, forbidden.size())) return at;
  }
  return std::string_view::npos;
}

// Words of the languages themselves, which any pattern may have.
constexpr std::string_view kLanguageWords[] = {
    "a",     "all",    "and",    "as",       "asc",   "ask",      "avg",   "bind",     "bound",
    "by",    "case",   "concat", "count",    "desc",  "distinct", "else",  "end",      "exists",
    "false", "filter", "from",   "graph",    "group", "having",   "if",    "in",       "inner",
    "is",    "join",   "lang",   "left",     "like",  "limit",    "max",   "min",      "minus",
    "not",   "null",   "on",     "optional", "or",    "order",    "outer", "prefix",   "property",
    "regex", "sample", "select", "service",  "slot",  "str",      "sum",   "then",     "true",
    "union", "v",      "values", "when",     "where", "with",     "class", "describe", "construct"};

bool is_of_language(std::string_view text) {
  return std::any_of(std::begin(kLanguageWords), std::end(kLanguageWords),
                     [&](std::string_view word) { return is_same_in_any_case(word, text); });
}

struct Quotes {
  std::string_view open, close;
};
constexpr Quotes kQuotes[] = {{"\"", "\""}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"`", "`"}};

// Apostrophes are quotation marks only where no letter is outside of them.
std::vector<std::string_view> quoted_by_apostrophes(std::string_view text) {
  std::vector<std::string_view> found;
  for (std::size_t at = text.find('\''); at != std::string_view::npos; at = text.find('\'', at)) {
    const std::size_t begin = at + 1;
    at = begin;
    if (begin > 1 && is_word_character(text[begin - 2])) continue;
    for (std::size_t end = text.find('\'', begin); end != std::string_view::npos;
         end = text.find('\'', end + 1)) {
      if (end + 1 < text.size() && is_word_character(text[end + 1])) continue;
      found.push_back(text.substr(begin, end - begin));
      at = end + 1;
      break;
    }
  }
  return found;
}

std::vector<std::string_view> quoted_in(std::string_view text) {
  std::vector<std::string_view> found = quoted_by_apostrophes(text);
  for (const Quotes& quotes : kQuotes) {
    for (std::size_t at = text.find(quotes.open); at != std::string_view::npos;) {
      const std::size_t begin = at + quotes.open.size();
      const std::size_t end = text.find(quotes.close, begin);
      if (end == std::string_view::npos) break;
      found.push_back(text.substr(begin, end - begin));
      at = text.find(quotes.open, end + quotes.close.size());
    }
  }
  return found;
}

}  // namespace

std::vector<std::string> numbers_in(std::string_view text) {
  std::vector<std::string> numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
    while (text[end - 1] == '.') --end;
    const bool is_inside = (at > 0 && is_word_character(text[at - 1])) ||
                           (end < text.size() && is_word_character(text[end]));
    if (!is_inside) numbers.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return numbers;
}

LeakCheck::LeakCheck(std::string_view task) {
  for (const std::string_view quoted : quoted_in(task)) forbid(quoted);
  for (const std::string& number : numbers_in(task)) forbid(number);
}

void LeakCheck::forbid(const QueryPattern& pattern) {
  for (const Slot& slot : pattern.slots) {
    for (const std::string& constant : slot.constants) {
      forbid(constant);
      if (slot.kind != SlotKind::Text && constant.find("://") != std::string::npos) {
        forbid(local_name(constant));
      }
    }
  }
}

void LeakCheck::forbid_constants_of(std::string_view query) {
  for (const std::string_view quoted : quoted_in(query)) forbid(quoted);
  for (const std::string& number : numbers_in(query)) forbid(number);
  for (std::size_t at = query.find('<'); at != std::string_view::npos;
       at = query.find('<', at + 1)) {
    const std::size_t end = query.find_first_of("> \n", at);
    if (end == std::string_view::npos) return;
    const std::string_view iri = query.substr(at + 1, end - at - 1);
    if (query[end] == '>' && iri.find(':') != std::string_view::npos) forbid(iri);
  }
}

void LeakCheck::forbid(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || forbidden_.size() == kForbiddenMax) return;
  if (std::none_of(text.begin(), text.end(), is_word_character) || is_of_language(text)) return;
  insert(forbidden_, text);
}

void LeakCheck::allow(std::string_view name) {
  if (!name.empty()) insert(allowed_, name);
}

void LeakCheck::allow_names_of(const QueryPattern& pattern) {
  allow(rdf::kRdfType);
  for (const std::string& name : pattern.names) {
    allow(name);
    allow(local_name(name));
  }
  for (const auto* names : {&pattern.classes, &pattern.properties}) {
    for (const SchemaName& name : *names) {
      allow(name.name);
      allow(name.shown);
    }
  }
}

void LeakCheck::insert(std::vector<std::string>& texts, std::string_view text) {
  std::string lower = ascii_lower(text);
  const auto is_longer = [](const std::string& left, const std::string& right) {
    return left.size() != right.size() ? left.size() > right.size() : left < right;
  };
  const auto place = std::lower_bound(texts.begin(), texts.end(), lower, is_longer);
  if (place == texts.end() || *place != lower) texts.insert(place, std::move(lower));
}

std::string LeakCheck::scrubbed(std::string text) const {
  for (const std::string& forbidden : forbidden_) {
    for (std::size_t at = find_forbidden(ascii_lower(text), forbidden, 0);
         at != std::string::npos;) {
      text.replace(at, forbidden.size(), kGone);
      at = find_forbidden(ascii_lower(text), forbidden, at + kGone.size());
    }
  }
  return text;
}

std::string LeakCheck::without_names(std::string_view text) const {
  std::string rest = ascii_lower(text);
  for (const std::string& name : allowed_) {
    for (std::size_t at = rest.find(name); at != std::string::npos; at = rest.find(name, at + 1)) {
      rest.replace(at, name.size(), " ");
    }
  }
  return rest;
}

std::string_view LeakCheck::leak_in(std::string_view text) const {
  const std::string rest = without_names(text);
  for (const std::string& forbidden : forbidden_) {
    if (find_forbidden(rest, forbidden, 0) != std::string::npos) return forbidden;
  }
  return {};
}

Result<void> LeakCheck::check(std::string_view text) const {
  if (leak_in(text).empty()) return {};
  return Error{ErrorCode::InvalidInput,
               "the lesson would have a constant of its task or its query in it",
               "name variables, columns and prefixes after what they are, not after the question"};
}

}  // namespace helve::learning
