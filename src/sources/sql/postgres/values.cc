#include "sources/sql/postgres/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/utf8.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sql/postgres/array_text.h"

namespace helve::sql {

namespace {

constexpr std::string_view kRdfJson = "http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON";
constexpr std::string_view kXsdHexBinary = "http://www.w3.org/2001/XMLSchema#hexBinary";

struct BuiltIn {
  std::uint32_t oid;
  std::uint32_t array_oid;  // 0: none
  ValueKind kind;
  std::string_view name;
};

// The numbers are fixed for all versions: catalog/pg_type.dat.
constexpr auto kBuiltIns = std::to_array<BuiltIn>({
    {16, 1000, ValueKind::Boolean, "boolean"},
    {17, 1001, ValueKind::Bytes, "bytea"},
    {18, 1002, ValueKind::Text, "\"char\""},
    {19, 1003, ValueKind::Text, "name"},
    {20, 1016, ValueKind::Integer, "bigint"},
    {21, 1005, ValueKind::Integer, "smallint"},
    {23, 1007, ValueKind::Integer, "integer"},
    {24, 1008, ValueKind::Text, "regproc"},
    {25, 1009, ValueKind::Text, "text"},
    {26, 1028, ValueKind::Integer, "oid"},
    {114, 199, ValueKind::Json, "json"},
    {142, 143, ValueKind::Text, "xml"},
    {600, 1017, ValueKind::Text, "point"},
    {601, 1018, ValueKind::Text, "lseg"},
    {602, 1019, ValueKind::Text, "path"},
    {603, 1020, ValueKind::Text, "box"},
    {604, 1027, ValueKind::Text, "polygon"},
    {628, 629, ValueKind::Text, "line"},
    {650, 651, ValueKind::Text, "cidr"},
    {700, 1021, ValueKind::Double, "real"},
    {701, 1022, ValueKind::Double, "double precision"},
    {718, 719, ValueKind::Text, "circle"},
    {774, 775, ValueKind::Text, "macaddr8"},
    {790, 791, ValueKind::Text, "money"},
    {829, 1040, ValueKind::Text, "macaddr"},
    {869, 1041, ValueKind::Text, "inet"},
    {1042, 1014, ValueKind::Text, "character"},
    {1043, 1015, ValueKind::Text, "character varying"},
    {1082, 1182, ValueKind::Date, "date"},
    {1083, 1183, ValueKind::Time, "time without time zone"},
    {1114, 1115, ValueKind::Timestamp, "timestamp without time zone"},
    {1184, 1185, ValueKind::Timestamp, "timestamp with time zone"},
    {1186, 1187, ValueKind::Text, "interval"},
    {1266, 1270, ValueKind::Time, "time with time zone"},
    {1560, 1561, ValueKind::Text, "bit"},
    {1562, 1563, ValueKind::Text, "bit varying"},
    {1700, 1231, ValueKind::Decimal, "numeric"},
    {2205, 2210, ValueKind::Text, "regclass"},
    {2206, 2211, ValueKind::Text, "regtype"},
    {2249, 2287, ValueKind::Text, "record"},
    {2278, 0, ValueKind::Text, "void"},
    {2950, 2951, ValueKind::Text, "uuid"},
    {3614, 3643, ValueKind::Text, "tsvector"},
    {3615, 3645, ValueKind::Text, "tsquery"},
    {3802, 3807, ValueKind::Json, "jsonb"},
    {3904, 3905, ValueKind::Text, "int4range"},
    {3906, 3907, ValueKind::Text, "numrange"},
    {3908, 3909, ValueKind::Text, "tsrange"},
    {3910, 3911, ValueKind::Text, "tstzrange"},
    {3912, 3913, ValueKind::Text, "daterange"},
    {3926, 3927, ValueKind::Text, "int8range"},
});

std::string name_with_modifier(std::string_view name, std::uint32_t oid, int modifier) {
  constexpr std::uint32_t kNumeric = 1700;
  if (modifier < 0) return std::string(name);
  if (oid == kNumeric && modifier >= 4) {
    const int packed = modifier - 4;
    const int scale = ((packed & 0x7ff) ^ 1024) - 1024;
    return fmt::format("numeric({},{})", (packed >> 16) & 0xffff, scale);
  }
  if ((oid == 1042 || oid == 1043) && modifier >= 4)
    return fmt::format("{}({})", name, modifier - 4);
  if (oid == 1560 || oid == 1562) return fmt::format("{}({})", name, modifier);
  return std::string(name);
}

std::size_t digits(std::string_view text, std::size_t from) {
  std::size_t at = from;
  while (at < text.size() && is_digit(text[at])) ++at;
  return at - from;
}

bool is_integer(std::string_view text) {
  const std::size_t sign = !text.empty() && text.front() == '-' ? 1 : 0;
  const std::size_t count = digits(text, sign);
  return count > 0 && sign + count == text.size();
}

bool is_decimal(std::string_view text) {
  std::size_t at = !text.empty() && text.front() == '-' ? 1 : 0;
  const std::size_t whole = digits(text, at);
  at += whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = digits(text, at + 1);
    return fraction > 0 && whole > 0 && at + 1 + fraction == text.size();
  }
  return whole > 0 && at == text.size();
}

bool is_double(std::string_view text) {
  const std::size_t exponent = text.find('e');
  if (exponent == std::string_view::npos) return is_decimal(text);
  std::string_view power = text.substr(exponent + 1);
  if (power.starts_with('+')) power.remove_prefix(1);
  return is_decimal(text.substr(0, exponent)) && is_integer(power);
}

// For short texts, which most are: without a call.
bool is_short_ascii(std::string_view text) {
  constexpr std::size_t kShort = 64;
  if (text.size() > kShort) return false;
  unsigned char all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80;
}

// The INF and NaN of XSD, or nothing.
std::string_view odd_number(std::string_view text) {
  if (text == "NaN") return "NaN";
  if (text == "Infinity") return "INF";
  if (text == "-Infinity") return "-INF";
  return {};
}

// Characters of YYYY-MM-DD at the start; 0 where there is none. Years may have more digits.
std::size_t date_size(std::string_view text) {
  const std::size_t year = digits(text, 0);
  if (year < 4 || text.size() < year + 6) return 0;
  const bool is_date = text[year] == '-' && digits(text, year + 1) == 2 && text[year + 3] == '-' &&
                       is_digit(text[year + 4]) && is_digit(text[year + 5]);
  return is_date && !text.starts_with("0000-") ? year + 6 : 0;
}

// Of hh:mm:ss with a fraction or none.
std::size_t time_size(std::string_view text) {
  const auto is_pair = [&](std::size_t at) {
    return at + 1 < text.size() && is_digit(text[at]) && is_digit(text[at + 1]);
  };
  if (text.size() < 8 || !is_pair(0) || text[2] != ':' || !is_pair(3) || text[5] != ':' ||
      !is_pair(6)) {
    return 0;
  }
  if (text.size() == 8 || text[8] != '.') return 8;
  const std::size_t fraction = digits(text, 9);
  return fraction == 0 ? 0 : 9 + fraction;
}

// +hh or +hh:mm as XSD has it; false for others (with seconds, or beyond 14 hours).
bool append_zone(std::string_view zone, std::string& out) {
  if (zone.empty()) return true;
  const bool has_minutes = zone.size() == 6 && zone[3] == ':' && digits(zone, 4) == 2;
  if ((zone.front() != '+' && zone.front() != '-') || (zone.size() != 3 && !has_minutes) ||
      zone.size() < 3 || !is_digit(zone[1]) || !is_digit(zone[2])) {
    return false;
  }
  const std::string_view minutes = has_minutes ? zone.substr(4) : "00";
  const int hours = (zone[1] - '0') * 10 + (zone[2] - '0');
  if (hours > 14 || (hours == 14 && minutes != "00")) return false;
  if (hours == 0 && minutes == "00") {
    out += 'Z';
  } else {
    out.append(zone.substr(0, 3)).append(":").append(minutes);
  }
  return true;
}

rdf::TermView read_time(std::string_view text, std::string& buffer) {
  const std::size_t size = time_size(text);
  if (size == 0) return rdf::TermView::literal(text);
  if (size == text.size()) return rdf::TermView::literal(text, rdf::kXsdTime);
  buffer.assign(text.substr(0, size));
  if (!append_zone(text.substr(size), buffer)) return rdf::TermView::literal(text);
  return rdf::TermView::literal(buffer, rdf::kXsdTime);
}

rdf::TermView read_timestamp(std::string_view text, std::string& buffer) {
  const std::size_t date = date_size(text);
  if (date == 0 || date == text.size() || text[date] != ' ') return rdf::TermView::literal(text);
  const std::size_t time = time_size(text.substr(date + 1));
  if (time == 0) return rdf::TermView::literal(text);
  buffer.assign(text.substr(0, date)).append("T").append(text.substr(date + 1, time));
  if (!append_zone(text.substr(date + 1 + time), buffer)) return rdf::TermView::literal(text);
  return rdf::TermView::literal(buffer, rdf::kXsdDateTime);
}

rdf::TermView read_bytes(std::string_view text, std::string& buffer) {
  if (!text.starts_with("\\x") || text.size() % 2 != 0) return rdf::TermView::literal(text);
  buffer.assign(text.substr(2));
  for (char& c : buffer) {
    if (c >= 'a' && c <= 'f') c = static_cast<char>(c - 'a' + 'A');
    if (!is_digit(c) && (c < 'A' || c > 'F')) return rdf::TermView::literal(text);
  }
  return rdf::TermView::literal(buffer, kXsdHexBinary);
}

rdf::TermView read_number(ValueKind kind, std::string_view text) {
  if (kind == ValueKind::Integer && is_integer(text)) {
    return rdf::TermView::literal(text, rdf::kXsdInteger);
  }
  if (kind == ValueKind::Decimal && is_decimal(text)) {
    return rdf::TermView::literal(text, rdf::kXsdDecimal);
  }
  if (kind != ValueKind::Integer) {
    const std::string_view odd = odd_number(text);
    if (!odd.empty()) return rdf::TermView::literal(odd, rdf::kXsdDouble);
    if (is_double(text)) return rdf::TermView::literal(text, rdf::kXsdDouble);
  }
  return rdf::TermView::literal(text);
}

}  // namespace

