// ModelTalk: asks a model within the budget of a run. What comes back is hostile: it is cut to what
// a conversation can bear before anybody looks at it.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>

#include "agent/loops/run_budget.h"
#include "agent/loops/run_journal.h"

namespace helve::agent {

// Calls of one answer that are looked at.
inline constexpr std::size_t kCallsOfAnswerMax = 256;
// Arguments of a call, as they were written.
inline constexpr std::size_t kArgumentBytesMax = 256 * kKiB;

// Of what models were given to read, in characters.
struct PromptSizes {
  std::uint64_t chars = 0;
  std::uint64_t chars_max = 0;  // of one request
  std::uint64_t calls = 0;
};

// Thread-safe.
class ModelTalk {
 public:
  ModelTalk(const RunLimits& limits, RunBudget& budget, RunJournal& journal)
      : limits_(limits), budget_(budget), journal_(journal) {}

  // LimitExceeded where a request alone takes more tokens than are left; estimated.
  Result<void> check(const llm::Request& request) const;

  // Streams to the events of the run, and writes the line llm_call. What does not fit is not sent.
  Result<llm::Answer> ask(llm::Provider& model, const llm::Request& request);
  // Why the last one was not sent; empty: it was.
  const std::string& unsent() const { return unsent_; }
  // What came of an answer that was not finished; empty: nothing.
  const std::string& unfinished() const { return unfinished_; }
  // It was longer than it was asked to be.
  bool has_overrun() const { return has_overrun_; }
  PromptSizes sizes() const;

  // Quietly, for prompts of model-written code: record() is for the caller to call, in an order
  // that does not depend on threads.
  Result<llm::Answer> ask_quietly(llm::Provider& model, const llm::Request& request,
                                  const OpContext& op);
  // `prompt` of a call that code made; else empty. `spent` on an answer that did not come. `ms`:
  // how long it took, where that is known.
  void record(const llm::Request& request, const Result<llm::Answer>& answer,
              std::string_view prompt, const std::optional<llm::Usage>& spent = std::nullopt,
              std::optional<double> ms = std::nullopt);

 private:
  Result<llm::Answer> complete(llm::Provider& model, const llm::Request& request,
                               const OpContext& op, const llm::StreamSink* sink);
  void count(const llm::Request& request);

  const RunLimits& limits_;
  RunBudget& budget_;
  RunJournal& journal_;
  std::string unfinished_;
  std::string unsent_;
  bool has_overrun_ = false;
  mutable std::mutex mutex_;  // of sizes_
  PromptSizes sizes_;
};

// About how many tokens it takes.
std::uint64_t input_tokens(const llm::Request& request);

}  // namespace helve::agent
