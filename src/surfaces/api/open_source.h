// Opening what connect() is asked for: the one place of the library that knows which databases
// there are.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/graph_source.h"

namespace helve::api {

struct OpenRequest {
  std::vector<std::string> uris;  // several: files, as one graph
  std::string name;               // empty: name_of_uri() of the first
  bool is_lenient = false;
};

// Errors: those of connect().
helve::Result<std::shared_ptr<const GraphSource>> open_source(const OpenRequest& request, Env& env,
                                                              const OpContext& context);

// "data/solar-system.trig.gz" -> "solar-system"; never empty, and always a name of a source.
std::string name_of_uri(std::string_view uri);

}  // namespace helve::api
