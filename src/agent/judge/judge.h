// Judges: whether an answer is right. By execution where a reference exists; else by a model that
// sees the rows. That something ran without error is no verdict.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/judge/comparison.h"
#include "agent/llm/provider.h"
#include "agent/loops/agent_run.h"
#include "agent/tasks/task_set.h"
#include "base/json.h"
#include "toolkit/tools/toolkit.h"

namespace helve::agent {

// What is judged. The query is that which ran; an answer without one is judged by a model alone.
struct JudgedAnswer {
  std::string content;
  std::string query;
  std::vector<Evidence> evidence;
  bool has_converged = true;  // otherwise it is incorrect, whatever it says
};
JudgedAnswer judged_answer(const RunResult& run);

struct TaskJudgment {
  learning::Judgment judgment;
  std::optional<Comparison> comparison;  // by execution
  std::string says;                      // why, bounded
  std::string query_hash;                // of the query that was judged
  std::string reference_hash;            // of the reference's text; empty: there was none
  llm::Usage usage;                      // of a model
  // Of the results, reference and answer: for checks of lessons (answer_words.h), never told.
  std::vector<std::string> answer_words;

  bool is_success() const { return judgment.verdict == learning::Verdict::Correct; }
  // For the event `judgment` of a trajectory: verdict, verified, by, precision, recall, f1, rows
  // ...
  JsonValue to_json() const;
};

class Judge {
 public:
  virtual ~Judge() = default;
  // Fails only where nothing could be said: the reference does not run, the source is away.
  // Thread-safe.
  virtual Result<TaskJudgment> judge(const TaskCase& task, const JudgedAnswer& answer,
                                     const OpContext& context) = 0;
};

// Where queries are executed: the toolkit, as a caller with a policy and a session of its own.
struct JudgeParts {
  toolkit::Toolkit& toolkit;
  const toolkit::Caller& caller;
  std::string source;
};

// Executes the reference (once for each task: what it brought is kept) and the query of the answer,
// and compares. Verified. A query that fails now is Incorrect, and says why; so is one that hits a
// limit that the reference did not, or draws on handles, but that is not verified. `by`:
// "execution".
std::unique_ptr<Judge> make_execution_judge(const JudgeParts& parts,
                                            const ComparisonOptions& options = {});

struct ModelJudgeOptions {
  std::vector<std::string> principles;  // that it shall hold to, beside its own
  std::vector<std::string> episodes;    // judgments of before, as examples
  std::size_t rows_shown = 20;
  std::size_t cell_chars_max = 200;
};
// Sees task, answer, query and rows between marks. Unsure means Incorrect. Never verified. `by`:
// "model NAME".
std::unique_ptr<Judge> make_model_judge(const JudgeParts& parts, llm::Provider& model,
                                        ModelJudgeOptions options = {});
// By execution where the task has a reference, else by `other`; null: such tasks are an error.
std::unique_ptr<Judge> make_judge(std::unique_ptr<Judge> execution, std::unique_ptr<Judge> other);

}  // namespace helve::agent
