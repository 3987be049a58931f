// Functions that each dialect has, for hints after one that it does not have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sources/table_source.h"

namespace helve::toolkit {

struct FunctionAdvice {
  std::vector<std::string> names;  // that are near in spelling, or mean the same here
  std::string instead;             // how the same is said in this dialect; may be empty
};
FunctionAdvice advise_function(std::string_view name, SqlDialect dialect);

}  // namespace helve::toolkit
