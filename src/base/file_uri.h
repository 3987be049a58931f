// Addresses of files: file:///path, as RFC 8089 has them. rdf/document.h writes them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace helve {

// The path that a file: address names, percent encoding undone. InvalidInput where it is that of
// another machine, has a query or a fragment, or no path.
Result<std::string> path_of_file_uri(std::string_view uri);

}  // namespace helve
