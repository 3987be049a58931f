#include "agent/loops/run_budget.h"

#include <fmt/format.h>

#include <algorithm>

namespace helve::agent {

namespace {

constexpr Duration kTimeMax = std::chrono::hours(24 * 365);  // a clock can be added to

// Servers may claim any number.
std::uint64_t tokens_of(const llm::Usage& usage) {
  const std::uint64_t both = usage.input_tokens + usage.output_tokens;
  return both < usage.input_tokens ? UINT64_MAX : both;
}

}  // namespace

RunBudget::RunBudget(const RunLimits& limits, Duration taken, const OpContext& caller)
    : limits_(limits),
      caller_(caller),
      started_(real_clock().now()),
      ends_(started_ + std::clamp(limits.time_max, Duration::zero(), kTimeMax) -
            std::clamp(taken, Duration::zero(), kTimeMax)),
      op_(caller) {
  set_deadline();
}

void RunBudget::set_deadline() {
  const Duration left = ends_ - real_clock().now();
  const bool is_earlier = caller_.deadline.is_never() || left < caller_.deadline.remaining();
  op_.deadline = is_earlier ? Deadline(real_clock(), left) : caller_.deadline;
}

void RunBudget::forgive(Duration held) {
  ends_ += std::clamp(held, Duration::zero(), kTimeMax);
  set_deadline();
}

void RunBudget::add(const llm::Usage& usage) {
  const std::lock_guard lock(mutex_);
  usage_ += usage;
  lacks_prices_ = lacks_prices_ || (limits_.cost_max && !usage.cost);
}

llm::Usage RunBudget::usage() const {
  const std::lock_guard lock(mutex_);
  return usage_;
}

bool RunBudget::lacks_prices() const {
  const std::lock_guard lock(mutex_);
  return lacks_prices_;
}

bool RunBudget::take_call() {
  const std::lock_guard lock(mutex_);
  if (calls_ >= limits_.tool_calls_max) {
    is_out_of_calls_ = true;
    return false;
  }
  ++calls_;
  return true;
}

std::uint64_t RunBudget::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

bool RunBudget::is_out_of_calls() const {
  const std::lock_guard lock(mutex_);
  return is_out_of_calls_;
}

std::uint64_t RunBudget::tokens_left() const {
  const std::lock_guard lock(mutex_);
  const std::uint64_t used = tokens_of(usage_);
  return limits_.tokens_max > used ? limits_.tokens_max - used : 0;
}

std::size_t RunBudget::output_tokens_max(std::uint64_t input_tokens) const {
  const std::uint64_t left = tokens_left();
  const std::uint64_t rest = left > input_tokens ? left - input_tokens : 1;
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(rest, std::max<std::size_t>(limits_.output_tokens_max, 1)));
}

bool RunBudget::is_out_of_time() const { return real_clock().now() >= ends_; }

std::optional<StopReason> RunBudget::exceeded() const {
  if (op_.cancel.is_cancelled()) return StopReason::Cancelled;
  if (op_.deadline.has_passed()) return StopReason::TimeBudget;
  const std::lock_guard lock(mutex_);
  if (tokens_of(usage_) >= limits_.tokens_max) return StopReason::TokenBudget;
  if (limits_.cost_max && usage_.cost.value_or(0) >= *limits_.cost_max) {
    return StopReason::CostBudget;
  }
  return std::nullopt;
}

Error no_prices_error(const std::string& model) {
  return {ErrorCode::InvalidInput,
          fmt::format("the cost is limited, and no prices are known for {}", model),
          "give the prices of the model, or a limit on tokens instead"};
}

double RunBudget::ms() const {
  return std::chrono::duration<double, std::milli>(real_clock().now() - started_).count();
}

}  // namespace helve::agent
