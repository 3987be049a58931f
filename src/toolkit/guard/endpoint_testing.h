// For tests: an endpoint that is a table of counts, and keeps what it was asked.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sources/graph_source.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/printer.h"

namespace helve::toolkit::test {

class FakeEndpoint final : public GraphSource {
 public:
  FakeEndpoint() {
    info_.name = "far";
    info_.uri = "https://far.example/sparql";
    info_.engine = "SPARQL endpoint";
    info_.is_remote = true;
  }

  GraphSchema known;                         // what it tells of itself
  std::map<std::string, GraphCount> counts;  // by the text of the pattern
  GraphCount others{0, true};                // of all other patterns
  std::map<std::string, Error> failures;     // by the text of the pattern
  std::optional<Error> failure;              // of every count
  std::optional<EndpointTraits> told;        // its traits
  std::optional<ShapeRecord> seen;           // of every query
  std::string version = "1";
  Duration count_takes{0};  // by `clock`
  Clock* clock = nullptr;
  bool is_hollow = false;  // its rows have no terms

  mutable std::vector<std::string> counted;  // patterns, in the order they were asked
  mutable std::vector<Duration> times;       // that each was given
  mutable std::vector<std::uint64_t> caps;
  mutable std::vector<std::string> ran;  // queries

  const SourceInfo& info() const override { return info_; }
  SourceInfo& info() { return info_; }
  std::string fingerprint() const override { return "far " + version; }
  GraphRun run(const sparql::Query& query, std::uint64_t /*rows_max*/, RowSink& sink,
               const OpContext& /*context*/) const override {
    ran.push_back(sparql::to_sparql(query));
    GraphRun run;
    if (std::holds_alternative<sparql::Ask>(query.form)) {
      run.boolean = true;
      return run;
    }
    const auto& select = std::get<sparql::Select>(query.form);
    const std::vector<std::string> names = sparql::result_variables(select);
    std::vector<std::optional<rdf::TermView>> cells(names.size());
    if (!is_hollow) std::fill(cells.begin(), cells.end(), rdf::TermView::iri("http://x/1"));
    if (auto begun = sink.columns(names); !begun) run.error = begun.error();
    if (auto given = sink.row(cells); !given) run.error = given.error();
    run.rows = 1;
    return run;
  }
  GraphRun run(const sparql::Query& query, std::uint64_t /*statements_max*/,
               rdf::StatementSink& /*sink*/, const OpContext& /*context*/) const override {
    ran.push_back(sparql::to_sparql(query));
    return {};
  }
  Result<GraphCount> count_upto(const sparql::Pattern& pattern, const QueryDataset& dataset,
                                std::uint64_t cap, const OpContext& context) const override {
    std::string text = sparql::to_sparql(pattern);
    for (const sparql::DatasetGraph& graph : dataset) text += " FROM " + graph.iri;
    counted.push_back(text);
    times.push_back(context.deadline.remaining());
    caps.push_back(cap);
    if (clock != nullptr) clock->sleep_for(count_takes);
    if (failure) return *failure;
    if (const auto one = failures.find(text); one != failures.end()) return one->second;
    const auto found = counts.find(text);
    return found != counts.end() ? found->second : others;
  }
  Result<GraphPlan> explain(const sparql::Query& /*query*/,
                            const OpContext& /*context*/) const override {
    return Error{ErrorCode::Unavailable, "far is an endpoint: its plans cannot be asked for"};
  }
  Result<bool> has_term(const rdf::TermView& /*term*/,
                        const OpContext& /*context*/) const override {
    return true;
  }
  Result<std::vector<NameHit>> find(const FindRequest& /*request*/,
                                    const OpContext& /*context*/) const override {
    return std::vector<NameHit>();
  }
  Result<std::shared_ptr<const GraphSchema>> schema(const OpContext& /*context*/) const override {
    return std::make_shared<const GraphSchema>(known);
  }
  PrefixList prefixes() const override { return {{"", "http://x/"}}; }
  std::optional<EndpointTraits> traits() const override { return told; }
  std::optional<ShapeRecord> experience(const sparql::Query& /*query*/) const override {
    return seen;
  }

 private:
  SourceInfo info_;
};

// A large endpoint of which some sizes are known: :Thing 50 million, :Few 12, :name 80 million,
// :code 3,000 and :part 60 million.
inline std::shared_ptr<FakeEndpoint> large_endpoint() {
  auto endpoint = std::make_shared<FakeEndpoint>();
  endpoint->known.triples = 1'000'000'000;
  endpoint->known.subjects = 100'000'000;
  endpoint->known.is_complete = false;
  const auto add_class = [&](const char* iri, std::uint64_t instances) {
    ClassInfo one;
    one.iri = iri;
    one.instances = instances;
    endpoint->known.classes.push_back(one);
  };
  const auto add_property = [&](const char* iri, std::uint64_t triples) {
    PropertyInfo one;
    one.iri = iri;
    one.triples = triples;
    endpoint->known.properties.push_back(one);
  };
  add_class("http://x/Thing", 50'000'000);
  add_class("http://x/Few", 12);
  add_property("http://x/name", 80'000'000);
  add_property("http://x/code", 3'000);
  add_property("http://x/part", 60'000'000);
  return endpoint;
}

}  // namespace helve::toolkit::test
