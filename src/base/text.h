// Small things for texts that people read: numbers, sizes, widths, and making hostile data harmless
// on a terminal. utf8.h is below it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace helve {

std::string format_count(std::uint64_t count);  // 1234567 -> "1,234,567"
std::string format_bytes(std::uint64_t bytes);  // "512 B", "1.5 KiB", "20 MiB", "1.0 TiB"
std::string format_duration(
    Duration duration);  // "85 us", "12 ms", "1.23 s", "2 min 5 s", "3 h 20 min"

// The text with everything that could drive a terminal or deceive its reader made visible: control
// and escape characters, line ends, bidirectional controls, invisible format characters and tags as
// \n, \t, \x1B or \u202E; bytes that are not UTF-8 as \xFF. The result is valid UTF-8, on one line.
// Backslashes of the text itself stay, so this is for showing, not for reading back.
std::string escape_for_terminal(std::string_view text);

// Terminal columns: wide East Asian characters and emoji take two, combining marks none. Bytes that
// are not UTF-8 count one each. Linear.
std::size_t display_width(std::string_view text);
// 0, 1 or 2.
int character_width(char32_t character);

// The text in at most `width` columns, with an ellipsis where something was left out. Marks stay
// with the character they belong to. REQUIRES: valid UTF-8 (escape first).
std::string elide_end(std::string_view text, std::size_t width);     // "a long te…"
std::string elide_middle(std::string_view text, std::size_t width);  // "http…#name"

// A name that comes from a source, to stand among our own words: in single quotation marks, on one
// line, escaped, at most 64 columns of it.
std::string quote_name(std::string_view name);
std::string quote_iri(std::string_view iri);  // the same in angle brackets
// The first names of a list, such as "'a', 'b', ..."; "none" if it is empty.
std::string quote_names(const std::vector<std::string>& names);

// The text with spaces before or behind it, `width` columns in all; wider ones stay.
std::string pad_start(std::string_view text, std::size_t width);
std::string pad_end(std::string_view text, std::size_t width);

}  // namespace helve
