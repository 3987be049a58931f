#include "surfaces/serve/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "sources/rdf/writer.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/engine/query_run.h"
#include "surfaces/serve/answer_parts.h"
#include "surfaces/serve/service_description.h"
#include "surfaces/serve/void_description.h"

namespace helve::serve {

namespace {

using sparql::Query;
using sparql::QueryRun;

constexpr std::size_t kNoteBytesMax = 1'000;

// One line of visible ASCII, as headers want it.
std::string header_text(std::string_view text) {
  std::string line(text.substr(0, kNoteBytesMax));
  for (char& c : line) {
    if (c < ' ' || c > '~') c = '?';
  }
  return line;
}

std::string join(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) {
    if (!joined.empty()) joined += "; ";
    joined += text;
  }
  return joined;
}

bool is_graph_query(const Query& query) {
  return std::holds_alternative<sparql::Construct>(query.form) ||
         std::holds_alternative<sparql::Describe>(query.form);
}

bool has_service(const Query& query) {
  const auto parts = sparql::pattern_parts(query);
  return std::any_of(parts.begin(), parts.end(), [](const sparql::PatternPart& part) {
    return part.kind == sparql::PatternPart::Kind::Service;
  });
}

class QueryAnswer {
 public:
  QueryAnswer(const QueryCall& call, const ServedGraph& graph, const AnswerWishes& wishes,
              const OpContext& op, AnswerOut& out)
      : call_(call), graph_(graph), wishes_(wishes), op_(op), out_(out) {}

  Answered run() {
    if (auto refusal = parse()) return refused(*std::move(refusal));
    if (has_service(query_)) {
      return refused({403,
                      "SERVICE is refused: queries reach no other endpoint from here\n"
                      "hint: ask the other endpoint itself, or leave the SERVICE part out\n"});
    }
    set_dataset();
    return is_graph_query(query_) ? answer_graph() : answer_rows();
  }

 private:
  std::optional<Refusal> parse() {
    sparql::ParseOptions options;
    options.is_strict = graph_.is_strict;
    options.base_iri = call_.base_iri;
    options.known_prefixes = graph_.data->prefixes();
    options.limits = op_.limits;
    auto parsed = sparql::parse_query(call_.text, options);
    if (!parsed) {
      const auto update = sparql::parse_update(call_.text, options);
      if (update && !update->update.operations.empty()) {
        if (graph_.is_writable()) {
          return refuse(400, "an update was sent as a query",
                        "send it as the parameter update, or as application/sparql-update");
        }
        return refuse(403, "updates are refused: this endpoint is read-only",
                      "send SELECT, ASK, CONSTRUCT or DESCRIBE");
      }
      return Refusal{400, text_of(parsed.error())};
    }
    query_ = std::move(parsed->query);
    for (const sparql::ParseNote& note : parsed->notes) notes_.push_back(note.text);
    return std::nullopt;
  }

  // FROM has no word for the unnamed graph; this one is Jena's, and Helve's own client uses it.
  static void name_unnamed(sparql::DatasetGraph& graph) {
    if (!graph.is_named && graph.iri == "urn:x-arq:DefaultGraph") graph.iri.clear();
  }

  // What the protocol names takes the place of FROM.
  // https://www.w3.org/TR/sparql11-protocol/#dataset
  void set_dataset() {
    run_options_.is_union_default = graph_.is_union;
    run_options_.env = graph_.env;
    const bool is_of_protocol = !call_.dataset.empty();
    if (is_of_protocol) query_.dataset = call_.dataset;
    for (sparql::DatasetGraph& graph : query_.dataset) name_unnamed(graph);
    if (!is_of_protocol) return;
    run_options_.has_empty_graphs = true;
    const std::vector<sparql::Id> known = graph_.data->named_graphs();
    for (const sparql::DatasetGraph& graph : query_.dataset) {
      if (graph.iri.empty()) continue;
      const auto id = graph_.data->find(rdf::TermView::iri(graph.iri));
      if (id && std::binary_search(known.begin(), known.end(), *id)) continue;
      notes_.push_back(fmt::format("the data has no graph <{}>: it is empty", graph.iri));
    }
  }

  void begin(std::string content_type) {
    Headers headers = common_headers(std::move(content_type), wishes_, graph_);
    if (!notes_.empty()) headers.emplace_back(kNoteHeader, header_text(join(notes_)));
    if (graph_.rows_max) {
      headers.emplace_back("Helve-Max-Rows", std::to_string(*graph_.rows_max));
      headers.emplace_back("Trailer", kTruncatedHeader);
    }
    out_.begin(std::move(headers));
  }

