#include "sources/remote/endpoint_failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "base/ascii.h"
#include "base/http_date.h"
#include "base/text.h"
#include "base/utf8_repair.h"

namespace helve::remote {

namespace {

constexpr Duration kRetryAfterMax = std::chrono::hours(24);

struct NamedCause {
  EndpointCause cause;
  std::string_view name;
};
constexpr std::array kCauses = {
    NamedCause{EndpointCause::TooHeavy, "too_heavy"},
    NamedCause{EndpointCause::Cold, "cold"},
    NamedCause{EndpointCause::Busy, "busy"},
    NamedCause{EndpointCause::Down, "down"},
    NamedCause{EndpointCause::Gateway, "gateway"},
    NamedCause{EndpointCause::Refused, "refused"},
    NamedCause{EndpointCause::Syntax, "syntax"},
    NamedCause{EndpointCause::NotThere, "not_there"},
    NamedCause{EndpointCause::WrongAnswer, "wrong_answer"},
    NamedCause{EndpointCause::Cut, "cut"},
    NamedCause{EndpointCause::NotAllowed, "not_allowed"},
    NamedCause{EndpointCause::Stopped, "stopped"},
};

constexpr const char* kNarrow =
    "narrow it: bind a subject, a class or an exact value, take a smaller LIMIT, drop ORDER BY and "
    "broad FILTERs";

// Words of the engines, in lower case.
constexpr std::array kHeavyWords = {
    "timed out",
    "timeout",
    "time out",
    "time limit",
    "execution time",
    "too long to run",
    "out of memory",
    "outofmemory",
    "memory limit",
    "memory pool",
    "query too complex",
    "too complex",
    "estimated execution",
    "cancelled due to",
    "was cancelled",
    "tried to allocate",
    "s1t00",
    "sr171",
    "sorted top",
};
constexpr std::array kSyntaxWords = {
    "malformed query",  "malformedquery",    "parse error",      "parseexception",
    "lexical error",    "syntax error",      "invalid sparql",   "query parse",
    "encountered \"",   "parser error",      "sparql compiler",  "mismatched input",
    "extraneous input", "unresolved prefix", "undefined prefix", "not declared",
    "no prefix",
};
constexpr std::array kBusyWords = {
    "too many requests", "rate limit", "too many queries", "server is busy", "overloaded",
};

bool has_word(const std::string& text, std::span<const char* const> words) {
  return std::any_of(words.begin(), words.end(),
                     [&text](const char* word) { return text.find(word) != std::string::npos; });
}

EndpointFailure make(EndpointCause cause, ErrorCode code, std::string message, std::string hint,
                     bool may_retry = false) {
  return {cause, Error{code, std::move(message), std::move(hint)}, may_retry};
}

EndpointFailure too_heavy(const std::string& name, bool is_of_time) {
  EndpointFailure failure = make(EndpointCause::TooHeavy, ErrorCode::LimitExceeded,
                                 fmt::format("the query is too heavy for {}{}", name,
                                             is_of_time ? ": it ran out of time" : ""),
                                 kNarrow);
  failure.is_of_time = is_of_time;
  return failure;
}

std::string_view header_of(const EndpointReply& reply, std::string_view name) {
  const auto found = std::find_if(reply.headers.begin(), reply.headers.end(),
                                  [&](const auto& header) { return header.first == name; });
  return found != reply.headers.end() ? std::string_view(found->second) : std::string_view();
}

EndpointFailure busy(const EndpointReply& reply, const EndpointState& state) {
  auto failure =
      make(EndpointCause::Busy, ErrorCode::Unavailable,
           fmt::format("{} takes no more requests for now (HTTP {})", state.name, reply.status),
           "wait, then ask again, and less often", true);
  failure.retry_after = read_retry_after(header_of(reply, "retry-after"), state.now);
  if (failure.retry_after) {
    failure.error.message +=
        fmt::format("; it says to wait {}", format_duration(*failure.retry_after));
  }
  return failure;
}

EndpointFailure by_status(const EndpointReply& reply, const EndpointState& state) {
  const std::string& name = state.name;
  switch (reply.status) {
    case 401:
    case 407:
      return make(
          EndpointCause::Refused, ErrorCode::Denied,
          fmt::format("{} wants to know who asks (HTTP {})", name, reply.status),
          "helve endpoint add NAME URL --user ... --password env:NAME, or --bearer, or --header");
    case 405:
    case 501:
      return make(EndpointCause::Refused, ErrorCode::Unavailable,
                  fmt::format("{} does not take queries that way (HTTP {})", name, reply.status),
                  "leave method out of its settings, so that both POST and GET are tried");
    case 403:
      return make(EndpointCause::Refused, ErrorCode::Denied,
                  fmt::format("{} refuses the request (HTTP 403)", name),
                  "ask its operator, or give other credentials");
    case 404:
    case 410:
      return make(EndpointCause::NotThere, ErrorCode::NotFound,
                  fmt::format("there is no SPARQL endpoint at this address of {} (HTTP {})", name,
                              reply.status),
                  "check the address: it often ends in /sparql or /query");
    case 408:
    case 504:
    case 524:
      return too_heavy(name, true);
    case 413:
    case 414:
    case 431:
      return make(EndpointCause::Refused, ErrorCode::LimitExceeded,
                  fmt::format("the query is too long for {} (HTTP {})", name, reply.status),
                  "shorten it: fewer VALUES, fewer patterns");
    case 502:
    case 520:
    case 521:
    case 522:
    case 523:
      return make(
          EndpointCause::Gateway, ErrorCode::Unavailable,
          fmt::format("the gateway of {} gets no answer from the server behind it (HTTP {})", name,
                      reply.status),
          "try again later; if only this query fails, it may be too heavy", true);
    case 503:
      return busy(reply, state);
    default:
      break;
  }
  if (reply.status >= 300 && reply.status < 400) {
    return make(EndpointCause::NotThere, ErrorCode::Unavailable,
                fmt::format("{} redirects without saying where (HTTP {})", name, reply.status),
                "check the address");
  }
  if (reply.status >= 400 && reply.status < 500) {
    return make(EndpointCause::Syntax, ErrorCode::InvalidInput,
                fmt::format("{} does not take the query (HTTP {})", name, reply.status),
                "write it in plain SPARQL 1.1, with every prefix declared");
  }
  return make(EndpointCause::WrongAnswer, ErrorCode::Unavailable,
              reply.status == 200 ? fmt::format("what {} answers is no SPARQL result", name)
                                  : fmt::format("{} failed (HTTP {})", name, reply.status),
              "try a simpler query; if that fails too, the endpoint has a problem");
}

// Skips what is between '<' and '>', and the insides of <style> and <script>.
std::string without_markup(std::string_view text) {
  std::string plain;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] != '<') {
      plain += text[at++];
      continue;
    }
    const std::string tag = ascii_lower(text.substr(at, 8));
    std::size_t from = at;
    if (tag.starts_with("<style") || tag.starts_with("<script")) {
      const std::string rest = ascii_lower(text.substr(at));
      const std::size_t end = rest.find(tag.starts_with("<style") ? "</style" : "</script");
      from = end == std::string::npos ? text.size() : at + end;
    }
    const std::size_t end = text.find('>', from);
    if (end == std::string_view::npos) break;
    at = end + 1;
    plain += ' ';
  }
  return plain;
}

