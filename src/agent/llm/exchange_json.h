// Requests and answers as JSON of our own, whatever the dialect: for recordings and trajectories.
#pragma once

#include <string>

#include "agent/llm/provider.h"
#include "base/json.h"
#include "base/result.h"

namespace helve::llm {

// The same request gives the same bytes.
JsonValue to_json_value(const Request& request);
// SHA-256 of what decides an answer, in hexadecimal digits. Marks of data, which are random, limits
// and opaque parts do not count.
std::string request_hash(const Request& request);
// The same of a request as to_json_value() has it.
std::string recorded_request_hash(const JsonValue& request);

JsonValue to_json_value(const Usage& usage);
JsonValue to_json_value(const Answer& answer);
// InvalidInput for members that are of another type or unknown; nothing is needed.
Result<Answer> read_answer(const JsonValue& value);
Result<Usage> read_usage(const JsonValue& value);
// What there is of it, of a file that others may have written.
Usage usage_in(const JsonValue& value);

}  // namespace helve::llm
