// EmbeddingClient: texts as vectors, by any endpoint that speaks OpenAI's embeddings. vectors.h
// ranks by them, bank.h asks.
#pragma once

#include <string>
#include <vector>

#include "base/http.h"
#include "base/op_context.h"
#include "base/result.h"
#include "toolkit/memory/item.h"

namespace helve::memory {

struct EmbeddingOptions {
  std::string url;             // of the endpoint itself: https://host/v1/embeddings
  std::string model;           // what it is called there
  std::string key;             // sent as a bearer token; empty: none
  std::size_t dims = 0;        // that vectors must have; 0: those of the first answer
  std::size_t batch_max = 64;  // texts of one request
  std::size_t dims_max = 8'192;
  std::size_t reply_bytes_max = std::size_t{32} << 20;
};

// What of an item is compared with questions.
std::string embedded_text(const Item& item);

// Thread-safe. Http must outlive it.
class EmbeddingClient {
 public:
  // InvalidInput for what is no address of the kind, or no model.
  static Result<EmbeddingClient> make(EmbeddingOptions options, Http& http);

  // In the order of the texts, each of length 1, all of the same number of values. Unavailable for
  // whatever is wrong with the answer, Denied where the key is.
  Result<std::vector<std::vector<float>>> embed(const std::vector<std::string>& texts,
                                                const OpContext& context) const;

  const std::string& model() const { return options_.model; }
  std::size_t batch_max() const { return options_.batch_max; }

 private:
  EmbeddingClient(EmbeddingOptions options, Http& http, bool is_private)
      : options_(std::move(options)), http_(&http), is_private_(is_private) {}
  Result<void> embed_batch(const std::vector<std::string>& texts, std::size_t first,
                           std::size_t count, std::vector<std::vector<float>>& vectors,
                           const OpContext& context) const;

  EmbeddingOptions options_;
  Http* http_;
  bool is_private_;
};

}  // namespace helve::memory
