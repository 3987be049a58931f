// WordList: words that a program has as one text, parted by single blanks, to be looked up.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace helve {

// `text` must outlive it.
class WordList {
 public:
  explicit WordList(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size());
      words_.push_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    std::sort(words_.begin(), words_.end());
  }

  bool has(std::string_view word) const {
    return std::binary_search(words_.begin(), words_.end(), word);
  }
  const std::vector<std::string_view>& words() const { return words_; }

 private:
  std::vector<std::string_view> words_;  // in order
};

}  // namespace helve
