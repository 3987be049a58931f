// What to do next: calls that find out what is missing, then queries, the most likely first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/llm/rules/knowledge.h"
#include "agent/llm/rules/question.h"
#include "agent/llm/rules/talk_state.h"

namespace helve::llm::rules {

struct Situation {
  const Request& request;
  const Talk& talk;
  const Question& question;
  Knowledge known;
  std::uint64_t seed = 0;
};

// No calls: there is nothing left to try.
std::vector<Call> next_graph_calls(const Situation& now);
std::vector<Call> next_table_calls(const Situation& now);

// Whether a reply answers: rows, a count that is not nought, yes.
bool has_answer(const ToolReply& reply);
// The first of the queries that was not asked yet; what replies suggested goes before. Shapes that
// lessons warn of come last. At most kQueriesMax are asked in all.
std::vector<Call> next_query(const Situation& now, std::string_view tool, std::string_view argument,
                             std::vector<std::string> queries);
inline constexpr std::size_t kQueriesMax = 6;
// Of names, links and values that nothing has told: what the context says need not be looked up.
inline constexpr std::size_t kLookUpsMax = 6;
// Whether a query was made to find something out, not to answer.
bool is_probe(std::string_view query);
inline constexpr std::string_view kLinkProbe = "SELECT ?p ";
inline constexpr std::string_view kPlaceProbe = "SELECT place, value FROM (";

}  // namespace helve::llm::rules
