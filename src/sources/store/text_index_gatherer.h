// Gatherer: the words that one thread has met while a text index is made, each with a number, and
// which names have them. text_index_builder.cc brings those of all threads together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_budget.h"
#include "base/result.h"
#include "sources/store/text_index.h"
#include "sources/store/text_index_words.h"

namespace helve::store {

// That a name has a word in a field.
struct Posting {
  std::uint32_t word = 0;
  Name name = 0;
  TextField field = TextField::Label;
};

struct WholeText {
  std::uint32_t checksum = 0;
  std::uint32_t holder = 0;  // TextIndex::holders

  friend bool operator==(const WholeText&, const WholeText&) = default;
  friend bool operator<(const WholeText& a, const WholeText& b) {
    return a.checksum != b.checksum ? a.checksum < b.checksum : a.holder < b.holder;
  }
};

// Not thread-safe.
class Gatherer {
 public:
  // `seed` keeps hostile words from sharing slots; no result depends on it.
  Gatherer(MemoryBudget& budget, std::uint64_t seed)
      : seed_(seed), slots_(kSlotsMin), charge_(budget, "the index of names") {}

  // Cuts a text into words, for the calls of add() that follow.
  void set_text(std::string_view text);
  // Notes that the name has all of them.
  void add(Name name, TextField field);
  // Accounts for what was gathered so far.
  Result<void> account();

  std::size_t words() const { return words_.size(); }
  std::string_view word(std::size_t i) const {
    return std::string_view(bytes_).substr(words_[i].first, words_[i].size);
  }
  const std::vector<Posting>& postings() const { return postings_; }
  const std::vector<WholeText>& wholes() const { return wholes_; }
  void forget_postings() {
    postings_ = {};
    wholes_ = {};
  }

 private:
  static constexpr std::size_t kSlotsMin = 1'024;
  struct Interned {
    std::size_t first = 0;  // in bytes_
    std::uint32_t size = 0;
    std::uint32_t hash = 0;
  };

  std::uint32_t intern(std::string_view word);
  void grow();

  std::uint64_t seed_;
  WordSplitter splitter_;
  std::vector<std::uint32_t> text_words_;  // of the current text, each once
  std::uint32_t text_checksum_ = 0;
  bool has_whole_ = false;
  std::string bytes_;
  std::vector<Interned> words_;
  std::vector<std::uint32_t> slots_;  // word + 1; 0: free
  std::vector<Posting> postings_;
  std::vector<WholeText> wholes_;
  MemoryCharge charge_;
};

}  // namespace helve::store
