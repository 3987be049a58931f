#include "sources/sparql/engine/id_order.h"

#include <bit>

#include "sources/rdf/inline_value.h"

namespace helve::sparql {

namespace {

using rdf::Tag;

constexpr std::uint64_t kUnknown = 15;

// By tag: unbound, blank nodes, IRIs, numbers, strings, booleans, dates; as in sort_key.cc.
constexpr std::array<std::uint64_t, 16> kRanks = {0, 2, 1, 4, 4, kUnknown, kUnknown, kUnknown,
                                                  5, 3, 3, 3, 6, 6,        6,        kUnknown};

std::size_t index_of(Id id) { return static_cast<std::size_t>(id.tag()); }

constexpr unsigned bit_of(Tag tag) { return 1U << static_cast<unsigned>(tag); }

// The same instant has an id for each time zone.
std::uint64_t value_bits(Id id) {
  return id.tag() == Tag::DateTimeZoned ? id.payload() >> rdf::kZoneBits : id.payload();
}

}  // namespace

IdOrder::IdOrder(const Snapshot& snapshot) {
  is_in_order_[static_cast<std::size_t>(Tag::Undefined)] = true;
  for (const Tag tag : {Tag::Iri, Tag::Blank, Tag::String}) {
    is_in_order_[static_cast<std::size_t>(tag)] = snapshot.is_in_string_order(tag);
  }
  for (const Tag tag : {Tag::Boolean, Tag::Integer, Tag::Decimal, Tag::Double, Tag::Date,
                        Tag::DateTimeZoned, Tag::DateTime}) {
    is_in_order_[static_cast<std::size_t>(tag)] = true;
  }
}

std::optional<std::weak_ordering> IdOrder::compare(Id a, Id b) const {
  if (a == b) return std::weak_ordering::equivalent;
  if (a.tag() == b.tag()) {
    if (!is_in_order_[index_of(a)]) return std::nullopt;
    return value_bits(a) <=> value_bits(b);
  }
  const std::uint64_t rank_a = kRanks[index_of(a)];
  const std::uint64_t rank_b = kRanks[index_of(b)];
  if (rank_a == rank_b || rank_a == kUnknown || rank_b == kUnknown) return std::nullopt;
  return rank_a <=> rank_b;
}

bool IdOrder::encode(std::span<const Id> ids, std::vector<std::uint64_t>& codes) const {
  unsigned met = 0;
  for (const Id id : ids) met |= bit_of(id.tag());
  // Of what shares a rank, one tag.
  constexpr unsigned kGroups[] = {
      bit_of(Tag::Integer) | bit_of(Tag::Decimal) | bit_of(Tag::Double),
      bit_of(Tag::Date) | bit_of(Tag::DateTimeZoned) | bit_of(Tag::DateTime)};
  for (const unsigned group : kGroups) {
    if (std::popcount(met & group) > 1) return false;
  }
  for (std::size_t tag = 0; tag < kTags; ++tag) {
    if ((met >> tag & 1U) != 0 && !is_in_order_[tag]) return false;
  }
  codes.resize(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    codes[i] = kRanks[index_of(ids[i])] << Id::kPayloadBits | value_bits(ids[i]);
  }
  return true;
}

}  // namespace helve::sparql
