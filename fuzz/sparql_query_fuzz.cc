// Any bytes as a SPARQL query, evaluated if it is one.
#include <cstddef>
#include <cstdint>

#include "fuzz/sparql_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  helve::fuzz::check_query({reinterpret_cast<const char*>(data), size});
  return 0;
}
