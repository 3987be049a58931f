// What makes one closed loop another: the first line of its journal.
#pragma once

#include "agent/learn/learn.h"
#include "base/json.h"

namespace helve::agent {

// {tasks, seed, options, config, version}; names of members are told where they differ.
JsonValue loop_start(const TaskSet& tasks, const LearnOptions& options);

}  // namespace helve::agent
