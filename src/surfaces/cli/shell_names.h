// Names of the data for the shell: classes and properties with their counts, as tables and for
// completion.
#pragma once

#include <string_view>

#include "sources/store/live/live_snapshot.h"
#include "surfaces/cli/query_output.h"
#include "surfaces/cli/shell_completion.h"
#include "surfaces/cli/table.h"

namespace helve::cli {

// IRIs are shown with the first of `prefixes` that fit, then with well-known ones.
CompletionNames completion_names(const store::LiveSnapshot& data, const PrefixList& prefixes);

// The most frequent, at most 100, of those whose name has the text (in any case).
Table class_table(const store::LiveSnapshot& data, const PrefixList& prefixes,
                  std::string_view text);
Table property_table(const store::LiveSnapshot& data, const PrefixList& prefixes,
                     std::string_view text);

}  // namespace helve::cli
