#include "surfaces/cli/agent/draft_prompt.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "agent/reflect/draft_text.h"
#include "base/ascii.h"
#include "base/fd.h"
#include "base/text.h"
#include "base/wait_fd.h"
#include "surfaces/cli/agent/script_input.h"
#include "surfaces/cli/confirm_prompt.h"

namespace helve::cli {

namespace {

constexpr std::size_t kAnswerMax = 64;
constexpr int kQuestionsMax = 10;
constexpr int kRoundsMax = 10;  // of an editor

// One line, byte by byte: what follows is for the next question. Empty: the end of the input.
Result<std::string> read_answer_line(const OpContext& op) {
  std::string line;
  while (line.size() < kAnswerMax && !line.ends_with('\n')) {
    HELVE_TRY(wait_for_fd(STDIN_FILENO, /*wants_read=*/true, /*wants_write=*/false, op));
    char byte = 0;
    if (::read(STDIN_FILENO, &byte, 1) <= 0) break;
    line += byte;
  }
  return line;
}

std::string normalized_answer(std::string_view text) { return ascii_lower(trimmed(text)); }

// A file for the owner alone, removed at the end unless it is kept.
class DraftFile {
 public:
  static Result<DraftFile> make(const std::string& text) {
    const char* const named = std::getenv("TMPDIR");
    const std::string folder = named != nullptr && *named != '\0' ? named : "/tmp";
    std::string path = folder + "/helve-draft-XXXXXX";
    UniqueFd file(::mkstemp(path.data()));
    if (!file.is_open()) return cannot_write(folder);
    DraftFile made(std::move(path));
    if (write_fd_fully(file.get(), text) != 0 || file.close() != 0) return cannot_write(folder);
    return made;
  }
  explicit DraftFile(std::string path) : path_(std::move(path)) {}
  DraftFile(DraftFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  DraftFile(const DraftFile&) = delete;
  DraftFile& operator=(const DraftFile&) = delete;
  DraftFile& operator=(DraftFile&&) = delete;
  ~DraftFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  const std::string& path() const { return path_; }
  // The path of what nobody removes now.
  std::string keep() { return std::exchange(path_, {}); }

 private:
  static Error cannot_write(const std::string& folder) {
    return {ErrorCode::Unavailable, fmt::format("cannot write a draft into '{}'", folder),
            "set TMPDIR to a folder that can be written"};
  }

  std::string path_;
};

std::string chosen_editor() {
  for (const char* const name : {"VISUAL", "EDITOR"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

// One word of a shell, whatever is in it.
std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

Result<void> run_editor(const std::string& path) {
  const std::string named = chosen_editor();
  const std::string editor = named.empty() ? "vi" : named;
  // The editor may be a command with words of its own.
  if (std::system(fmt::format("{} {}", editor, shell_word(path)).c_str()) == 0) return {};
  return Error{ErrorCode::Unavailable, fmt::format("the editor '{}' failed", editor),
               "set EDITOR, or give --title, --desc and --content"};
}

// What somebody wrote is not thrown away.
Error given_up(Error error, const std::string& text, DraftFile& file, CommandContext& context) {
  const auto written = read_text_file(file.path(), agent::kDraftBytesMax, context);
  const bool is_untouched =
      written ? *written == text || written->empty() : written.error().code == ErrorCode::NotFound;
  if (!is_untouched) error.hint += fmt::format("; what you wrote is in {}", file.keep());
  return error;
}

void add_line(std::string& out, std::string_view key, std::string_view value) {
  if (!value.empty()) out += fmt::format("  {:<10} {}\n", key, escape_for_terminal(value));
}

}  // namespace

std::string shown_draft(const memory::Item& item, const std::vector<agent::SimilarItem>& similar,
                        const Terminal& terminal) {
  std::string out = fmt::format("{}  {}\n", terminal.styled(Style::Accent, "draft"),
                                escape_for_terminal(item.title));
  add_line(out, "when", item.desc);
  add_line(out, "src", name_of(item.src));
  add_line(out, "tags", fmt::format("{}", fmt::join(item.tags, ", ")));
  add_line(out, "domain", item.domain);
  add_line(out, "run", item.provenance.run);
  add_line(out, "verdict", item.provenance.verdict);
  std::string_view rest = item.content;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    out += "    " + escape_for_terminal(rest.substr(0, end)) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  for (const agent::SimilarItem& one : similar) {
    out += fmt::format("{} {}  {} (title {:.0f} %, content {:.0f} %)\n",
                       one.is_near_duplicate ? terminal.styled(Style::Warning, "near-duplicate")
                                             : std::string("similar       "),
                       one.item.id, escape_for_terminal(one.item.title), one.similarity.title * 100,
                       one.similarity.content * 100);
  }
  return out;
}

Result<DraftWord> ask_about_draft(CommandContext& context) {
  for (int asked = 0; asked < kQuestionsMax; ++asked) {
    std::fputs("[a]pprove, [e]dit or [r]eject? ", stderr);
    std::fflush(stderr);
    OpContext op = context.op;
    op.deadline = {};  // a person may think
    HELVE_ASSIGN(const std::string line, read_answer_line(op));
    if (::isatty(STDIN_FILENO) != 1) std::fputs("\n", stderr);
    const std::string word = normalized_answer(line);
    if (line.empty() || word == "r" || word == "reject") return DraftWord::Reject;
    if (word == "a" || word == "approve") return DraftWord::Approve;
    if (word == "e" || word == "edit") return DraftWord::Edit;
  }
  return DraftWord::Reject;
}

bool has_editor(const CommandContext& context) {
  return !chosen_editor().empty() || can_ask_person(context);
}

Result<void> edit_text(const std::string& text, const TextReader& read, CommandContext& context) {
  HELVE_ASSIGN(DraftFile file, DraftFile::make(text));
  std::string before;
  for (int round = 0;; ++round) {
    auto done = run_editor(file.path());
    if (!done) return given_up(std::move(done).error(), text, file, context);
    const auto written = read_text_file(file.path(), agent::kDraftBytesMax, context);
    done = written ? read(*written) : Result<void>(written.error());
    if (done) return {};
    const bool is_as_before = !written || *written == (round == 0 ? text : before);
    if (is_as_before || written->empty() || round + 1 == kRoundsMax) {
      return given_up(std::move(done).error(), text, file, context);
    }
    context.warn(
        fmt::format("{} ({}); the editor opens again, and gives it up where nothing is "
                    "changed",
                    done.error().full_message(), done.error().hint));
    before = *written;
  }
}

}  // namespace helve::cli
