// What `helve ask --json` and `helve chat --json` print.
#pragma once

#include "surfaces/cli/agent/ask_session.h"

namespace helve::cli {

// The result, and what could not be written as trajectory_error and record_error. Without times the
// same run gives the same bytes.
JsonValue answer_json(const agent::AskResult& result, const LostRecords& lost, bool has_times);

// What could not be written alone; an empty object where all was.
JsonValue lost_json(const LostRecords& lost);

// {"error": {code, message, hint}}: nothing was asked.
JsonValue error_json(const Error& error);

}  // namespace helve::cli
