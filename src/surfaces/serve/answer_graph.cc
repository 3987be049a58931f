// What the Graph Store Protocol does: reads a graph, or writes one.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/percent.h"
#include "base/text.h"
#include "sources/rdf/writer.h"
#include "surfaces/serve/answer_parts.h"
#include "surfaces/serve/entity_tag.h"
#include "surfaces/serve/graph_store_protocol.h"
#include "surfaces/serve/request_document.h"

namespace helve::serve {

namespace {

using sparql::GraphChoice;
using sparql::Part;

// nullopt: there is no such graph.
std::optional<GraphChoice> find_graph(const sparql::Snapshot& data, const std::string& iri) {
  if (iri.empty()) return GraphChoice{GraphChoice::Kind::Default, {}};
  const auto id = data.find(rdf::TermView::iri(iri));
  if (!id) return std::nullopt;
  const std::vector<sparql::Id> known = data.named_graphs();
  if (!std::binary_search(known.begin(), known.end(), *id)) return std::nullopt;
  return GraphChoice{GraphChoice::Kind::One, *id};
}

Refusal no_graph(const std::string& iri) {
  return refuse(404, fmt::format("there is no graph <{}>", iri),
                "SELECT ?g { GRAPH ?g {} } lists those that are there");
}

Result<void> write_statements(const sparql::Snapshot& data, GraphChoice graph, rdf::Writer& writer,
                              const OpContext& op) {
  const auto scan = data.scan({{}, {}, {}, graph}, sparql::Order::Spo, sparql::kTripleParts);
  sparql::QuadBatch batch;
  std::array<std::string, 3> scratch;
  while (scan->next(batch, sparql::QuadBatch::kRows)) {
    HELVE_TRY(op.check());
    if (auto failure = data.failure()) return *std::move(failure);
    for (std::size_t row = 0; row < batch.rows; ++row) {
      HELVE_TRY(writer.statement({data.term(batch[Part::Subject][row], scratch[0]),
                                  data.term(batch[Part::Predicate][row], scratch[1]),
                                  data.term(batch[Part::Object][row], scratch[2]),
                                  rdf::TermView::iri("")}));
    }
  }
  if (auto failure = data.failure()) return *std::move(failure);
  return writer.finish();
}

Answered read_graph(const GraphCall& call, const ServedGraph& graph, const AnswerWishes& wishes,
                    const OpContext& op, AnswerOut& out) {
  const GraphOffer* const offer = choose_offer(wishes.accept, graph_offers());
  if (offer == nullptr) return refused(not_acceptable(graph_offers()));
  const auto found = find_graph(*graph.data, call.graph);
  if (!found) return refused(no_graph(call.graph));
  const std::uint64_t statements = graph.data->count({{}, {}, {}, *found}).n;
  // A part would pass for the whole, and may be written back as such.
  if (graph.rows_max && statements > *graph.rows_max) {
    return refused(refuse(403,
                          fmt::format("the graph has {} statements: this server gives at most {}",
                                      format_count(statements), format_count(*graph.rows_max)),
                          "ask for parts of it with CONSTRUCT"));
  }
  Headers headers = common_headers(content_type_of(*offer), wishes, graph);
  Answered answered;
  if (!graph.fingerprint.empty()) {
    const std::string tag = entity_tag(graph.fingerprint, offer->format, wishes.has_gzip);
    headers.emplace_back("ETag", tag);
    if (has_tag(call.if_none_match, tag)) answered.status = 304;
  }
  if (answered.status == 304)
    std::erase_if(headers, [](const auto& header) {
      return header.first == "Content-Type" || header.first == "Content-Encoding";
    });
  out.begin(std::move(headers));
  if (wishes.is_head || answered.status == 304) return answered;
  const auto written = write_body(wishes, out, [&](ByteSink& sink) {
    rdf::WriteOptions options;
    options.prefixes = graph.data->prefixes();
    options.pretty = false;
    const auto writer = rdf::make_writer(offer->format, sink, options, op);
    return write_statements(*graph.data, *found, *writer, op);
  });
  if (!written) return refused(refusal_of(written.error(), op));
  return answered;
}

class GraphChange {
 public:
  GraphChange(const GraphCall& call, const ServedGraph& graph, const AnswerWishes& wishes,
              const OpContext& op, AnswerOut& out)
      : call_(call), graph_(graph), wishes_(wishes), op_(op), out_(out), name_(call.graph) {}

