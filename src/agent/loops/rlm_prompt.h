// What the model of an RLM run reads: its instructions, and in every turn what its code did.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agent/loops/agent_run.h"
#include "agent/loops/signature.h"
#include "agent/sandbox/sandbox.h"

namespace helve::agent {

// Of what one block printed.
inline constexpr std::size_t kOutputChars = 10'000;

// Instructions, the functions that there are, and what SUBMIT takes.
std::string rlm_system(const RunRequest& request, const RunParts& parts,
                       const Signature& signature);

// What a block printed, the value of its last expression, and how it failed; never empty.
std::string shown_result(const sandbox::BlockResult& result);

// "Iteration 2 of 12."
std::string iteration_line(std::uint64_t number, std::uint64_t most);

// The variables of a session, with previews of those that are new or have changed.
class VariableList {
 public:
  std::string show(const std::vector<sandbox::VariableView>& views);

 private:
  std::map<std::string, std::string> shown_;  // what was told of each
};

}  // namespace helve::agent
