// RegexCache: XPath regular expressions, run by RE2 in linear time. The one place that knows RE2.
// https://www.w3.org/TR/xpath-functions/#regex-syntax
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/limits.h"
#include "base/result.h"

namespace helve::sparql {

// Not thread-safe. Keeps Limits::regex_cache_max compiled expressions.
class RegexCache {
 public:
  explicit RegexCache(const Limits& limits);
  ~RegexCache();
  RegexCache(RegexCache&&) noexcept;
  RegexCache& operator=(RegexCache&&) noexcept;

  // Errors: InvalidInput for a pattern that is none, for flags other than "smixq", and for what RE2
  // cannot do (back-references, look-around), saying so; LimitExceeded for one that grows beyond
  // Limits::regex_program_max.
  Result<void> compile(std::string_view pattern, std::string_view flags);
  Result<bool> matches(std::string_view text, std::string_view pattern, std::string_view flags);
  // Replaces every match; $0 to $99 and \$ \\ in the replacement by XPath's rules. InvalidInput for
  // a bad replacement or a pattern that matches the empty string. LimitExceeded beyond
  // Limits::literal_bytes_max.
  Result<std::string> replace(std::string_view text, std::string_view pattern,
                              std::string_view replacement, std::string_view flags);

 private:
  struct Compiled;
  Result<const Compiled*> find(std::string_view pattern, std::string_view flags);

  Limits limits_;
  std::unordered_map<std::string, std::unique_ptr<Compiled>> compiled_;
};

}  // namespace helve::sparql
