#include "sources/rdf/xsd_integer.h"

#include <gmp.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/ascii.h"
#include "base/check.h"

namespace helve::rdf {

namespace {

__extension__ using Wide = __int128;

static_assert(sizeof(long) == sizeof(std::int64_t), "GMP's signed long calls carry 64 bits");

constexpr std::size_t kSmallPowers = 19;  // 10^18 is the largest below 2^63

constexpr std::array<std::int64_t, kSmallPowers> kPowersOfTen = [] {
  std::array<std::int64_t, kSmallPowers> powers{};
  std::int64_t power = 1;
  for (std::int64_t& entry : powers) {
    entry = power;
    if (&entry != &powers.back()) power *= 10;
  }
  return powers;
}();

// Whether a quotient cut towards zero moves one away from zero. `twice_to_divisor` compares twice
// the remainder with the divisor, both without sign.
bool moves_away(Rounding rounding, bool negative, bool odd, std::strong_ordering twice_to_divisor) {
  switch (rounding) {
    case Rounding::Truncate:
      return false;
    case Rounding::Floor:
      return negative;
    case Rounding::Ceiling:
      return !negative;
    case Rounding::HalfUp:
      return std::is_gt(twice_to_divisor) || (std::is_eq(twice_to_divisor) && !negative);
    case Rounding::HalfEven:
      return std::is_gt(twice_to_divisor) || (std::is_eq(twice_to_divisor) && odd);
  }
  return false;
}

Wide divide_wide(Wide dividend, Wide divisor, Rounding rounding) {
  const Wide quotient = dividend / divisor;
  const Wide rest = dividend % divisor;
  if (rest == 0) return quotient;
  const bool negative = (dividend < 0) != (divisor < 0);
  const Wide rest_size = rest < 0 ? -rest : rest;
  const Wide divisor_size = divisor < 0 ? -divisor : divisor;
  // Compared with the complement: doubling could overflow.
  const bool away =
      moves_away(rounding, negative, quotient % 2 != 0, rest_size <=> divisor_size - rest_size);
  if (!away) return quotient;
  return negative ? quotient - 1 : quotient + 1;
}

bool fits_int64(Wide value) {
  return value >= std::numeric_limits<std::int64_t>::min() &&
         value <= std::numeric_limits<std::int64_t>::max();
}

// The digits of an optional sign and digits, leading zeros dropped; nullopt for other text.
std::optional<std::string_view> significant_digits(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), is_digit)) {
    return std::nullopt;
  }
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  return text;
}

}  // namespace

struct Integer::Big {
  Big() { mpz_init(number); }
  ~Big() { mpz_clear(number); }
  Big(const Big&) = delete;
  Big& operator=(const Big&) = delete;

  mpz_t number;
};

struct Integer::Operand {
  explicit Operand(const Integer& value) : big_(value.big_.get()) {
    if (big_ == nullptr) mpz_init_set_si(own_, value.small_);
  }
  ~Operand() {
    if (big_ == nullptr) mpz_clear(own_);
  }
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;

  mpz_srcptr get() const { return big_ == nullptr ? own_ : big_->number; }

 private:
  const Big* big_;
  mpz_t own_;
};

// Keeps the rule that what fits 64 bits is small, so that equal numbers look equal.
Integer Integer::from_big(std::shared_ptr<Big> big) {
  if (mpz_fits_slong_p(big->number) != 0) return {mpz_get_si(big->number)};
  Integer result;
  result.big_ = std::move(big);
  return result;
}

std::optional<Integer> Integer::parse(std::string_view text, std::size_t digits_max) {
  const auto digits = significant_digits(text);
  if (!digits || digits->size() > digits_max) return std::nullopt;
  const bool negative = text[0] == '-';
  if (digits->size() < kSmallPowers) {
    std::int64_t value = 0;
    for (const char digit : *digits) value = value * 10 + (digit - '0');
    return Integer{negative ? -value : value};
  }
  auto big = std::make_shared<Big>();
  const std::string terminated(*digits);
  HELVE_CHECK(mpz_set_str(big->number, terminated.c_str(), 10) == 0);
  if (negative) mpz_neg(big->number, big->number);
  return from_big(std::move(big));
}

Integer Integer::truncated(double value) {
  HELVE_CHECK(std::isfinite(value));
  constexpr double kTwoTo62 = 4611686018427387904.0;
  if (value < kTwoTo62 && value > -kTwoTo62) return {static_cast<std::int64_t>(value)};
  auto big = std::make_shared<Big>();
  mpz_set_d(big->number, value);
  return from_big(std::move(big));
}

Integer Integer::power_of_ten(std::size_t exponent) {
  if (exponent < kSmallPowers) return {kPowersOfTen[exponent]};
  auto big = std::make_shared<Big>();
  mpz_ui_pow_ui(big->number, 10, exponent);
  return from_big(std::move(big));
}

std::optional<std::int64_t> Integer::to_int64() const {
  if (big_ != nullptr) return std::nullopt;
  return small_;
}

double Integer::to_double() const {
  if (big_ == nullptr) return static_cast<double>(small_);
  const std::string text = to_string();
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec == std::errc::result_out_of_range) value = std::numeric_limits<double>::infinity();
  return sign() < 0 ? -std::fabs(value) : value;
}

