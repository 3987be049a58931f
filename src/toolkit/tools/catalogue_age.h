// How old the catalogue may be that schema_inspect tells from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sources/table_source.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

// A database that does not tell when it changes is asked again, but for a catalogue that was read
// just now, or that takes long to read; how old such a one is, is told.
Result<std::shared_ptr<const Catalogue>> current_catalogue(ToolCall& call,
                                                           std::vector<std::string>& warnings);

}  // namespace helve::toolkit
