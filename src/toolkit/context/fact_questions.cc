#include "toolkit/context/fact_questions.h"

#include <algorithm>

#include "base/clock.h"
#include "base/utf8.h"
#include "sources/sparql/algebra/parser.h"
#include "toolkit/context/graph_facts.h"

namespace helve::context {

namespace {

constexpr std::size_t kTextBytesMax = 4'096;  // kept of a literal
constexpr std::size_t kIriBytesMax = 2'048;

class FactSink final : public RowSink {
 public:
  explicit FactSink(FactTable& table) : table_(table) {}

  Result<void> columns(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> row(Row cells) override {
    const auto is_overlong = [](const auto& cell) {
      return cell && !cell->is_literal() && cell->value.size() > kIriBytesMax;
    };
    if (std::any_of(cells.begin(), cells.end(), is_overlong)) return {};
    auto& row = table_.rows.emplace_back();
    row.reserve(cells.size());
    for (const auto& cell : cells) {
      if (!cell) {
        row.emplace_back();
        continue;
      }
      rdf::TermView term = *cell;
      if (term.value.size() > kTextBytesMax) {
        term.value = term.value.substr(0, kTextBytesMax);
        term.value = term.value.substr(0, utf8_valid_prefix(term.value));
      }
      row.emplace_back(rdf::Term(term));
    }
    return {};
  }

 private:
  FactTable& table_;
};

std::uint64_t number_of(const std::unordered_map<std::string_view, std::uint64_t>& counts,
                        std::string_view iri) {
  const auto found = counts.find(iri);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace

FactQuestions::FactQuestions(const GraphSource& graph, const GraphSchema& schema,
                             const OpContext& context)
    : graph_(graph), context_(context), is_complete_(schema.is_complete) {
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

Result<FactTable> FactQuestions::ask(std::string_view what, const std::string& sparql,
                                     std::uint64_t rows_max) {
  HELVE_TRY(context_.check());
  FactTable table;
  if (asked_ >= kFactQueriesMax) {
    gaps_.emplace_back(what);
    return table;
  }
  ++asked_;
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
