#include "sources/sparql/engine/sort_key.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/ascii.h"
#include "sources/rdf/inline_value.h"
#include "sources/rdf/xsd_compare.h"
#include "sources/rdf/xsd_timeline.h"

namespace helve::sparql {

namespace {

using rdf::XsdType;
using rdf::XsdValue;

enum Rank : std::uint8_t {
  Unbound,
  Blank,
  Iri,
  Number,
  Text,
  Boolean,
  Calendar,   // dateTime, date, gYearMonth, gYear: what has a place in history
  Recurring,  // time and the rest, one rank for each type
  Duration = Recurring + 16,
  Other,
};

// Whole numbers up to here are doubles exactly.
constexpr std::int64_t kExactWhole = std::int64_t{1} << 53;

std::weak_ordering order_doubles(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(b) <=> std::isnan(a);
  if (a < b) return std::weak_ordering::less;
  return a > b ? std::weak_ordering::greater : std::weak_ordering::equivalent;
}

// On the average length of a month, which agrees with each of the ordered kinds of durations.
std::weak_ordering order_durations(const rdf::XsdDuration& a, const rdf::XsdDuration& b) {
  constexpr std::int64_t kSecondsPerMonth = 2'629'746;
  const auto seconds = [](const rdf::XsdDuration& duration) {
    return rdf::Integer(duration.months) * rdf::Integer(kSecondsPerMonth) +
           rdf::Integer(duration.seconds);
  };
  if (const auto order = seconds(a) <=> seconds(b); std::is_neq(order)) return order;
  if (const auto order = a.attoseconds <=> b.attoseconds; std::is_neq(order)) return order;
  return a.months <=> b.months;
}

bool has_year(XsdType type) { return rdf::parts_of(type).year; }

std::uint8_t temporal_rank(XsdType type) {
  if (has_year(type)) return Calendar;
  return static_cast<std::uint8_t>(Recurring + static_cast<int>(type) -
                                   static_cast<int>(XsdType::DateTime));
}

std::weak_ordering order_moments(const XsdValue& a, const XsdValue& b) {
  if (const auto order = rdf::compare_instants(a.moment(), b.moment(), 0); std::is_neq(order))
    return order;
  return rdf::operand_type(a.type) <=> rdf::operand_type(b.type);
}

std::string language_key(const rdf::TermView& term) {
  std::string key = ascii_lower(term.language);
  if (term.direction != rdf::Direction::None) {
    key += term.direction == rdf::Direction::Ltr ? "--ltr" : "--rtl";
  }
  return key;
}

XsdValue as_number(const std::variant<std::monostate, double, std::string, XsdValue>& data) {
  if (const auto* number = std::get_if<double>(&data)) return XsdValue::real(*number);
  return std::get<XsdValue>(data);
}

}  // namespace

void SortKey::set(const XsdValue& value) {
  if (rdf::is_string_type(value.type)) {
    rank_ = Text;
    data_ = value.text();
  } else if (rdf::is_numeric_type(value.type)) {
    rank_ = Number;
    const auto* whole = std::get_if<rdf::Integer>(&value.data);
    const auto small = whole != nullptr ? whole->to_int64() : std::nullopt;
    if (small && *small <= kExactWhole && *small >= -kExactWhole) {
      data_ = static_cast<double>(*small);
    } else if (rdf::numeric_rank(value.type) >= 2) {
      data_ = rdf::as_double(value);
    } else {
      data_ = value;
    }
  } else if (value.type == XsdType::Boolean) {
    rank_ = Boolean;
    data_ = value.truth() ? 1.0 : 0.0;
  } else if (rdf::is_temporal_type(value.type)) {
    rank_ = temporal_rank(value.type);
    data_ = value;
  } else if (rdf::is_duration_type(value.type)) {
    rank_ = Duration;
    data_ = value;
  } else {
    rank_ = Other;
    data_ = value.text();  // of binary values their bytes, which is their order
    qualifier_ = rdf::iri_of_xsd_type(value.type);
  }
}

void SortKey::set(const rdf::TermView& term) {
  data_ = std::string(term.value);
  if (term.is_blank()) {
    rank_ = Blank;
  } else if (term.is_iri()) {
    rank_ = Iri;
  } else if (term.datatype.empty()) {
    rank_ = Text;
    qualifier_ = language_key(term);
  } else {
    rank_ = Other;
    qualifier_ = term.datatype;
  }
}

SortKey SortKey::of(const Value& value, EvaluationContext& context) {
  SortKey key;
  if (is_error(value)) return key;
  if (const auto* computed = std::get_if<XsdValue>(&value)) {
    key.set(*computed);
    return key;
  }
  const auto* id = std::get_if<Id>(&value);
  if (id != nullptr && id->is_inlined()) {
    key.set(rdf::inlined_value(*id));
    return key;
  }
  std::string scratch;
  const rdf::TermView term = context.to_term(value, scratch).value_or(rdf::TermView());
  if (!term.datatype.empty()) {
    if (const auto typed = context.to_xsd(value)) {
      key.set(*typed);
      return key;
    }
  }
  key.set(term);
  return key;
}

std::weak_ordering SortKey::compare(const SortKey& other) const {
  if (rank_ != other.rank_) return rank_ <=> other.rank_;
  if (rank_ == Unbound) return std::weak_ordering::equivalent;
  const auto* number = std::get_if<double>(&data_);
  const auto* other_number = std::get_if<double>(&other.data_);
  if (number != nullptr && other_number != nullptr) return order_doubles(*number, *other_number);
  if (rank_ == Number) return rdf::order_numbers(as_number(data_), as_number(other.data_));
  if (const auto* text = std::get_if<std::string>(&data_)) {
    const int order = text->compare(std::get<std::string>(other.data_));
    if (order != 0) return order <=> 0;
    return qualifier_.compare(other.qualifier_) <=> 0;
  }
  const auto& value = std::get<XsdValue>(data_);
  const auto& other_value = std::get<XsdValue>(other.data_);
  if (rank_ == Duration) return order_durations(value.duration(), other_value.duration());
  return order_moments(value, other_value);
}

std::size_t SortKey::memory_bytes() const {
  std::size_t bytes = sizeof(SortKey);
  const auto heap = [](const std::string& text) {
    return text.capacity() > std::string().capacity() ? text.capacity() + 1 : 0;
  };
  bytes += heap(qualifier_);
  if (const auto* text = std::get_if<std::string>(&data_)) bytes += heap(*text);
  if (const auto* value = std::get_if<XsdValue>(&data_)) {
    // A number of many digits is held once, about four bits for each.
    if (rdf::is_numeric_type(value->type)) bytes += rdf::as_decimal(*value).digits() / 2;
  }
  return bytes;
}

}  // namespace helve::sparql
