// Id: a term as 64 bits, a 4-bit tag above a 60-bit payload. Within a tag, the order of ids is the
// order of strings (dictionary) or of values (inlined, see inline_value.h).
#pragma once

#include <compare>
#include <cstdint>

namespace helve::rdf {

enum class Tag : std::uint8_t {
  Undefined = 0,
  // Payload: position in the dictionary section of that kind.
  Iri = 1,
  Blank = 2,
  String = 3,
  LangString = 4,
  TypedLiteral = 5,
  // Reserved: terms added by updates, terms made by a query.
  Delta = 6,
  Local = 7,
  // Payload: the value.
  Boolean = 8,
  Integer = 9,
  Decimal = 10,
  Double = 11,
  Date = 12,
  DateTimeZoned = 13,
  DateTime = 14,
};

class Id {
 public:
  static constexpr int kPayloadBits = 60;
  static constexpr std::uint64_t kPayloadMask = (std::uint64_t{1} << kPayloadBits) - 1;

  constexpr Id() = default;  // undefined
  // REQUIRES: payload fits 60 bits.
  constexpr Id(Tag tag, std::uint64_t payload)
      : bits_(static_cast<std::uint64_t>(tag) << kPayloadBits | payload) {}
  static constexpr Id from_bits(std::uint64_t bits) {
    Id id;
    id.bits_ = bits;
    return id;
  }

  constexpr Tag tag() const { return static_cast<Tag>(bits_ >> kPayloadBits); }
  constexpr std::uint64_t payload() const { return bits_ & kPayloadMask; }
  constexpr std::uint64_t bits() const { return bits_; }
  constexpr bool is_defined() const { return bits_ != 0; }
  constexpr bool is_inlined() const { return tag() >= Tag::Boolean; }
  constexpr bool is_literal() const { return tag() >= Tag::String; }

  friend constexpr bool operator==(Id a, Id b) { return a.bits_ == b.bits_; }
  friend constexpr std::strong_ordering operator<=>(Id a, Id b) { return a.bits_ <=> b.bits_; }

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace helve::rdf
