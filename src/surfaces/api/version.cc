#include "helve/version.h"

namespace helve::api {

std::string_view version() { return HELVE_PROJECT_VERSION; }

}  // namespace helve::api
