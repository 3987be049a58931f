#include "toolkit/diagnosis/probes.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/clock.h"
#include "sources/sparql/algebra/analysis.h"
#include "toolkit/guard/guard.h"

namespace helve::toolkit {

namespace {

constexpr std::uint64_t kProbesMax = 200;
constexpr std::uint64_t kProbesThere = 20;  // of an endpoint: each is a request
constexpr Duration kTimeMax = std::chrono::seconds(10);
constexpr Duration kTimeMin = std::chrono::milliseconds(50);

// Three tenths of what is left, though never so little that nothing could be asked.
Deadline share_of(const Deadline& whole) {
  const Duration left = whole.remaining();
  const Duration share = std::min(kTimeMax, left / 10 * 3);
  return {real_clock(), std::min(left, std::max(share, kTimeMin))};
}

// Keeps the first column.
class ColumnKeeper final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> row(Row cells) override {
    if (!cells.empty() && cells[0]) terms.emplace_back(*cells[0]);
    return {};
  }
  std::vector<rdf::Term> terms;
};

class RowDropper final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> row(Row /*cells*/) override { return {}; }
};

}  // namespace

Probes::Probes(const GraphSource& source, const OpContext& context)
    : source_(source), context_(context) {
  context_.deadline = share_of(context.deadline);
  if (!source.info().is_remote) return;
  if (const auto schema = source.schema(context)) profile_ = profile_of(source, **schema);
}

bool Probes::is_spent() const {
  return asked_ >= (source_.info().is_remote ? kProbesThere : kProbesMax) || !context_.check();
}

bool Probes::may_ask() {
  if (is_spent()) {
    has_gaps_ = true;
    return false;
  }
  ++asked_;
  return true;
}

bool Probes::may_ask(const sparql::Query& query, std::uint64_t rows_max) {
  if (profile_) {
    const auto time = std::chrono::duration<double>(one_share().deadline.remaining());
    if (least_seconds(query, *profile_, rows_max) > time.count()) {
      has_gaps_ = true;
      return false;
    }
  }
  return may_ask();
}

OpContext Probes::one_share() const {
  OpContext share = context_;
  share.deadline = Deadline(real_clock(), context_.deadline.remaining() / 3);
  return share;
}

template <typename T>
std::optional<T> Probes::settled(Result<T> answer) {
  if (answer) return *std::move(answer);
  has_gaps_ = true;
  return std::nullopt;
}

std::optional<GraphCount> Probes::count(const sparql::Pattern& pattern, const Scope& scope,
                                        std::uint64_t cap) {
  const sparql::Pattern asked = in_graph(pattern, scope.graph);
  sparql::Select rows;
  rows.is_star = true;
  rows.body.where = asked;
  sparql::Query query;
  query.dataset = scope.dataset;
  query.form = std::move(rows);
  if (!may_ask(query, cap + 1)) return std::nullopt;
  return settled(source_.count_upto(asked, scope.dataset, cap, one_share()));
}

std::optional<bool> Probes::has_rows(const sparql::Pattern& pattern, const Scope& scope) {
  const auto found = count(pattern, scope, 1);
  if (!found) return std::nullopt;
  if (found->n == 0 && !found->is_exact) {  // a server that stopped before it found any
    has_gaps_ = true;
    return std::nullopt;
  }
  return found->n > 0;
}

std::optional<bool> Probes::knows(const rdf::TermView& term) {
  if (!term.is_iri()) {
    if (!may_ask()) return std::nullopt;
    return settled(source_.has_term(term, context_));
  }
  if (const auto seen = known_iris_.find(term.value); seen != known_iris_.end()) {
    return seen->second;
  }
  if (!may_ask()) return std::nullopt;
  const auto known = settled(source_.has_term(term, context_));
  if (known) known_iris_.emplace(term.value, *known);
  return known;
}

std::optional<std::vector<rdf::Term>> Probes::values(const sparql::Pattern& pattern,
                                                     const Scope& scope,
                                                     const std::string& variable,
                                                     std::size_t values_max) {
  sparql::Select select;
  select.duplicates = sparql::Duplicates::Distinct;
  select.items.push_back({sparql::Variable{variable, {}}, std::nullopt});
  select.body.where = in_graph(pattern, scope.graph);
  select.body.limit = values_max;
  sparql::Query query;
  query.dataset = scope.dataset;
  query.form = std::move(select);
  if (!may_ask(query, values_max)) return std::nullopt;
  ColumnKeeper keeper;
  const GraphRun run = source_.run(query, values_max, keeper, one_share());
  if (run.error) {
    has_gaps_ = true;
    if (keeper.terms.empty()) return std::nullopt;
  }
  return std::move(keeper.terms);
}

std::optional<GraphCount> Probes::count_rows(const sparql::Query& query, std::uint64_t cap) {
  if (!may_ask(query, cap)) return std::nullopt;
  RowDropper sink;
  const GraphRun run = source_.run(query, cap, sink, one_share());
  if (run.error && run.rows == 0) {
    has_gaps_ = true;
    return std::nullopt;
  }
  if (run.boolean) return GraphCount{*run.boolean ? 1U : 0U, true};
  return GraphCount{run.rows, !run.has_more && !run.error};
}

std::optional<bool> Probes::answers(const sparql::Query& query) {
  const sparql::Body& body = query.body();
  const auto* select = std::get_if<sparql::Select>(&query.form);
  const bool is_rows = (select != nullptr && !(is_grouped(*select) && body.group_by.empty())) ||
                       std::holds_alternative<sparql::Ask>(query.form);
  if (is_rows) {
    const auto rows = count_rows(query, 1);
    if (!rows) return std::nullopt;
    return rows->n > 0;
  }
  sparql::Pattern where = body.where;
  if (body.values) {
    where = joined(sparql::Pattern(*body.values), std::move(where));
  }
  return has_rows(where, {query.dataset, std::nullopt});
}

}  // namespace helve::toolkit
