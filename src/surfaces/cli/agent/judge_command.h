// helve judge: whether a query brings what another one does.
#pragma once

#include <string>

#include "agent/judge/judge.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/tool_session.h"

namespace helve::cli {

struct JudgeOptions {
  std::string query;  // as it is, or @FILE
  std::string reference;
  ToolSessionOptions session;
  bool is_ordered = false;
  bool is_bag = false;
  bool is_json = false;
};

// InvalidInput where the verdict is not Correct, and where nothing can be said.
Result<void> run_judge(const JudgeOptions& options, CommandContext& context);

// A query of a command line: the text itself, or that of the file behind @. InvalidInput where
// there is none.
Result<std::string> read_query_word(const std::string& word, std::string_view what,
                                    CommandContext& context);

// A session of tools for one run or judge: results of the terminal are not touched.
Result<std::unique_ptr<ToolSession>> open_own_session(ToolSessionOptions options,
                                                      CommandContext& context);

// Judges by executing both on the first source, in the language of that source.
Result<agent::TaskJudgment> judge_by_execution(ToolSession& tools, agent::TaskCase task,
                                               const agent::JudgedAnswer& answer,
                                               const OpContext& op);

}  // namespace helve::cli
