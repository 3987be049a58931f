// Arrays of PostgreSQL, {1,NULL,"a b"}, as lists of JSON. Its neighbour values.h reads the rest.
#pragma once

#include <string>
#include <string_view>

#include "sources/sql/postgres/values.h"

namespace helve::sql {

// Replaces `json`. False where the text is no array.
bool array_to_json(std::string_view text, ValueKind element, char delimiter, std::string& json);

}  // namespace helve::sql
