// RunBudget: what a run has used of its limits, and the one context under which all of it runs.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "agent/loops/agent_run.h"

namespace helve::agent {

// Thread-safe, but for forgive().
class RunBudget {
 public:
  // `taken`: of the time, before.
  RunBudget(const RunLimits& limits, Duration taken, const OpContext& caller);

  // The caller's, with a deadline that is not later than the end of the run.
  const OpContext& op() const { return op_; }
  // Time for which the caller itself held the run does not count. Between two steps.
  void forgive(Duration held);

  void add(const llm::Usage& usage);
  llm::Usage usage() const;
  // There is a limit on cost, and a model that does not tell any.
  bool lacks_prices() const;

  // False: they are used up.
  bool take_call();
  std::uint64_t calls() const;
  bool is_out_of_calls() const;  // one more was wanted

  std::uint64_t tokens_left() const;
  // Of one answer of a model, as far as there are tokens left beside those of the question.
  std::size_t output_tokens_max(std::uint64_t input_tokens) const;
  // Why the run must end now, calls and steps apart.
  std::optional<StopReason> exceeded() const;
  // The time of the run itself is over, not only that of its caller.
  bool is_out_of_time() const;
  double ms() const;

 private:
  void set_deadline();

  const RunLimits& limits_;
  const OpContext& caller_;
  const MonotonicTime started_;
  MonotonicTime ends_;
  OpContext op_;
  mutable std::mutex mutex_;
  llm::Usage usage_;
  std::uint64_t calls_ = 0;
  bool is_out_of_calls_ = false;
  bool lacks_prices_ = false;
};

// For models whose answers tell no cost, where it is limited.
Error no_prices_error(const std::string& model);

}  // namespace helve::agent
