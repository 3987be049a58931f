// LocalEmbedder: a stand-in for a model of embeddings, for measuring where none is at hand. It
// knows no language: words that stand in the same texts, and words with the same pieces, are near.
// The same texts give the same vectors on every machine.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/http.h"

namespace helve::quality {

class LocalEmbedder {
 public:
  static constexpr std::size_t kDims = 256;
  // Random indexing: each text is a sparse random vector, a word the sum of those of its texts.
  explicit LocalEmbedder(const std::vector<std::string>& texts);

  std::vector<float> embed(std::string_view text) const;
  // As an endpoint answers that speaks OpenAI's embeddings.
  Result<HttpResponse> answer(const HttpRequest& request) const;

 private:
  struct Word {
    std::size_t texts = 0;
    std::vector<float> company;  // of length 1, once all texts are read
  };
  double rarity_of(std::size_t texts) const;

  std::unordered_map<std::string, Word> words_;
  std::unordered_map<std::string, std::size_t> pieces_;  // texts that have them
  std::size_t texts_ = 0;
};

}  // namespace helve::quality
