#include "tests/conformance/sparql_texts.h"

#include <fmt/format.h>

#include "sources/sparql/algebra/printer.h"

namespace helve::conformance {

sparql::ParseOptions strict_options(std::string base_iri, sparql::Version version) {
  sparql::ParseOptions options;
  options.base_iri = std::move(base_iri);
  options.version = version;
  options.is_strict = true;
  return options;
}

Result<sparql::Query> parse_query_file(const Manifest& manifest, const std::string& iri,
                                       sparql::Version version) {
  HELVE_ASSIGN(const auto path, manifest.path_of(iri));
  HELVE_ASSIGN(const std::string text, read_file(path));
  sparql::ParseOptions options = strict_options(manifest.base_of(iri), version);
  HELVE_ASSIGN(sparql::ParsedQuery parsed, sparql::parse_query(text, options));
  const std::string printed = sparql::to_sparql(parsed.query);
  options.text_name = "printed query";
  options.version = sparql::Version::Sparql11;  // the text says when it is another
  auto again = sparql::parse_query(printed, options);
  if (!again) {
    return Error{ErrorCode::Internal,
                 fmt::format("{}, in the printed query {}", again.error().to_string(), printed)};
  }
  if (again->query == parsed.query) return std::move(parsed.query);
  return Error{ErrorCode::Internal, "printing changed the query to " + printed};
}

}  // namespace helve::conformance
