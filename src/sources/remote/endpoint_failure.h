// EndpointFailure: why an endpoint gave no answer, in words of what to do about it, whatever the
// server behind it calls it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/http.h"
#include "base/result.h"

namespace helve::remote {

enum class EndpointCause : std::uint8_t {
  TooHeavy,     // it ran out of time or memory over the query
  Cold,         // it has not answered anything yet: it may be waking up
  Busy,         // too many requests: it says so
  Down,         // nobody answers there
  Gateway,      // what stands before it answers, and it does not
  Refused,      // it wants to know who asks, or lets nobody
  Syntax,       // it does not take the query
  NotThere,     // the address is no endpoint
  WrongAnswer,  // what came is no result
  Cut,          // the answer ends in the middle
  NotAllowed,   // by us: a private address, a redirect
  Stopped,      // by us: deadline, cancellation, memory
};
std::string_view name_of(EndpointCause cause);  // "too_heavy"
std::optional<EndpointCause> cause_named(std::string_view name);

struct EndpointFailure {
  EndpointCause cause = EndpointCause::Down;
  Error error;
  bool may_retry = false;               // the same query, later
  std::optional<Duration> retry_after;  // as the server said
  bool is_told = false;                 // by an answer of the server; false: it did not answer
  bool is_of_time = false;              // it ran out of time, rather than memory or the like
};

// What is known when an answer is not one.
struct EndpointReply {
  int status = 200;
  HttpHeaders headers;
  std::string text;  // the beginning of the body
};

struct EndpointState {
  std::string name;           // of the endpoint, for messages
  bool has_answered = false;  // anything, in the last while
  WallTime now;
};

EndpointFailure failure_of(const HttpFailure& failure, const EndpointState& state);
// Of an answer that is an error by its status, or by what stands in it.
EndpointFailure failure_of(const EndpointReply& reply, const EndpointState& state);
// Of an ASK that was answered with something else.
EndpointFailure neither_yes_nor_no(const std::string& name);
// Of our own deadline.
EndpointFailure out_of_time(const Error& error, const EndpointState& state);

// What a person or a model should read of an error page: no markup, no stack of calls, none of the
// query; on one line, at most `chars_max` characters.
std::string cleaned_message(std::string_view text, std::size_t chars_max = 300);

// Seconds, or a date as HTTP writes it. nullopt for what is neither, and for the past.
std::optional<Duration> read_retry_after(std::string_view text, WallTime now);

}  // namespace helve::remote
