#include "sources/sparql/engine/regex_cache.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/text.h"
#include "base/utf8.h"
#include "sources/sparql/engine/regex_syntax.h"

namespace helve::sparql {

namespace {

// Steps of the slowest way in which RE2 runs an expression, instructions times bytes: about half
// a second. It cannot be interrupted.
constexpr std::uint64_t kStepsMax = std::uint64_t{1} << 27;
// Groups that $N can name.
constexpr std::size_t kGroupsMax = 100;

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

RE2::Options options_of(std::size_t program_max) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(static_cast<std::int64_t>(program_max));
  return options;
}

// A replacement taken apart: text, then the group behind it; -1 for none.
struct ReplacementPart {
  std::string text;
  int group = -1;
};

Error bad_replacement(std::string_view replacement, std::string_view what) {
  return {ErrorCode::InvalidInput,
          fmt::format("the replacement \"{}\" {}", show_pattern(replacement), what),
          "write $1 for a group, \\\\$ for a dollar sign and \\\\\\\\ for a backslash"};
}

// "$N" takes as many digits as there are groups for; a single digit beyond them is empty.
int read_group(std::string_view digits, std::size_t& at, int groups) {
  int group = digits[at++] - '0';
  while (at < digits.size() && is_digit(digits[at])) {
    const int longer = group * 10 + (digits[at] - '0');
    if (longer > groups) break;
    group = longer;
    ++at;
  }
  return group;
}

Result<std::vector<ReplacementPart>> parse_replacement(std::string_view replacement, int groups) {
  std::vector<ReplacementPart> parts(1);
  for (std::size_t at = 0; at < replacement.size();) {
    const char c = replacement[at++];
    if (c == '\\') {
      if (at == replacement.size() || (replacement[at] != '\\' && replacement[at] != '$')) {
        return bad_replacement(replacement, "has a backslash before something else than \\ or $");
      }
      parts.back().text += replacement[at++];
    } else if (c == '$') {
      if (at == replacement.size() || !is_digit(replacement[at])) {
        return bad_replacement(replacement, "has a $ without a number");
      }
      parts.back().group = read_group(replacement, at, groups);
      parts.emplace_back();
    } else {
      parts.back().text += c;
    }
  }
  return parts;
}

std::size_t character_bytes(std::string_view text, std::size_t at) {
  const char* next = text.data() + at;
  decode_utf8(next, text.data() + text.size());
  return static_cast<std::size_t>(next - text.data()) - at;
}

}  // namespace

struct Regex::Program {
  Program(const std::string& pattern, const RE2::Options& options) : re2(pattern, options) {}
  RE2 re2;
};

Regex::Regex(std::string_view pattern, std::string_view flags, const Limits& limits,
             bool finds_literal)
    : finds_literal_(finds_literal),
      program_max_(limits.regex_program_max),
      literal_bytes_max_(limits.literal_bytes_max) {
  auto parsed = parse_regex_flags(flags);
  if (!parsed) {
    refuse(std::move(parsed).error(), false);
    return;
  }
  if (pattern.size() > program_max_) {
    refuse(Error(ErrorCode::LimitExceeded,
                 fmt::format("a regular expression of {} is longer than the limit of {}",
                             format_bytes(pattern.size()), format_bytes(program_max_)),
                 "use a shorter pattern"),
           true);
    return;
  }
  if (parsed->quoted) {
    is_quoted_ = true;
    compile(std::string(pattern), pattern, true, parsed->case_insensitive);
    return;
  }
  auto translated = to_re2_syntax(pattern, *parsed);
  if (!translated) {
    const bool is_hard = translated.error().is_unsupported;
    refuse(std::move(translated).error().error, is_hard);
    return;
  }
  compile(*translated, pattern, false, false);
}

Regex::~Regex() = default;

void Regex::refuse(Error error, bool is_hard) {
  error_ = std::move(error);
  is_hard_error_ = is_hard;
}

void Regex::compile(const std::string& re2_pattern, std::string_view shown, bool is_literal,
                    bool is_case_insensitive) {
  RE2::Options options = options_of(program_max_);
  options.set_literal(is_literal);
  options.set_case_sensitive(!is_case_insensitive);
  auto program = std::make_unique<Program>(re2_pattern, options);
  switch (program->re2.error_code()) {
    case RE2::NoError:
      program_ = std::move(program);
      if (finds_literal_) literal_ = RegexLiteral::find(program_->re2, shown);
      return;
    case RE2::ErrorPatternTooLarge:
      refuse(Error(ErrorCode::LimitExceeded,
                   fmt::format("the regular expression \"{}\" takes more than the limit of {} when "
                               "compiled",
                               show_pattern(shown), format_bytes(program_max_)),
                   "use smaller repetitions than {1,1000} and fewer alternatives"),
             true);
      return;
    case RE2::ErrorRepeatSize:
      refuse(Error(ErrorCode::LimitExceeded,
                   fmt::format("the regular expression \"{}\" repeats something more than 1000 "
                               "times, which is the limit",
                               show_pattern(shown)),
                   "use * or + instead, or STRLEN for the length"),
             true);
      return;
    default:
      refuse(Error(ErrorCode::InvalidInput,
                   fmt::format("the regular expression \"{}\" is not valid: {}",
                               show_pattern(shown), show_pattern(program->re2.error())),
                   "the syntax is that of XPath; in a query, backslashes are written twice"),
             false);
  }
}

