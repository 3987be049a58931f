#include "surfaces/cli/line_editor.h"

#include <fmt/format.h>
#include <histedit.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <cwchar>

#include "base/text.h"

namespace helve::cli {

namespace {

constexpr int kEntriesMax = 1'000;
constexpr std::size_t kListedMax = 40;

// The longest start that all words have.
std::string common_start(const std::vector<std::string>& words) {
  std::string start = words.front();
  for (const std::string& word : words) {
    const auto differing = std::mismatch(start.begin(), start.end(), word.begin(), word.end());
    start.erase(differing.first, start.end());
  }
  // Not within a character.
  while (!start.empty() &&
         (static_cast<unsigned char>(words.front()[start.size()]) & 0xC0) == 0x80) {
    start.pop_back();
  }
  return start;
}

std::string list_of(const std::vector<std::string>& words, std::size_t screen_width) {
  std::size_t width = 0;
  const std::size_t shown = std::min(words.size(), kListedMax);
  for (std::size_t i = 0; i < shown; ++i) width = std::max(width, display_width(words[i]) + 2);
  const std::size_t columns =
      std::max<std::size_t>(1, screen_width / std::max<std::size_t>(width, 1));
  std::string out = "\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const bool ends_line = i + 1 == shown || (i + 1) % columns == 0;
    out += ends_line ? words[i] + "\n" : pad_end(words[i], width);
  }
  if (words.size() > shown) out += fmt::format("… {} more\n", words.size() - shown);
  return out;
}

}  // namespace

struct LineEditor::State {
  State(std::string file, Completer completes)
      : history_file(std::move(file)), completer(std::move(completes)) {}

  std::string history_file;
  Completer completer;
  EditLine* editor = nullptr;
  History* history = nullptr;
  HistEvent event{};
  std::string prompt;
  std::string last;
  bool is_interrupted = false;

  static State& of(EditLine* editor) {
    void* data = nullptr;
    el_get(editor, EL_CLIENTDATA, &data);
    return *static_cast<State*>(data);
  }
  static const char* show_prompt(EditLine* editor) { return of(editor).prompt.c_str(); }

  static unsigned char interrupt(EditLine* editor, wint_t /*key*/) {
    of(editor).is_interrupted = true;
    return CC_NEWLINE;
  }

  static unsigned char complete(EditLine* editor, wint_t /*key*/) {
    const LineInfo* const info = el_line(editor);
    const std::string_view text(info->buffer,
                                static_cast<std::size_t>(info->cursor - info->buffer));
    Completion completion = of(editor).completer(text);
    if (completion.words.empty()) return CC_REFRESH_BEEP;
    const bool is_only = completion.words.size() == 1;
    std::string insertion = common_start(completion.words);
    const std::size_t typed = text.size() - completion.begin;
    // A prefix goes on with a local name, a function with its arguments.
    if (is_only && !insertion.ends_with(':')) insertion += ' ';
    if (is_only || insertion.size() > typed) {
      // As many characters as libedit has there, not bytes.
      el_deletestr(editor, static_cast<int>(utf8_characters(text.substr(completion.begin))));
      el_insertstr(editor, insertion.c_str());
      return CC_REFRESH;
    }
    const std::string list = list_of(completion.words, width_of(editor));
    std::fwrite(list.data(), 1, list.size(), stdout);
    std::fflush(stdout);
    return CC_REDISPLAY;
  }

  static std::size_t utf8_characters(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
  }

  static std::size_t width_of(EditLine* editor) {
    int columns = 0;
    el_get(editor, EL_GETTC, "co", &columns);
    constexpr std::size_t kWidthUnknown = 80;
    return columns > 0 ? static_cast<std::size_t>(columns) : kWidthUnknown;
  }
};

LineEditor::LineEditor(std::string history_file, Completer completer)
    : state_(std::make_unique<State>(std::move(history_file), std::move(completer))) {
  // Characters of more than one byte are edited as one. Only this category: numbers are written as
  // programs read them.
  const char* const locale = std::setlocale(LC_CTYPE, "");
  if (locale == nullptr || MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
  State& state = *state_;
  state.editor = el_init("helve", stdin, stdout, stderr);
  state.history = history_init();
  history(state.history, &state.event, H_SETSIZE, kEntriesMax);
  history(state.history, &state.event, H_SETUNIQUE, 1);
  if (!state.history_file.empty()) {
    history(state.history, &state.event, H_LOAD, state.history_file.c_str());
  }
  EditLine* const editor = state.editor;
  el_set(editor, EL_CLIENTDATA, &state);
  el_set(editor, EL_PROMPT, &State::show_prompt);
  el_set(editor, EL_EDITOR, "emacs");
  el_set(editor, EL_HIST, history, state.history);
  el_set(editor, EL_SIGNAL, 1);
  // Wide strings: libedit never frees what it makes of narrow ones here.
  el_wset(editor, EL_ADDFN, L"helve-complete", L"complete a word", &State::complete);
  el_wset(editor, EL_ADDFN, L"helve-interrupt", L"drop the line", &State::interrupt);
  el_set(editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  // The user's own settings, then what must hold.
  el_source(editor, nullptr);
  el_set(editor, EL_BIND, "^I", "helve-complete", nullptr);
  el_set(editor, EL_BIND, "^C", "helve-interrupt", nullptr);
  // Ctrl-C is a key while a line is edited: libedit goes on reading after a signal.
  el_set(editor, EL_SETTY, "-d", "-isig", nullptr);
}

LineEditor::~LineEditor() {
  el_end(state_->editor);
  history_end(state_->history);
}

LineEnd LineEditor::read(const std::string& prompt, std::string& line) {
  State& state = *state_;
  state.prompt = prompt;
  state.is_interrupted = false;
  line.clear();
  int count = 0;
  const char* const text = el_gets(state.editor, &count);
  if (state.is_interrupted) return LineEnd::Interrupted;
  if (text == nullptr || count <= 0) return LineEnd::Closed;
  line.assign(text);
  if (line.ends_with('\n')) line.pop_back();
  return LineEnd::Line;
}

bool LineEditor::has_more() const {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return ::poll(&input, 1, 0) == 1 && (input.revents & POLLIN) != 0;
}

void LineEditor::remember(const std::string& entry) {
  State& state = *state_;
  if (entry.empty() || entry == state.last) return;
  state.last = entry;
  history(state.history, &state.event, H_ENTER, entry.c_str());
  if (state.history_file.empty()) return;
  const mode_t mask = ::umask(S_IRWXG | S_IRWXO);
  history(state.history, &state.event, H_SAVE, state.history_file.c_str());
  ::umask(mask);
}

}  // namespace helve::cli
