// Decimal: exact decimal fractions of any size, the value space of xsd:decimal. An Integer and how
// many of its digits stand behind the point.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sources/rdf/xsd_integer.h"

namespace helve::rdf {

// Immutable; always without trailing zeros behind the point, so equal values have equal parts.
class Decimal {
 public:
  // Digits behind the point, and significant digits, that a quotient is at least good for.
  static constexpr std::size_t kQuotientDigits = 18;

  Decimal() = default;
  // Implicit on purpose: every integer is a decimal.
  Decimal(Integer value) : unscaled_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  // unscaled * 10^-scale.
  static Decimal scaled(Integer unscaled, std::size_t scale);

  // An optional sign, digits and an optional point with at least one digit on either side of it.
  // nullopt for other text and for more than `digits_max` digits.
  static std::optional<Decimal> parse(std::string_view text, std::size_t digits_max);
  // Exactly the value of the number, which may take a thousand digits. REQUIRES: finite.
  static Decimal exactly(double value);

  const Integer& unscaled() const { return unscaled_; }
  std::size_t scale() const { return scale_; }
  bool is_whole() const { return scale_ == 0; }
  int sign() const { return unscaled_.sign(); }
  // Digits it takes to write, about: for checks against Limits::number_digits_max.
  std::size_t digits() const { return std::max(unscaled_.digits(), scale_); }

  double to_double() const;  // the nearest, ties to even
  float to_float() const;
  // Canonical by XSD 1.1: no point when whole, no superfluous zeros: "0", "-0.5", "12".
  std::string to_string() const;

  friend Decimal operator+(const Decimal& a, const Decimal& b);
  friend Decimal operator-(const Decimal& a, const Decimal& b);
  friend Decimal operator*(const Decimal& a, const Decimal& b);
  friend Decimal operator-(const Decimal& a);
  friend bool operator==(const Decimal& a, const Decimal& b) = default;
  friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);
  // With a number as it is, not rounded to a decimal. Unordered for NaN.
  std::partial_ordering compare_exactly(double number) const;

  Decimal abs() const { return sign() < 0 ? -*this : *this; }
  // Rounded half to even at kQuotientDigits digits behind the point, or at as many as it takes for
  // that number of significant digits, or at those this number has. REQUIRES: divisor != 0.
  Decimal divided_by(const Decimal& divisor) const;
  Integer rounded(Rounding rounding) const;
  // Cut towards zero so that at most `scale` digits stand behind the point.
  Decimal truncated(std::size_t scale) const;

 private:
  Integer unscaled_;
  std::size_t scale_ = 0;
};

}  // namespace helve::rdf
