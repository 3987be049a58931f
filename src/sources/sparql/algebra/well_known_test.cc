#include "sources/sparql/algebra/well_known.h"

#include <gtest/gtest.h>

#include "base/iri.h"
#include "sources/rdf/turtle_spelling.h"

namespace helve::sparql {
namespace {

TEST(WellKnown, KnowsTheCommonOnes) {
  EXPECT_EQ(well_known_prefix("rdf"), "http://www.w3.org/1999/02/22-rdf-syntax-ns#");
  EXPECT_EQ(well_known_prefix("wdt"), "http://www.wikidata.org/prop/direct/");
  EXPECT_EQ(well_known_prefix("up"), "http://purl.uniprot.org/core/");
  EXPECT_EQ(well_known_prefix("bif"), "http://www.openlinksw.com/schemas/bif#");
  EXPECT_EQ(well_known_prefix("RDF"), std::nullopt);
  EXPECT_EQ(well_known_prefix(""), std::nullopt);
}

TEST(WellKnown, EveryEntryIsAGoodDeclaration) {
  EXPECT_GE(well_known_prefixes().size(), 120U);
  for (const WellKnownPrefix& prefix : well_known_prefixes()) {
    EXPECT_TRUE(rdf::is_pn_prefix(prefix.name)) << prefix.name;
    EXPECT_TRUE(has_iri_scheme(prefix.iri)) << prefix.name;
    EXPECT_EQ(find_bad_iri_character(prefix.iri), std::nullopt) << prefix.name;
    EXPECT_EQ(well_known_prefix(prefix.name), prefix.iri);
  }
}

}  // namespace
}  // namespace helve::sparql
