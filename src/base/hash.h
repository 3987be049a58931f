// Hashes of bytes that are no secrets: checksums, places in tables.
#pragma once

#include <cstdint>
#include <string_view>

namespace helve {

// XXH3: the same on every machine.
std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed = 0);

}  // namespace helve
