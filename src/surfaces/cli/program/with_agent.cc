#include "surfaces/cli/agent/agent_extras.h"
#include "surfaces/cli/program/extras.h"

namespace helve::cli {

Extras extras() { return agent_extras(); }

}  // namespace helve::cli
