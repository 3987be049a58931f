#include "agent/llm/rules/mentions.h"

#include <algorithm>
#include <array>

#include "agent/llm/rules/words.h"

namespace helve::llm::rules {

namespace {

constexpr double kLikeMin = 0.62;      // one word
constexpr double kLikeMinMany = 0.85;  // several words name one thing only where they fit well
constexpr double kLikeRoom = 0.25;     // what is worse than the best by more is no option
constexpr std::size_t kMentionOptionsMax = 4;
constexpr std::size_t kSpanMax = 5;

struct Scored {
  const Term* term = nullptr;
  double score = 0;
};

class Finder {
 public:
  Finder(const Question& question, const Knowledge& known, std::uint64_t seed)
      : question_(question), known_(known), seed_(seed) {}

  std::vector<Mention> find() {
    for (const Phrase& phrase : question_.phrases) read(phrase);
    for (Mention& mention : mentions_) {
      mention.is_negated =
          std::any_of(question_.negations.begin(), question_.negations.end(), [&](std::size_t at) {
            constexpr std::size_t kReach = 3;
            return at < mention.from && mention.from - at <= kReach;
          });
    }
    drop_appositions();
    mark_group();
    return std::move(mentions_);
  }

 private:
  std::vector<std::string> stems_of(std::size_t from, std::size_t to) const {
    std::vector<std::string> all;
    for (const std::string& word : words_of_name(question_.words(from, to))) {
      all.push_back(stem(word));
    }
    return all;
  }

  // All that the words may name, of these kinds, the best first.
  std::vector<Scored> candidates(std::size_t from, std::size_t to, bool is_name) const {
    const std::vector<std::string> asked = stems_of(from, to);
    std::vector<Scored> found;
    for (const Term& term : known_.terms) {
      double score = std::max(likeness(asked, term.name), likeness(asked, term.label));
      // Names are names of things; other words are so only where they fit exactly.
      if (term.kind == TermKind::Instance) {
        if (!is_name && score < 0.99) continue;
        score += is_name ? 0.4 : -0.3;
      }
      if (score >= (to - from > 1 && !is_name ? kLikeMinMany : kLikeMin)) {
        found.push_back({&term, score + fitting(term, score, from, to)});
      }
    }
    std::sort(found.begin(), found.end(), [&](const Scored& a, const Scored& b) {
      if (a.score != b.score) return a.score > b.score;
      const auto left = mix(seed_, a.term->name);
      const auto right = mix(seed_, b.term->name);
      return left != right ? left < right : a.term->name < b.term->name;
    });
    return found;
  }

  bool asks_time() const {
    return question_.asked == Asked::When ||
           std::any_of(question_.bounds.begin(), question_.bounds.end(),
                       [](const Bound& bound) { return bound.is_year; }) ||
           (question_.extreme && question_.extreme->is_time);
  }

  std::string_view word(std::size_t at) const {
    return at < question_.tokens.size() ? std::string_view(question_.tokens[at].lower)
                                        : std::string_view();
  }

  // "found", "did Foo find".
  bool is_verb(std::size_t from, std::size_t to) const {
    const std::string_view last = word(to - 1);
    if (last.ends_with("ed") || last.ends_with("ing")) return true;
    const bool has_do = std::any_of(
        question_.tokens.begin(), question_.tokens.begin() + from, [](const Token& token) {
          return token.lower == "did" || token.lower == "does" || token.lower == "do";
        });
    return has_do && to - from == 1 && !is_function_word(word(from - 1)) &&
           (to == question_.tokens.size() || is_function_word(word(to)));
  }

  // What the words around say of the kind. Two names of one kind differ by it only where time is
  // asked for.
  double fitting(const Term& term, double score, std::size_t from, std::size_t to) const {
    if (term.kind == TermKind::Property) {
      double fit = is_verb(from, to) ? 0.1 : 0;
      const std::vector<std::string> words = words_of_name(term.name);
      // "tuned" rather than "tune", where both are there.
      if (to - from == 1 && words.size() == 1 && words[0] == word(from)) fit += 0.05;
      if (asks_time() == is_of_time(term.name, known_)) fit += asks_time() ? 0.4 : 0.1;
      if (known_.used_instead.contains(term.name)) fit -= 0.2;
      return fit;
    }
    if (term.kind == TermKind::Class) return is_verb(from, to) ? -0.2 : score > 0.99 ? 0.3 : 0.05;
    return 0;
  }

