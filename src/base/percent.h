// Percent encoding of RFC 3986. Comparing IRIs never needs it (iri.h): this is for addresses that
// are read for what they name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace helve {

// The bytes, of any kind: they need not be UTF-8. nullopt: a '%' without two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text);

// All but letters, digits and "-_.~" as %XX.
std::string percent_encoded(std::string_view bytes);

}  // namespace helve
