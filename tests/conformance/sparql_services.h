// TestServices: endpoints for SERVICE that answer from data in this process.
#pragma once

#include <map>
#include <string>

#include "sources/sparql/engine/service.h"
#include "tests/conformance/sparql_data.h"

namespace helve::conformance {

class TestServices final : public sparql::ServiceResolver {
 public:
  void add(std::string endpoint, SnapshotPtr data);

  Result<void> check(const std::string& endpoint) override;
  // Unavailable for an endpoint that was never added. An endpoint can ask the others.
  Result<sparql::SolutionTable> ask(const std::string& endpoint, const sparql::Pattern& pattern,
                                    const OpContext& context) override;

 private:
  std::map<std::string, SnapshotPtr> by_endpoint_;
};

}  // namespace helve::conformance
