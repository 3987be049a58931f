// describe_resource: what is said about one thing, and what points at it. explore.h declares it.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sources/rdf/vocabulary.h"
#include "toolkit/tools/explore.h"
#include "toolkit/tools/graph_access.h"

namespace helve::toolkit {

namespace {

constexpr std::uint64_t kPredicatesMax = 500;
constexpr std::uint64_t kTypesShown = 10;
constexpr std::uint64_t kValuesShown = 3;        // of one property
constexpr std::uint64_t kCountedThere = 10'000;  // triples of one thing at an endpoint

struct PredicateUse {
  std::string iri;
  std::uint64_t count = 0;
  std::optional<rdf::Term> sample;  // of the other end; only of an endpoint
};

struct Uses {
  std::vector<PredicateUse> predicates;  // the commonest first
  std::uint64_t triples = 0;
  bool is_capped = false;  // there may be more
};

// `pattern` has ?p, ?x and the resource. An endpoint counts no further than it can, and gives
// samples with the counts: each would be a request.
Result<Uses> uses_of(const std::string& pattern, const GraphSource& graph, const OpContext& op) {
  const bool is_sampled = is_far(graph, op);
  const std::string within =
      is_sampled ? fmt::format("{{ SELECT ?p ?x {{ {} }} LIMIT {} }}", pattern, kCountedThere)
                 : pattern;
  HELVE_ASSIGN(
      const SmallTable table,
      ask_small(graph,
                fmt::format("SELECT ?p (COUNT(*) AS ?n){} {{ {} }} GROUP BY ?p "
                            "ORDER BY DESC(?n) ?p LIMIT {}",
                            is_sampled ? " (SAMPLE(?x) AS ?one)" : "", within, kPredicatesMax),
                kPredicatesMax, op));
  Uses uses;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    PredicateUse use{table.rows[row][0]->value, table.number(row, 1), std::nullopt};
    if (is_sampled && table.rows[row].size() > 2) use.sample = table.rows[row][2];
    uses.triples += use.count;
    uses.predicates.push_back(std::move(use));
  }
  uses.is_capped = is_sampled && uses.triples >= kCountedThere;
  return uses;
}

// What kind of values: class or datatype of one of them.
std::string type_of(const rdf::Term& term) {
  switch (term.kind) {
    case rdf::TermKind::Iri:
      return "iri";
    case rdf::TermKind::BlankNode:
      return "blank node";
    case rdf::TermKind::Literal:
      break;
  }
  if (!term.language.empty()) return "text@" + term.language;
  if (term.datatype.empty()) return "text";
  return std::string(term.datatype.substr(term.datatype.find_last_of("#/") + 1));
}

class Describer {
 public:
  Describer(ToolCall& call, const GraphSource& graph, const DescribeChoices& choices,
            std::string iri)
      : call_(call), graph_(graph), choices_(choices), iri_(std::move(iri)) {}

  Result<void> run(Reply& reply) {
    if (looks_outward()) {
      HELVE_ASSIGN(outgoing_, uses_of(in_query(iri_) + " ?p ?x", graph_, call_.op));
    }
    if (looks_inward()) {
      HELVE_ASSIGN(incoming_, uses_of("?x ?p " + in_query(iri_), graph_, call_.op));
    }
    HELVE_TRY(show_head(reply));
    if (looks_outward()) {
      if (choices_.mode == DescribeMode::Triples) {
        HELVE_TRY(show_triples(reply));
      } else {
        HELVE_TRY(show_properties(reply));
      }
    }
    if (looks_inward()) HELVE_TRY(show_incoming(reply));
    reply.set_quietly("truncated", is_truncated_);
    reply.set_quietly("limit_applied", choices_.limit);
    return {};
  }

 private:
  bool looks_outward() const { return choices_.direction != Direction::Incoming; }
  bool looks_inward() const { return choices_.direction != Direction::Outgoing; }

  Result<void> show_head(Reply& reply) {
    HELVE_ASSIGN(
        const SmallTable types,
        ask_small(graph_,
                  fmt::format("SELECT DISTINCT ?t {{ {} a ?t FILTER(isIRI(?t)) }} LIMIT {}",
                              in_query(iri_), kTypesShown),
                  kTypesShown, call_.op));
    const std::string label = labels_of({iri_}, graph_, call_.op).front();
    std::string said;
    if (looks_outward()) said = format_count(outgoing_.triples) + " outgoing";
    if (looks_outward() && looks_inward()) said += ", ";
    if (looks_inward()) said += format_count(incoming_.triples) + " incoming";
    reply.say(said + " triples");
    reply.set("resource", ReplyValue::iri(iri_));
    reply.set("label", text_or_null(label));
    ReplyValue::List shown;
    for (const Cells& row : types.rows) shown.emplace_back(*row[0]);
    reply.set("types", std::move(shown));
    reply.set_quietly("total_triples", outgoing_.triples + incoming_.triples);
    if (outgoing_.is_capped || incoming_.is_capped) {
      is_truncated_ = true;
      reply.warn(
          fmt::format("no more than {} triples are counted there: there may be more, also "
                      "of other properties",
                      format_count(kCountedThere)));
    }
    return {};
  }

