// The functions of MySQL and MariaDB that a statement may call: built in, and without an effect on
// anything but the answer. statement_guard.h asks here.
#pragma once

#include <string_view>
#include <vector>

namespace helve::sql::mysql {

// In capitals, sorted.
const std::vector<std::string_view>& allowed_functions();
bool is_allowed_function(std::string_view name);  // in any case

// Words that stand before a parenthesis without calling anything: IN (, OVER (, DECIMAL(10,2).
bool is_syntax_before_parenthesis(std::string_view word);  // in any case

}  // namespace helve::sql::mysql
