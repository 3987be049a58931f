#include "toolkit/memory/terms.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/unicode_fold.h"
#include "base/utf8.h"

namespace helve::memory {

namespace {

constexpr std::size_t kTermBytesMax = 64;  // of one word; more is no word
constexpr std::uint32_t kWeightMax = 0xFFFF;
constexpr std::size_t kEntryBytes = 6;

// Puts the words of a text, as they are written, one after the other, each on a line.
class Splitter {
 public:
  std::string split(std::string_view text) {
    const char* at = text.data();
    const char* end = at + text.size();
    while (at != end) {
      const char* begin = at;
      const LetterClass kind = letter_class(decode_utf8(at, end));
      take(kind, {begin, static_cast<std::size_t>(at - begin)});
    }
    end_word();
    return std::move(out_);
  }

 private:
  void take(LetterClass kind, std::string_view character) {
    if (kind == LetterClass::None) return end_word();
    if (kind == LetterClass::Continuous) {
      end_word();
      word_ = character;
      return end_word();
    }
    if (kind == LetterClass::Capital && last_ == LetterClass::Letter) {
      parts_.push_back(word_.size());
    }
    word_ += character;
    if (kind != LetterClass::Mark) last_ = kind;
  }

  void end_word() {
    last_ = LetterClass::None;
    if (word_.empty()) return;
    line(word_);
    if (!parts_.empty()) {
      parts_.push_back(word_.size());
      std::size_t begin = 0;
      for (const std::size_t end : parts_) {
        line(std::string_view(word_).substr(begin, end - begin));
        begin = end;
      }
    }
    word_.clear();
    parts_.clear();
  }

  void line(std::string_view word) {
    if (word.size() > kTermBytesMax) return;
    out_ += word;
    out_ += '\n';
  }

  std::string out_;
  std::string word_;
  std::vector<std::size_t> parts_;  // where capitals begin a new one
  LetterClass last_ = LetterClass::None;
};

// "proteins" as "protein"; not "class", "status", "basis".
std::string_view singular(std::string_view word) {
  if (word.size() < 4 || word.back() != 's') return word;
  const char before = word[word.size() - 2];
  if (before == 's' || before == 'u' || before == 'i') return word;
  return word.substr(0, word.size() - 1);
}

struct Field {
  std::string text;
  std::uint32_t weight;
};

std::vector<Field> fields_of(const Item& item) {
  std::string tags;
  for (const std::string& tag : item.tags) tags += tag + "\n";
  return {{item.title, 2 * kWeightUnit},
          {item.desc, kWeightUnit + kWeightUnit / 2},
          {std::move(tags), 2 * kWeightUnit},
          {item.content, kWeightUnit}};
}

}  // namespace

std::vector<std::string> terms_of(std::string_view text) {
  const std::string folded = fold_text(Splitter().split(text));
  std::vector<std::string> terms;
  std::string_view rest = folded;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    // What folding made of it may have spaces and signs, which end words.
    while (!word.empty()) {
      std::size_t at = 0;
      const auto is_sign = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x80U && !(is_digit(c) || is_lower(c));
      };
      while (at < word.size() && !is_sign(word[at])) ++at;
      if (at > 0) terms.emplace_back(singular(word.substr(0, at)));
      word.remove_prefix(std::min(at + 1, word.size()));
    }
  }
  return terms;
}

std::vector<std::string> query_terms(std::string_view text, std::size_t terms_max) {
  constexpr std::size_t kTextMax = 4'096;
  text = text.substr(0, kTextMax);
  text = text.substr(0, utf8_valid_prefix(text));
  std::vector<std::string> distinct;
  for (std::string& term : terms_of(text)) {
    if (distinct.size() == terms_max) break;
    if (std::find(distinct.begin(), distinct.end(), term) == distinct.end()) {
      distinct.push_back(std::move(term));
    }
  }
  return distinct;
}

