#include "agent/judge/judged_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "agent/loops/json_object.h"
#include "base/ascii.h"
#include "toolkit/handles/graph_rows.h"
#include "toolkit/tools/seen_source.h"

namespace helve::agent {

namespace {

constexpr std::int64_t kSeconds = 120;  // for one query
constexpr std::string_view kIncomplete = "not complete: ";
constexpr std::string_view kXsdBoolean = "http://www.w3.org/2001/XMLSchema#boolean";

JsonValue arguments_of(const std::string& query, learning::QueryLanguage language,
                       const std::string& source) {
  const bool is_sparql = language == learning::QueryLanguage::Sparql;
  JsonValue arguments = object_of({{is_sparql ? "query" : "sql", JsonValue(query)},
                                   {"source", JsonValue(source)},
                                   {"limit", JsonValue(1)},
                                   {"timeout", JsonValue(kSeconds)}});
  if (!is_sparql) return arguments;
  // Neither refused by an estimate nor explained nor remembered.
  for (const char* const flag : {"validate", "diagnose", "store_pattern"}) {
    arguments.if_object()->push_back({flag, JsonValue(false)});
  }
  return arguments;
}

Error incomplete(const std::string& why, ErrorCode code = ErrorCode::LimitExceeded) {
  return {code, "the result is not complete: " + why, "ask for less, or allow more rows or time"};
}

// Whether an answer ended in the middle by what happened on the way, and by no limit of ours.
bool is_cut(const toolkit::Handle& handle, std::uint64_t rows_max) {
  constexpr double kMsPerSecond = 1'000;
  const bool is_failure =
      handle.graph != nullptr || handle.origin.incomplete.starts_with("stopped after ");
  return is_failure && handle.ref.rows < rows_max &&
         handle.origin.execution_time_ms < static_cast<double>(kSeconds) * kMsPerSecond;
}

bool is_remote(const toolkit::SeenSource& source) {
  return source.graph != nullptr ? source.graph->info().is_remote
                                 : source.tables != nullptr && source.tables->info().is_remote;
}

// Endpoints have the same codes for what they do not like in a query and for letting nobody in;
// what was the matter stands beside it.
Error failure_of(const toolkit::ToolError& failed) {
  const auto cause = std::find_if(failed.details.begin(), failed.details.end(),
                                  [](const auto& one) { return one.first == "cause"; });
  const std::string* const word =
      cause != failed.details.end() ? cause->second.if_is<std::string>() : nullptr;
  Error error = failed.error;
  if (word == nullptr || error.code == ErrorCode::Cancelled) return error;
  const bool is_of_source =
      *word == "cold" || (*word != "syntax" && error.code != ErrorCode::LimitExceeded);
  if (is_of_source) error.code = ErrorCode::Unavailable;
  return error;
}

Result<toolkit::RowTablePtr> boolean_row(bool answer, const OpContext& context) {
  toolkit::RowTableBuilder rows({}, context);
  HELVE_TRY(rows.columns({"boolean"}));
  const std::array<std::optional<rdf::TermView>, 1> cells = {
      rdf::TermView::literal(answer ? "true" : "false", kXsdBoolean)};
  HELVE_TRY(rows.row(cells));
  return rows.finish();
}

}  // namespace

JudgedQueries::JudgedQueries(const JudgeParts& parts, std::uint64_t rows_max)
    : toolkit_(parts.toolkit), caller_(parts.caller), source_(parts.source) {
  auto policy = std::make_shared<toolkit::Policy>(*caller_.policy);
  policy->rows_stored_max = std::min(policy->rows_stored_max, rows_max);
  caller_.policy = std::move(policy);
}

Result<JudgedResult> JudgedQueries::run(const std::string& query, learning::QueryLanguage language,
                                        const OpContext& context) const {
  // That there is no such source is no fault of the query.
  const auto source = see_source(toolkit_, source_, caller_, context);
  if (!source) {
    Error error = source.error();
    error.code = ErrorCode::Unavailable;
    return error;
  }
  const bool is_sparql = language == learning::QueryLanguage::Sparql;
  const toolkit::CallOutcome outcome =
      toolkit_.call(is_sparql ? "sparql_query" : "query_execute",
                    arguments_of(query, language, source->name), caller_, context);
  if (const auto* const failed = std::get_if<toolkit::ToolError>(&outcome.answer)) {
    return failure_of(*failed);
  }
  return read(std::get<toolkit::Reply>(outcome.answer), is_remote(*source), context);
}

Result<void> JudgedQueries::check_source(const std::string& query, learning::QueryLanguage language,
                                         const OpContext& context) const {
  const auto source = see_source(toolkit_, source_, caller_, context);
  if (source && !is_remote(*source)) return {};
  // What was asked before may have been kept.
  const bool is_sparql = language == learning::QueryLanguage::Sparql;
  const std::string anew = fmt::format("{}\n{} {}", query, is_sparql ? "#" : "--", ++checks_);
  HELVE_TRY(run(anew, language, context));
  return {};
}

Result<JudgedResult> JudgedQueries::read(const toolkit::Reply& reply, bool is_remote,
                                         const OpContext& context) const {
  JudgedResult result;
  if (!reply.handle) {
    for (const std::string& warning : reply.warnings) {
      if (warning.starts_with(kIncomplete)) return incomplete(warning.substr(kIncomplete.size()));
    }
    const auto fact = std::find_if(reply.facts.begin(), reply.facts.end(),
                                   [](const auto& one) { return one.key == "boolean"; });
    const bool* const answer = fact != reply.facts.end() ? fact->value.if_is<bool>() : nullptr;
    if (answer == nullptr)
      return Error{ErrorCode::Internal, "the query gave neither rows nor a truth"};
    HELVE_ASSIGN(result.rows, boolean_row(*answer, context));
    return result;
  }
  HELVE_ASSIGN(const auto store, toolkit_.handles(caller_, context));
  auto handle = store->get(reply.handle->key, context);
  if (!handle) {
    return Error{ErrorCode::Unavailable, handle.error().full_message(), "judge it again"};
  }
  if (!handle->ref.complete) {
    const bool is_of_source = is_remote && is_cut(*handle, caller_.policy->rows_stored_max);
    return incomplete(handle->origin.incomplete,
                      is_of_source ? ErrorCode::Unavailable : ErrorCode::LimitExceeded);
  }
  for (const std::string& warning : reply.warnings) {
    if (warning.starts_with(kIncomplete)) return incomplete(warning.substr(kIncomplete.size()));
  }
  if (handle->graph != nullptr) {
    result.is_graph = true;
    HELVE_ASSIGN(result.rows,
                 toolkit::graph_rows(*handle->graph, caller_.policy->rows_stored_max, context));
  } else {
    result.rows = handle->rows;
  }
  return result;
}

bool is_of_query(const Error& error) {
  return error.code == ErrorCode::InvalidInput || error.code == ErrorCode::NotFound ||
         error.code == ErrorCode::Denied;
}

bool draws_on_handles(std::string_view query) {
  const auto is_word = [](char c) { return c == '_' || is_letter_or_digit(c); };
  const auto is_key = [](std::string_view word) {
    const std::size_t line = word.rfind('_');
    return line != std::string_view::npos && line + 1 < word.size() &&
           std::all_of(word.begin() + static_cast<std::ptrdiff_t>(line) + 1, word.end(),
                       is_digit) &&
           toolkit::find_handle_type(word.substr(0, line)).has_value();
  };
  for (std::size_t at = 0; at < query.size();) {
    std::size_t end = at;
    while (end < query.size() && is_word(query[end])) ++end;
    if (is_key(query.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

Error cannot_be_judged(Error error, std::string_view what) {
  error.message = fmt::format("cannot be judged: {}: {}", what, error.message);
  return error;
}

}  // namespace helve::agent
