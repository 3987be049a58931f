// TurtlePrefixes: the prefixes declared so far, with a look-up that costs a few nanoseconds.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/op_context.h"
#include "base/result.h"

namespace helve::rdf {

class TurtlePrefixes {
 public:
  explicit TurtlePrefixes(const OpContext& context)
      : prefixes_max_(context.limits.prefixes_max), charge_(*context.memory, "prefixes") {}

  // A later declaration of a name replaces the earlier one. LimitExceeded beyond
  // Limits::prefixes_max or the memory budget.
  Result<void> declare(std::string_view name, std::string_view iri);

  // The IRI of a prefix, or null; valid until declare().
  const std::string* find(std::string_view name) {
    const Prefix* recent = recent_[slot_of(name)];
    if (recent != nullptr && recent->name == name) return &recent->iri;
    return find_and_remember(name);
  }

 private:
  struct Prefix {
    std::string name;
    std::string iri;
  };
  static constexpr std::size_t kSlots = 64;

  static std::size_t slot_of(std::string_view name) {
    if (name.empty()) return 0;
    const std::size_t first = static_cast<unsigned char>(name.front());
    const std::size_t last = static_cast<unsigned char>(name.back());
    return (name.size() * 7 + first * 5 + last) % kSlots;
  }
  const std::string* find_and_remember(std::string_view name);

  std::size_t prefixes_max_;
  MemoryCharge charge_;
  std::deque<Prefix> prefixes_;  // never moves its elements
  std::unordered_map<std::string_view, Prefix*> by_name_;
  std::array<const Prefix*, kSlots> recent_{};
};

}  // namespace helve::rdf
