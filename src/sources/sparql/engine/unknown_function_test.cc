#include "sources/sparql/engine/unknown_function.h"

#include <gtest/gtest.h>

#include <string>

namespace helve::sparql {
namespace {

TEST(UnknownFunction, NamesWhatIsClose) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"http://example.org/strlenn", "did you mean STRLEN(...)?"},
      {"http://example.org/Substring", "did you mean SUBSTR(...)?"},
      {"http://www.w3.org/2001/XMLSchema#interger", "did you mean xsd:integer(...)?"},
      {"http://www.w3.org/2001/XMLSchema#datetime", "did you mean xsd:dateTime(...)?"},
      {"http://example.org/levenshteinDistance",
       "functions are those of SPARQL 1.1 and casts such as xsd:integer"},
      {"bif:contains",
       "it is an extension of Virtuoso, not part of SPARQL; did you mean CONTAINS(...)?"},
      {"http://www.w3.org/2005/xpath-functions#upper-case",
       "it is an extension of XPath, not part of SPARQL; did you mean UCASE(...)?"},
      {"urn:x:integr", "did you mean xsd:integer(...)?"},
      {"http://www.opengis.net/def/function/geosparql/sfWithin",
       "it is an extension of GeoSPARQL, not part of SPARQL; functions are those of SPARQL 1.1 and "
       "casts such as xsd:integer"},
      {"", "functions are those of SPARQL 1.1 and casts such as xsd:integer"},
  };
  for (const auto& [iri, hint] : cases) {
    const Error error = unknown_function(iri);
    EXPECT_EQ(error.code, ErrorCode::Denied);
    EXPECT_EQ(error.message, "there is no function <" + std::string(iri) + ">");
    EXPECT_EQ(error.hint, hint) << iri;
  }
}

TEST(UnknownFunction, LongNamesAreShortened) {
  const Error error = unknown_function("http://example.org/" + std::string(1'000'000, 'x'));
  EXPECT_LT(error.message.size(), 300U);
}

}  // namespace
}  // namespace helve::sparql
