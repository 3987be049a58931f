// Where LOAD of an update may read from: files within folders that were named.
#pragma once

#include <string>
#include <vector>

#include "base/env.h"
#include "base/result.h"
#include "sources/store/live/live_store.h"

namespace helve::opening {

// `places` are folders and files; empty: a loader that is empty too. NotFound for places that are
// not there. The loader answers Denied for what is not within them, wherever links lead.
Result<store::DocumentLoader> allow_loading(const std::vector<std::string>& places, Env& env);

}  // namespace helve::opening
