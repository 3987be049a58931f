// What depends on what is built: with_agent.cc or without_agent.cc.
#pragma once

#include "surfaces/cli/cli.h"

namespace helve::cli {

Extras extras();

}  // namespace helve::cli