  void add(const std::vector<Scored>& found, std::size_t from, std::size_t to) {
    Mention mention;
    mention.from = from;
    mention.to = to;
    const TermKind kind = found.front().term->kind;
    mention.is_sure = is_sure(*found.front().term, from, to);
    mention.kind = kind == TermKind::Class      ? MentionKind::Class
                   : kind == TermKind::Property ? MentionKind::Property
                                                : MentionKind::Thing;
    for (const Scored& one : found) {
      const bool is_near = one.score >= found.front().score - kLikeRoom;
      if (one.term->kind != kind || !is_near || mention.options.size() == kMentionOptionsMax)
        continue;
      mention.options.push_back(one.term->name);
    }
    mentions_.push_back(std::move(mention));
  }

  bool is_sure(const Term& term, std::size_t from, std::size_t to) const {
    const auto asked = stems_of(from, to);
    const double like = std::max(likeness(asked, term.name), likeness(asked, term.label));
    const bool is_of_kind =
        term.kind != TermKind::Property || !asks_time() || is_of_time(term.name, known_);
    return like > 0.99 && is_of_kind;
  }

  void add_text(std::size_t from, std::size_t to) {
    mentions_.push_back(
        {MentionKind::Text, {question_.words(from, to)}, from, to, false, false, false});
  }

  void read(const Phrase& phrase) {
    if (phrase.is_name) {
      const auto found = candidates(phrase.from, phrase.to, true);
      if (found.empty()) return add_text(phrase.from, phrase.to);
      add(found, phrase.from, phrase.to);
      // "the Lake" may be one of the lakes.
      mentions_.back().is_sure &= found.front().term->kind == TermKind::Instance;
      return;
    }
    std::size_t at = phrase.from;
    while (at < phrase.to) {
      std::size_t length = std::min(kSpanMax, phrase.to - at);
      std::vector<Scored> found;
      for (; length > 0; --length) {
        found = candidates(at, at + length, false);
        if (!found.empty()) break;
      }
      if (found.empty()) {
        add_text(at, at + 1);
        ++at;
      } else {
        add(found, at, at + length);
        at += length;
      }
    }
  }

  // "the lake Foo" is Foo.
  void drop_appositions() {
    for (std::size_t i = 1; i < mentions_.size();) {
      const bool is_said_twice = mentions_[i - 1].kind == MentionKind::Class &&
                                 mentions_[i].kind == MentionKind::Thing &&
                                 mentions_[i - 1].to == mentions_[i].from;
      if (is_said_twice) {
        mentions_.erase(mentions_.begin() + static_cast<std::ptrdiff_t>(i) - 1);
      } else {
        ++i;
      }
    }
  }

  void mark_group() {
    if (!question_.group_at) return;
    for (Mention& mention : mentions_) {
      if (mention.from <= *question_.group_at) continue;
      mention.is_group =
          mention.kind == MentionKind::Class || mention.kind == MentionKind::Property;
      return;
    }
  }

  const Question& question_;
  const Knowledge& known_;
  std::uint64_t seed_;
  std::vector<Mention> mentions_;
};

}  // namespace

bool is_of_time(const std::string& property, const Knowledge& known) {
  if (const Term* const term = known.find(property); term != nullptr && !term->range.empty()) {
    for (const std::string_view type : {"date", "Date", "gYear", "time"}) {
      if (term->range.find(type) != std::string::npos) return true;
    }
    return false;
  }
  for (const std::string& word : words_of_name(property)) {
    if (word == "date" || word == "year" || word == "time" || word == "when") return true;
  }
  return false;
}

std::vector<Mention> find_mentions(const Question& question, const Knowledge& known,
                                   std::uint64_t seed) {
  return Finder(question, known, seed).find();
}

}  // namespace helve::llm::rules
