// Where LOAD of an update may read from: files within folders that were named.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/document.h"

namespace helve::opening {

using DocumentLoader =
    std::function<Result<rdf::Document>(const std::string& iri, const OpContext& context)>;

// `places` are folders and files; empty: a loader that is empty too. NotFound for places that are
// not there. The loader answers Denied for what is not within them, wherever links lead.
Result<DocumentLoader> allow_loading(const std::vector<std::string>& places, Env& env);

}  // namespace helve::opening
