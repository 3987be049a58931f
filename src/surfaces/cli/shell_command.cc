// helve shell: a prompt for queries and commands, or a list of them on standard input.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/stdio.h"
#include "base/text.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/explain_output.h"
#include "surfaces/cli/line_editor.h"
#include "surfaces/cli/query_input.h"
#include "surfaces/cli/shell_session.h"
#include "surfaces/cli/signals.h"
#include "surfaces/cli/state_folder.h"

namespace helve::cli {

namespace {

// HELVE_HISTORY, or a file in the user's state folder; empty: none is kept.
std::string history_file(Env& env) {
  if (const char* const chosen = std::getenv("HELVE_HISTORY")) return chosen;
  const std::filesystem::path folder = user_state_folder();
  if (folder.empty() || !env.files().make_directories(folder)) return {};
  return folder / "history";
}

// One entry of the history: a line, unless lines cannot be joined.
std::vector<std::string> history_entries(const Statement& statement) {
  std::string text = statement.command;
  if (!text.empty() && !statement.text.empty()) text += ' ';
  text += statement.text;
  const bool can_be_joined = text.find('#') == std::string::npos &&
                             text.find("\"\"\"") == std::string::npos &&
                             text.find("'''") == std::string::npos;
  if (can_be_joined) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return {text};
  }
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

class Shell {
 public:
  Shell(ShellSession& session, CommandContext& context)
      : session_(session), context_(context), statements_(session.parse_options()) {}

  Result<void> converse() {
    context_.note("helve: .help lists the commands, Tab completes, Ctrl-D leaves");
    LineEditor editor(history_file(context_.env), [this](std::string_view line) {
      const std::string above = statements_.is_empty() ? "" : statements_.text() + "\n";
      Completion completion = complete(above + std::string(line), session_.names());
      completion.begin -= std::min(completion.begin, above.size());
      return completion;
    });
    std::string line;
    while (!session_.is_over()) {
      switch (editor.read(statements_.is_empty() ? "helve> " : "   ... ", line)) {
        case LineEnd::Interrupted:
          statements_.clear();
          continue;
        case LineEnd::Closed:
          return context_.show("\n");
        case LineEnd::Line:
          break;
      }
      for (const Statement& statement : statements_.add(line)) run(statement, &editor);
      // A pasted query may go on in the next line.
      if (statements_.is_whole() && !editor.has_more()) run(*statements_.take(), &editor);
    }
    return {};
  }

  // The first failure, after everything was run.
  Result<void> run_script() {
    const auto source = stdin_source(context_.op.cancel);
    std::array<char, 16 * kKiB> piece;
    std::string line;
    while (!session_.is_over()) {
      HELVE_ASSIGN(const std::size_t count, source->read(piece));
      if (count == 0) break;
      std::string_view rest(piece.data(), count);
      for (std::size_t end = rest.find('\n'); end != std::string_view::npos;
           end = rest.find('\n')) {
        line += rest.substr(0, end);
        rest.remove_prefix(end + 1);
        HELVE_TRY(take_line(line));
        line.clear();
      }
      line += rest;
      HELVE_TRY(check_length(line));
    }
    if (!line.empty()) HELVE_TRY(take_line(line));
    if (const auto last = statements_.take(); last && !session_.is_over()) run(*last, nullptr);
    if (!failure_) return {};
    context_.is_failure_reported = true;
    return *failure_;
  }

 private:
  Result<void> take_line(std::string_view line) {
    HELVE_TRY(check_length(line));
    for (const Statement& statement : statements_.add(line)) {
      if (session_.is_over()) break;
      run(statement, nullptr);
      if (context_.op.cancel.is_cancelled()) return context_.op.check();
    }
    return {};
  }

  // The parser refuses longer ones, but only once they are there.
  Result<void> check_length(std::string_view line) const {
    const std::size_t bytes_max = context_.op.limits.query_bytes_max;
    if (statements_.text().size() + line.size() <= bytes_max) return {};
    return Error{ErrorCode::LimitExceeded,
                 "a query of the input is longer than " + format_bytes(bytes_max),
                 "end each query with an empty line or a ';'"};
  }

  void run(const Statement& statement, LineEditor* editor) {
    if (editor != nullptr) {
      for (const std::string& entry : history_entries(statement)) editor->remember(entry);
      // Ctrl-C stops this statement, not the shell.
      context_.op.cancel = CancelToken();
      cancel_on_interrupt(context_.op.cancel);
    }
    const auto done = session_.run(statement);
    if (done) return;
    report_error(done.error(), context_.err_terminal, context_.shown);
    if (!failure_) failure_ = done.error();
  }

  ShellSession& session_;
  CommandContext& context_;
  StatementAssembler statements_;
  std::optional<Error> failure_;
};

}  // namespace

Result<void> run_shell(const QueryOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const sparql::PassSet passes, passes_without(options.passes_off));
  HELVE_ASSIGN(const std::vector<QuerySource> sources, find_sources(options, options.words));
  HELVE_ASSIGN(OpenedGraph graph, open_sources(sources, options, context));
  ShellSession session(options, passes, graph.data, graph.loaded.report, context);
  Shell shell(session, context);
  const bool is_interactive = ::isatty(STDIN_FILENO) == 1 && context.out_terminal.is_interactive();
  auto done = is_interactive ? shell.converse() : shell.run_script();
  graph.finish(session.is_damaged(), context.op);
  return done;
}

}  // namespace helve::cli
