// helve ask.
#include "surfaces/cli/agent/ask_command.h"

#include "surfaces/cli/agent/ask_session.h"
#include "surfaces/cli/agent/ask_view.h"
#include "surfaces/cli/agent/script_input.h"

namespace helve::cli {

namespace {

constexpr std::size_t kQuestionBytesMax = 256 * kKiB;

Result<std::string> read_question(const std::string& word, CommandContext& context) {
  std::string question = word;
  if (word == "-") {
    HELVE_ASSIGN(question, read_text_file(word, kQuestionBytesMax, context));
  }
  const std::size_t end = question.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) {
    return Error{ErrorCode::InvalidInput, "the question is empty",
                 "helve ask 'Which planets have rings?' --source sample:"};
  }
  question.resize(end + 1);
  return question;
}

// The result for programs; without times the same run gives the same bytes.
std::string json_of(const agent::AskResult& result, bool has_times) {
  JsonValue value = result.to_json();
  if (JsonValue::Object* const members = value.if_object(); members != nullptr && !has_times) {
    std::erase_if(*members, [](const JsonMember& one) { return one.key == "ms"; });
  }
  return to_json(value, JsonStyle::Indented) + "\n";
}

}  // namespace

Result<void> run_ask(const AskOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const std::string question, read_question(options.question, context));
  HELVE_ASSIGN(const auto session, AskSession::open(options.agent, context));
  const bool has_times = options.agent.has_times;
  const bool is_live =
      options.agent.is_streaming || (context.err_terminal.is_interactive() && !options.is_json);
  AskView view({is_live, options.agent.is_streaming, has_times}, context);
  const agent::AskResult result =
      session->ask(question, {}, [&view](const agent::RunEvent& event) { view.take(event); });
  view.end();
  const auto shown = options.is_json ? context.show(json_of(result, has_times))
                                     : show_answer(result, session->tools(), has_times, context);
  session->finish();
  HELVE_TRY(shown);
  context.is_failure_reported = true;
  return status_of(result.run);
}

}  // namespace helve::cli
