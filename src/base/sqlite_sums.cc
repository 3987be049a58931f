#include "base/sqlite_sums.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <new>
#include <optional>
#include <string_view>

namespace helve::sqlite {

namespace {

constexpr int kScale = 15;  // digits behind the point
__extension__ using Wide = __int128;
constexpr Wide kWideMax = (static_cast<Wide>(1) << 126);

Wide power_of_ten(int exponent) {
  Wide power = 1;
  for (; exponent > 0; --exponent) power *= 10;
  return power;
}

// A double by its shortest digits, in units of 10^-kScale. nullopt: it has more digits than that,
// or it is too large.
std::optional<Wide> units_of(double number) {
  if (!(std::abs(number) < 1e15)) return std::nullopt;
  char buffer[32];
  const auto written =
      std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific);
  std::string_view text(buffer, static_cast<std::size_t>(written.ptr - buffer));
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const std::size_t mark = text.find('e');
  int exponent = 0;
  std::string_view power = text.substr(mark + 1);
  if (power.starts_with('+')) power.remove_prefix(1);
  std::from_chars(power.data(), power.data() + power.size(), exponent);
  Wide digits = 0;
  int behind = 0;
  for (const char c : text.substr(0, mark)) {
    if (c == '.') continue;
    digits = 10 * digits + (c - '0');
    ++behind;
  }
  const int shift = kScale + exponent - (behind - 1);
  if (shift < 0) return std::nullopt;
  digits *= power_of_ten(shift);
  return is_negative ? -digits : digits;
}

double number_of(Wide units) {
  const bool is_negative = units < 0;
  if (is_negative) units = -units;
  const Wide one = power_of_ten(kScale);
  const std::string text =
      fmt::format("{}{}.{:015}", is_negative ? "-" : "", static_cast<std::uint64_t>(units / one),
                  static_cast<std::uint64_t>(units % one));
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// What was added so far, in three ways; the best that holds is told.
class Sum {
 public:
  void add(sqlite3_value* value, bool is_taken_away) {
    const int type = sqlite3_value_numeric_type(value);
    if (type == SQLITE_NULL) return;
    count_ += is_taken_away ? -1 : 1;
    if (type == SQLITE_INTEGER) {
      const std::int64_t number = sqlite3_value_int64(value);
      add_units(static_cast<Wide>(number) * power_of_ten(kScale), is_taken_away);
      add_real(static_cast<double>(number), is_taken_away);
      return;
    }
    const double number = sqlite3_value_double(value);
    reals_ += is_taken_away ? -1 : 1;
    const auto units = units_of(number);
    if (units) {
      add_units(*units, is_taken_away);
    } else {
      inexact_ += is_taken_away ? -1 : 1;
    }
    add_real(number, is_taken_away);
  }

  std::int64_t count() const { return count_; }

  double real() const {
    const Wide one = power_of_ten(kScale);
    const bool is_exact =
        inexact_ == 0 && !is_beyond_ && units_ / one < INT64_MAX && units_ / one > INT64_MIN;
    if (is_exact) return number_of(units_);
    return std::isfinite(rest_) ? real_ + rest_ : real_;
  }

  void tell_sum(sqlite3_context* context) const {
    if (count_ == 0) return sqlite3_result_null(context);
    if (reals_ != 0) return sqlite3_result_double(context, real());
    const Wide whole = units_ / power_of_ten(kScale);
    if (is_beyond_ || whole > INT64_MAX || whole < INT64_MIN) {
      return sqlite3_result_error(context, "integer overflow", -1);
    }
    sqlite3_result_int64(context, static_cast<std::int64_t>(whole));
  }

 private:
  void add_units(Wide units, bool is_taken_away) {
    units_ += is_taken_away ? -units : units;
    if (units_ > kWideMax || units_ < -kWideMax) {
      is_beyond_ = true;
      units_ = 0;
    }
  }

  // With what rounding lost (Neumaier).
  void add_real(double number, bool is_taken_away) {
    if (is_taken_away) number = -number;
    const double sum = real_ + number;
    rest_ += std::abs(real_) >= std::abs(number) ? (real_ - sum) + number : (number - sum) + real_;
    real_ = sum;
  }

  std::int64_t count_ = 0;
  std::int64_t reals_ = 0;
  std::int64_t inexact_ = 0;
  Wide units_ = 0;
  bool is_beyond_ = false;
  double real_ = 0;
  double rest_ = 0;
};

// SQLite's memory is aligned to 8 bytes, a Wide to 16.
struct Room {
  alignas(8) unsigned char bytes[sizeof(Sum) + alignof(Sum)];
  bool is_made;
};

Sum* sum_of(sqlite3_context* context) {
  auto* room = static_cast<Room*>(sqlite3_aggregate_context(context, sizeof(Room)));
  if (room == nullptr) return nullptr;
  void* at = room->bytes;
  std::size_t size = sizeof room->bytes;
  at = std::align(alignof(Sum), sizeof(Sum), at, size);
  if (room->is_made) return std::launder(static_cast<Sum*>(at));
  room->is_made = true;
  return new (at) Sum();
}

void add(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  Sum* sum = sum_of(context);
  if (sum == nullptr) return sqlite3_result_error_nomem(context);
  sum->add(values[0], false);
}

void take_away(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  if (Sum* sum = sum_of(context)) sum->add(values[0], true);
}

void tell_sum(sqlite3_context* context) {
  if (const Sum* sum = sum_of(context)) sum->tell_sum(context);
}

void tell_total(sqlite3_context* context) {
  const Sum* sum = sum_of(context);
  sqlite3_result_double(context, sum == nullptr ? 0.0 : sum->real());
}

void tell_average(sqlite3_context* context) {
  const Sum* sum = sum_of(context);
  if (sum == nullptr || sum->count() == 0) return sqlite3_result_null(context);
  sqlite3_result_double(context, sum->real() / static_cast<double>(sum->count()));
}

}  // namespace

int register_sums(sqlite3* database) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  using Tell = void (*)(sqlite3_context*);
  const auto add_function = [&](const char* name, Tell tell) {
    return sqlite3_create_window_function(database, name, 1, kFlags, nullptr, add, tell, tell,
                                          take_away, nullptr);
  };
  for (const auto& [name, tell] : {std::pair<const char*, Tell>("sum", tell_sum),
                                   {"total", tell_total},
                                   {"avg", tell_average}}) {
    if (const int outcome = add_function(name, tell); outcome != SQLITE_OK) return outcome;
  }
  return SQLITE_OK;
}

}  // namespace helve::sqlite
