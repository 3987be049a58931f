// The address in "chat:MODEL@URL", where it was not written as one. settle_provider.cc reads the
// word.
#pragma once

#include <string_view>

#include "base/result.h"

namespace helve::llm {

// InvalidInput for "chat:MODEL@HOST:PORT": without http:// the host would be a part of the model's
// name, and the question, with a key, would go to the dialect's own service. Names of models that
// have '@' in them ("name@20240620", "name@v1.2") are taken.
Result<void> check_provider_word(std::string_view word);

}  // namespace helve::llm
