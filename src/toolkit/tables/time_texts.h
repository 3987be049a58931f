// Times in SQLite are texts: a statement that writes them otherwise than they are stored compares
// letters, and finds too few rows or too many without a word.
#pragma once

#include <string>
#include <vector>

#include "toolkit/tables/table_diagnosis.h"

namespace helve::toolkit {

// What to say of conditions with '2009-01-01T00:00:00' over columns that have a blank there. Asks
// the database only where a statement has such a text; nothing is said of other databases.
std::vector<std::string> strange_times(const EmptyStatement& statement, const OpContext& context);

}  // namespace helve::toolkit
