// XPath's regular expressions written in RE2's syntax. regex_cache.h runs them.
// https://www.w3.org/TR/xpath-functions/#regex-syntax
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace helve::sparql {

// What is wrong with a pattern.
struct RegexFault {
  Error error;
  // A good XPath expression all the same, or one of other engines: nothing that data could be
  // blamed for.
  bool is_unsupported = false;
};

struct RegexFlags {
  bool dot_all = false;           // s
  bool multi_line = false;        // m
  bool case_insensitive = false;  // i
  bool free_spacing = false;      // x
  bool quoted = false;            // q
};

// InvalidInput for other letters.
Result<RegexFlags> parse_regex_flags(std::string_view flags);

// The pattern as RE2 reads it, flags included. RE2 may still refuse it. The escapes are those of
// XPath, in addition \b, \B, any escaped punctuation and (?i) and the like, which most engines
// take; \w has the underscore. REQUIRES: valid UTF-8, flags without q.
tl::expected<std::string, RegexFault> to_re2_syntax(std::string_view pattern,
                                                    const RegexFlags& flags);

// For messages: short, on one line.
std::string show_pattern(std::string_view pattern);

}  // namespace helve::sparql
