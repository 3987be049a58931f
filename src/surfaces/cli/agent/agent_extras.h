// The commands of the agent layer. Neighbour: ../program/ chooses whether they are there.
#pragma once

#include "surfaces/cli/cli.h"

namespace helve::cli {

Extras agent_extras();

}  // namespace helve::cli
