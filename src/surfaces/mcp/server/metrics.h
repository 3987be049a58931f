// Metrics: counters of a server, and their text for Prometheus.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace helve::mcp {

// Thread-safe. Names of methods and tools are bounded: what clients make up is "other".
class Metrics {
 public:
  enum class Result : std::uint8_t { Ok, ToolError, ProtocolError, Cancelled };

  void count_request(std::string_view method, Result result, Duration took);
  void count_tool(std::string_view tool, bool is_error, Duration took);
  void count_busy();
  void count_refusal(std::string_view why);  // "origin", "token", "host", "body"
  void begin_request();
  void end_request();
  void set_connections(std::int64_t open);
  void set_sessions(std::int64_t open);  // of HTTP
  // Numbers that are asked for when the text is made, once for each text: handles, memory.
  struct Gauge {
    std::string_view name, help;  // literals
    double value = 0;
  };
  void add_gauges(std::function<std::vector<Gauge>()> read);

  std::string to_prometheus() const;

 private:
  struct Histogram {
    std::vector<std::uint64_t> buckets;
    std::uint64_t count = 0;
    double seconds = 0;
    void add(Duration took);
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, Result>, std::uint64_t> requests_;
  std::map<std::string, Histogram> methods_;
  std::map<std::pair<std::string, bool>, std::uint64_t> tools_;
  std::map<std::string, Histogram> tool_times_;
  std::map<std::string, std::uint64_t> refusals_;
  std::uint64_t busy_ = 0;
  std::int64_t in_flight_ = 0;
  std::int64_t connections_ = 0;
  std::int64_t sessions_ = 0;
  std::vector<std::function<std::vector<Gauge>()>> gauges_;
};

}  // namespace helve::mcp
