// SamplingProvider: the model of the client that calls, asked through it (sampling/createMessage).
//
// Before 2026-07-28 a question waits for its answer. From then on the call ends with the question,
// and comes again with the answer: the run begins anew, is given the answers that the model gave
// until then, and gets one answer further. What the client carries meanwhile (the state of the
// call) are these answers. So the tools are called again each time, and only runs that ask one
// question at a time, in the same order, can be resumed.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "agent/llm/provider.h"
#include "surfaces/mcp/server/turn.h"

namespace helve::mcp {

// Of the answers that a client carries; a longer conversation ends.
inline constexpr std::size_t kSamplingStateBytesMax = 256 << 10;

// For one call. The turn must outlive it. Thread-safe.
class SamplingProvider final : public llm::Provider {
 public:
  explicit SamplingProvider(Turn& turn);

  Result<llm::Answer> complete(const llm::Request& request, const OpContext& context,
                               const llm::StreamSink* sink) override;
  bool tells_cost() const override { return false; }
  std::string name() const override { return "sampling"; }
  std::string model() const override { return "of the client"; }

  // The call ends, for the client is asked: what comes of the run is not sent.
  bool is_asking() const;

 private:
  Result<JsonValue> next(const llm::Request& request);
  Result<JsonValue> ask(const llm::Request& request);

  Turn& turn_;
  const bool has_tools_;
  mutable std::mutex mutex_;
  std::vector<JsonValue> answers_;  // results of the client, in the order of the questions
  std::size_t asked_ = 0;
  bool is_asking_ = false;
};

}  // namespace helve::mcp
