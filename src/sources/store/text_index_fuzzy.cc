#include "sources/store/text_index_fuzzy.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/utf8.h"
#include "sources/store/text_index_words.h"

namespace helve::store {

namespace {

constexpr std::size_t kLettersMax = kWordBytesMax;
constexpr std::size_t kCandidatesMax = 1'024;

// Distances of one word to the beginnings of another, row by row: the rows of the beginning that
// two neighbours in the dictionary share are computed once (optimal string alignment, in a band).
class Distances {
 public:
  Distances(std::string_view word, std::uint32_t edits_max) : edits_max_(edits_max) {
    const char* at = word.data();
    const char* const end = at + word.size();
    while (at < end && length_ < kLettersMax) word_[length_++] = decode_utf8(at, end);
    for (std::size_t j = 0; j <= length_; ++j) rows_[0][j] = static_cast<std::uint8_t>(j);
  }

  std::uint64_t steps() const { return steps_; }

  // The distance, if it is within the maximum. Words must come in ascending order.
  std::optional<std::uint32_t> operator()(std::string_view other) {
    const std::size_t same = take(other);
    if (dead_ != 0 && same >= dead_) return std::nullopt;  // begins like one that cannot match
    dead_ = 0;
    for (std::size_t depth = std::min(same, computed_) + 1; depth <= other_length_; ++depth) {
      computed_ = depth;
      if (!compute(depth)) {
        dead_ = depth;
        return std::nullopt;
      }
    }
    computed_ = std::min(computed_, other_length_);
    const std::uint32_t distance = cell(other_length_, length_);
    if (distance > edits_max_) return std::nullopt;
    return distance;
  }

  // The beginning that cannot match, of the last word; empty if it could.
  std::string_view dead_beginning(std::string_view other) const {
    return dead_ == 0 ? std::string_view() : other.substr(0, ends_[dead_ - 1]);
  }

 private:
  using Row = std::array<std::uint8_t, kLettersMax + 1>;

  // Decodes the word; how many characters it shares with the one before it.
  std::size_t take(std::string_view other) {
    const char* at = other.data();
    const char* const end = at + other.size();
    std::size_t length = 0;
    std::size_t same = 0;
    while (at < end && length < kLettersMax) {
      const char32_t c = decode_utf8(at, end);
      if (same == length && length < other_length_ && other_[length] == c) ++same;
      other_[length] = c;
      ends_[length++] = static_cast<std::size_t>(at - other.data());
    }
    other_length_ = length;
    return same;
  }

  std::uint32_t cell(std::size_t depth, std::size_t j) const {
    const std::size_t apart = depth > j ? depth - j : j - depth;
    return apart > edits_max_ ? edits_max_ + 1 : rows_[depth][j];
  }

  // False when no word that begins like this can be near enough.
  bool compute(std::size_t depth) {
    ++steps_;
    if (depth > length_ + edits_max_) return false;
    const std::size_t first = depth > edits_max_ ? depth - edits_max_ : 0;
    const std::size_t last = std::min(length_, depth + edits_max_);
    const char32_t c = other_[depth - 1];
    std::uint32_t least = edits_max_ + 1;
    for (std::size_t j = first; j <= last; ++j) {
      std::uint32_t best = cell(depth - 1, j) + 1;
      if (j > 0) {
        best = std::min(best, cell(depth - 1, j - 1) + (word_[j - 1] == c ? 0 : 1));
        if (j > first) best = std::min(best, rows_[depth][j - 1] + 1U);
        const bool is_swap =
            j > 1 && depth > 1 && word_[j - 2] == c && word_[j - 1] == other_[depth - 2];
        if (is_swap) best = std::min(best, cell(depth - 2, j - 2) + 1);
      }
      rows_[depth][j] = static_cast<std::uint8_t>(std::min(best, edits_max_ + 1));
      least = std::min(least, best);
    }
    return least <= edits_max_;
  }

