#include "surfaces/cli/query_output.h"

#include <fmt/core.h>

#include "base/stdio.h"
#include "sources/rdf/writer.h"

namespace helve::cli {

namespace {

using sparql::QueryRun;
using sparql::ResultFormat;

class CountingRows final : public sparql::SolutionSink {
 public:
  CountingRows(sparql::SolutionSink& next, std::uint64_t written_max, Answered& answered)
      : next_(next), written_max_(written_max), answered_(answered) {}

  Result<void> variables(const std::vector<std::string>& names) override {
    return next_.variables(names);
  }
  Result<void> solution(std::span<const std::optional<rdf::TermView>> terms) override {
    if (answered_.rows == written_max_) {
      ++answered_.left_out;
      return {};
    }
    HELVE_TRY(next_.solution(terms));
    ++answered_.rows;
    return {};
  }
  Result<void> boolean(bool answer) override {
    answered_.boolean = answer;
    return next_.boolean(answer);
  }

 private:
  sparql::SolutionSink& next_;
  std::uint64_t written_max_;
  Answered& answered_;
};

class CountingStatements final : public rdf::StatementSink {
 public:
  CountingStatements(rdf::StatementSink& next, std::uint64_t written_max, Answered& answered)
      : next_(next), written_max_(written_max), answered_(answered) {}

  Result<void> statement(const rdf::StatementView& statement) override {
    if (answered_.rows == written_max_) {
      ++answered_.left_out;
      return {};
    }
    HELVE_TRY(next_.statement(statement));
    ++answered_.rows;
    return {};
  }
  void prefix(std::string_view name, std::string_view iri) override { next_.prefix(name, iri); }

 private:
  rdf::StatementSink& next_;
  std::uint64_t written_max_;
  Answered& answered_;
};

bool is_graph_query(const sparql::Query& query) {
  return std::holds_alternative<sparql::Construct>(query.form) ||
         std::holds_alternative<sparql::Describe>(query.form);
}

std::string_view form_name(const sparql::Query& query) {
  if (std::holds_alternative<sparql::Construct>(query.form)) return "a CONSTRUCT query";
  if (std::holds_alternative<sparql::Describe>(query.form)) return "a DESCRIBE query";
  return std::holds_alternative<sparql::Ask>(query.form) ? "an ASK query" : "a SELECT query";
}

std::string_view answer_name(const sparql::Query& query) {
  if (is_graph_query(query)) return "a graph";
  return std::holds_alternative<sparql::Ask>(query.form) ? "true or false" : "rows";
}

// Formats whose statements are sorted before the first of them is written.
bool is_collected(rdf::Format format) {
  return format != rdf::Format::NTriples && format != rdf::Format::NQuads;
}

// What has been written before the error stays; the error itself is reported by the caller. Without
// a row, nothing has left the writer yet, and an empty answer would only mislead.
template <typename CloseOutput>
Error interrupted(Error error, const Answered& answered, std::string_view noun,
                  CloseOutput close_output, CommandContext& context) {
  if (error.reason == ErrorReason::OutputClosed || answered.rows == 0) return error;
  // A second failure would only hide the first, but leaves open how much has been written.
  // So does an output that could not be written.
  if (error.code == ErrorCode::Unavailable || !close_output() || !context.out.flush()) {
    context.warn("the output is not complete");
    return error;
  }
  context.warn(fmt::format("the output is not complete: {} {} written before the error",
                           count_of(answered.rows, noun), answered.rows == 1 ? "was" : "were"));
  return error;
}

Result<Answered> write_rows(QueryRun& run, ResultFormat format, const PrefixList& prefixes,
                            const RowLimits& limits, CommandContext& context) {
  sparql::TableStyle style;
  style.prefixes = prefixes;
  if (context.out_terminal.is_interactive()) style.width_max = context.out_terminal.width();
  const auto writer = sparql::make_solution_writer(format, context.out, style);
  Answered answered;
  CountingRows rows(*writer, limits.written, answered);
  auto sent = run.send(rows, limits.counted);
  if (!sent) {
    return interrupted(
        std::move(sent).error(), answered, "row", [&writer] { return writer->abandon(); }, context);
  }
  answered.has_more = *sent || answered.left_out > 0;
  HELVE_TRY(writer->finish());
  return answered;
}

Result<Answered> write_graph(QueryRun& run, rdf::Format format, const PrefixList& prefixes,
                             const RowLimits& limits, CommandContext& context) {
  const auto writer = rdf::make_writer(format, context.out, {.prefixes = prefixes}, context.op);
  Answered answered;
  CountingStatements statements(*writer, limits.written, answered);
  auto sent = run.send(statements, limits.counted);
  if (!sent && is_collected(format)) {
    // A part of the graph, sorted and closed, would look like the whole.
    if (answered.rows > 0) {
      context.warn(fmt::format(
          "nothing was written: {} came before the error, but {} is written only when it is whole; "
          "--format ntriples writes what comes",
          count_of(answered.rows, "statement"), rdf::format_name(format)));
    }
    return std::move(sent).error();
  }
  if (!sent) {
    return interrupted(
        std::move(sent).error(), answered, "statement", [&writer] { return writer->finish(); },
        context);
  }
  answered.has_more = *sent || answered.left_out > 0;
  HELVE_TRY(writer->finish());
  return answered;
}

}  // namespace

Error unknown_format(std::string_view name) {
  return {ErrorCode::InvalidInput, fmt::format("unknown format '{}'", name),
          "rows: table, json, xml, csv, tsv; graphs: turtle, ntriples, nquads, trig, rdfxml"};
}

Result<QueryFormat> find_query_format(std::string_view name, const sparql::Query& query) {
  QueryFormat format;
  if (name.empty()) return format;
  const auto rows = sparql::result_format_by_name(name);
  const auto graph = rdf::parse_format(name);
  if (is_graph_query(query)) {
    if (graph) {
      format.graph = *graph;
      return format;
    }
  } else if (rows) {
    format.rows = *rows;
    return format;
  }
  if (!rows && !graph) {
    return unknown_format(name);
  }
  return Error{ErrorCode::InvalidInput,
               fmt::format("{} gives {}, which cannot be written as {}", form_name(query),
                           answer_name(query), name),
               is_graph_query(query) ? "use turtle, ntriples, nquads, trig or rdfxml"
                                     : "use table, json, xml, csv or tsv"};
}

Result<Answered> write_answer(QueryRun& run, const QueryFormat& format, const PrefixList& prefixes,
                              const RowLimits& limits, CommandContext& context) {
  auto answered = run.kind() == QueryRun::Kind::Graph
                      ? write_graph(run, format.graph, prefixes, limits, context)
                      : write_rows(run, format.rows, prefixes, limits, context);
  if (answered) HELVE_TRY(context.out.flush());
  return answered;
}

}  // namespace helve::cli
