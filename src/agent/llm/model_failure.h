// ModelFailure: why a model gave no answer, and whether it is worth asking again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/http.h"
#include "base/result.h"

namespace helve::llm {

struct ModelFailure {
  Error error;
  bool may_retry = false;
  std::optional<Duration> retry_after;  // as the server said
};

// Of an answer that is an error by its status; `body` is its beginning, `host` is for messages.
ModelFailure failure_of_status(const HttpHead& head, std::string_view body, std::string_view host,
                               WallTime now);
// Of no answer at all.
ModelFailure failure_of_exchange(const HttpFailure& failure, std::string_view host);
// Of an answer whose status promised more: the reader's error, with the host.
ModelFailure failure_of_answer(Error error, std::string_view host);

// By retry-after-ms, or retry-after in seconds (fractions too) or as a date in any form of HTTP.
// nullopt where they say nothing; so is a number below zero. Zero for a date that is past.
std::optional<Duration> read_wait(const HttpHead& head, WallTime now);

// 0.5 s * 2^tried up to 8 s, less up to a quarter of it by `random`, so that clients do not return
// all at once.
Duration back_off(unsigned tried, std::uint64_t random);

}  // namespace helve::llm
