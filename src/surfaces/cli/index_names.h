// The index of names that stands beside an index (store/text_index_file.h), as who writes one
// leaves it.
#pragma once

#include <string>

#include "sources/store/snapshot.h"
#include "surfaces/cli/command.h"

namespace helve::cli {

// An index is whole without it, since it can be made at any time: where that fails there is a
// warning, unless op.check() tells why.
void write_names(const store::Snapshot& snapshot, const std::string& folder,
                 CommandContext& context);

}  // namespace helve::cli
