// What to say of a function that does not exist here.
#pragma once

#include <string_view>

#include "base/result.h"

namespace helve::sparql {

// Denied: the message names the function, the hint the closest that exists, or whose extension it
// is.
Error unknown_function(std::string_view iri);

}  // namespace helve::sparql
