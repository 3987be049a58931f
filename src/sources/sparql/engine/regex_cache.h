// RegexCache: XPath regular expressions, run by RE2 in linear time. Beside regex_literal.h the one
// place that knows RE2.
// https://www.w3.org/TR/xpath-functions/#regex-syntax
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/limits.h"
#include "base/paced_check.h"
#include "base/result.h"
#include "sources/sparql/engine/regex_literal.h"

namespace helve::sparql {

// A compiled expression, or why there is none. Immutable.
class Regex {
 public:
  // `finds_literal`: a text that every match has is looked for before the expression is run.
  Regex(std::string_view pattern, std::string_view flags, const Limits& limits,
        bool finds_literal = false);
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;

  // InvalidInput for a pattern that is none, for flags other than "smixq", and for what RE2 cannot
  // do (back-references, look-around), saying so; LimitExceeded for one that grows beyond
  // Limits::regex_program_max.
  const std::optional<Error>& error() const { return error_; }
  // True for errors that must end the query: no row could do better.
  bool is_hard_error() const { return is_hard_error_; }

  // LimitExceeded where text and expression together would take too long. REQUIRES: no error().
  Result<bool> matches(std::string_view text) const;
  // Replaces every match; $0 to $99 and \$ \\ in the replacement by XPath's rules. InvalidInput for
  // a bad replacement or a pattern that matches the empty string. LimitExceeded beyond
  // Limits::literal_bytes_max. `pace` may be null. REQUIRES: no error().
  Result<std::string> replace(std::string_view text, std::string_view replacement,
                              PacedCheck* pace = nullptr) const;
  // What a run over a text of that size may cost, for PacedCheck.
  std::uint64_t work(std::size_t text_bytes) const;

 private:
  struct Program;
  void refuse(Error error, bool is_hard);
  void compile(const std::string& re2_pattern, std::string_view shown, bool is_literal,
               bool is_case_insensitive);
  Result<void> check_work(std::size_t text_bytes) const;

  bool finds_literal_;
  std::size_t program_max_;
  std::size_t literal_bytes_max_;
  bool is_quoted_ = false;
  bool is_hard_error_ = false;
  std::optional<Error> error_;
  std::unique_ptr<Program> program_;
  std::optional<RegexLiteral> literal_;
};

// Not thread-safe. Keeps Limits::regex_cache_max compiled expressions.
class RegexCache {
 public:
  explicit RegexCache(const Limits& limits) : limits_(limits) {}

  // Bad ones are kept as well. Never null. Finding a literal pays for expressions that will be run
  // often.
  std::shared_ptr<const Regex> find(std::string_view pattern, std::string_view flags,
                                    bool finds_literal = false);

  // The same by hand, for one text.
  Result<void> compile(std::string_view pattern, std::string_view flags);
  Result<bool> matches(std::string_view text, std::string_view pattern, std::string_view flags);
  Result<std::string> replace(std::string_view text, std::string_view pattern,
                              std::string_view replacement, std::string_view flags);

 private:
  Limits limits_;
  std::unordered_map<std::string, std::shared_ptr<const Regex>> compiled_;
};

}  // namespace helve::sparql
