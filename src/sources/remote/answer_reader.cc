#include "sources/remote/answer_reader.h"

#include <fmt/format.h>

#include "base/text.h"
#include "sources/rdf/reader.h"

namespace helve::remote {

namespace {

// A body that knows whether it has ended, and whether that was the connection's fault.
class WatchedBody final : public ByteSource {
 public:
  explicit WatchedBody(ByteSource& body) : body_(body) {}
  Result<std::size_t> read(std::span<char> into) override {
    auto count = body_.read(into);
    if (!count) {
      has_failed_ = true;
    } else if (*count == 0) {
      has_ended_ = true;
    }
    return count;
  }
  bool has_ended() const { return has_ended_; }
  bool has_failed() const { return has_failed_; }

 private:
  ByteSource& body_;
  bool has_ended_ = false;
  bool has_failed_ = false;
};

// Counts what goes through, and stops behind the last that is wanted.
class Counted {
 public:
  Counted(std::uint64_t max, GraphRun& run) : max_(max), run_(run) {}

  // Whether one more is wanted; the error that stops the reader if not.
  Result<void> admit() {
    if (run_.rows < max_) return {};
    run_.has_more = true;
    return Error{ErrorCode::LimitExceeded, "enough rows"};
  }
  // What the sink itself refuses is its own error.
  Result<void> took(Result<void> taken) {
    if (taken) {
      ++run_.rows;
    } else {
      is_refused_ = true;
    }
    return taken;
  }
  bool is_refused() const { return is_refused_; }

 private:
  std::uint64_t max_;
  GraphRun& run_;
  bool is_refused_ = false;
};

// The column in which Virtuoso answers ASK, as if it were SELECT.
constexpr std::string_view kVirtuosoTruth = "__ASK_RETVAL";

class SolutionForwarder final : public sparql::SolutionSink {
 public:
  SolutionForwarder(RowSink& sink, Counted& counted, GraphRun& run)
      : sink_(sink), counted_(counted), run_(run) {}
  Result<void> variables(const std::vector<std::string>& names) override {
    is_truth_ = names.size() == 1 && names.front() == kVirtuosoTruth;
    if (!is_truth_) return sink_.columns(names);
    run_.boolean = false;
    return {};
  }
  Result<void> solution(std::span<const std::optional<rdf::TermView>> terms) override {
    if (is_truth_) return boolean(terms[0] && terms[0]->value != "0");
    HELVE_TRY(counted_.admit());
    return counted_.took(sink_.row(terms));
  }
  Result<void> boolean(bool answer) override {
    run_.boolean = answer;
    return {};
  }

 private:
  RowSink& sink_;
  Counted& counted_;
  GraphRun& run_;
  bool is_truth_ = false;
};

class StatementForwarder final : public rdf::StatementSink {
 public:
  StatementForwarder(rdf::StatementSink& sink, Counted& counted) : sink_(sink), counted_(counted) {}
  Result<void> statement(const rdf::StatementView& statement) override {
    HELVE_TRY(counted_.admit());
    return counted_.took(sink_.statement(statement));
  }
  void prefix(std::string_view name, std::string_view iri) override { sink_.prefix(name, iri); }

 private:
  rdf::StatementSink& sink_;
  Counted& counted_;
};

EndpointFailure reading_failure(const Error& error, const WatchedBody& body,
                                const EndpointState& state, const OpContext& context) {
  if (!context.check()) {
    if (error.code == ErrorCode::Cancelled) {
      return {EndpointCause::Stopped, error};
    }
    return out_of_time(error, {state.name, true, state.now});
  }
  if (body.has_failed() && error.code != ErrorCode::Unavailable) {
    return {EndpointCause::WrongAnswer, error};  // compressed badly, too large
  }
  const auto told = [&](EndpointCause cause, std::string message, const char* hint) {
    return EndpointFailure{
        cause,
        Error(ErrorCode::Unavailable, std::move(message), hint).with_detail(error.to_string()),
        cause == EndpointCause::Cut};
  };
  if (body.has_failed() || body.has_ended()) {
    return told(EndpointCause::Cut, fmt::format("the answer of {} ends in the middle", state.name),
                "ask again, or for less: servers cut what takes too long");
  }
  return told(EndpointCause::WrongAnswer,
              fmt::format("the answer of {} cannot be read", state.name),
              "try a simpler query; if that fails too, the endpoint has a problem");
}

void finish(const Result<void>& read, const Counted& counted, const WatchedBody& body,
            const EndpointState& state, const OpContext& context, GraphRun& run) {
  if (read || run.has_more) return;
  if (counted.is_refused()) {
    run.error = read.error();
    return;
  }
  EndpointFailure failure = reading_failure(read.error(), body, state, context);
  run.error = std::move(failure.error);
  run.cause = name_of(failure.cause);
  run.may_retry = failure.may_retry;
}

// What the server tells of rows that it left out.
void note_what_is_missing(const EndpointAnswer& answer, const EndpointState& state, GraphRun& run) {
  if (run.error || run.has_more) return;
  run.incomplete = answer.incomplete;
  if (answer.rows_capped && run.rows > 0 && run.rows >= *answer.rows_capped) {
    run.incomplete = fmt::format("{} gives no more than {} rows, and stopped there", state.name,
                                 format_count(*answer.rows_capped));
  }
}

}  // namespace

void read_answer(EndpointAnswer answer, std::uint64_t rows_max, RowSink& sink,
                 const EndpointState& state, const OpContext& context, GraphRun& run) {
  WatchedBody body(*answer.body);
  Counted counted(rows_max, run);
  SolutionForwarder forwarder(sink, counted, run);
  const auto format = std::get<sparql::ResultFormat>(answer.format);
  finish(sparql::read_solutions(format, body, context, forwarder), counted, body, state, context,
         run);
  note_what_is_missing(answer, state, run);
}

void read_answer(EndpointAnswer answer, std::uint64_t statements_max, rdf::StatementSink& sink,
                 const EndpointState& state, const OpContext& context, GraphRun& run) {
  WatchedBody body(*answer.body);
  Counted counted(statements_max, run);
  StatementForwarder forwarder(sink, counted);
  rdf::ReadOptions options;
  options.base_iri = answer.head.url;
  options.document_name = "answer";
  const auto read =
      rdf::read_document(std::get<rdf::Format>(answer.format), body, options, context, forwarder);
  finish(read ? Result<void>() : Result<void>(read.error()), counted, body, state, context, run);
  note_what_is_missing(answer, state, run);
}

}  // namespace helve::remote
