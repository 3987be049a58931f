// Opening what a command is to work on (surfaces/opening), with a progress bar.
#pragma once

#include "surfaces/cli/command.h"
#include "surfaces/opening/open_graph.h"

namespace helve::cli {

using opening::find_index;
using opening::GraphOrigin;
using opening::OpenChoice;
using opening::OpenedGraph;

// What opening::open_graph wants. The context must outlive it.
opening::OpenTools open_tools(CommandContext& context);

inline Result<OpenedGraph> open_graph(const InputOptions& input, CommandContext& context,
                                      OpenChoice choice = {}) {
  return opening::open_graph(input, open_tools(context), std::move(choice));
}

}  // namespace helve::cli
