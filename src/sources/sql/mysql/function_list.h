// The functions of MySQL and MariaDB that a statement may call: built in, and without an effect on
// anything but the answer. statement_guard.h asks here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::sql::mysql {

// In capitals, sorted.
const std::vector<std::string_view>& allowed_functions();
bool is_allowed_function(std::string_view name);  // in any case

// Words that stand before a parenthesis without calling anything: IN (, OVER (, DECIMAL(10,2).
bool is_syntax_before_parenthesis(std::string_view word);  // in any case

// Whether `list`, in capitals and sorted, has the name in any case.
bool is_listed_name(const std::vector<std::string_view>& list, std::string_view name);

// Whether a server could take one name for the other: without case, and any letter that is not
// ASCII for any other.
bool may_be_same_name(std::string_view a, std::string_view b);

// The names of both lists above that calls of the stored functions `stored` are written with, in
// capitals, sorted. Not every server has every function of the list, and where it has not, a stored
// function answers. Servers compare names without regard to case and accents.
std::vector<std::string_view> taken_names(const std::vector<std::string>& stored);

}  // namespace helve::sql::mysql
