#include "surfaces/serve/answer_parts.h"

namespace helve::serve {

namespace {

Refusal timed_out(std::string_view noun, std::string_view way) {
  return {504, fmt::format("the {} took longer than it may\n"
                           "hint: {}; the parameter timeout can only shorten the server's "
                           "--timeout\n",
                           noun, way)};
}

Refusal later(const Error& error) { return {503, text_of(error), {{"Retry-After", "1"}}}; }

}  // namespace

Refusal refusal_of(const Error& error, const OpContext& op) {
  switch (error.code) {
    case ErrorCode::InvalidInput:
    case ErrorCode::NotFound:
    case ErrorCode::Denied:
      return {400, text_of(error)};
    case ErrorCode::LimitExceeded:
      if (!op.deadline.has_passed()) return {500, text_of(error)};
      return timed_out("query", "ask for less, with LIMIT or a narrower pattern");
    case ErrorCode::Unavailable:
    case ErrorCode::Cancelled:
      return later(error);
    case ErrorCode::Internal:
      break;
  }
  return {500, text_of(error)};
}

Refusal write_refusal_of(const Error& error, const OpContext& op) {
  switch (error.code) {
    case ErrorCode::InvalidInput:
      return {400, text_of(error)};
    case ErrorCode::NotFound:
      return {404, text_of(error)};
    case ErrorCode::Denied:
      return {403, text_of(error)};
    case ErrorCode::LimitExceeded:
      if (!op.deadline.has_passed()) return {413, text_of(error)};
      return timed_out("write", "nothing was changed; write less at once");
    case ErrorCode::Unavailable:
    case ErrorCode::Cancelled:
      return later(error);
    case ErrorCode::Internal:
      break;
  }
  return {500, text_of(error)};
}

void add_version(Headers& headers, const ServedGraph& graph) {
  if (graph.version) headers.emplace_back(kVersionHeader, std::to_string(*graph.version));
}

Headers common_headers(std::string content_type, const AnswerWishes& wishes,
                       const ServedGraph& graph) {
  Headers headers{{"Server", "helve"},
                  {"Content-Type", std::move(content_type)},
                  {"Vary", "Accept, Accept-Encoding"}};
  if (wishes.has_gzip) headers.emplace_back("Content-Encoding", "gzip");
  add_version(headers, graph);
  return headers;
}

Answered answer_write(const WriteReport& report, int status, Headers headers,
                      const AnswerWishes& wishes, AnswerOut& out) {
  headers.emplace_back("Server", "helve");
  headers.emplace_back(kVersionHeader, std::to_string(report.version));
  headers.emplace_back("Helve-Added", std::to_string(report.added));
  headers.emplace_back("Helve-Removed", std::to_string(report.removed));
  const bool has_body = names_type(wishes.accept, "application/json");
  if (has_body) headers.emplace_back("Content-Type", "application/json");
  out.begin(std::move(headers));
  Answered answered;
  answered.status = !has_body && status == 200 ? 204 : status;
  if (!has_body) return answered;
  const auto written = out.write(fmt::format("{{\"added\":{},\"removed\":{},\"version\":{}}}\n",
                                             report.added, report.removed, report.version));
  if (!written) answered.refusal = Refusal{500, text_of(written.error())};
  return answered;
}

}  // namespace helve::serve
