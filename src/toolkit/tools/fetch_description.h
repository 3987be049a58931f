// Where descriptions of services come from: files, and endpoints themselves.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "sources/graph_source.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

// Where a description is: at a path, or at an endpoint.
struct DescriptionPlace {
  bool is_endpoint = false;
  std::string place;  // the path, or the address
};
// InvalidInput for addresses of other kinds.
Result<DescriptionPlace> place_of_description(const std::string& url);

struct FetchedDescription {
  std::string name;  // for replies
  std::shared_ptr<const GraphSource> graph;
};

// `url` is a path, a file: address, or an http(s) one. Files are read as the policy's folders say;
// to ask an address is to ask that endpoint, which the policy must allow. No more than 64 MiB.
Result<FetchedDescription> fetch_description(const std::string& url, ToolCall& call);

}  // namespace helve::toolkit
