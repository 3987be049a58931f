// Sorting many strings that share long prefixes, as IRIs do.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"

namespace helve::store {

struct SortString {
  std::string_view text;
  std::uint32_t tie = 0;    // orders equal texts
  std::uint32_t index = 0;  // the caller's
};

// Ascending by bytes, then by tie. Takes each byte of a shared prefix once per group of strings,
// not once per comparison; recursion-free. Stops on cancellation and at the deadline.
Result<void> sort_strings(std::vector<SortString>& strings, const OpContext& context);

}  // namespace helve::store
