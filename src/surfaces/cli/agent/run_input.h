// RunInput: the runs of a trajectory as `helve trajectory` is given it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/trajectory/recorded_run.h"
#include "surfaces/cli/command.h"

namespace helve::cli {

class RunInput {
 public:
  // FILE, FILE#N, or "-" for standard input. What a crash cut, damaged runs and lines that are left
  // out are told. NotFound where there is no run; the error of the first damage where none is
  // whole.
  static Result<RunInput> open(const std::string& word, CommandContext& context);

  const std::string& name() const { return name_; }              // without #N
  std::optional<std::uint64_t> named() const { return named_; }  // by #N
  // Of whole runs; one at least.
  const std::vector<std::uint64_t>& numbers() const { return numbers_; }
  // The run that --run and the word say; the last where neither does. InvalidInput where they say
  // different ones.
  Result<std::uint64_t> choose(std::optional<std::uint64_t> number) const;
  // NotFound for a number that there is not, InvalidInput for a damaged run.
  Result<agent::RecordedRun> take(std::uint64_t number) &&;  // the others are dropped before
  Result<agent::RecordedRun> copy(std::uint64_t number) const;
  std::vector<agent::RecordedRun> take_all() &&;

 private:
  Result<void> check(std::uint64_t number) const;
  void tell(CommandContext& context) const;

  std::string name_;
  std::optional<std::uint64_t> named_;
  agent::TrajectoryFile file_;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace helve::cli
