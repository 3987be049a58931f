// RunFrame: what both loops have in common during one run: its parts, how it begins, how the caller
// steers it, and how it ends.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/loops/agent_run.h"
#include "agent/loops/evidence_book.h"
#include "agent/loops/model_talk.h"
#include "agent/loops/run_budget.h"
#include "agent/loops/run_journal.h"
#include "agent/loops/tool_runner.h"

namespace helve::agent {

// Members are for the loops to use.
class RunFrame {
 public:
  RunFrame(const RunRequest& run_request, const RunParts& run_parts, const OpContext& context);

  void start(std::string_view loop, std::string_view system);

  // The next step may be made: true, and its number is counted. `message` is a word of the caller
  // to the model; empty: none. False: the run is over.
  bool begin_step(std::string& message);

  bool is_over() const { return stop_.has_value(); }
  // All steps are made, and nothing else keeps it from one more word.
  bool is_at_step_cap() const;
  // With what there is: an answer that was refused, the last text, what code printed, or the first
  // rows that were stored.
  void end(StopReason reason);
  void fail(Error error);
  // After something that did not answer: cancelled, out of time, or its own failure.
  void fail_or_stop(Error error);
  // The same after a model, with what it had said by then.
  void end_unanswered(Error error);
  // With an answer.
  void end(StopReason reason, std::string content, BoundEvidence bound, JsonValue fields);
  void mark_extracted() { result_.is_extracted = true; }

  // What the model said last, what its code printed last, and what it could not hand in; kept for
  // answers that nobody submits.
  void keep_text(std::string_view text);
  void keep_output(std::string_view text);
  void keep_refused(std::string_view answer, const Error& error);

  // A word to the model about an answer that was cut off; empty: it was not. The run ends where
  // that goes on, or where nothing is said again and again.
  std::string check_form(const llm::Answer& answer, std::size_t output_tokens_max);
  // What code printed into the conversation.
  void count_output(std::uint64_t chars) { output_chars_ += chars; }

  RunResult finish();

  const RunRequest& request;
  const RunParts& parts;
  RunBudget budget;
  RunJournal journal;
  EvidenceBook evidence;
  ToolRunner tools;
  ModelTalk model;

 private:
  bool steer(std::string& message);
  std::string partial_content() const;
  std::string note_of(StopReason reason) const;
  void record_word(const Steering& word);
  RunLeakage leakage() const;

  const std::uint64_t stored_before_;  // characters behind handles of the session
  std::optional<StopReason> stop_;
  RunResult result_;
  std::string last_text_;
  std::string last_output_;
  std::string refused_answer_;
  std::string refusal_;  // why
  unsigned cut_in_row_ = 0;
  unsigned empty_in_row_ = 0;
  std::uint64_t output_chars_ = 0;
};

}  // namespace helve::agent
