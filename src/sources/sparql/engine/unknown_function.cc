#include "sources/sparql/engine/unknown_function.h"

#include <fmt/format.h>

#include <string>

#include "base/text.h"

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

}  // namespace

Error unknown_function(std::string_view iri) {
  std::string hint = "functions are the built-in ones of SPARQL 1.1 and casts such as xsd:integer";
  for (const Family& family : kFamilies) {
    if (iri.starts_with(family.prefix)) {
      hint = fmt::format("it is an extension of {}, not part of SPARQL; {}", family.owner, hint);
      break;
    }
  }
  return {ErrorCode::Denied,
          fmt::format("there is no function <{}>", elide_middle(escape_for_terminal(iri), 200)),
          std::move(hint)};
}

}  // namespace helve::sparql
