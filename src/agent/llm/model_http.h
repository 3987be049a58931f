// Models behind HTTP: sends what a Wire writes, hands it what comes back, tries again where that
// makes sense. Neighbours: model_failure.h says where, answer_body.h takes the bytes.
#pragma once

#include <memory>
#include <string>

#include "agent/llm/provider.h"
#include "agent/llm/provider_settings.h"
#include "agent/llm/wire.h"
#include "base/env.h"
#include "base/http.h"
#include "base/result.h"

namespace helve::llm {

// A server that says to wait longer is not waited for.
inline constexpr Duration kRetryWaitMax = std::chrono::seconds(60);

// `key` is the key itself; empty: none. Connects to nothing yet. Wire and Env outlive it.
// InvalidInput for addresses and headers that are none.
Result<std::shared_ptr<Provider>> open_model(const Wire& wire, const ProviderSettings& settings,
                                             std::string key, Env& env);

// Where requests go: the base address with the path of the dialect. "/v1" is added to an address
// without a path; one that has the whole path already stays.
Result<std::string> model_url(std::string_view base, const Wire& wire);

}  // namespace helve::llm
