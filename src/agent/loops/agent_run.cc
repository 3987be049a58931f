#include "agent/loops/agent_run.h"

#include <array>

namespace helve::agent {

std::string_view name_of(StopReason reason) {
  constexpr std::array<std::string_view, 11> kNames = {
      "submitted",  "step_cap",      "call_cap", "token_budget", "cost_budget", "time_budget",
      "output_cap", "not_submitted", "refused",  "cancelled",    "failed"};
  return kNames.at(static_cast<std::size_t>(reason));
}

std::string_view name_of(Binding binding) {
  constexpr std::array<std::string_view, 4> kNames = {"none", "named", "query", "assumed"};
  return kNames.at(static_cast<std::size_t>(binding));
}

std::string_view name_of(ReplyForm form) {
  return form == ReplyForm::Handles ? "handles" : "payloads";
}

std::string_view name_of(RunEventKind kind) {
  constexpr std::array<std::string_view, 10> kNames = {
      "schema_loaded", "reasoning", "text",     "tool_call",    "tool_result",
      "code",          "output",    "judgment", "final_answer", "error"};
  return kNames.at(static_cast<std::size_t>(kind));
}

}  // namespace helve::agent
