// Words that stats, show and diff say alike of a run. All of them are harmless on a terminal.
#pragma once

#include <string>
#include <string_view>

#include "agent/trajectory/recorded_run.h"

namespace helve::agent {

inline constexpr std::size_t kLineChars = 100;  // of a folded text
inline constexpr std::size_t kNameChars = 40;

// On one line, blanks run together, elided to `width` columns.
std::string one_line(std::string_view text, std::size_t width);
// Every line behind `indent`, each made harmless.
std::string all_lines(std::string_view text, std::string_view indent);

std::string loop_words(const RecordedRun& run);       // "react, model gpt-x"
std::string end_words(const RecordedRun& run);        // "submitted", or that there is none
std::string token_words(const RecordedUsage& usage);  // "1,200 in (800 cached), 40 out"
// "correct, f1 1.00, by execution: why"; empty: nobody judged it.
std::string judgment_words(const RecordedRun& run);
std::string cost_words(const RecordedUsage& usage);  // "0.0123", "not known: no prices"

// "sparql_query query='SELECT ...' limit=5"
std::string call_words(const RecordedCall& call);

}  // namespace helve::agent
