// helve chat.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "base/text.h"
#include "surfaces/cli/agent/ask_session.h"
#include "surfaces/cli/agent/ask_view.h"
#include "surfaces/cli/agent/chat_history.h"
#include "surfaces/cli/error_report.h"
#include "surfaces/cli/line_loop.h"
#include "surfaces/cli/shown_lines.h"
#include "surfaces/cli/tool_arguments.h"

namespace helve::cli {

namespace {

constexpr std::string_view kHelp =
    "a question            asked with the turns before it\n"
    "/sources              what can be asked\n"
    "/context              what the model was told of the source at the last question\n"
    "/memory [WORDS]       lessons that were given with the last question, or lessons for words\n"
    "/save FILE            the conversation as Markdown, into a new file\n"
    "/help, /quit\n";
constexpr std::array<std::string_view, 6> kCommands = {"/sources", "/context", "/memory",
                                                       "/save",    "/help",    "/quit"};

class Chat {
 public:
  Chat(AskSession& session, const ChatOptions& options, CommandContext& context)
      : session_(session), options_(options), context_(context), history_(options.history_chars) {}

  Result<void> converse() {
    context_.note("helve: ask, or /help; Ctrl-C stops an answer, Ctrl-D leaves");
    return take_typed_lines(
        complete_command, [] { return std::string("chat> "); }, lines(), context_);
  }

  // The first failure, after everything was asked.
  Result<void> run_script() {
    HELVE_TRY(take_piped_lines(lines(), context_));
    if (!failure_) return {};
    context_.is_failure_reported = true;
    return *failure_;
  }

 private:
  LineTaker lines() {
    return {[this](const std::string& line) { take(line); }, [this] { return is_over_; }};
  }

  static Completion complete_command(std::string_view line) {
    Completion completion;
    for (const std::string_view command : kCommands) {
      if (line.starts_with('/') && command.starts_with(line)) {
        completion.words.emplace_back(command);
      }
    }
    return completion;
  }

  void take(std::string_view line) {
    while (line.ends_with(' ') || line.ends_with('\r')) line.remove_suffix(1);
    while (line.starts_with(' ')) line.remove_prefix(1);
    if (line.empty()) return;
    const auto done = line.starts_with('/') ? obey(line) : ask(std::string(line));
    if (done) return;
    if (!context_.is_failure_reported) {
      report_error(done.error(), context_.err_terminal, context_.shown);
    }
    context_.is_failure_reported = false;
    if (!failure_) failure_ = done.error();
  }

  Result<void> ask(const std::string& question) {
    const AgentOptions& agent = options_.agent;
    const bool is_live = agent.is_streaming || context_.err_terminal.is_interactive();
    AskView view({is_live, agent.is_streaming, agent.has_times}, context_);
    last_ = session_.ask(question, history_.messages(),
                         [&view](const agent::RunEvent& event) { view.take(event); });
    view.end();
    HELVE_TRY(show_answer(*last_, session_.tools(), agent.has_times, context_));
    all_.push_back({question, last_->run.content});
    const std::size_t dropped = history_.add(all_.back());
    if (dropped != 0) {
      context_.note(fmt::format("{} dropped: the model sees {} characters of history at most",
                                count_of(dropped, "oldest turn"),
                                format_count(options_.history_chars)));
    }
    context_.is_failure_reported = !last_->run.has_converged();
    return status_of(last_->run);
  }

  Result<void> obey(std::string_view line) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string_view command = line.substr(0, blank);
    std::string_view rest = line.substr(blank);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    if (command == "/quit" || command == "/exit") {
      is_over_ = true;
      return {};
    }
    if (command == "/help") return context_.show(kHelp);
    if (command == "/sources") return context_.show(sources_text());
    if (command == "/context") return show_context();
    if (command == "/memory") return show_memory(rest);
    if (command == "/save") return save(std::string(rest));
    return Error{ErrorCode::InvalidInput, fmt::format("there is no command {}", command),
                 "/help lists them"};
  }

  std::string sources_text() {
    std::string text;
    for (const auto& source : session_.tools().toolkit().sources(session_.tools().caller())) {
      text += fmt::format("{}  {}, {}\n", escape_for_terminal(source.info.name),
                          source.info.kind == SourceKind::Tables ? "database" : "graph",
                          toolkit::name_of(source.state));
    }
    return text.empty() ? "no source: --source names one\n" : text;
  }

  Result<void> show_context() {
    if (!last_) return context_.show("nothing was asked yet\n");
    const std::string& text = last_->context.text;
    return context_.show(text.empty() ? "the model was told nothing\n" : shown_lines(text));
  }

  Result<void> show_memory(std::string_view words) {
    if (!words.empty()) {
      JsonValue::Object arguments;
      arguments.push_back({"q", JsonValue(words)});
      return show_outcome(session_.tools().call("mem_search", JsonValue(std::move(arguments))),
                          false, context_);
    }
    if (!last_ || last_->context.injected.empty()) {
      return context_.show("no lessons were given; /memory WORDS looks for some\n");
    }
    return context_.show(shown_lines(fmt::format("{}", fmt::join(last_->context.injected, "\n"))));
  }

  // A file that is there already is left alone.
  Result<void> save(const std::string& path) {
    if (path.empty()) return Error{ErrorCode::InvalidInput, "/save needs the name of a new file"};
    std::string text;
    for (const ChatTurn& turn : all_) {
      text += fmt::format("## {}\n\n{}\n\n", turn.question,
                          turn.answer.empty() ? "(no answer)" : turn.answer);
    }
    HELVE_ASSIGN(const auto file, context_.env.files().open_write(path, WriteMode::CreateNew));
    HELVE_TRY(file->write(text));
    HELVE_TRY(file->close());
    context_.note(fmt::format("{} in {}", count_of(all_.size(), "turn"), path));
    return {};
  }

  AskSession& session_;
  const ChatOptions& options_;
  CommandContext& context_;
  ChatHistory history_;
  std::vector<ChatTurn> all_;
  std::optional<agent::AskResult> last_;
  std::optional<Error> failure_;
  bool is_over_ = false;
};

}  // namespace

Result<void> run_chat(const ChatOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto session, AskSession::open(options.agent, context));
  Chat chat(*session, options, context);
  const bool is_interactive = ::isatty(STDIN_FILENO) == 1 && context.out_terminal.is_interactive();
  auto done = is_interactive ? chat.converse() : chat.run_script();
  session->finish();
  return done;
}

}  // namespace helve::cli
