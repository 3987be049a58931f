// How a string stands in a reply: escaped for its form, measured in characters, cut between
// characters. reply_sheet.h puts such strings into lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace helve::toolkit {

enum class ReplyForm : std::uint8_t { Text, Json };

// What the string is; what of it needs an escape depends on that. Control and deceptive characters
// are spelled out in both forms (\u202E: in JSON the backslash is escaped, so that whoever reads
// the string meets the six letters, never the character). In JSON, line ends and tabs of plain
// strings are themselves.
enum class Spelling : std::uint8_t {
  Plain,
  Lines,    // the same, but line ends and tabs stay as they are in the text form
  Literal,  // what stands between the quotation marks of a Turtle literal
  Iri,      // what stands between its angle brackets
  // Plain and Literal in a line whose columns '|' separates: of the text form, it is \u007C there.
  PlainColumn,
  LiteralColumn,
};

// Characters the string takes within a reply of that form (within the quotation marks of a JSON
// string). Counting ends when there are more than `enough`. Bytes that are not UTF-8 count as one.
std::size_t shown_chars(std::string_view text, Spelling spelling, ReplyForm form,
                        std::size_t enough);

// Appends what fits into `room` characters. Line ends, control and deceptive characters are
// escaped; bytes that are not UTF-8 come out as U+FFFD.
struct ShownPart {
  std::size_t bytes = 0;       // of the string that were shown
  std::size_t characters = 0;  // of the string
  std::size_t room_used = 0;
};
ShownPart append_shown(std::string& out, std::string_view text, Spelling spelling, ReplyForm form,
                       std::size_t room);

}  // namespace helve::toolkit
