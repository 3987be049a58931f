#include "surfaces/cli/agent/judge_command.h"

#include <fmt/format.h>

#include "agent/trajectory/plain_file.h"
#include "base/ascii.h"
#include "base/text.h"
#include "surfaces/cli/agent/script_input.h"
#include "toolkit/tools/seen_source.h"

namespace helve::cli {

namespace {

std::string text_of(const agent::TaskJudgment& judgment) {
  std::string text = fmt::format("verdict    {}\n", learning::name_of(judgment.judgment.verdict));
  if (const auto& comparison = judgment.comparison) {
    text += fmt::format("rows       {}, {} of the reference, {} in common\n",
                        format_count(comparison->rows), format_count(comparison->reference_rows),
                        format_count(comparison->common));
    text += fmt::format("precision  {:.3f}\nrecall     {:.3f}\nF1         {:.3f}\n",
                        comparison->precision, comparison->recall, comparison->f1);
  }
  return text + fmt::format("why        {}\n", escape_for_terminal(judgment.says));
}

}  // namespace

Result<std::string> read_query_word(const std::string& word, std::string_view what,
                                    CommandContext& context) {
  std::string query = word;
  if (word.starts_with('@')) {
    const std::string path = word.substr(1);
    if (path != "-") HELVE_TRY(agent::check_readable_file(path, what, context.env));
    HELVE_ASSIGN(query, read_text_file(path, context.op.limits.query_bytes_max, context));
  }
  if (is_blank(query)) {
    return Error{ErrorCode::InvalidInput, fmt::format("the {} is empty", what),
                 "write it in quotes, or @FILE"};
  }
  return query;
}

Result<std::unique_ptr<ToolSession>> open_own_session(ToolSessionOptions options,
                                                      CommandContext& context) {
  options.is_lasting = true;
  options.is_kept = !options.session.empty();
  if (options.sources.empty()) {
    return Error{ErrorCode::InvalidInput, "there is no source", "name one: --source sample:"};
  }
  return ToolSession::open(options, context);
}

Result<agent::TaskJudgment> judge_by_execution(ToolSession& tools, agent::TaskCase task,
                                               const agent::JudgedAnswer& answer,
                                               const OpContext& op) {
  HELVE_ASSIGN(const auto source, see_source(tools.toolkit(), "", tools.caller(), op));
  if (source.tables != nullptr) task.language = learning::QueryLanguage::Sql;
  const auto judge = agent::make_execution_judge({tools.toolkit(), tools.caller(), source.name});
  return judge->judge(task, answer, op);
}

Result<void> run_judge(const JudgeOptions& options, CommandContext& context) {
  agent::JudgedAnswer answer;
  HELVE_ASSIGN(answer.query, read_query_word(options.query, "query", context));
  agent::TaskCase task;
  task.id = "judge";
  HELVE_ASSIGN(task.reference, read_query_word(options.reference, "reference", context));
  task.is_ordered = options.is_ordered;
  task.is_bag = options.is_bag;
  HELVE_ASSIGN(const auto tools, open_own_session(options.session, context));
  const auto judgment = judge_by_execution(*tools, std::move(task), answer, context.op);
  tools->finish();
  if (!judgment) return judgment.error();
  HELVE_TRY(context.show(options.is_json ? to_json(judgment->to_json(), JsonStyle::Indented) + "\n"
                                         : text_of(*judgment)));
  if (judgment->is_success()) return {};
  context.is_failure_reported = true;
  return Error{ErrorCode::InvalidInput, judgment->says};
}

}  // namespace helve::cli
