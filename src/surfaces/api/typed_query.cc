// query, result_sql and count of typed.h. typed_rows.cc and typed_explore.cc have the rest.
#include "helve/typed.h"
#include "sources/rdf/term.h"
#include "surfaces/api/answer_values.h"

namespace helve::api {

namespace {

Diagnosis diagnosis_of(const ReplyValue& value) {
  Diagnosis diagnosis;
  diagnosis.cause = text_of(find_member(value, "cause"));
  diagnosis.says = text_of(find_member(value, "says"));
  diagnosis.parts = texts_of(find_member(value, "parts"));
  diagnosis.candidates = texts_of(find_member(value, "candidates"));
  diagnosis.suggestion = text_of(find_member(value, "suggestion"));
  return diagnosis;
}

QueryAnswer query_answer(const toolkit::Reply& reply, Answer answer) {
  QueryAnswer out;
  static_cast<Answer&>(out) = std::move(answer);
  out.rows_stored = number_of(find_fact(reply, "rows"));
  out.total_available = if_number(find_fact(reply, "total_available"));
  out.total_is = text_of(find_fact(reply, "total_is"));
  out.truncated = flag_of(find_fact(reply, "truncated"));
  if (reply.handle) {
    out.handle = reply.handle->key;
    out.is_complete = reply.handle->complete;
    out.columns = reply.handle->columns;
  }
  if (const ReplyList* preview = find_list(reply, "preview")) {
    out.rows = rows_of(*preview);
    if (out.columns.empty()) out.columns = preview->columns;
  }
  if (const ReplyValue* boolean = find_fact(reply, "boolean")) out.boolean = flag_of(boolean);
  if (const ReplyValue* diagnosis = find_fact(reply, "diagnosis")) {
    out.diagnosis = diagnosis_of(*diagnosis);
  }
  return out;
}

}  // namespace

std::string Term::to_string() const {
  return rdf::to_ntriples(
      {static_cast<rdf::TermKind>(kind), rdf::Direction::None, value, datatype, language});
}

Result<QueryAnswer> query(const Tools& tools, std::string_view sparql,
                          const QueryOptions& options) {
  TypedCall call;
  call.options.cancel = options.cancel;
  call.set_text("query", sparql)
      .set_number("limit", options.limit)
      .set("validate", JsonValue(options.validate))
      .set("diagnose", JsonValue(options.diagnose))
      .set_if("source", options.source)
      .set_timeout(options.timeout, true);
  const auto reply = call.run(tools, "sparql_query");
  if (!reply) return reply.error();
  return query_answer(*reply, std::move(call.answer));
}

Result<QueryAnswer> result_sql(const Tools& tools, std::string_view sql,
                               const QueryOptions& options) {
  TypedCall call;
  call.options.cancel = options.cancel;
  call.set_text("sql", sql).set_number("limit", options.limit).set_timeout(options.timeout, false);
  const auto reply = call.run(tools, "result_sql");
  if (!reply) return reply.error();
  return query_answer(*reply, std::move(call.answer));
}

Result<CountAnswer> count(const Tools& tools, std::string_view query_or_class,
                          const AskOptions& options) {
  TypedCall call;
  call.options.cancel = options.cancel;
  call.set_text("query", query_or_class)
      .set_if("source", options.source)
      .set_timeout(options.timeout, true);
  const auto reply = call.run(tools, "sparql_count");
  if (!reply) return reply.error();
  CountAnswer out;
  static_cast<Answer&>(out) = std::move(call.answer);
  out.count = if_number(find_fact(*reply, "count"));
  out.count_is = text_of(find_fact(*reply, "count_is"));
  return out;
}

}  // namespace helve::api