  Answered answer_rows() {
    const RowsOffer* const offer = choose_offer(wishes_.accept, rows_offers());
    if (offer == nullptr) return refused(not_acceptable(rows_offers()));
    return send(content_type_of(*offer), [&](QueryRun& run, ByteSink& sink) -> Result<void> {
      const auto writer = sparql::make_solution_writer(offer->format, sink);
      HELVE_ASSIGN(has_more_, run.send(*writer, rows_max(), [&] { return writer->flush(); }));
      if (has_more_) writer->mark_cut(cut_text());
      return writer->finish();
    });
  }

  Answered answer_graph() {
    const GraphOffer* const offer = choose_offer(wishes_.accept, graph_offers());
    if (offer == nullptr) return refused(not_acceptable(graph_offers()));
    return send(content_type_of(*offer), [&](QueryRun& run, ByteSink& sink) -> Result<void> {
      rdf::WriteOptions options;
      options.prefixes = query_.prefixes;
      options.pretty = false;
      const auto writer = rdf::make_writer(offer->format, sink, options, op_);
      HELVE_ASSIGN(has_more_, run.send(*writer, rows_max()));
      HELVE_TRY(writer->finish());
      if (!has_more_) return {};
      const bool is_xml = offer->format == rdf::Format::RdfXml;
      return sink.write(
          fmt::format("{}{}{}\n", is_xml ? "<!-- " : "# ", cut_text(), is_xml ? " -->" : ""));
    });
  }

  template <typename Write>
  Answered send(std::string content_type, Write write) {
    auto run = QueryRun::start(query_, graph_.data, run_options_, op_);
    if (!run) return refused(refusal_of(run.error(), op_));
    begin(std::move(content_type));
    if (wishes_.is_head) return {};
    const auto sent = write_body(wishes_, out_, [&](ByteSink& sink) { return write(*run, sink); });
    if (!sent) return refused(refusal_of(sent.error(), op_));
    Answered answered;
    if (has_more_) answered.late.emplace_back(kTruncatedHeader, fmt::format("rows={}", rows_max()));
    return answered;
  }

  std::uint64_t rows_max() const { return graph_.rows_max.value_or(UINT64_MAX); }
  std::string cut_text() const {
    return fmt::format("there is more: this server gives at most {} {}", format_count(rows_max()),
                       is_graph_query(query_) ? "statements" : "rows");
  }

  const QueryCall& call_;
  const ServedGraph& graph_;
  const AnswerWishes& wishes_;
  const OpContext& op_;
  AnswerOut& out_;
  Query query_;
  sparql::RunOptions run_options_;
  std::vector<std::string> notes_;
  bool has_more_ = false;
};

template <typename Describe>
Answered answer_description(const ServedGraph& graph, const AnswerWishes& wishes,
                            const OpContext& op, AnswerOut& out, Describe describe) {
  const GraphOffer* const offer = choose_offer(wishes.accept, graph_offers());
  if (offer == nullptr) return refused(not_acceptable(graph_offers()));
  Result<Description> description = describe();
  if (!description) return refused(refusal_of(description.error(), op));
  out.begin(common_headers(content_type_of(*offer), wishes, graph));
  if (wishes.is_head) return {};
  const auto written = write_body(
      wishes, out, [&](ByteSink& sink) { return description->write(offer->format, sink, op); });
  if (!written) return refused(refusal_of(written.error(), op));
  return {};
}

}  // namespace

Answered answer_query(const QueryCall& call, const ServedGraph& graph, const AnswerWishes& wishes,
                      const OpContext& op, AnswerOut& out) {
  return QueryAnswer(call, graph, wishes, op, out).run();
}

Answered answer_service(const std::string& origin, const ServedGraph& graph,
                        const AnswerWishes& wishes, const OpContext& op, AnswerOut& out) {
  return answer_description(graph, wishes, op, out, [&]() -> Result<Description> {
    return describe_service(
        {origin + std::string(kEndpointPath), graph.is_union, graph.is_writable()}, *graph.data);
  });
}

Answered answer_void(const std::string& origin, const ServedGraph& graph,
                     const AnswerWishes& wishes, const OpContext& op, AnswerOut& out) {
  return answer_description(graph, wishes, op, out, [&]() -> Result<Description> {
    const VoidFacts facts{origin + std::string(kVoidPath), origin + std::string(kEndpointPath)};
    HELVE_ASSIGN(const auto schema, graph.source->schema(op));
    return describe_void(facts, *schema);
  });
}

}  // namespace helve::serve
