// Numbers, escapes and elision for people. The width table is in text_width.cc.
#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/deceptive.h"
#include "base/utf8.h"

namespace helve {

namespace {

constexpr std::string_view kEllipsis = "…";  // one column

void append_visible(std::string& out, char32_t c) {
  if (c == '\n') {
    out += "\\n";
  } else if (c == '\r') {
    out += "\\r";
  } else if (c == '\t') {
    out += "\\t";
  } else if (c < 0x80) {
    out += fmt::format("\\x{:02X}", static_cast<unsigned>(c));
  } else if (c <= 0xFFFF) {
    out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
  } else {
    out += fmt::format("\\U{:08X}", static_cast<unsigned>(c));
  }
}

// One character with the marks that sit on it.
struct Cluster {
  std::size_t bytes = 0;
  std::size_t columns = 0;
};

// REQUIRES: text is not empty and valid UTF-8.
Cluster first_cluster(std::string_view text) {
  const char* const end = text.data() + text.size();
  const char* at = text.data();
  Cluster cluster;
  cluster.columns = static_cast<std::size_t>(character_width(decode_utf8(at, end)));
  while (at != end) {
    const char* after = at;
    if (character_width(decode_utf8(after, end)) > 0) break;
    at = after;
  }
  cluster.bytes = static_cast<std::size_t>(at - text.data());
  return cluster;
}

// The longest prefix of whole clusters within `columns`.
std::size_t fitting_prefix(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const Cluster cluster = first_cluster(text.substr(bytes));
    if (cluster.columns > columns) break;
    columns -= cluster.columns;
    bytes += cluster.bytes;
  }
  return bytes;
}

// Where the longest suffix of whole clusters within `columns` begins, not before `from`.
std::size_t fitting_suffix(std::string_view text, std::size_t from, std::size_t columns) {
  std::size_t left_out = display_width(text.substr(from));
  while (from < text.size() && left_out > columns) {
    const Cluster cluster = first_cluster(text.substr(from));
    left_out -= cluster.columns;
    from += cluster.bytes;
  }
  return from;
}

}  // namespace

std::string format_count(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.95 would print as "1024.0": it is one of the next unit.
  while (amount >= 1023.5 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  return amount < 9.95 ? fmt::format("{:.1f} {}", amount, kUnits[unit])
                       : fmt::format("{:.0f} {}", amount, kUnits[unit]);
}

std::string format_duration(Duration duration) {
  using namespace std::chrono_literals;
  const auto in = [&](Duration unit) {
    return static_cast<double>(duration.count()) / static_cast<double>(unit.count());
  };
  if (duration < Duration::zero()) return "-" + format_duration(-(duration + 1ns));
  if (duration < 1us) return fmt::format("{} ns", duration.count());
  if (duration < 999'500ns) return fmt::format("{:.0f} us", in(1us));
  if (duration < 9'995us) return fmt::format("{:.1f} ms", in(1ms));
  if (duration < 999'500us) return fmt::format("{:.0f} ms", in(1ms));
  if (duration < 9'995ms) return fmt::format("{:.2f} s", in(1s));
  if (duration < 59'950ms) return fmt::format("{:.1f} s", in(1s));
  const auto seconds = duration / 1s + (duration % 1s >= 500ms ? 1 : 0);
  if (seconds < 3'600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {} min", seconds / 3'600, seconds % 3'600 / 60);
}

std::string escape_for_terminal(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t good = utf8_valid_prefix(text);
    const char* at = text.data();
    const char* const end = at + good;
    while (at != end) {
      const char* const start = at;
      const char32_t c = decode_utf8(at, end);
      if (is_deceptive(c)) {
        append_visible(out, c);
      } else {
        out.append(start, at);
      }
    }
    text.remove_prefix(good);
    if (text.empty()) break;
    out += fmt::format("\\x{:02X}", static_cast<unsigned char>(text[0]));
    text.remove_prefix(1);
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const std::size_t good = utf8_valid_prefix(text);
    const char* at = text.data();
    const char* const end = at + good;
    while (at != end) columns += static_cast<std::size_t>(character_width(decode_utf8(at, end)));
    text.remove_prefix(good);
    if (text.empty()) break;
    ++columns;
    text.remove_prefix(1);
  }
  return columns;
}

std::string elide_end(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::string out(text.substr(0, fitting_prefix(text, width - 1)));
  out += kEllipsis;
  return out;
}

std::string elide_middle(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  const std::size_t tail_columns = (width - 1) / 2;
  const std::size_t head = fitting_prefix(text, width - 1 - tail_columns);
  std::string out(text.substr(0, head));
  out += kEllipsis;
  out += text.substr(fitting_suffix(text, head, tail_columns));
  return out;
}

namespace {

// Without quotes that could end the quotation for a reader.
std::string escape_quoted(std::string_view text) {
  constexpr std::size_t kBytesMax = 1'000;  // far more than is shown
  constexpr std::size_t kColumns = 64;
  const std::string escaped = escape_for_terminal(text.substr(0, kBytesMax));
  std::string out;
  for (const char c : escaped) {
    if (c == '\'' || c == '<' || c == '>') out += '\\';
    out += c;
  }
  return elide_middle(out, kColumns);
}

}  // namespace

std::string quote_name(std::string_view name) { return fmt::format("'{}'", escape_quoted(name)); }

std::string quote_iri(std::string_view iri) { return fmt::format("<{}>", escape_quoted(iri)); }

std::string quote_names(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + quote_name(names[i]);
  }
  if (names.size() > kShown) text += ", ...";
  return names.empty() ? "none" : text;
}

std::string pad_start(std::string_view text, std::size_t width) {
  std::string out(width - std::min(width, display_width(text)), ' ');
  out += text;
  return out;
}

std::string pad_end(std::string_view text, std::size_t width) {
  std::string out(text);
  out.append(width - std::min(width, display_width(text)), ' ');
  return out;
}

}  // namespace helve
