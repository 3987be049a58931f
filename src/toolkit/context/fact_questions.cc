#include "toolkit/context/fact_questions.h"

#include <algorithm>
#include <array>

#include "base/clock.h"
#include "sources/sparql/algebra/parser.h"
#include "toolkit/context/graph_facts.h"

namespace helve::context {

namespace {

class FactSink final : public RowSink {
 public:
  explicit FactSink(FactTable& table) : table_(table) {}

  Result<void> columns(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> row(Row cells) override {
    FactRow row;
    for (std::size_t i = 0; i < std::min(cells.size(), row.size()); ++i) {
      if (!cells[i]) continue;
      const auto kept = table_.keep(*cells[i]);
      if (!kept) return {};
      row.at(i) = *kept;
    }
    table_.rows.push_back(row);
    return {};
  }

 private:
  FactTable& table_;
};

// One part of the triples of a query: a variable, or the one IRI that it can be.
struct QueryPart {
  std::string_view variable;  // "?s"
  const std::vector<std::string_view>& iris;
  bool is_wanted = true;

  bool is_constant() const { return iris.size() == 1; }
  std::string text() const {
    return is_constant() ? iri_in_query(iris.front()) : std::string(variable);
  }
};

std::vector<rdf::Id> ids_of(const FactReading& reading, std::span<const std::string_view> iris) {
  if (iris.empty()) return {rdf::Id()};
  std::vector<rdf::Id> ids;
  for (const std::string_view iri : iris) {
    if (const rdf::Id id = reading.find_iri(iri); id.is_defined()) ids.push_back(id);
  }
  return ids;
}

Result<void> read_triples(const TripleQuestion& question, FactReading& reading) {
  const auto subjects = ids_of(reading, question.subjects);
  const auto predicates = ids_of(reading, question.predicates);
  const auto objects = ids_of(reading, question.objects);
  for (const rdf::Id subject : subjects) {
    for (const rdf::Id predicate : predicates) {
      for (const rdf::Id object : objects) {
        HELVE_ASSIGN(const auto triples, reading.find({subject, predicate, object}));
        for (const TripleIds& one : triples) {
          reading.add(std::array{question.wants_subjects ? one.subject : rdf::Id(), one.predicate,
                                 one.object});
        }
      }
    }
  }
  return {};
}

std::uint64_t number_of(const std::unordered_map<std::string_view, std::uint64_t>& counts,
                        std::string_view iri) {
  const auto found = counts.find(iri);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace

FactQuestions::FactQuestions(const GraphSource& graph, const GraphSchema& schema,
                             const OpContext& context)
    : graph_(graph),
      reader_(dynamic_cast<const TripleReader*>(&graph)),
      context_(context),
      is_complete_(schema.is_complete) {
  // Both lists have the largest first.
  for (const PropertyInfo& one : schema.properties) {
    if (one.triples == 0) break;
    uses_.emplace(one.iri, one.triples);
  }
  for (const ClassInfo& one : schema.classes) {
    if (one.instances == 0) break;
    instances_.emplace(one.iri, one.instances);
  }
}

std::uint64_t FactQuestions::uses(std::string_view predicate) const {
  return number_of(uses_, predicate);
}

std::uint64_t FactQuestions::instances(std::string_view type) const {
  return number_of(instances_, type);
}

std::vector<std::string_view> FactQuestions::that_are_used(
    std::span<const std::string_view> predicates) const {
  std::vector<std::string_view> used;
  for (const std::string_view iri : predicates) {
    if (!is_complete_ || uses(iri) > 0) used.push_back(iri);
  }
  return used;
}

std::vector<std::string_view> FactQuestions::that_have_instances(
    std::span<const std::string_view> types) const {
  std::vector<std::string_view> used;
  for (const std::string_view iri : types) {
    if (!is_complete_ || instances(iri) > 0) used.push_back(iri);
  }
  return used;
}

// Of what is far a question takes a part of the time that is left, so that others can be asked too.
OpContext FactQuestions::one_share() const {
  OpContext share = context_;
  if (graph_.info().is_remote && !context_.deadline.is_never()) {
    share.deadline = Deadline(real_clock(), context_.deadline.remaining() / 4);
  }
  return share;
}

bool FactQuestions::may_ask(std::string_view what) {
  if (asked_ < kFactQueriesMax) {
    ++asked_;
    return true;
  }
  gaps_.emplace_back(what);
  return false;
}

Result<FactTable> FactQuestions::triples(std::string_view what, const TripleQuestion& question,
                                         std::uint64_t rows_max) {
  if (can_read()) {
    return read(what, rows_max,
                [&](FactReading& reading) { return read_triples(question, reading); });
  }
  const std::array<QueryPart, 3> parts = {
      QueryPart{"?s", question.subjects, question.wants_subjects},
      QueryPart{"?p", question.predicates}, QueryPart{"?o", question.objects}};
  std::string names;
  std::string values;
  std::string triple;
  for (const QueryPart& part : parts) {
    if (part.is_wanted && !part.is_constant()) names += std::string(part.variable) + " ";
    if (part.iris.size() > 1) values += values_clause(part.variable.substr(1), part.iris);
    triple += part.text() + " ";
  }
  HELVE_ASSIGN(FactTable table,
               ask(what, "SELECT " + names + "{ " + values + triple + "}", rows_max));
  // What the query did not have to tell.
  for (FactRow& row : table.rows) {
    std::size_t column = 0;
    FactRow whole;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const QueryPart& part = parts.at(i);
      if (part.is_constant()) {
        whole.at(i) = {rdf::TermKind::Iri, part.iris.front(), {}};
      } else if (part.is_wanted) {
        whole.at(i) = row.at(column++);
      }
    }
    row = whole;
  }
  return table;
}

Result<FactTable> FactQuestions::counts_by_object(std::string_view what, std::string_view predicate,
                                                  std::uint64_t rows_max) {
  if (can_read()) {
    return read(what, rows_max,
                [&](FactReading& reading) { return reading.count_by_object(predicate); });
  }
  return ask(what,
             "SELECT ?o (COUNT(*) AS ?n) { ?s " + iri_in_query(predicate) + " ?o } GROUP BY ?o",
             rows_max);
}

Result<FactTable> FactQuestions::read(std::string_view what, std::uint64_t rows_max,
                                      const Read& read) {
  HELVE_TRY(context_.check());
  FactTable table;
  if (!may_ask(what)) return table;
  FactReading reading(*reader_, rows_max, context_, table);
  HELVE_TRY(read(reading));
  return table;
}

Result<FactTable> FactQuestions::ask(std::string_view what, const std::string& sparql,
                                     std::uint64_t rows_max) {
  HELVE_TRY(context_.check());
  FactTable table;
  if (!may_ask(what)) return table;
  HELVE_ASSIGN(const auto parsed, sparql::parse_query(sparql));
  FactSink sink(table);
  GraphRun run = graph_.run(parsed.query, rows_max, sink, one_share());
  if (run.error) {
    HELVE_TRY(context_.check());
    if (run.error->code == ErrorCode::Cancelled) return *std::move(run.error);
    if (!graph_.info().is_remote) return *std::move(run.error);
    gaps_.emplace_back(what);
    return FactTable{};
  }
  table.has_more = run.has_more || !run.incomplete.empty();
  return table;
}

std::string values_clause(std::string_view name, std::span<const std::string_view> iris) {
  std::string clause = "VALUES ?" + std::string(name) + " { ";
  for (const std::string_view iri : iris) clause += iri_in_query(iri) + " ";
  return clause + "} ";
}

std::string iri_in_query(std::string_view iri) { return rdf::to_ntriples(rdf::TermView::iri(iri)); }

}  // namespace helve::context
