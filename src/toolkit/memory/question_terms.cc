#include "toolkit/memory/question_terms.h"

#include <algorithm>
#include <iterator>

#include "toolkit/memory/terms.h"

namespace helve::memory {

namespace {

// As terms_of() gives them, ascending.
constexpr std::string_view kJoining[] = {
    "a",   "an",   "and",  "are",  "as",   "at",    "be",    "by",    "can",   "do",    "doe",
    "for", "from", "has",  "have", "how",  "i",     "in",    "is",    "it",    "its",   "me",
    "of",  "on",   "or",   "that", "the",  "their", "there", "these", "this",  "those", "to",
    "was", "we",   "were", "what", "when", "where", "which", "who",   "whose", "with",  "you",
};
static_assert(std::is_sorted(std::begin(kJoining), std::end(kJoining)));

}  // namespace

std::vector<std::string> telling_terms(std::string_view question) {
  std::vector<std::string> terms = query_terms(question);
  const auto joins = [](const std::string& term) {
    return std::binary_search(std::begin(kJoining), std::end(kJoining), std::string_view(term));
  };
  if (!std::all_of(terms.begin(), terms.end(), joins)) std::erase_if(terms, joins);
  return terms;
}

}  // namespace helve::memory
