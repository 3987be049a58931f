// What an experiment has used, over all its starts.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "agent/learn/learn.h"
#include "base/env.h"

namespace helve::agent {

// Every use is a line of a file before it counts: what a pass took that was cut and is run anew
// was paid too. Thread-safe.
class BudgetMeter {
 public:
  BudgetMeter(const LearnBudget& budget, std::filesystem::path file, Env& env);

  // What was used before. Call it first.
  Result<void> load();
  // `pass` is any name: used_by() asks for it again.
  void add(const std::string& pass, const llm::Usage& usage);
  llm::Usage used_by(const std::string& pass) const;
  // In words; empty: nothing is used up.
  std::string exceeded() const;
  // The first line that could not be written: a budget that nobody can keep.
  std::optional<Error> failure() const;

 private:
  void count(const std::string& pass, const llm::Usage& usage);
  Result<void> write(const std::string& pass, const llm::Usage& usage);

  const LearnBudget budget_;
  const std::filesystem::path file_;
  Env& env_;
  const MonotonicTime started_;
  mutable std::mutex mutex_;
  std::map<std::string, llm::Usage> by_pass_;
  std::uint64_t tokens_ = 0;
  double cost_ = 0;
  std::optional<Error> failure_;
};

}  // namespace helve::agent
