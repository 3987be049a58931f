// A SQLite database as the bytes of its file, made by a script of ours. sqlite_store.h is for files
// that grow.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace helve::sqlite {

// The same bytes for the same script, by the same version of SQLite. Internal where the script
// fails, LimitExceeded where it makes more than `bytes_max`.
Result<std::string> database_image(const std::string& script, std::size_t bytes_max);

}  // namespace helve::sqlite
