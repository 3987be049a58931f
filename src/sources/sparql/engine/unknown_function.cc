#include "sources/sparql/engine/unknown_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/near_names.h"
#include "base/text.h"
#include "sources/rdf/vocabulary.h"
#include "sources/rdf/xsd_type.h"
#include "sources/sparql/algebra/functions.h"
#include "sources/sparql/engine/term_comparison.h"

namespace helve::sparql {

namespace {

// Where functions of other engines live.
struct Family {
  std::string_view prefix;
  std::string_view owner;
};

constexpr Family kFamilies[] = {
    {"bif:", "Virtuoso"},
    {"sql:", "Virtuoso"},
    {"http://www.openlinksw.com/", "Virtuoso"},
    {"java:", "Apache Jena"},
    {"http://jena.apache.org/", "Apache Jena"},
    {"http://jena.hpl.hp.com/ARQ/", "Apache Jena"},
    {"http://www.opengis.net/def/function/geosparql/", "GeoSPARQL"},
    {"http://www.opengis.net/def/geosparql/function/", "GeoSPARQL"},
    {"http://www.wikidata.org/", "the Wikidata query service"},
    {"http://wikiba.se/", "the Wikidata query service"},
    {"http://www.bigdata.com/", "Blazegraph"},
    {"http://www.ontotext.com/", "GraphDB"},
    {"tag:stardog:", "Stardog"},
    {"http://rdf4j.org/", "RDF4J"},
    {"http://spinrdf.org/", "SPIN"},
    {"http://franz.com/", "AllegroGraph"},
    {"http://www.w3.org/2005/xpath-functions", "XPath"},
};

// Functions that SPARQL has under another name.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"upper-case", "UCASE"},           {"upper", "UCASE"},
    {"lower-case", "LCASE"},           {"lower", "LCASE"},
    {"string-length", "STRLEN"},       {"length", "STRLEN"},
    {"substring", "SUBSTR"},           {"starts-with", "STRSTARTS"},
    {"ends-with", "STRENDS"},          {"matches", "REGEX"},
    {"string-join", "CONCAT"},         {"ceiling", "CEIL"},
    {"substring-before", "STRBEFORE"}, {"substring-after", "STRAFTER"},
    {"year-from-dateTime", "YEAR"},    {"current-dateTime", "NOW"},
};

std::vector<std::string_view> built_in_names() {
  std::vector<std::string_view> names;
  for (auto i = static_cast<std::size_t>(Function::Bound); i < kFunctionCount; ++i) {
    names.push_back(function_info(static_cast<Function>(i)).name);
  }
  return names;
}

std::vector<std::string_view> cast_names() {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < rdf::kXsdTypeCount; ++i) {
    names.push_back(rdf::iri_of_xsd_type(static_cast<rdf::XsdType>(i)).substr(rdf::kXsd.size()));
  }
  return names;
}

// Empty when nothing is close.
std::string closest_function(std::string_view iri) {
  const std::size_t separator = iri.find_last_of("#/:");
  const std::string_view name =
      separator == std::string_view::npos ? iri : iri.substr(separator + 1);
  for (const auto& [other, ours] : kOtherNames) {
    if (equal_ignoring_case(name, other)) return std::string(ours);
  }
  const auto casts = near_names(name, cast_names(), 1);
  if (iri.starts_with(rdf::kXsd) && !casts.empty()) return fmt::format("xsd:{}", casts[0]);
  const auto built_in = near_names(name, built_in_names(), 1);
  if (!built_in.empty()) return std::string(built_in[0]);
  return casts.empty() ? std::string() : fmt::format("xsd:{}", casts[0]);
}

std::string hint_for(std::string_view iri) {
  const auto* const family =
      std::find_if(std::begin(kFamilies), std::end(kFamilies),
                   [iri](const Family& each) { return iri.starts_with(each.prefix); });
  std::string hint;
  if (family != std::end(kFamilies)) {
    hint = fmt::format("it is an extension of {}, not part of SPARQL; ", family->owner);
  }
  const std::string closest = closest_function(iri);
  hint += closest.empty() ? "functions are those of SPARQL 1.1 and casts such as xsd:integer"
                          : fmt::format("did you mean {}(...)?", closest);
  return hint;
}

}  // namespace

Error unknown_function(std::string_view iri) {
  return {ErrorCode::Denied,
          fmt::format("there is no function <{}>", elide_middle(escape_for_terminal(iri), 200)),
          hint_for(iri)};
}

}  // namespace helve::sparql
