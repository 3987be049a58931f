// Secrets by where they stand: behind telling names ("password=..."), in addresses
// ("scheme://user:...@host") and in statements that make users. redaction.h puts it together,
// secret_shapes.h knows secrets by their own form.
#pragma once

#include <string>
#include <string_view>

namespace helve {

// Whether a value of that name is a secret: "db_password", "PGPASSWORD", "accessToken".
bool is_telling_name(std::string_view name);

// Of a word that may be one of ours or a secret: whether the process was given it as one.
using IsKnownSecret = bool (*)(std::string_view word);

// With "[redacted]" in the place of values behind telling names and of IDENTIFIED BY. Marks of
// parameters, references as env:NAME, types and folders behind "pwd" stay. Linear.
std::string without_named(std::string_view text, IsKnownSecret is_known);

// With "[redacted]" in the place of passwords in addresses, also of those that were not encoded and
// have "/", "?", "#" or "@" in them. Linear.
std::string without_user_info(std::string_view text);

}  // namespace helve
