// What two settings differ in, for who goes on in a folder of other ones.
#pragma once

#include <string>

#include "base/json.h"

namespace helve::agent {

// "seed was 1 and is 5; model was a and is b; and 2 more"; empty: in nothing. `name` is that of the
// whole, where it is no object. For a terminal.
std::string differences_of(const JsonValue& then, const JsonValue& now, const std::string& name);

}  // namespace helve::agent
