// Opening the embeddings endpoint of a memory bank, for all surfaces.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/env.h"
#include "base/result.h"
#include "surfaces/opening/secret.h"
#include "toolkit/memory/embeddings.h"

namespace helve::opening {

struct EmbeddingsInput {
  std::string url;  // https://host/v1/embeddings
  std::string model;
  std::string key;               // "env:NAME", "file:PATH"; empty: none
  std::filesystem::path folder;  // that paths are relative to; empty: where the process is
  Environment environment;
};

// Connects to nothing yet; the key is read now. Env must outlive it.
Result<std::shared_ptr<const memory::EmbeddingClient>> open_embeddings(const EmbeddingsInput& input,
                                                                       Env& env);

}  // namespace helve::opening
