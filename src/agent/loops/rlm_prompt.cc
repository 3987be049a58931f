#include "agent/loops/rlm_prompt.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/loops/prompt_texts.h"
#include "agent/loops/prompt_words.h"
#include "agent/loops/system_prompt.h"
#include "agent/loops/tool_offer.h"
#include "base/text.h"
#include "toolkit/policy/gate.h"
#include "toolkit/tools/tool_words.h"

namespace helve::agent {

namespace {

constexpr std::size_t kValueChars = 2'000;
constexpr std::size_t kTraceChars = 4'000;
constexpr std::size_t kVariablePreviewChars = 1'100;  // 500, 500 and what stands between
constexpr std::size_t kVariablesShown = 50;
constexpr std::size_t kVariablesChars = 10'000;

std::string functions_text(const RunParts& parts) {
  const auto offered = offered_tools(parts.toolkit, parts.caller);
  std::string text = "\n## Functions\n\n";
  for (const toolkit::Tool* const tool : offered) {
    if (tool->name == "call_tool") continue;
    text += fmt::format("{}: {}\n", signature_of(*tool), toolkit::first_sentence(tool->purpose));
  }
  std::vector<std::string_view> others;
  for (const toolkit::Tool& tool : parts.toolkit.registry().tools()) {
    const bool is_listed = std::find(offered.begin(), offered.end(), &tool) != offered.end();
    if (!is_listed && toolkit::may_call(*parts.caller.policy, nature_of(tool))) {
      others.emplace_back(tool.name);
    }
  }
  if (!others.empty()) text += fmt::format("Also: {}\n", fmt::join(others, ", "));
  return text;
}

}  // namespace

std::string rlm_system(const RunRequest& request, const RunParts& parts,
                       const Signature& signature) {
  std::string instructions(prompts::rlm());
  instructions += functions_text(parts);
  instructions += fmt::format("\n## What to hand in\n\n{}\n", submit_text(signature));
  return system_prompt(instructions, {}, request);
}

std::string shown_result(const sandbox::BlockResult& result) {
  std::string text = both_ends(result.output, kOutputChars);
  const auto add_line = [&](const std::string& line) {
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    text += line;
  };
  if (result.output_omitted_bytes > 0) {
    add_line(
        fmt::format("[{} of output were not kept]\n", format_bytes(result.output_omitted_bytes)));
  }
  if (!result.value_type.empty()) add_line(both_ends(result.value, kValueChars) + "\n");
  if (result.error) {
    const bool has_trace = !result.error->traceback.empty();
    add_line(both_ends(has_trace ? result.error->traceback
                                 : fmt::format("{}: {}", result.error->type, result.error->message),
                       kTraceChars) +
             "\n");
  }
  return text.empty() ? "(no output: print what you want to see)\n" : text;
}

std::string iteration_line(std::uint64_t number, std::uint64_t most) {
  return fmt::format("Iteration {} of {}{}\n", number, most,
                     number >= most ? ": the last one, SUBMIT now." : ".");
}

std::string VariableList::show(const std::vector<sandbox::VariableView>& views) {
  std::string text;
  std::size_t number = 0;
  for (const sandbox::VariableView& view : views) {
    if (++number > kVariablesShown) {
      text += fmt::format("... and {} more\n", views.size() - kVariablesShown);
      break;
    }
    const std::string head =
        fmt::format("{}: {}{}", view.name, view.type,
                    view.length ? fmt::format(", length {}", format_count(*view.length)) : "");
    const std::string preview = both_ends(view.preview, kVariablePreviewChars);
    std::string& known = shown_[view.name];
    const bool is_known = known == head + preview;
    known = head + preview;
    text += is_known ? head + " (as before)\n" : fmt::format("{}\n{}\n", head, preview);
  }
  return both_ends(text, kVariablesChars);
}

}  // namespace helve::agent
