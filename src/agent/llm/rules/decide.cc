#include "agent/llm/rules/decide.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/llm/rules/knowledge.h"
#include "agent/llm/rules/plans.h"
#include "agent/llm/rules/question.h"
#include "agent/llm/rules/talk_state.h"
#include "agent/llm/rules/words.h"

namespace helve::llm::rules {

namespace {

constexpr std::size_t kRowsTold = 30;
constexpr std::size_t kAnswerCharsMax = 4'000;
constexpr std::size_t kLessonsRead = 3;

std::string query_of(const Exchange& exchange) {
  if (exchange.call.tool == "sparql_query") return text_argument(exchange.call.arguments, "query");
  if (exchange.call.tool == "query_execute") return text_argument(exchange.call.arguments, "sql");
  return {};
}

// The last query that was meant to answer.
const Exchange* last_query(const Talk& talk) {
  const auto found =
      std::find_if(talk.exchanges.rbegin(), talk.exchanges.rend(), [](const Exchange& one) {
        const std::string query = query_of(one);
        return !query.empty() && !is_probe(query);
      });
  return found == talk.exchanges.rend() ? nullptr : &*found;
}

// The first that could be asked: the likeliest reading.
const Exchange* first_query(const Talk& talk) {
  const auto found =
      std::find_if(talk.exchanges.begin(), talk.exchanges.end(), [](const Exchange& one) {
        const std::string query = query_of(one);
        return !query.empty() && !is_probe(query) && !one.reply.is_error;
      });
  return found == talk.exchanges.end() ? nullptr : &*found;
}

// The rows that were seen, in words.
std::string told(const ToolReply& reply) {
  if (reply.title.starts_with("yes")) return "Yes.";
  if (reply.title.starts_with("no;") || reply.title == "no") return "No.";
  const ReplyTable* const rows = reply.result();
  if (rows == nullptr || rows->rows.empty()) return "Nothing was found.";
  std::string text;
  for (std::size_t i = 0; i < std::min(rows->rows.size(), kRowsTold); ++i) {
    if (i > 0) text += "; ";
    text += fmt::format("{}", fmt::join(rows->rows[i], ", "));
    if (text.size() > kAnswerCharsMax) break;
  }
  if (reply.rows > rows->rows.size() || rows->rows.size() > kRowsTold) {
    text += fmt::format("; {} in all", reply.rows);
  }
  return text;
}

Call submission(const Exchange* from, bool names_handle) {
  Call call = call_of("submit", "answer",
                      from != nullptr ? told(from->reply)
                                      : "Not found: nothing in the data that could be "
                                        "reached answers the question.");
  JsonValue::Object& arguments = *call.arguments.if_object();
  if (from == nullptr) {
    arguments.push_back({"handles", JsonValue(JsonValue::Array())});
    return call;
  }
  arguments.push_back({"query", JsonValue(query_of(*from))});
  if (names_handle && !from->reply.handle.empty()) {
    arguments.push_back({"handles", JsonValue(JsonValue::Array{JsonValue(from->reply.handle)})});
  }
  return call;
}

// Where the memory is to be searched by the agent itself.
void add_memory_calls(const Request& request, const Talk& talk, std::vector<Call>& calls) {
  if (!is_declared(request, "mem_search") || !is_declared(request, "mem_get")) return;
  const Call search = call_of("mem_search", "q", talk.question.substr(0, 500));
  const Exchange* const found = talk.find(search);
  if (found == nullptr) {
    calls.push_back(search);
    return;
  }
  const ReplyTable* const items = found->reply.table("items");
  if (items == nullptr || items->rows.empty() || talk.has_called("mem_get")) return;
  JsonValue::Array ids;
  for (std::size_t i = 0; i < std::min(items->rows.size(), kLessonsRead); ++i) {
    ids.push_back(JsonValue(std::string(items->cell(i, "id"))));
  }
  JsonValue::Object arguments;
  arguments.push_back({"ids", JsonValue(std::move(ids))});
  calls.push_back({"mem_get", JsonValue(std::move(arguments))});
}

bool asks_tables(const Request& request, const Knowledge& known) {
  if (!is_declared(request, "query_execute")) return false;
  return known.is_of_tables || !is_declared(request, "sparql_query");
}

std::vector<Call> next_calls(const Request& request, const Talk& talk, std::uint64_t seed) {
  const std::size_t refused = static_cast<std::size_t>(
      std::count_if(talk.exchanges.begin(), talk.exchanges.end(),
                    [](const Exchange& one) { return one.call.tool == "submit"; }));
  const Exchange* const last = last_query(talk);
  const bool is_answered = last != nullptr && has_answer(last->reply);
  if (refused > 0) return {submission(is_answered ? last : nullptr, false)};
  if (is_answered) return {submission(last, true)};

  const Question question = read_question(talk.question);
  Situation now{request, talk, question, read_context(request.system), 0};
  now.seed = mix(seed, talk.question);
  now.known.is_of_tables = asks_tables(request, now.known);
  for (const Exchange& one : talk.exchanges) learn_from(one.call.tool, one.reply, now.known);

  std::vector<Call> calls;
  if (talk.steps < kStepsMax) {
    add_memory_calls(request, talk, calls);
    const bool waits = !calls.empty() && calls.front().tool == "mem_get";
    if (!waits) {
      const auto more = now.known.is_of_tables ? next_table_calls(now) : next_graph_calls(now);
      // Lessons come before queries.
      const bool is_query = !more.empty() && !query_of({more.front(), {}}).empty();
      if (calls.empty() || !is_query) calls.insert(calls.end(), more.begin(), more.end());
    }
  }
  if (!calls.empty()) return calls;
  // "No", nought and nothing are answers where nothing better came.
  return {submission(first_query(talk), true)};
}

}  // namespace

Answer decide(const Request& request, std::uint64_t seed) {
  const Talk talk = read_talk(request);
  Answer answer;
  constexpr std::size_t kRefusalsMax = 2;
  const auto refusals =
      std::count_if(talk.exchanges.begin(), talk.exchanges.end(),
                    [](const Exchange& one) { return one.call.tool == "submit"; });
  if (static_cast<std::size_t>(refusals) >= kRefusalsMax || talk.steps > kStepsMax + kRefusalsMax) {
    answer.text = "No answer of mine was taken.";
    return answer;
  }
  std::size_t number = 0;
  for (Call& call : next_calls(request, talk, seed)) {
    ToolUse use;
    use.id = fmt::format("rules_{}_{}", talk.steps + 1, ++number);
    use.name = std::move(call.tool);
    use.written = to_json(call.arguments);
    use.arguments = std::move(call.arguments);
    answer.calls.push_back(std::move(use));
  }
  answer.stop = Stop::ToolCalls;
  return answer;
}

}  // namespace helve::llm::rules
