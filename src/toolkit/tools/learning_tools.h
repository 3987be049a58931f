// The tools that learn; registry.h has the others.
#pragma once

#include "toolkit/tools/registry.h"

namespace helve::toolkit {

void add_learning_tools(Registry& registry);  // mem_extract, mem_learn_from_failure

}  // namespace helve::toolkit
