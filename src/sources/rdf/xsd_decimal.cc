#include "sources/rdf/xsd_decimal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/ascii.h"
#include "base/check.h"

namespace helve::rdf {

namespace {

// The number as "123e-4", from which the standard library finds the nearest float or double.
template <typename Float>
Float nearest(const Integer& unscaled, std::size_t scale) {
  std::string text = unscaled.to_string();
  const auto magnitude =
      static_cast<std::ptrdiff_t>(text.size()) - static_cast<std::ptrdiff_t>(scale);
  text += "e-";
  text += std::to_string(scale);
  Float value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec == std::errc::result_out_of_range) {
    value = magnitude > 0 ? std::numeric_limits<Float>::infinity() : Float{0};
    return unscaled.sign() < 0 ? -value : value;
  }
  return value;
}

constexpr std::int64_t kExactDouble = std::int64_t{1} << 53;
constexpr std::array<double, 23> kExactPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Both as multiples of the finer of the two scales.
struct Aligned {
  Integer a;
  Integer b;
  std::size_t scale;
};

Aligned align(const Decimal& a, const Decimal& b) {
  const std::size_t scale = std::max(a.scale(), b.scale());
  return {a.unscaled().times_power_of_ten(scale - a.scale()),
          b.unscaled().times_power_of_ten(scale - b.scale()), scale};
}

}  // namespace

Decimal Decimal::scaled(Integer unscaled, std::size_t scale) {
  Decimal result(std::move(unscaled));
  result.scale_ = result.sign() == 0 ? 0 : scale;
  result.scale_ -= result.unscaled_.strip_trailing_zeros(result.scale_);
  return result;
}

std::optional<Decimal> Decimal::parse(std::string_view text, std::size_t digits_max) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::string_view fraction = point == std::string_view::npos ? "" : text.substr(point + 1);
  const bool has_whole = !whole.empty() && whole != "-" && whole != "+";
  if (!has_whole && fraction.empty()) return std::nullopt;
  if (!fraction.empty() && !is_digit(fraction[0])) return std::nullopt;
  while (fraction.ends_with('0')) fraction.remove_suffix(1);
  if (fraction.empty()) {
    auto value = has_whole ? Integer::parse(whole, digits_max) : Integer{};
    if (!value) return std::nullopt;
    return Decimal(*std::move(value));
  }
  if (fraction.size() > digits_max) return std::nullopt;
  std::string digits;
  digits.reserve(whole.size() + fraction.size());
  digits.append(whole).append(fraction);
  auto unscaled = Integer::parse(digits, digits_max);
  if (!unscaled) return std::nullopt;
  return scaled(*std::move(unscaled), fraction.size());
}

Decimal Decimal::exactly(double value) {
  HELVE_CHECK(std::isfinite(value));
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // value = fraction * 2^exponent
  constexpr int kMantissaBits = 53;
  Integer mantissa = Integer::truncated(std::ldexp(fraction, kMantissaBits));
  exponent -= kMantissaBits;
  if (exponent >= 0) return {mantissa.times_power_of_two(static_cast<std::size_t>(exponent))};
  // m / 2^k = m * 5^k / 10^k; 5^k = 10^k / 2^k keeps to the operations Integer has.
  while (exponent < 0 && *mantissa.to_int64() % 2 == 0 && mantissa.sign() != 0) {
    mantissa = *mantissa.to_int64() / 2;
    ++exponent;
  }
  if (exponent >= 0) return {mantissa};
  const auto places = static_cast<std::size_t>(-exponent);
  const Integer power_of_two = Integer{1}.times_power_of_two(places);
  return scaled(mantissa.scaled_quotient(places, power_of_two, Rounding::Truncate), places);
}

double Decimal::to_double() const {
  if (const auto small = unscaled_.to_int64();
      small && *small > -kExactDouble && *small < kExactDouble && scale_ < kExactPowers.size()) {
    return static_cast<double>(*small) / kExactPowers[scale_];  // one rounding of exact operands
  }
  return nearest<double>(unscaled_, scale_);
}

float Decimal::to_float() const { return nearest<float>(unscaled_, scale_); }

std::string Decimal::to_string() const {
  std::string text = unscaled_.to_string();
  if (scale_ == 0) return text;
  const std::size_t sign_length = text[0] == '-' ? 1 : 0;
  if (text.size() - sign_length <= scale_) {
    text.insert(sign_length, scale_ + 1 - (text.size() - sign_length), '0');
  }
  text.insert(text.size() - scale_, 1, '.');
  return text;
}

Decimal operator+(const Decimal& a, const Decimal& b) {
  const Aligned aligned = align(a, b);
  return Decimal::scaled(aligned.a + aligned.b, aligned.scale);
}

Decimal operator-(const Decimal& a, const Decimal& b) {
  const Aligned aligned = align(a, b);
  return Decimal::scaled(aligned.a - aligned.b, aligned.scale);
}

Decimal operator*(const Decimal& a, const Decimal& b) {
  return Decimal::scaled(a.unscaled_ * b.unscaled_, a.scale_ + b.scale_);
}

Decimal operator-(const Decimal& a) { return Decimal::scaled(-a.unscaled_, a.scale_); }

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
  if (a.scale_ == b.scale_) return a.unscaled_ <=> b.unscaled_;
  if (a.sign() != b.sign()) return a.sign() <=> b.sign();
  const Aligned aligned = align(a, b);
  return aligned.a <=> aligned.b;
}

std::partial_ordering Decimal::compare_exactly(double number) const {
  if (std::isnan(number)) return std::partial_ordering::unordered;
  if (std::isinf(number)) return 0.0 <=> number;
  // Rounding keeps order, so only a tie needs the exact value of the number.
  const double near = to_double();
  if (near != number) return near <=> number;
  return *this <=> exactly(number);
}

Decimal Decimal::divided_by(const Decimal& divisor) const {
  const auto places = [](const Decimal& number) {  // digits before the point; negative: zeros after
    return static_cast<std::ptrdiff_t>(number.unscaled_.digits()) -
           static_cast<std::ptrdiff_t>(number.scale_);
  };
  const std::ptrdiff_t lost = std::max<std::ptrdiff_t>(0, places(divisor) - places(*this));
  const std::size_t scale = std::max(kQuotientDigits + static_cast<std::size_t>(lost), scale_);
  const std::size_t exponent = scale - scale_ + divisor.scale_;
  return scaled(unscaled_.scaled_quotient(exponent, divisor.unscaled_, Rounding::HalfEven), scale);
}

Integer Decimal::rounded(Rounding rounding) const {
  if (scale_ == 0) return unscaled_;
  return unscaled_.divided_by(Integer::power_of_ten(scale_), rounding);
}

Decimal Decimal::truncated(std::size_t scale) const {
  if (scale_ <= scale) return *this;
  const Integer divisor = Integer::power_of_ten(scale_ - scale);
  return scaled(unscaled_.divided_by(divisor, Rounding::Truncate), scale);
}

}  // namespace helve::rdf
