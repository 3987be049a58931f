// Asking open data a query that is parsed, within its time, and telling of the answer. For `helve
// query`, `explain` and the shell.
#pragma once

#include <functional>
#include <memory>

#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/engine/query_run.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/query_output.h"

namespace helve::cli {

struct Question {
  const sparql::Query& query;
  std::shared_ptr<const sparql::Snapshot> data;
  sparql::RunOptions run;
  QueryFormat format;
  RowLimits rows;
  bool is_timed = true;  // the note on the answer tells how long it took
};

// Writes the answer; notes on standard error tell how long it took and, where it is empty, why.
Result<void> answer_question(const Question& question, const OpContext& op,
                             CommandContext& context);

// Those of the query, then those of the data: IRIs are shown with them.
PrefixList shown_prefixes(const Question& question);

// Calls it with the deadline of a query: context.timeout, or 60 s.
Result<void> within_time(const std::function<Result<void>(const OpContext&)>& work,
                         const CommandContext& context);

void show_notes(const std::vector<sparql::ParseNote>& notes, const CommandContext& context);

}  // namespace helve::cli