std::uint64_t Regex::work(std::size_t text_bytes) const {
  // One pass of the automaton, plus what building its states may take.
  const auto size = static_cast<std::uint64_t>(program_ ? program_->re2.ProgramSize() : 0);
  return text_bytes * std::min<std::uint64_t>(size, 64) + size;
}

Result<void> Regex::check_work(std::size_t text_bytes) const {
  const auto size = static_cast<std::uint64_t>(program_->re2.ProgramSize());
  if (size * text_bytes <= kStepsMax) return {};
  return Error(ErrorCode::LimitExceeded,
               fmt::format("a regular expression of {} steps over a text of {} would take too long",
                           format_count(size), format_bytes(text_bytes)),
               "use a simpler expression or CONTAINS, or cut the text with SUBSTR");
}

Result<bool> Regex::matches(std::string_view text) const {
  HELVE_TRY(check_work(text.size()));
  if (literal_ && !literal_->occurs_in(text)) return false;
  return program_->re2.Match(piece(text), 0, text.size(), RE2::UNANCHORED, nullptr, 0);
}

Result<std::string> Regex::replace(std::string_view text, std::string_view replacement,
                                   PacedCheck* pace) const {
  HELVE_TRY(check_work(text.size()));
  const RE2& re2 = program_->re2;
  if (RE2::PartialMatch("", re2)) {
    return Error(ErrorCode::InvalidInput,
                 "REPLACE needs a regular expression that does not match the empty string",
                 "write + instead of *");
  }
  const int groups = re2.NumberOfCapturingGroups();
  std::vector<ReplacementPart> parts{{std::string(replacement), -1}};
  if (!is_quoted_) {
    HELVE_ASSIGN(parts, parse_replacement(replacement, groups));
  }
  std::vector<re2::StringPiece> found(
      std::min<std::size_t>(static_cast<std::size_t>(groups) + 1, kGroupsMax));
  std::string out;
  std::size_t copied = 0;
  std::size_t at = 0;
  while (at <= text.size() && re2.Match(piece(text), at, text.size(), RE2::UNANCHORED, found.data(),
                                        static_cast<int>(found.size()))) {
    const auto begin = static_cast<std::size_t>(found[0].data() - text.data());
    const std::size_t end = begin + found[0].size();
    out += text.substr(copied, begin - copied);
    for (const ReplacementPart& part : parts) {
      out += part.text;
      if (part.group < 0 || static_cast<std::size_t>(part.group) >= found.size()) continue;
      const auto& group = found[static_cast<std::size_t>(part.group)];
      out.append(group.data() == nullptr ? "" : group.data(), group.size());
    }
    copied = end;
    // A boundary (\b) matches without taking anything.
    at = found[0].empty() && end < text.size() ? end + character_bytes(text, end) : end;
    if (found[0].empty() && end == text.size()) break;
    if (out.size() + text.size() - copied > literal_bytes_max_) break;
    if (pace != nullptr) HELVE_TRY(pace->add(work(text.size() - at)));
  }
  out += text.substr(copied);
  if (out.size() > literal_bytes_max_) {
    return Error(ErrorCode::LimitExceeded,
                 fmt::format("REPLACE makes a text longer than the limit of {}",
                             format_bytes(literal_bytes_max_)),
                 "cut the text with SUBSTR, or use a shorter replacement");
  }
  return out;
}

std::shared_ptr<const Regex> RegexCache::find(std::string_view pattern, std::string_view flags,
                                              bool finds_literal) {
  std::string key;
  key.reserve(pattern.size() + flags.size() + 1);
  key.append(flags).append(1, '/').append(pattern);
  const auto known = compiled_.find(key);
  if (known != compiled_.end()) return known->second;
  if (compiled_.size() >= limits_.regex_cache_max) compiled_.clear();
  auto regex = std::make_shared<const Regex>(pattern, flags, limits_, finds_literal);
  compiled_.emplace(std::move(key), regex);
  return regex;
}

Result<void> RegexCache::compile(std::string_view pattern, std::string_view flags) {
  const auto regex = find(pattern, flags);
  if (regex->error()) return *regex->error();
  return {};
}

Result<bool> RegexCache::matches(std::string_view text, std::string_view pattern,
                                 std::string_view flags) {
  const auto regex = find(pattern, flags);
  if (regex->error()) return *regex->error();
  return regex->matches(text);
}

Result<std::string> RegexCache::replace(std::string_view text, std::string_view pattern,
                                        std::string_view replacement, std::string_view flags) {
  const auto regex = find(pattern, flags);
  if (regex->error()) return *regex->error();
  return regex->replace(text, replacement);
}

}  // namespace helve::sparql
