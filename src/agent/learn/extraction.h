// Extraction: lessons of judged runs. With a model, or by generalising the query that ran.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/judge/judge.h"
#include "agent/llm/provider.h"
#include "agent/loops/agent_run.h"
#include "agent/tasks/task_set.h"
#include "toolkit/learning/extract.h"
#include "toolkit/memory/item.h"

namespace helve::agent {

inline constexpr std::size_t kItemsOfRunMax = 3;

// One rollout of a task, judged.
struct JudgedRun {
  std::string run;  // its name: in provenance
  RunResult result;
  TaskJudgment judgment;
  std::vector<learning::Failure>
      failures;  // of tool calls: kind, message and hint of each, bounded
  std::vector<std::string> failed_queries;  // as they were written, beside failures
};

// Of the source: what learning::Executed wants.
struct LessonOrigin {
  std::string domain;
  std::string schema_fingerprint;
  PrefixList prefixes;
  SqlDialect dialect = SqlDialect::Sqlite;
};

struct Extraction {
  std::vector<memory::Item> items;    // at most kItemsOfRunMax; checked
  std::vector<std::string> rejected;  // what was no valid item, and why, one line each
  llm::Usage usage;
};

class Extractor {
 public:
  virtual ~Extractor() = default;
  // Runs are rollouts of one task. One: a lesson of success or of failure. Several with different
  // verdicts: what the right ones did and the wrong ones did not (ItemSource::Contrastive).
  virtual Result<Extraction> extract(const TaskCase& task, const std::vector<JudgedRun>& runs,
                                     const LessonOrigin& origin, const OpContext& context) = 0;
};

// Of Correct the pattern of the query, of Incorrect what went wrong; nothing where there is nothing
// to learn.
std::unique_ptr<Extractor> make_pattern_extractor();
// Instructions of their own for success, failure and contrast; the judge's reasons are told. What
// it writes is checked: fields, lengths, no constants of the task, and every name of its procedure
// is one of the query that ran. What fails is rejected, never mended.
std::unique_ptr<Extractor> make_model_extractor(llm::Provider& model);

}  // namespace helve::agent
