// Any bytes as N-Quads.
#include <cstddef>
#include <cstdint>

#include "fuzz/reading_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  helve::fuzz::check_reading(helve::rdf::Format::NQuads,
                             {reinterpret_cast<const char*>(data), size});
  return 0;
}
