#include "toolkit/tables/name_distance.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kNameBytesMax = 63;
constexpr std::size_t kEditsMax = 4;
constexpr double kOtherSpelling = 0.25;
constexpr double kOtherNumber = 0.5;  // singular and plural
constexpr double kBeginning = 2.2;
constexpr double kWordsInCommon = 2.6;
constexpr double kPerSharedLetter = 0.05;  // of beginnings, where the distance is equal

bool is_lower_letter(char c) { return is_lower(c) || static_cast<unsigned char>(c) >= 0x80; }

std::string bare(std::string_view lower) {
  std::string out;
  for (const char c : lower) {
    if (is_lower_letter(c) || is_digit(c)) out += c;
  }
  return out;
}

std::string singular(std::string name) {
  if (name.size() > 4 && name.ends_with("ies")) return name.replace(name.size() - 3, 3, "y");
  for (const std::string_view end : {"sses", "xes", "ches", "shes"}) {
    if (name.ends_with(end)) {
      name.resize(name.size() - 2);
      return name;
    }
  }
  if (name.size() > 2 && name.ends_with('s') && !name.ends_with("ss")) name.pop_back();
  return name;
}

// Letters to change, leave out, put in, or swap with the next one.
std::size_t edits(std::string_view a, std::string_view b) {
  using Line = std::array<std::size_t, kNameBytesMax + 2>;
  Line before{};
  Line above{};
  Line line{};
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    line[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      line[j] = std::min({above[j] + 1, line[j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        line[j] = std::min(line[j], before[j - 2] + 1);
      }
    }
    std::swap(before, above);
    std::swap(above, line);
  }
  return above[b.size()];
}

std::size_t shared_beginning(std::string_view a, std::string_view b) {
  const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(end - a.begin());
}

// Most words of the shorter one are words of the other.
bool share_words(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  constexpr std::size_t kWordBytesMin = 3;
  std::size_t shared = 0;
  for (const std::string& word : a) {
    if (word.size() >= kWordBytesMin && std::find(b.begin(), b.end(), word) != b.end()) ++shared;
  }
  return shared > 0 && shared * 2 >= std::min(a.size(), b.size()) &&
         shared * 3 >= std::max(a.size(), b.size());
}

// "id" for "customer_id".
bool ends_with_words(const std::vector<std::string>& whole, const std::vector<std::string>& end) {
  return !end.empty() && end.size() < whole.size() &&
         std::equal(end.rbegin(), end.rend(), whole.rbegin());
}

}  // namespace

std::vector<std::string> words_of_name(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::exchange(word, {}));
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const char lower = ascii_lower(c);
    if (!is_lower_letter(lower) && !is_digit(c)) {
      end_word();
      continue;
    }
    const bool begins =
        i > 0 && is_upper(c) &&
        (!is_upper(name[i - 1]) ||
         (i + 1 < name.size() && is_lower_letter(name[i + 1]) && !is_upper(name[i + 1])));
    if (begins) end_word();
    word += lower;
  }
  end_word();
  return words;
}

NameToCompare::NameToCompare(std::string_view name)
    : lower_(ascii_lower(name.substr(0, kNameBytesMax + 1))),
      bare_(bare(lower_)),
      singular_(singular(bare_)),
      words_(words_of_name(name.substr(0, kNameBytesMax + 1))) {}

std::optional<double> NameToCompare::distance_to(std::string_view other) const {
  if (lower_.empty() || lower_.size() > kNameBytesMax || other.empty() ||
      other.size() > kNameBytesMax) {
    return std::nullopt;
  }
  const std::string lower = ascii_lower(other);
  if (lower == lower_) return 0;
  const std::string other_bare = bare(lower);
  if (!bare_.empty() && bare_ == other_bare) return kOtherSpelling;
  if (!bare_.empty() && singular_ == singular(other_bare)) return kOtherNumber;
  std::optional<double> best;
  const auto offer = [&best](double cost) { best = std::min(best.value_or(cost), cost); };
  const std::size_t length = std::max(lower.size(), lower_.size());
  const std::size_t edits_max = std::clamp<std::size_t>(length / 3, 2, kEditsMax);
  const std::size_t gap = length - std::min(lower.size(), lower_.size());
  if (gap <= edits_max) {
    const std::size_t count = std::min(edits(lower_, lower), edits(bare_, other_bare));
    if (count <= edits_max && count < length)
      offer(static_cast<double>(std::max<std::size_t>(count, 1)));
  }
  const std::size_t shared = shared_beginning(bare_, other_bare);
  constexpr std::size_t kBeginningMin = 3;
  if (shared >= kBeginningMin && (shared == bare_.size() || shared == other_bare.size())) {
    offer(kBeginning);
  }
  const std::vector<std::string> other_words = words_of_name(other);
  if (ends_with_words(other_words, words_)) offer(kBeginning);
  if (share_words(words_, other_words)) offer(kWordsInCommon);
  constexpr std::size_t kSharedMax = 4;
  if (best) *best -= kPerSharedLetter * static_cast<double>(std::min(shared, kSharedMax));
  return best;
}

}  // namespace helve::toolkit
