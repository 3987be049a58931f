// ModelTalk: asks a model within the budget of a run. What comes back is hostile: it is cut to what
// a conversation can bear before anybody looks at it.
#pragma once

#include <cstdint>
#include <mutex>
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

  // Streams to the events of the run, and writes the line llm_call.
  Result<llm::Answer> ask(llm::Provider& model, const llm::Request& request);
  // What came of an answer that was not finished; empty: nothing.
  const std::string& unfinished() const { return unfinished_; }
  // It was longer than it was asked to be.
  bool has_overrun() const { return has_overrun_; }
  PromptSizes sizes() const;

  // Quietly, for prompts of model-written code: record() is for the caller to call, in an order
  // that does not depend on threads.
  Result<llm::Answer> ask_quietly(llm::Provider& model, const llm::Request& request,
                                  const OpContext& op);
  // `prompt` of a call that code made; else empty.
  void record(const llm::Request& request, const Result<llm::Answer>& answer,
              std::string_view prompt);

 private:
  Result<llm::Answer> complete(llm::Provider& model, const llm::Request& request,
                               const OpContext& op, const llm::StreamSink* sink);
  void count(const llm::Request& request);

  const RunLimits& limits_;
  RunBudget& budget_;
  RunJournal& journal_;
  std::string unfinished_;
  bool has_overrun_ = false;
  mutable std::mutex mutex_;  // of sizes_
  PromptSizes sizes_;
};

// SHA-256 of all that decides an answer. Marks of data, which are random, do not count.
std::string request_hash(const llm::Request& request);

JsonValue usage_json(const llm::Usage& usage);

}  // namespace helve::agent
