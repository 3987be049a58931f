// helve chat.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "base/text.h"
#include "surfaces/cli/agent/answer_json.h"
#include "surfaces/cli/agent/ask_session.h"
#include "surfaces/cli/agent/ask_view.h"
#include "surfaces/cli/agent/chat_history.h"
#include "surfaces/cli/agent/chat_page.h"
#include "surfaces/cli/agent/pause_keys.h"
#include "surfaces/cli/error_report.h"
#include "surfaces/cli/line_loop.h"
#include "surfaces/cli/shown_lines.h"
#include "surfaces/cli/tool_arguments.h"

namespace helve::cli {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kHelp =
    "a question            asked with the turns before it\n"
    "/sources              what can be asked\n"
    "/context              what the model was told of the source at the last question\n"
    "/memory [WORDS]       lessons that were given with the last question, or lessons for words\n"
    "/save FILE            the conversation with its evidence as Markdown, into a new file\n"
    "/help, /quit\n";
constexpr std::array<std::string_view, 6> kCommands = {"/sources", "/context", "/memory",
                                                       "/save",    "/help",    "/quit"};

class Chat {
 public:
  Chat(AskSession& session, const ChatOptions& options, CommandContext& context)
      : session_(session), options_(options), context_(context), history_(options.history_chars) {}

  Result<void> converse() {
    context_.note("helve: ask, or /help; Ctrl-C holds an answer, Ctrl-D leaves");
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
    const std::size_t begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return;
    line = line.substr(begin, line.find_last_not_of(kBlanks) - begin + 1);
    const auto done = line.starts_with('/') ? obey(line) : ask(std::string(line));
    if (done) return;
    if (!context_.is_failure_reported) {
      if (options_.is_json) static_cast<void>(context_.show(json_line(error_json(done.error()))));
      report_error(done.error(), context_.err_terminal, context_.shown);
    }
    context_.is_failure_reported = false;
    if (!failure_) failure_ = done.error();
  }

  Result<void> ask(std::string line) {
    HELVE_ASSIGN(const std::string question, checked_question(std::move(line)));
    const AgentOptions& agent = options_.agent;
    const bool is_live =
        agent.is_streaming || (context_.err_terminal.is_interactive() && !options_.is_json);
    AskView view({is_live, agent.is_streaming, agent.has_times}, session_.model_words(), context_);
    {
      PauseKeys keys(context_);
      last_ = session_.ask(question, history_.messages(), hooks_of(view, keys));
    }
    view.end();
    HELVE_TRY(options_.is_json ? context_.show(json_line(answer_json(*last_, {}, agent.has_times)))
                               : show_answer(*last_, session_, agent.has_times, context_));
    all_.push_back({question, last_->run});
    const std::size_t dropped = history_.add({question, last_->run.content});
    if (dropped != 0 && options_.history_chars != 0) {
      context_.note(fmt::format("{} dropped: the model sees {} characters of history at most",
                                count_of(dropped, "oldest turn"),
                                format_count(options_.history_chars)));
    }
    context_.is_failure_reported = !last_->run.has_converged();
    return status_of(last_->run);
  }

  Result<void> obey(std::string_view line) {
    const std::size_t blank = std::min(line.find_first_of(kBlanks), line.size());
    const std::string_view command = line.substr(0, blank);
    std::string_view rest = line.substr(blank);
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
    if (command == "/quit" || command == "/exit") {
      is_over_ = true;
      return {};
    }
    if (command == "/help") return say(command, std::string(kHelp));
    if (command == "/sources") return say(command, sources_text());
    if (command == "/context") return say(command, context_text());
    if (command == "/memory") return show_memory(rest);
    if (command == "/save") return save(std::string(rest));
    return Error{ErrorCode::InvalidInput, fmt::format("there is no command {}", command),
                 "/help lists them"};
  }

  static std::string json_line(const JsonValue& value) { return to_json(value) + "\n"; }

  // What a command shows.
  Result<void> say(std::string_view command, const std::string& text) {
    if (!options_.is_json) return context_.show(text);
    return context_.show(json_line(
        JsonValue(JsonValue::Object{{"command", JsonValue(command)}, {"text", JsonValue(text)}})));
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

  std::string context_text() const {
    if (!last_) return "nothing was asked yet\n";
    const std::string& text = last_->context.text;
    return text.empty() ? "the model was told nothing\n" : shown_lines(text);
  }

  Result<void> show_memory(std::string_view words) {
    if (!words.empty()) {
      JsonValue::Object arguments;
      arguments.push_back({"q", JsonValue(words)});
      const auto found = session_.tools().call("mem_search", JsonValue(std::move(arguments)));
      if (!options_.is_json || found.reply.is_error) return show_outcome(found, false, context_);
      return say("/memory", found.reply.text);
    }
    if (!last_ || last_->context.injected.empty()) {
      return say("/memory", "no lessons were given; /memory WORDS looks for some\n");
    }
    return say("/memory", shown_lines(fmt::format("{}", fmt::join(last_->context.injected, "\n"))));
  }

  // A file that is there already is left alone.
  Result<void> save(const std::string& path) {
    if (path.empty()) return Error{ErrorCode::InvalidInput, "/save needs the name of a new file"};
    std::string text;
    for (const AskedTurn& turn : all_) text += turn_markdown(turn);
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
  std::vector<AskedTurn> all_;
  std::optional<agent::AskResult> last_;
  std::optional<Error> failure_;
  bool is_over_ = false;
};

}  // namespace

Result<void> run_chat(const ChatOptions& options, CommandContext& context) {
  auto opened = AskSession::open(options.agent, context);
  if (!opened) {
    if (options.is_json) HELVE_TRY(context.show(to_json(error_json(opened.error())) + "\n"));
    return std::move(opened).error();
  }
  const auto session = *std::move(opened);
  Chat chat(*session, options, context);
  const bool is_interactive = ::isatty(STDIN_FILENO) == 1 && context.out_terminal.is_interactive();
  auto done = is_interactive ? chat.converse() : chat.run_script();
  const LostRecords lost = session->end_records();
  if (options.is_json && (lost.trajectory || lost.record)) {
    static_cast<void>(context.show(to_json(lost_json(lost)) + "\n"));
  }
  tell_lost(lost, context);
  session->finish();
  return done;
}

}  // namespace helve::cli