void replace_each(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

// Where the part begins that helps nobody: a stack of calls, or the query itself.
std::size_t end_of_message(std::string_view text) {
  std::size_t end = text.size();
  for (const std::string_view mark :
       {"\n\tat ", "\n    at ", " at org.", " at java.", " at com.",
        "SPARQL query:", "\nquery:", "QUERY:", "Caused by:", "Traceback", "#output-format"}) {
    end = std::min(end, text.find(mark));
  }
  return end;
}

bool looks_like_markup(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first != std::string_view::npos && text[first] == '<';
}

std::optional<int> parse_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

EndpointFailure with_detail(EndpointFailure failure, const Error& error) {
  failure.error.detail = error.full_message();
  return failure;
}

// By what it says, or else by its status.
EndpointFailure by_words(const EndpointReply& reply, const EndpointState& state) {
  const std::string words = ascii_lower(cleaned_message(reply.text, 2'000));
  if (reply.status == 429) return busy(reply, state);
  const bool is_plain_error = reply.status == 400 || reply.status >= 500 || reply.status == 200;
  if (is_plain_error && has_word(words, kHeavyWords)) {
    return too_heavy(state.name, words.find("time") != std::string::npos);
  }
  if (is_plain_error && has_word(words, kSyntaxWords)) {
    return make(EndpointCause::Syntax, ErrorCode::InvalidInput,
                fmt::format("{} does not take the query", state.name),
                "write it in plain SPARQL 1.1, with every prefix declared");
  }
  if (is_plain_error && has_word(words, kBusyWords)) return busy(reply, state);
  return by_status(reply, state);
}

}  // namespace

std::string_view name_of(EndpointCause cause) {
  const auto found = std::find_if(kCauses.begin(), kCauses.end(),
                                  [cause](const NamedCause& one) { return one.cause == cause; });
  return found->name;
}

std::optional<EndpointCause> cause_named(std::string_view name) {
  const auto found = std::find_if(kCauses.begin(), kCauses.end(),
                                  [name](const NamedCause& one) { return one.name == name; });
  if (found == kCauses.end()) return std::nullopt;
  return found->cause;
}

EndpointFailure failure_of(const HttpFailure& failure, const EndpointState& state) {
  const Error& error = failure.error;
  switch (failure.fault) {
    case HttpFault::HeadTime:
      return out_of_time(error, state);
    case HttpFault::Stopped:
      if (error.code == ErrorCode::LimitExceeded) return out_of_time(error, state);
      return {EndpointCause::Stopped, error};
    case HttpFault::Private:
    case HttpFault::Redirects: {
      Error refused = error;
      refused.message = fmt::format("{}: {}", state.name, error.message);
      return {EndpointCause::NotAllowed, std::move(refused)};
    }
    case HttpFault::Request:
    case HttpFault::Library:
      return {EndpointCause::NotThere, error};
    case HttpFault::Cut:
      return with_detail(
          make(EndpointCause::Cut, ErrorCode::Unavailable,
               fmt::format("{} closed the connection before it answered", state.name),
               "try again; if it happens again, the query may be too heavy for it", true),
          error);
    case HttpFault::Tls:
      return with_detail(
          make(EndpointCause::Down, ErrorCode::Unavailable,
               fmt::format("no secure connection to {}", state.name),
               "give the certificate of its authority with ca_file, or ask its operator"),
          error);
    case HttpFault::Resolve:
    case HttpFault::Connect:
      break;
  }
  return with_detail(
      make(EndpointCause::Down, ErrorCode::Unavailable,
           fmt::format("{} cannot be reached", state.name),
           "check the address and the network; other sources are not concerned", true),
      error);
}

EndpointFailure neither_yes_nor_no(const std::string& name) {
  return make(EndpointCause::WrongAnswer, ErrorCode::Unavailable,
              fmt::format("{} answered ASK with neither true nor false", name),
              "ask it as SELECT with LIMIT 1");
}

EndpointFailure out_of_time(const Error& error, const EndpointState& state) {
  if (!state.has_answered) {
    return with_detail(
        make(EndpointCause::Cold, ErrorCode::LimitExceeded,
             fmt::format("{} has not answered in time, and nothing before: it may be waking up, or "
                         "the query is too heavy",
                         state.name),
             "ask something small first, then this again", true),
        error);
  }
  return too_heavy(state.name, true);
}

EndpointFailure failure_of(const EndpointReply& reply, const EndpointState& state) {
  EndpointFailure failure = by_words(reply, state);
  failure.is_told = true;
  if (failure.error.detail.empty()) failure.error.detail = cleaned_message(reply.text);
  return failure;
}

std::string cleaned_message(std::string_view text, std::size_t chars_max) {
  std::string plain = looks_like_markup(text) ? without_markup(text) : std::string(text);
  plain = repaired_utf8(plain.substr(0, end_of_message(plain)));
  for (const auto& [entity, character] :
       {std::pair("&lt;", "<"), std::pair("&gt;", ">"), std::pair("&quot;", "\""),
        std::pair("&#39;", "'"), std::pair("&nbsp;", " "), std::pair("&amp;", "&")}) {
    replace_each(plain, entity, character);
  }
  std::string line;
  for (const char c : plain) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!is_blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (line.ends_with(' ')) line.pop_back();
  return elide_end(escape_for_terminal(line), chars_max);
}

std::optional<Duration> read_retry_after(std::string_view text, WallTime now) {
  if (const auto seconds = parse_number(text)) {
    if (*seconds < 0) return std::nullopt;
    return std::min<Duration>(std::chrono::seconds(*seconds), kRetryAfterMax);
  }
  const auto date = read_http_date(text, now);
  if (!date || *date <= now) return std::nullopt;
  return std::min<Duration>(*date - now, kRetryAfterMax);
}

}  // namespace helve::remote
