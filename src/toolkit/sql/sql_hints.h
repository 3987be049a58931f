// What helps after an error of SQLite: names that are there.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "toolkit/sql/handle_table.h"

namespace helve::toolkit {

// An unknown table gets the handles there are, an unknown column those of the tables, the nearest
// first.
Error with_hints(Error error, const std::vector<std::pair<std::string, const HandleTable*>>& tables,
                 const std::vector<std::string_view>& known_tables);

}  // namespace helve::toolkit