  Answered run() {
    if (call_.is_new) {
      constexpr std::size_t kNameBytes = 12;
      name_ =
          fmt::format("{}{}/{}", call_.origin, kGraphsPath, graph_.env->random().hex(kNameBytes));
    }
    if (call_.method == GraphMethod::Drop) return drop();
    const std::string base_iri =
        name_.empty() ? fmt::format("{}{}", call_.origin, kGraphsPath) : name_;
    RequestDocument body(call_, name_, base_iri, op_);
    auto document = body.open();
    if (auto* const refusal = std::get_if<Refusal>(&document)) return refused(std::move(*refusal));
    return write(std::get<rdf::Document>(document), base_iri);
  }

 private:
  // Says what stands against writing. What a condition was held against stays so until `pass_` is
  // gone.
  std::optional<Refusal> begin() {
    const bool is_free = call_.if_match.empty() && call_.if_none_match.empty();
    auto pass = graph_.writer->gate().enter(
        is_free ? WriteGate::Kind::Shared : WriteGate::Kind::Alone, op_);
    if (!pass) return write_refusal_of(pass.error(), op_);
    pass_ = *std::move(pass);
    if (is_free) return std::nullopt;
    const GraphState state = graph_.writer->state();
    const bool is_there = find_graph(*state.data, name_).has_value();
    const bool is_met = call_.if_match.empty() || (call_.if_match == "*" && is_there) ||
                        has_state(call_.if_match, state.fingerprint);
    if (!is_met && call_.if_match == "*") {
      return refuse(412,
                    "the header If-Match wants a graph that is there: there is none of this name",
                    "leave If-Match out to make it");
    }
    if (!is_met) {
      return refuse(412, "the data is not what the header If-Match wants: it was changed",
                    "read the graph again, and its ETag");
    }
    const bool is_known =
        !call_.if_none_match.empty() && ((call_.if_none_match == "*" && is_there) ||
                                         has_state(call_.if_none_match, state.fingerprint));
    if (!is_known) return std::nullopt;
    return refuse(412, "the graph is there already", "leave If-None-Match out to write it");
  }

  Answered write(rdf::Document& document, const std::string& base_iri) {
    if (auto refusal = begin()) return refused(*std::move(refusal));
    const auto mode = call_.method == GraphMethod::Replace ? GraphWriter::Mode::Replace
                                                           : GraphWriter::Mode::Merge;
    const auto report = graph_.writer->write_graph(name_, mode, document, base_iri, op_);
    if (!report) return refused(write_refusal_of(report.error(), op_));
    const bool is_created = !report->was_there && !name_.empty();
    Headers headers;
    if (is_created) headers.emplace_back("Location", location());
    return answer_write(*report, is_created ? 201 : 200, std::move(headers), wishes_, out_);
  }

  Answered drop() {
    if (auto refusal = begin()) return refused(*std::move(refusal));
    const auto report = graph_.writer->drop_graph(name_, op_);
    if (report) return answer_write(*report, 200, {}, wishes_, out_);
    if (report.error().code == ErrorCode::NotFound) return refused(no_graph(name_));
    return refused(write_refusal_of(report.error(), op_));
  }

  // Where the graph can be read: at its own address where that is here.
  std::string location() const {
    const std::string store = fmt::format("{}{}", call_.origin, kGraphsPath);
    if (name_.starts_with(store + "/")) return name_;
    return fmt::format("{}?graph={}", store, percent_encoded(name_));
  }

  const GraphCall& call_;
  const ServedGraph& graph_;
  const AnswerWishes& wishes_;
  const OpContext& op_;
  AnswerOut& out_;
  std::string name_;
  WriteGate::Pass pass_;
};

}  // namespace

Answered answer_graph(const GraphCall& call, const ServedGraph& graph, const AnswerWishes& wishes,
                      const OpContext& op, AnswerOut& out) {
  if (call.method == GraphMethod::Read) return read_graph(call, graph, wishes, op, out);
  return GraphChange(call, graph, wishes, op, out).run();
}

}  // namespace helve::serve
