// Which tools a model is offered by name. All others are behind call_tool.
#pragma once

#include <string>
#include <vector>

#include "agent/llm/provider.h"
#include "agent/loops/agent_run.h"
#include "toolkit/tools/toolkit.h"

namespace helve::agent {

// The usual ones of the kinds of sources that the caller may see, and those of `more`, as its
// policy allows. In the order of the registry: the same caller is offered the same bytes.
std::vector<const toolkit::Tool*> offered_tools(const toolkit::Toolkit& toolkit,
                                                const toolkit::Caller& caller,
                                                const std::vector<std::string>& more = {});

std::vector<llm::ToolDeclaration> declare_tools(const std::vector<const toolkit::Tool*>& tools,
                                                ReplyForm form = ReplyForm::Handles);

}  // namespace helve::agent
