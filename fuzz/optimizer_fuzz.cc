// Any bytes as choices of data and queries: optimised plans must answer as the reference evaluator.
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "base/check.h"
#include "tests/reference/differential.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace helve::reference;
  Choices choices(std::span<const std::uint8_t>(data, size));
  RoundOptions options;
  options.queries = 2;
  options.turn = size;
  Tally tally;
  const auto difference = run_round(choices, options, tally);
  if (difference) std::fputs(difference->c_str(), stderr);
  HELVE_CHECK(!difference);
  return 0;
}
