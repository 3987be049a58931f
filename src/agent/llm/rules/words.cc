#include "agent/llm/rules/words.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace helve::llm::rules {

namespace {

constexpr std::size_t kNameBytesMax = 300;
constexpr std::size_t kWordsMax = 24;

bool is_name_letter(char c) { return is_letter(c) || static_cast<unsigned char>(c) >= 0x80; }

// Parts of names that only say how the rest is meant.
constexpr std::array<std::string_view, 12> kParticles = {"has", "is", "of", "by",   "the", "a",
                                                         "in",  "at", "to", "from", "on",  "an"};

constexpr std::array kFunctionWords = std::to_array<std::string_view>(
    {"a",     "about",  "all",   "also", "an",     "and",   "any",   "are",    "as",    "at",
     "be",    "been",   "being", "both", "but",    "by",    "can",   "could",  "did",   "do",
     "does",  "doing",  "each",  "ever", "every",  "find",  "for",   "from",   "get",   "give",
     "given", "had",    "has",   "have", "having", "how",   "i",     "if",     "in",    "into",
     "is",    "it",     "its",   "kind", "kinds",  "list",  "many",  "me",     "much",  "name",
     "names", "of",     "on",    "one",  "ones",   "only",  "or",    "other",  "our",   "per",
     "show",  "so",     "some",  "tell", "than",   "that",  "the",   "their",  "them",  "then",
     "there", "these",  "they",  "this", "those",  "to",    "type",  "types",  "up",    "us",
     "was",   "we",     "were",  "what", "when",   "where", "which", "who",    "whom",  "whose",
     "will",  "with",   "would", "you",  "please", "count", "whole", "number", "total", "exist",
     "known", "exactly"});

// "stopped" is of "stop".
void undouble(std::string& word) {
  const std::size_t n = word.size();
  if (n > 3 && word[n - 1] == word[n - 2] &&
      std::string_view("lsz").find(word[n - 1]) == std::string_view::npos) {
    word.pop_back();
  }
}

}  // namespace

std::vector<std::string> words_of_name(std::string_view name) {
  if (name.starts_with('<') && name.ends_with('>')) name = name.substr(1, name.size() - 2);
  if (const std::size_t slash = name.find_last_of("/#");
      slash != std::string_view::npos && name.find("://") != std::string_view::npos) {
    name.remove_prefix(slash + 1);
  } else if (const std::size_t colon = name.find(':');
             colon != std::string_view::npos && name.find(' ') == std::string_view::npos) {
    name.remove_prefix(colon + 1);
  }
  name = name.substr(0, std::min(name.find(" ("), kNameBytesMax));
  std::vector<std::string> words;
  std::string word;
  const auto end = [&] {
    if (!word.empty() && words.size() < kWordsMax) words.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_name_letter(c) && !is_digit(c)) {
      end();
      continue;
    }
    const bool is_hump = is_upper(c) && i > 0 && !is_upper(name[i - 1]);
    const bool is_other = !word.empty() && is_digit(c) != is_digit(word.back());
    if (is_hump || is_other) end();
    word += ascii_lower(c);
  }
  end();
  return words;
}

std::string stem(std::string_view text) {
  std::string word = ascii_lower(text);
  const auto ends = [&](std::string_view tail, std::size_t least) {
    return word.size() >= least && word.ends_with(tail);
  };
  const auto cut = [&](std::size_t count) { word.resize(word.size() - count); };
  if (ends("ies", 5) || ends("ied", 5)) {
    cut(3);
    word += 'y';
  } else if (ends("sses", 6) || ends("xes", 5) || ends("ches", 6) || ends("shes", 6) ||
             ends("ses", 5)) {
    cut(2);
  } else if (ends("s", 4) && !ends("ss", 3) && !ends("us", 3) && !ends("is", 3)) {
    cut(1);
  }
  if (ends("ing", 6)) {
    cut(3);
    undouble(word);
  } else if (ends("ed", 5)) {
    cut(2);
    undouble(word);
  }
  if (ends("e", 4) || ends("y", 6)) cut(1);
  return word;
}

std::vector<std::string> stems(const std::vector<std::string>& words) {
  std::vector<std::string> all;
  all.reserve(words.size());
  for (const std::string& word : words) all.push_back(stem(word));
  return all;
}

bool is_function_word(std::string_view lower) {
  return std::find(kFunctionWords.begin(), kFunctionWords.end(), lower) != kFunctionWords.end();
}

double likeness(const std::vector<std::string>& asked_stems, std::string_view name) {
  std::vector<std::string> words = words_of_name(name);
  if (words.size() > 1) {
    std::erase_if(words, [](const std::string& word) {
      return std::find(kParticles.begin(), kParticles.end(), word) != kParticles.end();
    });
  }
  if (words.empty() || asked_stems.empty()) return 0;
  const std::vector<std::string> of_name = stems(words);
  double common = 0;
  for (const std::string& asked : asked_stems) {
    double best = 0;
    for (const std::string& one : of_name) {
      if (one == asked) best = 1;
      constexpr std::size_t kAlikeMin = 5;  // letters at the beginning: "settler", "settlement"
      if (asked.size() >= kAlikeMin && one.size() >= kAlikeMin &&
          (one.starts_with(asked) || asked.starts_with(one))) {
        best = std::max(best, 0.8);
      }
    }
    common += best;
  }
  const double of_asked = common / static_cast<double>(asked_stems.size());
  const double of_words = std::min(1.0, common / static_cast<double>(of_name.size()));
  return of_asked * 0.6 + of_words * 0.4;
}

std::uint64_t mix(std::uint64_t seed, std::string_view text) {
  std::uint64_t hash = 14'695'981'039'346'656'037ULL ^ (seed * 0x9E3779B97F4A7C15ULL);
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1'099'511'628'211ULL;
  }
  hash ^= hash >> 29U;
  hash *= 0xBF58476D1CE4E5B9ULL;
  return hash ^ (hash >> 32U);
}

}  // namespace helve::llm::rules
