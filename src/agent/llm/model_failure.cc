#include "agent/llm/model_failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "agent/llm/answer_parts.h"
#include "base/ascii.h"
#include "base/http_date.h"
#include "base/json.h"

namespace helve::llm {

namespace {

constexpr Duration kWaitMax = std::chrono::hours(24);

std::optional<Duration> read_number(std::string_view text, double unit_ns) {
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(number) ||
      number < 0) {
    return std::nullopt;
  }
  const double most = static_cast<double>(kWaitMax.count());
  return Duration(static_cast<std::int64_t>(std::min(number * unit_ns, most)));
}

// What the body of an error says: in JSON of any form, or as it is.
Error said_in(std::string_view body) {
  const auto json = parse_json(body);
  if (!json) {
    const bool is_page = body.find_first_not_of(" \t\r\n") == body.find('<');
    return server_error({}, is_page && !body.empty() ? std::string_view("a web page") : body);
  }
  if (auto error = error_in(*json)) return *std::move(error);
  for (const char* key : {"message", "detail"}) {
    const JsonValue* member = json->find(key);
    if (member != nullptr && !member->is_null()) return server_error({}, written_arguments(member));
  }
  return server_error({}, body);
}

// Of a request that was not taken, by the words that many servers have for it.
std::string hint_of_refusal(std::string_view words) {
  const std::string lower = ascii_lower(words);
  const auto has = [&lower](std::initializer_list<std::string_view> any) {
    return std::any_of(any.begin(), any.end(), [&lower](std::string_view word) {
      return lower.find(word) != std::string::npos;
    });
  };
  if (has({"too long", "context length", "context window", "too many tokens"})) {
    return "the conversation is too long for the model: ask for less";
  }
  if (has({"model"}) && has({"exist", "not found", "unknown", "no such"})) {
    return "check the name of the model";
  }
  return hint_of(ErrorCode::InvalidInput);
}

std::string hint_of_status(int status, std::string_view words) {
  if (status >= 300 && status < 400) {
    return "give the address that it redirects to, if that is meant";
  }
  if (status == 404) return "check the name of the model, and the address: it ends in /v1";
  if (status == 413) return "the conversation is too long: ask for less";
  if (status == 429) return "wait, then ask again, and less often";
  const ErrorCode code = code_of_status(status);
  return code == ErrorCode::InvalidInput ? hint_of_refusal(words) : hint_of(code);
}

// It is told with the status of who is in a hurry, of a wrong request or of a wrong key. Those who
// are in a hurry are told of bills too: there the type of the error alone counts.
bool is_of_empty_account(int status, const Error& said) {
  if (status != 400 && status != 403 && status != 429) return false;
  return said.code == ErrorCode::LimitExceeded ||
         (status != 429 && tells_of_empty_account(said.message));
}

}  // namespace

std::optional<Duration> read_wait(const HttpHead& head, WallTime now) {
  if (const auto wait = read_number(head.header("retry-after-ms"), 1e6)) return wait;
  const std::string_view text = head.header("retry-after");
  if (const auto wait = read_number(text, 1e9)) return wait;
  const auto date = read_http_date(text, now);
  if (!date) return std::nullopt;
  return std::clamp<Duration>(*date - now, Duration(0), kWaitMax);
}

ModelFailure failure_of_status(const HttpHead& head, std::string_view body, std::string_view host,
                               WallTime now) {
  const int status = head.status;
  const Error said = said_in(body);
  ModelFailure failure{
      Error{code_of_status(status), fmt::format("{} answers HTTP {}", host, status),
            hint_of_status(status, said.message)}
          .with_detail(said.message),
      false, std::nullopt};
  if (is_of_empty_account(status, said)) {
    failure.error.code = ErrorCode::LimitExceeded;
    failure.error.hint = hint_of(ErrorCode::LimitExceeded);
    return failure;
  }
  failure.may_retry = failure.error.code == ErrorCode::Unavailable;
  if (head.header("x-should-retry") == "false") failure.may_retry = false;
  failure.retry_after = read_wait(head, now);
  return failure;
}

ModelFailure failure_of_exchange(const HttpFailure& failure, std::string_view host) {
  // A limit of ours would be met again.
  if (failure.fault == HttpFault::Cut && failure.error.code == ErrorCode::LimitExceeded) {
    return failure_of_answer(failure.error, host);
  }
  const bool may_retry = failure.fault == HttpFault::Connect || failure.fault == HttpFault::Cut ||
                         failure.fault == HttpFault::Resolve;
  const std::string what = failure.fault == HttpFault::Cut
                               ? "closed the connection before it answered"
                               : "cannot be reached";
  Error error = failure.error;
  if (failure.fault != HttpFault::Stopped) {
    error.message = fmt::format("{} {}", host, what);
    error.detail = server_words(failure.error.full_message());
  }
  return {std::move(error), may_retry, std::nullopt};
}

ModelFailure failure_of_answer(Error error, std::string_view host) {
  error.message = fmt::format("{}: {}", host, error.message);
  const bool may_retry = error.code == ErrorCode::Unavailable;
  return {std::move(error), may_retry, std::nullopt};
}

Duration back_off(unsigned tried, std::uint64_t random) {
  constexpr Duration kFirst = std::chrono::milliseconds(500);
  constexpr Duration kMost = std::chrono::seconds(8);
  const Duration full = tried < 8 ? std::min(kFirst * (1 << tried), kMost) : kMost;
  return full - Duration(static_cast<std::int64_t>(
                    random % static_cast<std::uint64_t>(full.count() / 4 + 1)));
}

}  // namespace helve::llm
