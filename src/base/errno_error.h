// From errno to Error: one place decides which code and words a failed system call gets.
#pragma once

#include <string_view>

#include "base/result.h"

namespace helve {

// "cannot <action> '<subject>': <reason>". `subject` is a path or a program. Codes: NotFound
// (ENOENT, ENOTDIR), Denied (permission, read-only), InvalidInput (a directory or an existing file
// where none may be, a bad name), Unavailable (everything else: I/O errors, disk full, locks).
Error error_from_errno(int errno_value, std::string_view action, std::string_view subject);

}  // namespace helve
