#include "tests/conformance/sparql_services.h"

#include <fmt/format.h>

#include <utility>

#include "sources/sparql/engine/query_run.h"

namespace helve::conformance {

void TestServices::add(std::string endpoint, SnapshotPtr data) {
  by_endpoint_[std::move(endpoint)] = std::move(data);
}

Result<void> TestServices::check(const std::string& /*endpoint*/) { return {}; }

Result<sparql::SolutionTable> TestServices::ask(const std::string& endpoint,
                                                const sparql::Pattern& pattern,
                                                const OpContext& context) {
  const auto known = by_endpoint_.find(endpoint);
  if (known == by_endpoint_.end()) {
    return Error{ErrorCode::Unavailable, fmt::format("<{}> does not answer", endpoint)};
  }
  sparql::Select select;
  select.is_star = true;
  select.body.where = pattern;
  sparql::Query query;
  query.form = std::move(select);
  sparql::RunOptions options;
  options.services = this;
  HELVE_ASSIGN(sparql::QueryRun run,
               sparql::QueryRun::start(query, known->second, options, context));
  sparql::SolutionTable answer;
  HELVE_TRY(run.send(answer));
  return answer;
}

}  // namespace helve::conformance
