// The texts of the queries that a document of SHACL examples describes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sources/rdf/reader.h"

namespace helve {

class ExampleQueries final : public rdf::StatementSink {
 public:
  Result<void> statement(const rdf::StatementView& statement) override {
    constexpr std::string_view kShacl = "http://www.w3.org/ns/shacl#";
    constexpr std::string_view kDescribe =
        "https://purl.expasy.org/sparql-examples/ontology#describe";
    std::string_view predicate = statement.predicate.value;
    bool is_query = predicate == kDescribe;
    if (predicate.starts_with(kShacl)) {
      predicate.remove_prefix(kShacl.size());
      is_query = predicate == "select" || predicate == "ask" || predicate == "construct";
    }
    if (is_query && statement.object.is_literal()) texts.emplace_back(statement.object.value);
    return {};
  }

  std::vector<std::string> texts;
};

}  // namespace helve