std::string Integer::to_string() const {
  if (big_ == nullptr) {
    std::array<char, 24> buffer;
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), small_);
    return {buffer.data(), result.ptr};
  }
  std::string text(mpz_sizeinbase(big_->number, 10) + 2, '\0');  // sign and terminator
  mpz_get_str(text.data(), 10, big_->number);
  text.resize(text.find('\0'));
  return text;
}

int Integer::sign() const {
  if (big_ != nullptr) return mpz_sgn(big_->number);
  return small_ < 0 ? -1 : small_ > 0 ? 1 : 0;
}

std::size_t Integer::digits() const {
  if (big_ != nullptr) return mpz_sizeinbase(big_->number, 10);
  std::size_t count = 1;
  for (std::int64_t rest = small_ / 10; rest != 0; rest /= 10) ++count;
  return count;
}

Integer operator+(const Integer& a, const Integer& b) {
  std::int64_t sum = 0;
  if (a.is_small() && b.is_small() && !__builtin_add_overflow(a.small_, b.small_, &sum)) {
    return {sum};
  }
  auto big = std::make_shared<Integer::Big>();
  mpz_add(big->number, Integer::Operand(a).get(), Integer::Operand(b).get());
  return Integer::from_big(std::move(big));
}

Integer operator-(const Integer& a, const Integer& b) {
  std::int64_t difference = 0;
  if (a.is_small() && b.is_small() && !__builtin_sub_overflow(a.small_, b.small_, &difference)) {
    return {difference};
  }
  auto big = std::make_shared<Integer::Big>();
  mpz_sub(big->number, Integer::Operand(a).get(), Integer::Operand(b).get());
  return Integer::from_big(std::move(big));
}

Integer operator*(const Integer& a, const Integer& b) {
  std::int64_t product = 0;
  if (a.is_small() && b.is_small() && !__builtin_mul_overflow(a.small_, b.small_, &product)) {
    return {product};
  }
  auto big = std::make_shared<Integer::Big>();
  mpz_mul(big->number, Integer::Operand(a).get(), Integer::Operand(b).get());
  return Integer::from_big(std::move(big));
}

Integer operator-(const Integer& a) { return Integer{} - a; }

std::strong_ordering operator<=>(const Integer& a, const Integer& b) {
  if (a.is_small() && b.is_small()) return a.small_ <=> b.small_;
  // A large number is outside the range of the small ones, so its sign decides against those.
  if (a.is_small()) return 0 <=> b.sign();
  if (b.is_small()) return a.sign() <=> 0;
  return mpz_cmp(a.big_->number, b.big_->number) <=> 0;
}

Integer Integer::times_power_of_ten(std::size_t exponent) const {
  if (exponent == 0 || sign() == 0) return *this;
  return *this * power_of_ten(exponent);
}

Integer Integer::times_power_of_two(std::size_t exponent) const {
  auto big = std::make_shared<Big>();
  mpz_mul_2exp(big->number, Operand(*this).get(), exponent);
  return from_big(std::move(big));
}

Integer Integer::divided_by(const Integer& divisor, Rounding rounding) const {
  return scaled_quotient(0, divisor, rounding);
}

Integer Integer::scaled_quotient(std::size_t exponent, const Integer& divisor,
                                 Rounding rounding) const {
  HELVE_CHECK(divisor.sign() != 0);
  if (is_small() && divisor.is_small() && exponent < kSmallPowers) {
    const Wide quotient =
        divide_wide(Wide{small_} * kPowersOfTen[exponent], Wide{divisor.small_}, rounding);
    if (fits_int64(quotient)) return {static_cast<std::int64_t>(quotient)};
  }
  auto quotient = std::make_shared<Big>();
  Big rest;
  const Integer dividend = times_power_of_ten(exponent);
  const Operand divisor_operand(divisor);
  mpz_tdiv_qr(quotient->number, rest.number, Operand(dividend).get(), divisor_operand.get());
  if (mpz_sgn(rest.number) != 0) {
    const bool negative = dividend.sign() != divisor.sign();
    const bool odd = mpz_odd_p(quotient->number) != 0;
    mpz_mul_2exp(rest.number, rest.number, 1);
    const auto twice_to_divisor = mpz_cmpabs(rest.number, divisor_operand.get()) <=> 0;
    if (moves_away(rounding, negative, odd, twice_to_divisor)) {
      if (negative) {
        mpz_sub_ui(quotient->number, quotient->number, 1);
      } else {
        mpz_add_ui(quotient->number, quotient->number, 1);
      }
    }
  }
  return from_big(std::move(quotient));
}

std::size_t Integer::strip_trailing_zeros(std::size_t most) {
  if (most == 0 || sign() == 0) return 0;
  std::size_t stripped = 0;
  if (big_ != nullptr) {
    // Counting factors of five at once keeps this below quadratic time.
    if (mpz_divisible_ui_p(big_->number, 10) == 0) return 0;
    const std::size_t twos = mpz_scan1(big_->number, 0);
    Big five;
    Big rest;
    mpz_set_ui(five.number, 5);
    const std::size_t fives = mpz_remove(rest.number, big_->number, five.number);
    stripped = std::min({twos, fives, most});
    *this = divided_by(power_of_ten(stripped), Rounding::Truncate);
    return stripped;
  }
  while (stripped < most && small_ % 10 == 0) {
    small_ /= 10;
    ++stripped;
  }
  return stripped;
}

}  // namespace helve::rdf
