#include "surfaces/cli/agent/watched_model.h"

#include <chrono>

#include "base/log.h"

namespace helve::cli {

Result<llm::Answer> WatchedModel::complete(const llm::Request& request, const OpContext& context,
                                           const llm::StreamSink* sink) {
  if (on_wait_) on_wait_(true);
  const MonotonicTime asked = real_clock().now();
  auto answer = model_.complete(request, context, sink);
  const std::chrono::duration<double, std::milli> took = real_clock().now() - asked;
  if (on_wait_) on_wait_(false);
  if (!is_logged(LogLevel::Debug)) return answer;
  // Sizes and codes, never what was said.
  const std::string_view outcome = answer ? "ok" : error_code_name(answer.error().code);
  log_debug("model asked", {{"provider", model_.name()},
                            {"model", model_.model()},
                            {"host", host_},
                            {"messages", request.messages.size()},
                            {"outcome", outcome},
                            {"ms", took.count()},
                            {"input_tokens", answer ? answer->usage.input_tokens : 0},
                            {"output_tokens", answer ? answer->usage.output_tokens : 0},
                            {"retries", answer ? answer->retries : 0U}});
  return answer;
}

}  // namespace helve::cli
