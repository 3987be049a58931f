#include "toolkit/tools/reply_redaction.h"

#include "base/redaction.h"

namespace helve::toolkit {

void redact_errors(ToolAnswer& answer) {
  auto* const failure = std::get_if<ToolError>(&answer);
  if (failure == nullptr) return;
  failure->error.message = redact(failure->error.message);
  failure->error.hint = redact(failure->error.hint);
  failure->error.detail = redact(failure->error.detail);
  for (std::string& warning : failure->warnings) warning = redact(warning);
}

void redact_reply(RenderedReply& reply) {
  redact_known(reply.text);
  redact_known(reply.json);
}

}  // namespace helve::toolkit
