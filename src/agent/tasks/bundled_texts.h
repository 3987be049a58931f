// The texts of the bundled task sets (bundled/), made by CMake.
#pragma once

#include <string_view>

namespace helve::agent::bundled {

std::string_view solar();
std::string_view solar_tables();
std::string_view prov();

}  // namespace helve::agent::bundled
