// The words for what happens in a sandbox, as people and files have them.
#include "agent/sandbox/sandbox.h"

namespace helve::sandbox {

std::string_view name_of(EventKind kind) {
  switch (kind) {
    case EventKind::Started:
      return "started";
    case EventKind::BlockStarted:
      return "block_started";
    case EventKind::Output:
      return "output";
    case EventKind::ToolCall:
      return "tool_call";
    case EventKind::ToolResult:
      return "tool_result";
    case EventKind::ModelCall:
      return "model_call";
    case EventKind::ModelResult:
      return "model_result";
    case EventKind::Submitted:
      return "submitted";
    case EventKind::BlockEnded:
      return "block_ended";
    case EventKind::Lost:
      return "lost";
  }
  return "unknown";
}

std::string_view name_of(BlockEnd end) {
  switch (end) {
    case BlockEnd::Finished:
      return "finished";
    case BlockEnd::Submitted:
      return "submitted";
    case BlockEnd::Raised:
      return "raised";
    case BlockEnd::Interrupted:
      return "interrupted";
    case BlockEnd::Lost:
      return "lost";
  }
  return "unknown";
}

}  // namespace helve::sandbox
