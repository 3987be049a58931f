// The version of Helve: of these headers (the macros) and of the library that is in use
// (version()).
#pragma once

#include <string_view>

#include "helve/export.h"

#define HELVE_VERSION_MAJOR 0
#define HELVE_VERSION_MINOR 1
#define HELVE_VERSION_PATCH 0

namespace helve::api {

HELVE_API std::string_view version();  // "0.1.0"

}  // namespace helve::api