  Result<void> show_triples(Reply& reply) {
    HELVE_ASSIGN(const SmallTable table,
                 ask_small(graph_,
                           fmt::format("SELECT ?p ?o {{ {} ?p ?o FILTER(?p != {}) }}",
                                       in_query(iri_), in_query(rdf::kRdfType)),
                           choices_.limit, call_.op));
    ReplyList list{"triples", {"predicate", "object"}, {}};
    for (const Cells& row : table.rows) {
      list.items.emplace_back(ReplyValue::List{*row[0], *row[1]});
    }
    const std::uint64_t shown = table.rows.size();
    const std::uint64_t types = types_count();
    list.left_out = outgoing_.triples - std::min(outgoing_.triples, shown + types);
    if (!table.has_more) list.left_out = 0;
    is_truncated_ = is_truncated_ || table.has_more;
    reply.list(std::move(list));
    return {};
  }

  std::uint64_t types_count() const {
    const auto found =
        std::find_if(outgoing_.predicates.begin(), outgoing_.predicates.end(),
                     [](const PredicateUse& use) { return use.iri == rdf::kRdfType; });
    return found != outgoing_.predicates.end() ? found->count : 0;
  }

  // Some values of a property.
  Result<SmallTable> values_of(const PredicateUse& use, std::uint64_t count) {
    if (use.sample && count == 1) return SmallTable{{"x"}, {{use.sample}}, use.count > 1, {}};
    return ask_small(graph_,
                     fmt::format("SELECT ?o {{ {} {} ?o }}", in_query(iri_), in_query(use.iri)),
                     count, call_.op);
  }

  Result<void> show_properties(Reply& reply) {
    const bool is_grouped = choices_.mode == DescribeMode::Grouped;
    ReplyList list{is_grouped ? "properties" : "property_summary", {}, {}};
    for (const PredicateUse& use : outgoing_.predicates) {
      if (list.items.size() >= choices_.limit) {
        ++list.left_out;
        continue;
      }
      HELVE_ASSIGN(const SmallTable values, values_of(use, is_grouped ? kValuesShown : 1));
      ReplyValue::Members item{{"name", ReplyValue::iri(use.iri)}, {"count", use.count}};
      ReplyValue::List shown;
      ReplyValue::List types;
      for (const Cells& row : values.rows) {
        shown.emplace_back(*row[0]);
        if (types.empty()) types.emplace_back(type_of(*row[0]));
      }
      if (is_grouped) {
        item.emplace_back("values", std::move(shown));
      } else {
        item.emplace_back("sample", shown.empty() ? ReplyValue() : std::move(shown.front()));
        item.emplace_back("types", std::move(types));
      }
      list.items.emplace_back(std::move(item));
    }
    is_truncated_ = is_truncated_ || list.left_out > 0;
    reply.list(std::move(list));
    return {};
  }

  Result<std::optional<rdf::Term>> one_that_points(const PredicateUse& use) {
    if (use.sample) return use.sample;
    HELVE_ASSIGN(const SmallTable one, ask_small(graph_,
                                                 fmt::format("SELECT ?s {{ ?s {} {} }}",
                                                             in_query(use.iri), in_query(iri_)),
                                                 1, call_.op));
    return one.rows.empty() ? std::nullopt : one.rows[0][0];
  }

  Result<void> show_incoming(Reply& reply) {
    ReplyList list{"incoming_links", {}, {}};
    for (const PredicateUse& use : incoming_.predicates) {
      if (list.items.size() >= choices_.limit) {
        ++list.left_out;
        continue;
      }
      HELVE_ASSIGN(const auto one, one_that_points(use));
      ReplyValue::Members item{{"name", ReplyValue::iri(use.iri)}, {"count", use.count}};
      if (one) item.emplace_back("sample", *one);
      list.items.emplace_back(std::move(item));
    }
    is_truncated_ = is_truncated_ || list.left_out > 0;
    reply.list(std::move(list));
    return {};
  }

  ToolCall& call_;
  const GraphSource& graph_;
  const DescribeChoices& choices_;
  std::string iri_;
  Uses outgoing_;
  Uses incoming_;
  bool is_truncated_ = false;
};

}  // namespace

ToolAnswer describe_resource(ToolCall& call, const GraphSource& graph,
                             const DescribeChoices& choices) {
  auto read = read_name(choices.resource, NameKind::Any, graph, call);
  if (auto* error = std::get_if<ToolError>(&read)) return std::move(*error);
  auto& name = std::get<ReadName>(read);
  Reply reply;
  for (DataLine& warning : name.warnings) reply.warn_from_data(std::move(warning));
  if (auto done = Describer(call, graph, choices, name.iri).run(reply); !done) {
    return ToolError(std::move(done).error());
  }
  const std::string thing = in_query(name.iri);
  reply.next_from_data(query_from_data(call, choices.direction == Direction::Incoming
                                                 ? fmt::format("SELECT * {{ ?s ?p {} }}", thing)
                                                 : fmt::format("SELECT * {{ {} ?p ?o }}", thing)));
  return reply;
}

}  // namespace helve::toolkit
