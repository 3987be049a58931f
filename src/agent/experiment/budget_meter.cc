#include "agent/experiment/budget_meter.h"

#include <utility>

#include "agent/experiment/cell_files.h"
#include "agent/loops/json_object.h"
#include "agent/trajectory/json_members.h"

namespace helve::agent {

BudgetMeter::BudgetMeter(const LearnBudget& budget, std::filesystem::path file, Env& env)
    : budget_(budget), file_(std::move(file)), env_(env), started_(env.clock().now()) {}

// A line that a crash cut, or that somebody changed, is passed over: the rest still counts.
Result<void> BudgetMeter::load() {
  auto text = read_whole(file_, env_);
  if (!text && text.error().code == ErrorCode::NotFound) return {};
  if (!text) return std::move(text).error();
  const std::lock_guard lock(mutex_);
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t end = std::min(text->find('\n', at), text->size());
    const auto line = parse_json(std::string_view(*text).substr(at, end - at));
    at = end + 1;
    if (!line) continue;
    llm::Usage usage;
    usage.input_tokens = count_member(*line, "input_tokens").value_or(0);
    usage.output_tokens = count_member(*line, "output_tokens").value_or(0);
    usage.cost = number_member(*line, "cost");
    count(text_member(*line, "pass"), usage);
  }
  // What comes next is a line of its own.
  if (!text->empty() && text->back() != '\n') {
    HELVE_ASSIGN(const auto file, env_.files().open_write(file_, WriteMode::Append));
    HELVE_TRY(file->write("\n"));
    HELVE_TRY(file->close());
  }
  return {};
}

void BudgetMeter::count(const std::string& pass, const llm::Usage& usage) {
  by_pass_[pass] += usage;
  tokens_ += usage.input_tokens + usage.output_tokens;
  cost_ += usage.cost.value_or(0);
}

Result<void> BudgetMeter::write(const std::string& pass, const llm::Usage& usage) {
  const std::string line =
      helve::to_json(object_of({{"pass", JsonValue(pass)},
                                {"input_tokens", JsonValue(usage.input_tokens)},
                                {"output_tokens", JsonValue(usage.output_tokens)},
                                {"cost", usage.cost ? JsonValue(*usage.cost) : JsonValue()}})) +
      "\n";
  HELVE_ASSIGN(const auto file, env_.files().open_write(file_, WriteMode::Append));
  HELVE_TRY(file->write(line));
  return file->close();
}

void BudgetMeter::add(const std::string& pass, const llm::Usage& usage) {
  if (usage.input_tokens + usage.output_tokens == 0 && usage.cost.value_or(0) <= 0) return;
  const std::lock_guard lock(mutex_);
  count(pass, usage);
  auto written = write(pass, usage);
  if (!written && !failure_) failure_ = std::move(written).error();
}

llm::Usage BudgetMeter::used_by(const std::string& pass) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_pass_.find(pass);
  return found == by_pass_.end() ? llm::Usage() : found->second;
}

std::string BudgetMeter::exceeded() const {
  const std::lock_guard lock(mutex_);
  if (budget_.tokens_max && tokens_ >= *budget_.tokens_max) {
    return "the budget of tokens is used up";
  }
  if (budget_.cost_max && cost_ >= *budget_.cost_max) return "the budget of money is used up";
  if (budget_.time_max && env_.clock().now() - started_ >= *budget_.time_max) {
    return "the time of the experiment is over";
  }
  return {};
}

std::optional<Error> BudgetMeter::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

}  // namespace helve::agent
