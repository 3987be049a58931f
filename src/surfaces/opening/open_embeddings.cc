#include "surfaces/opening/open_embeddings.h"

#include <utility>

namespace helve::opening {

Result<std::shared_ptr<const memory::EmbeddingClient>> open_embeddings(const EmbeddingsInput& input,
                                                                       Env& env) {
  memory::EmbeddingOptions options;
  options.url = input.url;
  options.model = input.model;
  if (!input.key.empty()) {
    HELVE_ASSIGN(options.key, read_credential(input.key, input.folder, env, input.environment));
  }
  HELVE_ASSIGN(auto client, memory::EmbeddingClient::make(std::move(options), env.http()));
  return std::make_shared<const memory::EmbeddingClient>(std::move(client));
}

}  // namespace helve::opening
