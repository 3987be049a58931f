#include "agent/judge/judged_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "agent/loops/json_object.h"
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

Error incomplete(const std::string& why) {
  return {ErrorCode::LimitExceeded, "the result is not complete: " + why,
          "ask for less, or allow more rows or time"};
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
    return Error{ErrorCode::Unavailable, source.error().message, source.error().hint};
  }
  const bool is_sparql = language == learning::QueryLanguage::Sparql;
  const toolkit::CallOutcome outcome =
      toolkit_.call(is_sparql ? "sparql_query" : "query_execute",
                    arguments_of(query, language, source->name), caller_, context);
  if (const auto* const failed = std::get_if<toolkit::ToolError>(&outcome.answer)) {
    return failed->error;
  }
  return read(std::get<toolkit::Reply>(outcome.answer), context);
}

Result<JudgedResult> JudgedQueries::read(const toolkit::Reply& reply,
                                         const OpContext& context) const {
  for (const std::string& warning : reply.warnings) {
    if (warning.starts_with(kIncomplete)) return incomplete(warning.substr(kIncomplete.size()));
  }
  JudgedResult result;
  if (!reply.handle) {
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
    return Error{ErrorCode::Unavailable, handle.error().message, "judge it again"};
  }
  if (!handle->ref.complete) return incomplete(handle->origin.incomplete);
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

Error cannot_be_judged(Error error, std::string_view what) {
  error.message = fmt::format("cannot be judged: {}: {}", what, error.message);
  return error;
}

}  // namespace helve::agent
