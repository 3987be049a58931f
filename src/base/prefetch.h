// Tells the system which bytes of a mapped file will be read soon, so that it fetches them all at
// once and not one page after the other as each is touched.
#pragma once

#include <string_view>

namespace helve {

// A hint: what is not of a file, or there already, costs nothing but the call.
void prefetch(std::string_view mapped) noexcept;

}  // namespace helve
