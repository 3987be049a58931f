// Answers without secrets: the words of errors pass through the one sink (base/redaction.h), and no
// reply repeats a secret that this process was given.
#pragma once

#include "toolkit/tools/reply.h"
#include "toolkit/tools/tool.h"

namespace helve::toolkit {

void redact_errors(ToolAnswer& answer);
// Makes no form longer.
void redact_reply(RenderedReply& reply);

}  // namespace helve::toolkit
