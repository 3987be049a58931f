// helve explore: the tools at a prompt.
#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include "base/stdio.h"
#include "base/text.h"
#include "surfaces/cli/error_report.h"
#include "surfaces/cli/explore_line.h"
#include "surfaces/cli/line_editor.h"
#include "surfaces/cli/signals.h"
#include "surfaces/cli/tool_arguments.h"

namespace helve::cli {

namespace {

constexpr std::string_view kHelp =
    "schema [classes|properties|patterns]   what is in the graph\n"
    "find WORDS                             names of classes, properties and instances\n"
    "peek NAME                              a first look at one of them\n"
    "describe NAME                          all that is said about it\n"
    "SELECT ... | query 'SELECT ...'        a SPARQL query; its rows get a handle\n"
    "slice results_0 [offset=N]             rows of a handle\n"
    "sql 'SELECT ... FROM results_0'        SQL over handles\n"
    "list_tools                             all tools; any of them can be called by name\n"
    "help, quit\n";

class Explorer {
 public:
  Explorer(ToolSession& session, bool is_json, CommandContext& context)
      : session_(session), is_json_(is_json), context_(context) {
    for (const toolkit::Tool& tool : session.toolkit().registry().tools()) {
      tools_.push_back(tool.name);
    }
  }

  Result<void> converse() {
    context_.note("helve: 'help' lists what can be typed, Tab completes, Ctrl-D leaves");
    LineEditor editor({}, [this](std::string_view line) { return complete_tool(line); });
    std::string line;
    while (!is_over_) {
      switch (editor.read("explore> ", line)) {
        case LineEnd::Interrupted:
          continue;
        case LineEnd::Closed:
          return context_.show("\n");
        case LineEnd::Line:
          break;
      }
      if (!line.empty()) editor.remember(line);
      // Ctrl-C stops this call, not the prompt.
      context_.op.cancel = CancelToken();
      cancel_on_interrupt(context_.op.cancel);
      take(line);
    }
    return {};
  }

  // The first failure, after everything was run.
  Result<void> run_script() {
    const auto source = stdin_source(context_.op.cancel);
    std::array<char, 16 * kKiB> piece;
    std::string line;
    bool is_open = true;
    while (is_open && !is_over_) {
      HELVE_ASSIGN(const std::size_t count, source->read(piece));
      is_open = count > 0;
      line.append(piece.data(), count);
      for (std::size_t end = line.find('\n'); end != std::string::npos && !is_over_;
           end = line.find('\n')) {
        take(line.substr(0, end));
        line.erase(0, end + 1);
      }
      if (line.size() > context_.op.limits.query_bytes_max) {
        return Error{ErrorCode::LimitExceeded, "a line of the input is too long"};
      }
    }
    if (!line.empty() && !is_over_) take(line);
    if (!failure_) return {};
    context_.is_failure_reported = true;
    return *failure_;
  }

 private:
  Completion complete_tool(std::string_view line) const {
    Completion completion;
    if (line.find(' ') != std::string_view::npos) return completion;
    for (const std::string& tool : tools_) {
      for (const std::string_view name : {std::string_view(tool), short_name(tool)}) {
        if (!name.empty() && name.starts_with(line)) completion.words.emplace_back(name);
      }
    }
    return completion;
  }

  static std::string_view short_name(std::string_view tool) {
    constexpr std::string_view kFamily = "sparql_";
    return tool.starts_with(kFamily) ? tool.substr(kFamily.size()) : std::string_view();
  }

  void take(std::string_view line) {
    const auto done = run(line);
    if (done) return;
    if (!context_.is_failure_reported) {
      report_error(done.error(), context_.err_terminal, context_.shown);
    }
    context_.is_failure_reported = false;
    if (!failure_) failure_ = done.error();
  }

  Result<void> run(std::string_view line) {
    HELVE_ASSIGN(const ExploreLine read, read_explore_line(line, tools_));
    is_over_ = read.is_end;
    if (read.is_help) return context_.show(kHelp);
    if (read.tool.empty()) return {};
    const auto tool = session_.toolkit().registry().find(read.tool);
    HELVE_ASSIGN(const JsonValue arguments,
                 read_tool_arguments(read.words, tool ? *tool : nullptr, context_));
    return show_outcome(session_.call(read.tool, arguments), is_json_, context_);
  }

  ToolSession& session_;
  bool is_json_;
  CommandContext& context_;
  std::vector<std::string> tools_;
  std::optional<Error> failure_;
  bool is_over_ = false;
};

}  // namespace

Result<void> run_explore(const ExploreOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto session, ToolSession::open(options.session, context));
  Explorer explorer(*session, options.is_json, context);
  const bool is_interactive = ::isatty(STDIN_FILENO) == 1 && context.out_terminal.is_interactive();
  auto done = is_interactive ? explorer.converse() : explorer.run_script();
  session->finish();
  return done;
}

}  // namespace helve::cli
