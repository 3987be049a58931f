#include "toolkit/tables/catalogue_search.h"

#include <algorithm>
#include <string>

#include "base/ascii.h"
#include "toolkit/tables/name_distance.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kWordsMax = 8;
constexpr std::size_t kPatternBytesMax = 200;

bool has_word(const std::vector<std::string>& words, const std::string& wanted) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word == wanted || (wanted.size() >= 3 && word.starts_with(wanted));
  });
}

class CatalogueSearch {
 public:
  explicit CatalogueSearch(std::string_view pattern)
      : lower_(ascii_lower(pattern.substr(0, kPatternBytesMax))),
        near_(lower_),
        words_(words_of_name(pattern.substr(0, kPatternBytesMax))) {
    // Wildcards of SQL and of files mean any text, which is what is sought anyway.
    std::erase_if(lower_, [](char c) { return c == '%' || c == '*'; });
    if (words_.size() > kWordsMax) words_.resize(kWordsMax);
  }

  // 0: no hit.
  double score(std::string_view name, std::string_view comment) const {
    if (lower_.empty()) return 0;
    const std::string lower = ascii_lower(name);
    if (lower == lower_) return 100;
    const auto distance = near_.distance_to(name);
    if (distance && *distance < 1) return 95;
    if (lower.starts_with(lower_)) return 80;
    const std::vector<std::string> words = words_of_name(name);
    const auto found = std::count_if(words_.begin(), words_.end(), [&](const std::string& word) {
      return has_word(words, word);
    });
    if (!words_.empty() && static_cast<std::size_t>(found) == words_.size()) return 70;
    if (lower_.size() >= 2 && lower.find(lower_) != std::string::npos) return 60;
    if (!comment.empty() && is_in_comment(comment)) return 50;
    if (found > 0) return 45;
    return distance ? std::max(1.0, 40 - 5 * *distance) : 0;
  }

  // "customer email": a word for the table, the others for its column.
  bool is_split_over(std::string_view table, std::string_view column) const {
    if (words_.size() < 2) return false;
    const auto table_words = words_of_name(table);
    const auto column_words = words_of_name(column);
    bool is_in_table = false;
    bool is_in_column = false;
    for (const std::string& word : words_) {
      const bool in_column = has_word(column_words, word);
      const bool in_table = has_word(table_words, word);
      if (!in_column && !in_table) return false;
      is_in_table = is_in_table || in_table;
      is_in_column = is_in_column || in_column;
    }
    return is_in_table && is_in_column;
  }

 private:
  bool is_in_comment(std::string_view comment) const {
    constexpr std::size_t kCommentBytesMax = 1'000;
    const std::vector<std::string> words = words_of_name(comment.substr(0, kCommentBytesMax));
    return !words_.empty() &&
           std::all_of(words_.begin(), words_.end(),
                       [&](const std::string& word) { return has_word(words, word); });
  }

  std::string lower_;
  NameToCompare near_;
  std::vector<std::string> words_;
};

}  // namespace

CatalogueHits search_catalogue(std::string_view words, const Catalogue& catalogue,
                               std::size_t most) {
  constexpr double kTableFirst = 3;
  constexpr double kSplit = 75;
  const CatalogueSearch search(words);
  CatalogueHits found;
  for (const TableInfo& table : catalogue.tables) {
    if (const double score = search.score(table.name, table.comment); score > 0) {
      found.hits.push_back({&table, nullptr, score + (score < 100 ? kTableFirst : 0)});
    }
    for (const ColumnInfo& column : table.columns) {
      double score = search.score(column.name, column.comment);
      if (score < kSplit && search.is_split_over(table.name, column.name)) score = kSplit;
      if (score > 0) found.hits.push_back({&table, &column, score});
    }
  }
  std::stable_sort(found.hits.begin(), found.hits.end(),
                   [](const CatalogueHit& a, const CatalogueHit& b) { return a.score > b.score; });
  found.total = found.hits.size();
  if (found.hits.size() > most) found.hits.resize(most);
  return found;
}

}  // namespace helve::toolkit
