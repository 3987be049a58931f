#include "surfaces/serve/negotiation.h"

#include <gtest/gtest.h>

namespace helve::serve {
namespace {

std::string rows(std::string_view accept) {
  const RowsOffer* const offer = choose_offer(accept, rows_offers());
  return offer != nullptr ? content_type_of(*offer) : "none";
}
std::string graph(std::string_view accept) {
  const GraphOffer* const offer = choose_offer(accept, graph_offers());
  return offer != nullptr ? content_type_of(*offer) : "none";
}

TEST(Negotiation, WithoutAWishTheFirstOfferIsGiven) {
  for (const char* accept : {"", " ", "*/*", "application/*", "*"}) {
    EXPECT_EQ(rows(accept), "application/sparql-results+json") << accept;
  }
  for (const char* accept : {"", "*/*", "text/*"}) {
    EXPECT_EQ(graph(accept), "text/turtle; charset=utf-8") << accept;
  }
}

TEST(Negotiation, TheClientIsToldTheNameItAskedFor) {
  EXPECT_EQ(rows("application/json"), "application/json");
  EXPECT_EQ(rows("Application/SPARQL-Results+XML"), "application/sparql-results+xml");
  EXPECT_EQ(rows("text/csv;charset=utf-8"), "text/csv; charset=utf-8");
  EXPECT_EQ(rows("text/tab-separated-values"), "text/tab-separated-values; charset=utf-8");
  EXPECT_EQ(graph("application/rdf+xml"), "application/rdf+xml");
  EXPECT_EQ(graph("application/n-triples"), "application/n-triples");
  EXPECT_EQ(graph("application/n-quads"), "application/n-quads");
  EXPECT_EQ(graph("application/trig"), "application/trig");
}

TEST(Negotiation, WeightsDecideAndThenTheOrderOfTheOffers) {
  EXPECT_EQ(rows("application/sparql-results+json;q=0.5, text/csv;q=0.6"),
            "text/csv; charset=utf-8");
  EXPECT_EQ(rows("text/csv, application/sparql-results+xml"), "application/sparql-results+xml");
  EXPECT_EQ(rows("text/csv ; q=0.501 , text/tab-separated-values;q=0.502"),
            "text/tab-separated-values; charset=utf-8");
  EXPECT_EQ(graph("text/turtle;q=0.8, application/rdf+xml"), "application/rdf+xml");
  EXPECT_EQ(graph("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
            "application/xml");
}

TEST(Negotiation, TheClosestRangeDecides) {
  EXPECT_EQ(rows("*/*, application/sparql-results+json;q=0"), "application/sparql-results+xml");
  EXPECT_EQ(rows("*/*;q=0.1, text/*;q=0.5"), "text/csv; charset=utf-8");
  EXPECT_EQ(rows("text/csv;q=0.2, text/*;q=0.5"), "text/tab-separated-values; charset=utf-8");
  EXPECT_EQ(quality_of("text/*;q=0.5, text/csv", "text/csv"), 1'000);
  EXPECT_EQ(quality_of("text/csv;q=0.3, text/csv;q=0.7", "text/csv"), 700);
}

TEST(Negotiation, WhatIsNotWantedIsNotGiven) {
  for (const char* accept : {"image/png", "text/html", "*/*;q=0", "text/csv;q=0.000", "text", ",",
                             "application/sparql-results", "texts/*"}) {
    EXPECT_EQ(rows(accept), "none") << accept;
  }
  EXPECT_EQ(graph("application/sparql-results+json"), "none");
  EXPECT_EQ(graph("text/csv"), "none");
}

TEST(Negotiation, WeightsThatAreNoneDoNotCount) {
  EXPECT_EQ(quality_of("text/csv;q=", "text/csv"), 1'000);
  EXPECT_EQ(quality_of("text/csv;q=x", "text/csv"), 1'000);
  EXPECT_EQ(quality_of("text/csv;q=0.5x", "text/csv"), 1'000);
  EXPECT_EQ(quality_of("text/csv;q=0.1239", "text/csv"), 123);
  EXPECT_EQ(quality_of("text/csv;q=0", "text/csv"), 0);
}

TEST(Negotiation, GzipIsForThoseWhoAskForIt) {
  for (const char* wanted : {"gzip", "deflate, gzip;q=0.5", "*", "GZIP"}) {
    EXPECT_TRUE(wants_gzip(wanted)) << wanted;
  }
  for (const char* other : {"", "identity", "gzip;q=0", "br, gzip;q=0.0", "*, gzip;q=0"}) {
    EXPECT_FALSE(wants_gzip(other)) << other;
  }
}

}  // namespace
}  // namespace helve::serve