ValueType value_type(std::uint32_t oid, int modifier, const TypeTable& others) {
  for (const BuiltIn& type : kBuiltIns) {
    if (type.oid == oid) {
      return {type.kind, ValueKind::Text, ',', name_with_modifier(type.name, oid, modifier)};
    }
    if (type.array_oid == oid && oid != 0) {
      return {ValueKind::Array, type.kind, type.name == "box" ? ';' : ',',
              name_with_modifier(type.name, type.oid, modifier) + "[]"};
    }
  }
  const auto found = others.find(oid);
  return found == others.end() ? ValueType() : found->second;
}

rdf::TermView read_value(ValueKind kind, std::string_view text, std::string& buffer) {
  switch (kind) {
    case ValueKind::Integer:
    case ValueKind::Decimal:
    case ValueKind::Double:
      return read_number(kind, text);
    case ValueKind::Boolean:
      if (text != "t" && text != "f") return rdf::TermView::literal(text);
      return rdf::TermView::literal(text == "t" ? "true" : "false", rdf::kXsdBoolean);
    case ValueKind::Date: {
      const bool is_date = !text.empty() && date_size(text) == text.size();
      return is_date ? rdf::TermView::literal(text, rdf::kXsdDate) : rdf::TermView::literal(text);
    }
    case ValueKind::Time:
      return read_time(text, buffer);
    case ValueKind::Timestamp:
      return read_timestamp(text, buffer);
    case ValueKind::Bytes:
      return read_bytes(text, buffer);
    case ValueKind::Json:
      return rdf::TermView::literal(text, kRdfJson);
    case ValueKind::Text:
    case ValueKind::Array:
      break;
  }
  return rdf::TermView::literal(text);
}

rdf::TermView ValueReader::read(std::string_view text) {
  if (type_.kind != ValueKind::Array) {
    const rdf::TermView term = read_value(type_.kind, text, buffer_);
    // What has the shape of its type is plain ASCII.
    const bool has_shape = !term.datatype.empty() && type_.kind != ValueKind::Json;
    if (has_shape || is_short_ascii(text) || utf8_valid_prefix(text) == text.size()) return term;
  } else if (utf8_valid_prefix(text) == text.size()) {
    const bool is_list = array_to_json(text, type_.element, type_.delimiter, buffer_);
    return is_list ? rdf::TermView::literal(buffer_, kRdfJson) : rdf::TermView::literal(text);
  }
  has_broken_text_ = true;
  buffer_.clear();
  for (const char c : text) {
    fmt::format_to(std::back_inserter(buffer_), "{:02X}", static_cast<unsigned char>(c));
  }
  return rdf::TermView::literal(buffer_, kXsdHexBinary);
}

}  // namespace helve::sql
