// Arguments that the tools on sources and those on graph handles have in common.
#pragma once

#include <string_view>
#include <vector>

#include "toolkit/tools/explore.h"
#include "toolkit/tools/tool.h"

namespace helve::toolkit {

std::string_view name_of(NameKind kind);  // "class"

std::vector<Parameter> describe_parameters();
std::vector<ReturnKey> describe_returns();
DescribeChoices describe_choices(const Arguments& arguments);

}  // namespace helve::toolkit
