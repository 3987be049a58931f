// The tables of a bank's file, and how a file of an older version becomes one of this.
#pragma once

#include "base/result.h"
#include "base/sqlite_store.h"

namespace helve::memory {

// "Helv" in the header of the file.
inline constexpr std::int64_t kApplicationId = 0x48656C76;

// 0: there is nothing in it yet. InvalidInput where it is a database of something else,
// Unavailable where a newer Helve made it.
Result<int> schema_version(sqlite::Store& store);

// Whether its index was made of the words that items have today.
Result<bool> has_todays_words(sqlite::Store& store);

// Brings a file of any older version to this one, within a transaction of the caller.
Result<void> migrate(sqlite::Store& store, int from);

}  // namespace helve::memory
