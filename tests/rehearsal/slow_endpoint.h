// SlowEndpoint: a graph as the endpoint of somebody else: his VoID, and the time that queries would
// take on his data (cost_model.h). On loopback; protocol and answers are those of surfaces/serve/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "sources/sparql/engine/dataset.h"
#include "tests/rehearsal/cost_model.h"

namespace helve::rehearsal {

struct SlowOptions {
  CostRates rates;
  double delay_factor = 0.001;  // of the time that a query would take: so much is waited
};

// A request that came in.
struct AskedQuery {
  std::string text;  // empty: the VoID
  double seconds = 0;
  std::uint64_t rows_read = 0;
  bool has_failed = false;
};

// Thread-safe.
class SlowEndpoint {
 public:
  // `void_text` is Turtle.
  static Result<std::unique_ptr<SlowEndpoint>> start(std::shared_ptr<const sparql::Snapshot> data,
                                                     std::string void_text, SlowOptions options);
  ~SlowEndpoint();
  SlowEndpoint(const SlowEndpoint&) = delete;
  SlowEndpoint& operator=(const SlowEndpoint&) = delete;

  std::string url() const;
  // In the order of their ends, since the last call.
  std::vector<AskedQuery> take_asked();

 private:
  class Reception;
  explicit SlowEndpoint(std::unique_ptr<Reception> reception);
  std::unique_ptr<Reception> reception_;
};

}  // namespace helve::rehearsal
