// Models without a model: answers from a file, and exchanges that were recorded, played back. For
// tests, and to show a run again.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "agent/llm/provider.h"
#include "agent/llm/provider_settings.h"
#include "base/env.h"
#include "base/result.h"

namespace helve::llm {

// JSON Lines. Either answers, given in their order:
//   {"text": "...", "calls": [{"name": "...", "arguments": {...}}], "stop": "end_turn",
//    "usage": {...}, "reasoning": "...", "expect": "what the last message must contain"}
//   {"error": {"code": "unavailable", "message": "..."}}
// (arguments may be a text: what a model wrote that is no object), or exchanges as record() writes
// them: those are found by the hash of the request, the same request several times in the order of
// recording; exchanges without a hash answer whatever comes, in their order. InvalidInput with the
// line of what is wrong. `model` may be empty. Usage that has no cost is priced where there are
// prices. Env outlives it.
Result<std::shared_ptr<Provider>> open_scripted(const std::filesystem::path& path,
                                                std::string model, Env& env,
                                                std::optional<Prices> prices = std::nullopt);

// Appends every exchange of the other provider to a file, made where it is not there:
//   {"request_hash": "...", "request": {...}, "answer": {...}}, or "error" instead of the answer.
// Known secrets are taken out. A file that cannot be opened is an error now; what cannot be written
// later is told by record_failure(), and the calls go on. Env outlives it.
Result<std::shared_ptr<Provider>> record(std::shared_ptr<Provider> provider,
                                         std::filesystem::path path, Env& env);
// Why the file of record() lacks something; nullopt: it is whole, or the provider is none of
// record().
std::optional<Error> record_failure(const Provider& provider);

}  // namespace helve::llm