  std::uint32_t edits_max_;
  std::uint64_t steps_ = 0;
  std::array<char32_t, kLettersMax> word_{};
  std::size_t length_ = 0;
  std::array<char32_t, kLettersMax> other_{};
  std::array<std::size_t, kLettersMax> ends_{};  // of the characters of the last word, in bytes
  std::size_t other_length_ = 0;
  std::size_t computed_ = 0;  // rows that hold for the last word
  std::size_t dead_ = 0;      // characters of its beginning that cannot match; 0: none
  std::array<Row, kLettersMax + 1> rows_{};
};

// Words that could be near: those of the same side of ASCII, and no numbers.
std::pair<std::uint64_t, std::uint64_t> range_for(const FrontCoded& words, std::string_view word) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  constexpr std::string_view kBehindDigits = ":";
  constexpr std::string_view kBehindAscii = "\x7F";
  if (std::all_of(word.begin(), word.end(), is_ascii)) {
    return {words.lower_bound(kBehindDigits), words.lower_bound(kBehindAscii)};
  }
  if (std::none_of(word.begin(), word.end(), is_ascii)) {
    return {words.lower_bound(kBehindAscii), words.size()};
  }
  return {words.lower_bound(kBehindDigits), words.size()};
}

// The first word of the last block, from that of `at` on, before which all words begin with `dead`:
// found in growing steps.
std::uint64_t pass_over(const FrontCoded& words, std::string_view dead, std::uint64_t at,
                        std::uint64_t last, std::uint64_t& looked_at) {
  constexpr std::uint64_t kBlock = FrontCoded::kBlockStrings;
  const auto is_dead = [&](std::uint64_t block) {
    ++looked_at;
    return block * kBlock < last && words.block_head(block).starts_with(dead);
  };
  const std::uint64_t first = at / kBlock;
  if (!is_dead(first + 1)) return at;
  std::uint64_t step = 1;
  while (is_dead(first + 2 * step)) step *= 2;
  std::uint64_t low = first + step;  // dead
  std::uint64_t high = first + 2 * step;
  while (low + 1 < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (is_dead(middle)) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low * kBlock;
}

}  // namespace

std::uint32_t edits_allowed(std::size_t letters) {
  if (letters < 4) return 0;
  return letters < 8 ? 1 : 2;
}

NearWords find_near_words(const FrontCoded& words, std::string_view word, std::uint32_t edits_max,
                          std::size_t words_max, std::uint64_t steps_max) {
  NearWords near;
  if (edits_max == 0 || word.empty()) return near;
  constexpr std::uint64_t kBlock = FrontCoded::kBlockStrings;
  Distances distances(word, edits_max);
  const auto [first, last] = range_for(words, word);
  std::string dead;  // a beginning of words that are too far away; empty: none is known
  std::uint64_t blocks = 0;
  for (std::uint64_t at = first; at < last; at = (at / kBlock + 1) * kBlock) {
    ++blocks;
    if (!dead.empty() && at % kBlock == 0) at = pass_over(words, dead, at, last, blocks);
    words.for_each(at, std::min(last, (at / kBlock + 1) * kBlock),
                   [&](std::uint64_t index, std::string_view other) {
                     if (!dead.empty() && other.starts_with(dead)) return;
                     const auto distance = distances(other);
                     if (distance && *distance > 0 && near.words.size() < kCandidatesMax) {
                       near.words.push_back({index, *distance});
                     }
                     const std::string_view beginning = distances.dead_beginning(other);
                     if (beginning != dead) dead = beginning;
                   });
    if (blocks + distances.steps() > steps_max) break;
  }
  near.steps = blocks + distances.steps();
  std::string text;
  const auto rank = [&](const NearWord& one) {
    words.get(one.word, text);
    return std::make_pair(one.distance, text.substr(0, 1) != word.substr(0, 1));
  };
  std::stable_sort(near.words.begin(), near.words.end(),
                   [&](const NearWord& a, const NearWord& b) { return rank(a) < rank(b); });
  if (near.words.size() > words_max) near.words.resize(words_max);
  return near;
}

}  // namespace helve::store