std::uint32_t Bag::hash_of(std::string_view term) {
  std::uint32_t hash = 2'166'136'261U;  // FNV-1a
  for (const char c : term) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 16'777'619U;
  }
  hash ^= hash >> 16U;
  hash *= 0x7FEB352DU;
  return hash ^ (hash >> 15U);
}

ItemTerms item_terms(const Item& item) {
  std::vector<std::pair<std::string, std::uint32_t>> all;
  ItemTerms made;
  for (const Field& field : fields_of(item)) {
    for (std::string& term : terms_of(field.text)) {
      all.emplace_back(std::move(term), field.weight);
      made.length += field.weight;
    }
  }
  std::sort(all.begin(), all.end());
  auto& weights = made.bag.weights_;
  for (auto& [term, weight] : all) {
    if (made.distinct.empty() || made.distinct.back() != term) {
      weights.emplace_back(Bag::hash_of(term), 0);
      made.distinct.push_back(std::move(term));
    }
    weights.back().second = std::min(weights.back().second + weight, kWeightMax);
  }
  std::sort(weights.begin(), weights.end());
  // Two words with one hash are one word.
  const auto is_same = [](auto& left, const auto& right) {
    if (left.first != right.first) return false;
    left.second = std::min(left.second + right.second, kWeightMax);
    return true;
  };
  weights.erase(std::unique(weights.begin(), weights.end(), is_same), weights.end());
  return made;
}

Bag Bag::of(const Item& item, std::vector<std::string>& distinct_terms) {
  ItemTerms made = item_terms(item);
  distinct_terms = std::move(made.distinct);
  return std::move(made.bag);
}

std::string Bag::bytes() const {
  std::string out;
  out.reserve(weights_.size() * kEntryBytes);
  for (const auto& [hash, weight] : weights_) {
    for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>(hash >> shift);
    for (unsigned shift = 0; shift < 16; shift += 8) out += static_cast<char>(weight >> shift);
  }
  return out;
}

Bag Bag::from_bytes(std::string_view bytes) {
  Bag bag;
  if (bytes.size() % kEntryBytes != 0) return bag;
  bag.weights_.reserve(bytes.size() / kEntryBytes);
  for (; !bytes.empty(); bytes.remove_prefix(kEntryBytes)) {
    std::uint64_t entry = 0;
    for (std::size_t i = kEntryBytes; i-- > 0;) {
      entry = entry << 8U | static_cast<unsigned char>(bytes[i]);
    }
    bag.weights_.emplace_back(static_cast<std::uint32_t>(entry),
                              static_cast<std::uint32_t>(entry >> 32U));
  }
  return bag;
}

std::uint32_t Bag::weight_in(std::string_view bytes, std::uint32_t hash) {
  if (bytes.size() % kEntryBytes != 0) return 0;
  const auto number = [&](std::size_t at, std::size_t count) {
    std::uint32_t value = 0;
    for (std::size_t i = count; i-- > 0;) {
      value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
    }
    return value;
  };
  constexpr std::size_t kHashBytes = 4;
  std::size_t from = 0;
  std::size_t to = bytes.size() / kEntryBytes;
  while (from < to) {
    const std::size_t middle = (from + to) / 2;
    const std::uint32_t met = number(middle * kEntryBytes, kHashBytes);
    if (met == hash) {
      return number(middle * kEntryBytes + kHashBytes, kEntryBytes - kHashBytes);
    }
    (met < hash ? from : to) = met < hash ? middle + 1 : middle;
  }
  return 0;
}

std::uint32_t Bag::weight_of_hash(std::uint32_t hash) const {
  const auto found = std::lower_bound(weights_.begin(), weights_.end(), std::pair{hash, 0U});
  return found != weights_.end() && found->first == hash ? found->second : 0;
}

std::uint64_t length_of(const Item& item) { return item_terms(item).length; }

}  // namespace helve::memory
