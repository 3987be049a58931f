#include "surfaces/mcp/offer/helve_uri.h"

#include <gtest/gtest.h>

namespace helve::mcp {
namespace {

TEST(HelveUri, ReadsWhatItWrites) {
  for (const char* name : {"planets", "a b/c?d=%&#", "Größe", "..", "results_0"}) {
    for (const ResourceKind kind : {ResourceKind::Schema, ResourceKind::Results}) {
      const auto address = read_address(write_address(kind, name));
      ASSERT_TRUE(address) << name;
      EXPECT_EQ(address->kind, kind);
      EXPECT_EQ(address->name, name);
    }
  }
  EXPECT_EQ(write_address(ResourceKind::Schema, "a b"), "helve://schema/a%20b");
  EXPECT_EQ(read_address("helve://sources")->kind, ResourceKind::Sources);
  EXPECT_EQ(read_address("helve://tools")->kind, ResourceKind::Tools);
}

TEST(HelveUri, ReadsPages) {
  const auto address = read_address("helve://results/results_0?limit=5&offset=100");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->offset, 100U);
  EXPECT_EQ(address->limit, 5U);
  EXPECT_TRUE(read_address("helve://results/results_0?"));
}

TEST(HelveUri, RefusesWhatIsNone) {
  for (const char* uri : {"",
                          "helve://",
                          "helve:/sources",
                          "HELVE://sources",
                          "file:///etc/passwd",
                          "helve://sources/",
                          "helve://sources/x",
                          "helve://sources?x=1",
                          "helve://tools?offset=1",
                          "helve://schema",
                          "helve://schema/",
                          "helve://schema/a?offset=1",
                          "helve://results/",
                          "helve://results/%",
                          "helve://results/%4",
                          "helve://results/%zz",
                          "helve://results/%+1",
                          "helve://results/%-1",
                          "helve://results/%FF",
                          "helve://results/a?offset=",
                          "helve://results/a?offset=-1",
                          "helve://results/a?offset=1&offset=2",
                          "helve://results/a?offset=99999999999999999999",
                          "helve://results/a?offset=1x",
                          "helve://results/a?other=1",
                          "helve://results/a?offset",
                          "helve://nothing/a"}) {
    EXPECT_FALSE(read_address(uri)) << uri;
  }
  EXPECT_FALSE(read_address("helve://schema/" + std::string(1'000'000, 'a')));
}

}  // namespace
}  // namespace helve::mcp
