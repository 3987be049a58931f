// Integer: whole numbers of any size. Those that fit 64 bits, nearly all of them, are held without
// allocation; the rest is GMP's, which no header shows. Its neighbour is xsd_decimal.h.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace helve::rdf {

// How a quotient that is not whole becomes whole.
enum class Rounding : std::uint8_t {
  Truncate,  // towards zero
  Floor,
  Ceiling,
  HalfUp,    // to the nearest, halves towards positive infinity (fn:round)
  HalfEven,  // to the nearest, halves to the even neighbour
};

// Immutable once made; copies share what is large. The operations are exact and know no limit:
// whoever computes with numbers from outside checks digits() (xsd_arithmetic.h does).
class Integer {
 public:
  Integer() = default;
  // Implicit on purpose: 64-bit numbers are integers.
  Integer(std::int64_t value) : small_(value) {}  // NOLINT(google-explicit-constructor)

  // An optional sign and digits, nothing else. nullopt for other text and for more than
  // `digits_max` digits after leading zeros.
  static std::optional<Integer> parse(std::string_view text, std::size_t digits_max);
  // Towards zero, exactly. REQUIRES: finite.
  static Integer truncated(double value);
  static Integer power_of_ten(std::size_t exponent);

  std::optional<std::int64_t> to_int64() const;
  double to_double() const;  // the nearest, ties to even; infinite when too large
  std::string to_string() const;
  int sign() const;            // -1, 0, 1
  std::size_t digits() const;  // decimal digits; may count one too many above 64 bits
  bool is_small() const { return big_ == nullptr; }

  friend Integer operator+(const Integer& a, const Integer& b);
  friend Integer operator-(const Integer& a, const Integer& b);
  friend Integer operator*(const Integer& a, const Integer& b);
  friend Integer operator-(const Integer& a);
  friend bool operator==(const Integer& a, const Integer& b) { return std::is_eq(a <=> b); }
  friend std::strong_ordering operator<=>(const Integer& a, const Integer& b);

  Integer abs() const { return sign() < 0 ? -*this : *this; }
  Integer times_power_of_ten(std::size_t exponent) const;
  Integer times_power_of_two(std::size_t exponent) const;
  // REQUIRES: divisor != 0.
  Integer divided_by(const Integer& divisor, Rounding rounding) const;
  // this * 10^exponent / divisor in one step. REQUIRES: divisor != 0.
  Integer scaled_quotient(std::size_t exponent, const Integer& divisor, Rounding rounding) const;
  // Takes off at most `most` trailing decimal zeros; returns how many. Zero stays.
  std::size_t strip_trailing_zeros(std::size_t most);

 private:
  struct Big;      // a GMP number outside the range of int64_t
  struct Operand;  // either kind as GMP sees it
  static Integer from_big(std::shared_ptr<Big> big);

  std::int64_t small_ = 0;  // the value when big_ is null
  std::shared_ptr<const Big> big_;
};

}  // namespace helve::rdf
