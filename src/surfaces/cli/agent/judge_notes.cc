#include "surfaces/cli/agent/judge_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "base/utf8.h"
#include "surfaces/cli/agent/script_input.h"

namespace helve::cli {

namespace {

constexpr std::size_t kFileBytesMax = 256 * kKiB;

Error wrong_line(const std::string& file, std::uint64_t line, std::string message) {
  return Error{ErrorCode::InvalidInput, std::move(message),
               fmt::format("a line for each, {} at most, of up to {} characters", kJudgeNotesMax,
                           format_count(kJudgeNoteCharsMax))}
      .at(file, {line, 1});
}

}  // namespace

Result<std::vector<std::string>> read_judge_notes(const std::string& file,
                                                  CommandContext& context) {
  std::vector<std::string> notes;
  if (file.empty()) return notes;
  HELVE_ASSIGN(const std::string text, read_text_file(file, kFileBytesMax, context));
  std::string_view rest = text;
  for (std::uint64_t number = 1; !rest.empty(); ++number) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos || line[begin] == '#') continue;
    line = line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
    if (utf8_length(line) > kJudgeNoteCharsMax) return wrong_line(file, number, "this is too long");
    if (notes.size() == kJudgeNotesMax) return wrong_line(file, number, "this is one too many");
    notes.emplace_back(line);
  }
  return notes;
}

}  // namespace helve::cli
