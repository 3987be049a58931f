#include "surfaces/mcp/server/metrics.h"

#include <gtest/gtest.h>

namespace helve::mcp {
namespace {

TEST(Metrics, GaugesAreReadOnceForATextTogether) {
  Metrics metrics;
  int reads = 0;
  metrics.add_gauges([&reads]() -> std::vector<Metrics::Gauge> {
    ++reads;
    return {{"helve_one", "One.", 1}, {"helve_two", "Two.", 2}};
  });
  const std::string text = metrics.to_prometheus();
  EXPECT_EQ(reads, 1);
  EXPECT_NE(text.find("# TYPE helve_one gauge\nhelve_one 1\n"), std::string::npos);
  EXPECT_NE(text.find("# TYPE helve_two gauge\nhelve_two 2\n"), std::string::npos);
}

}  // namespace
}  // namespace helve::mcp
