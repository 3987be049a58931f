#include "agent/llm/provider.h"

#include <limits>

namespace helve::llm {

namespace {

// Servers may claim any number.
std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  return b > kMax - a ? kMax : a + b;
}

bool is_nothing(const Usage& usage) { return usage.input_tokens == 0 && usage.output_tokens == 0; }

}  // namespace

Usage& Usage::operator+=(const Usage& other) {
  // A sum of which a part has no price has none.
  if (is_nothing(*this)) {
    cost = other.cost;
  } else if (!is_nothing(other)) {
    cost = cost && other.cost ? std::optional(*cost + *other.cost) : std::nullopt;
  }
  input_tokens = sum(input_tokens, other.input_tokens);
  cached_tokens = sum(cached_tokens, other.cached_tokens);
  cache_write_tokens = sum(cache_write_tokens, other.cache_write_tokens);
  output_tokens = sum(output_tokens, other.output_tokens);
  is_estimated = is_estimated || other.is_estimated;
  return *this;
}

std::string_view name_of(Stop stop) {
  switch (stop) {
    case Stop::EndTurn:
      return "end_turn";
    case Stop::ToolCalls:
      return "tool_calls";
    case Stop::OutputCap:
      return "output_cap";
    case Stop::Refusal:
      return "refusal";
    case Stop::Other:
      break;
  }
  return "other";
}

}  // namespace helve::llm
