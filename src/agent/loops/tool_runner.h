// ToolRunner: calls of a model on their way through Toolkit::call: counted, told, recorded, and
// what they stored kept as evidence.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/loops/evidence_book.h"
#include "agent/loops/run_budget.h"
#include "agent/loops/run_journal.h"
#include "base/executor.h"

namespace helve::agent {

// Of replies, in characters, without times.
struct ReplySizes {
  std::uint64_t chars = 0;
  std::uint64_t chars_max = 0;
  std::uint64_t large = 0;  // beyond kLargeReplyChars
};

// Not thread-safe: one loop drives it.
class ToolRunner {
 public:
  ToolRunner(const RunRequest& request, const RunParts& parts, RunBudget& budget,
             RunJournal& journal, EvidenceBook& evidence);

  // All calls of one answer, some of them at once; replies in the order of the calls, as messages.
  // Those for which no call or no time is left are answered with that.
  std::vector<llm::Message> run_all(const std::vector<llm::ToolUse>& calls);

  // One call, under a context that ends no later than the run.
  toolkit::CallOutcome run(std::string_view tool, const JsonValue& arguments, const OpContext& op);

  // What was handed in, which is no call of a tool, and why it was refused; nullopt: it was taken.
  void record_submission(const llm::ToolUse& use, const std::optional<Error>& refused);

  const std::vector<std::string>& used() const { return used_; }
  std::uint64_t refused() const { return refused_; }
  const ReplySizes& sizes() const { return sizes_; }

 private:
  toolkit::CallOutcome call(const llm::ToolUse& use, bool is_granted, const OpContext& op) const;
  JsonValue with_source(std::string_view tool, const JsonValue& arguments) const;
  void announce(const llm::ToolUse& use);
  void record_call(const llm::ToolUse& use);
  void tell_result(const llm::ToolUse& use, const toolkit::CallOutcome& outcome);
  void finish(const llm::ToolUse& use, const toolkit::CallOutcome& outcome);

  const RunRequest& request_;
  const RunParts& parts_;
  RunBudget& budget_;
  RunJournal& journal_;
  EvidenceBook& evidence_;
  std::optional<SourceKind> source_kind_;  // of RunRequest::source
  std::unique_ptr<Executor> threads_;      // made when there is more than one call
  std::vector<std::string> used_;
  std::uint64_t refused_ = 0;
  ReplySizes sizes_;
  std::uint64_t numbered_ = 0;  // calls that bring no id of their own
};

}  // namespace helve::agent
