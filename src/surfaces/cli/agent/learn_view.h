// What helve learn shows: a line for each task, and what it came to.
#pragma once

#include <cstddef>
#include <string>

#include "agent/learn/learn.h"
#include "base/json.h"

namespace helve::cli {

// Where things are, for who reads the summary.
struct LearnPlaces {
  std::string folder;
  std::string bank;  // as users write it; empty: none
  bool is_dry_run = false;
};

// "[ 3/40] moons: correct, 4 steps, 1 lesson".
std::string task_line(const agent::LearnedTask& task, std::size_t number, std::size_t count);

// With what to do next.
std::string learn_summary(const agent::LearnReport& report, const LearnPlaces& places);
JsonValue learn_json(const agent::LearnReport& report, const LearnPlaces& places);

}  // namespace helve::cli
