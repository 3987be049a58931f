#include "surfaces/cli/error_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "base/compression.h"
#include "base/env.h"
#include "base/redaction.h"
#include "base/text.h"
#include "base/utf8.h"

namespace helve::cli {

namespace {

constexpr std::uint64_t kSearchedMax = 256 * kMiB;  // larger files are not searched for the line
constexpr std::size_t kBytesPerColumn = 16;         // of a line; more will not be seen

std::optional<std::string_view> line_of(std::string_view text, std::uint64_t number) {
  while (number > 1) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    text.remove_prefix(end + 1);
    --number;
  }
  std::string_view line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) return std::nullopt;
  return line;
}

std::uint64_t count_lines(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')) + 1;
}

// Where a text just ends, its last line shows more than the empty one behind it.
TextPosition not_behind_the_end(std::string_view text, TextPosition position) {
  const std::string_view written = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  const std::uint64_t last = count_lines(written);
  if (position.line <= last || position.line > count_lines(text)) return position;
  const std::string_view line = written.substr(written.rfind('\n') + 1);
  if (utf8_valid_prefix(line) != line.size()) return position;
  return {last, utf8_length(line) + 1};
}

// Byte offset of the character at a column, counted from 1; the end for the column behind the last.
std::optional<std::size_t> offset_of(std::string_view line, std::uint64_t column) {
  const char* at = line.data();
  const char* const end = line.data() + line.size();
  for (; column > 1; --column) {
    if (at == end) return std::nullopt;
    decode_utf8(at, end);
  }
  return static_cast<std::size_t>(at - line.data());
}

// The offset itself, or that of the character it is inside of.
std::size_t start_of_character(std::string_view line, std::size_t offset) {
  while (offset > 0 && offset < line.size() &&
         (static_cast<unsigned char>(line[offset]) & 0xC0) == 0x80) {
    --offset;
  }
  return offset;
}

std::optional<std::string> excerpt_of(const Error& error, const ShownText& shown,
                                      std::size_t width) {
  if (!error.position || error.document.empty()) return std::nullopt;
  if (error.document == shown.name) return excerpt(shown.text, *error.position, width);
  Files& files = real_env().files();
  const auto status = files.status(error.document);
  if (!status || status->kind != FileKind::Regular || status->size > kSearchedMax)
    return std::nullopt;
  const auto file = files.map(error.document);
  if (!file || detect_compression((*file)->text()) != Compression::None) return std::nullopt;
  return excerpt((*file)->text(), *error.position, width);
}

}  // namespace

std::optional<std::string> excerpt(std::string_view text, TextPosition position,
                                   std::size_t width) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  position = not_behind_the_end(text, position);
  const auto line = line_of(text, position.line);
  if (!line || utf8_valid_prefix(*line) != line->size()) return std::nullopt;
  const auto offset = offset_of(*line, position.column);
  if (!offset) return std::nullopt;
  // Of a very long line only what can be seen is worth escaping and measuring.
  const std::size_t bytes_max = kBytesPerColumn * width;
  const std::size_t begin =
      start_of_character(*line, *offset > bytes_max ? *offset - bytes_max : 0);
  const std::size_t end = start_of_character(*line, std::min(line->size(), *offset + bytes_max));
  // What stands before the place may take two thirds of the width, the rest comes behind it.
  std::string before = escape_for_terminal(line->substr(begin, *offset - begin));
  const std::size_t before_max = width * 2 / 3;
  bool is_cut = begin > 0;
  while (display_width(before) > before_max) {
    const char* at = before.data();
    decode_utf8(at, before.data() + before.size());
    before.erase(0, std::max<std::size_t>(
                        static_cast<std::size_t>(at - before.data()),
                        before.size() > 4 * before_max ? before.size() - 4 * before_max : 0));
    while (!before.empty() && (static_cast<unsigned char>(before[0]) & 0xC0) == 0x80)
      before.erase(0, 1);
    is_cut = true;
  }
  if (is_cut) before = "…" + before;
  const std::size_t column = display_width(before);
  const std::string behind = elide_end(escape_for_terminal(line->substr(*offset, end - *offset)),
                                       width > column ? width - column : 1);
  return before + behind + "\n" + std::string(column, ' ') + "^";
}

void report_error(const Error& error, const Terminal& terminal, const ShownText& shown) {
  std::string place = escape_for_terminal(error.document);
  if (error.position) place += fmt::format(":{}:{}", error.position->line, error.position->column);
  if (!place.empty()) place += ": ";
  std::string out = "helve: " + terminal.styled(Style::Error, "error: ") + place +
                    escape_for_terminal(redact(error.full_message())) + "\n";
  constexpr std::size_t kMargin = 4;
  if (const auto lines = excerpt_of(error, shown, terminal.width() - kMargin)) {
    const std::size_t caret = lines->rfind('\n') + 1;
    out += "  | " + redact(lines->substr(0, caret)) + "  | " +
           terminal.styled(Style::Error, lines->substr(caret)) + "\n";
  }
  if (const std::string hint = error.full_hint(); !hint.empty()) {
    out +=
        "  " + terminal.styled(Style::Accent, "hint: ") + escape_for_terminal(redact(hint)) + "\n";
  }
  std::fwrite(out.data(), 1, out.size(), stderr);
}

void report_usage_error(std::string_view message, std::string_view command) {
  const std::string help =
      command.empty() ? "helve --help shows the commands and options"
                      : fmt::format(
                            "helve {} --help shows what it takes, helve --help the options "
                            "of all commands",
                            command);
  fmt::print(stderr, "helve: error: {}\n  hint: {}\n", escape_for_terminal(redact(message)), help);
}

}  // namespace helve::cli
