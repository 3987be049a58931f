// helve ask.
#include "surfaces/cli/agent/ask_command.h"

#include "surfaces/cli/agent/answer_json.h"
#include "surfaces/cli/agent/ask_session.h"
#include "surfaces/cli/agent/ask_view.h"
#include "surfaces/cli/agent/dry_run.h"
#include "surfaces/cli/agent/pause_keys.h"
#include "surfaces/cli/agent/script_input.h"

namespace helve::cli {

namespace {

constexpr std::size_t kQuestionBytesMax = 256 * kKiB;

Result<std::string> read_question(const std::string& word, CommandContext& context) {
  if (word != "-") return checked_question(word);
  HELVE_ASSIGN(std::string question, read_text_file(word, kQuestionBytesMax, context));
  return checked_question(std::move(question));
}

Result<void> ask_once(const AskOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const std::string question, read_question(options.question, context));
  if (options.is_dry_run) return show_dry_run(options, question, context);
  HELVE_ASSIGN(const auto session, AskSession::open(options.agent, context));
  const bool has_times = options.agent.has_times;
  const bool is_live =
      options.agent.is_streaming || (context.err_terminal.is_interactive() && !options.is_json);
  AskView view({is_live, options.agent.is_streaming, has_times}, session->model_words(), context);
  agent::AskResult result;
  {
    PauseKeys keys(context);
    result = session->ask(question, {}, hooks_of(view, keys));
  }
  view.end();
  const LostRecords lost = session->end_records();
  const auto shown =
      options.is_json
          ? context.show(to_json(answer_json(result, lost, has_times), JsonStyle::Indented) + "\n")
          : show_answer(result, *session, has_times, context);
  tell_lost(lost, context);
  session->finish();
  HELVE_TRY(shown);
  context.is_failure_reported = true;
  return status_of(result.run);
}

}  // namespace

Result<void> run_ask(const AskOptions& options, CommandContext& context) {
  auto done = ask_once(options, context);
  // Programs that read the output are told of what kept it from being asked, too.
  if (!done && options.is_json && !context.is_failure_reported) {
    HELVE_TRY(context.show(to_json(error_json(done.error()), JsonStyle::Indented) + "\n"));
  }
  return done;
}

}  // namespace helve::cli
