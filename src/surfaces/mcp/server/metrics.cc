#include "surfaces/mcp/server/metrics.h"

#include <fmt/format.h>

#include <array>

namespace helve::mcp {

namespace {

constexpr std::array kBounds = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                0.05,   0.1,     0.25,   0.5,   1.0,    2.5,   10.0, 60.0};

std::string_view name_of(Metrics::Result result) {
  switch (result) {
    case Metrics::Result::Ok:
      return "ok";
    case Metrics::Result::ToolError:
      return "tool_error";
    case Metrics::Result::ProtocolError:
      return "protocol_error";
    case Metrics::Result::Cancelled:
      break;
  }
  return "cancelled";
}

void head(std::string& out, std::string_view name, std::string_view help, std::string_view type) {
  out += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

void plain(std::string& out, std::string_view name, std::string_view help, std::string_view type,
           double value) {
  head(out, name, help, type);
  out += fmt::format("{} {}\n", name, value);
}

}  // namespace

void Metrics::Histogram::add(Duration took) {
  buckets.resize(kBounds.size());
  const double value = std::chrono::duration<double>(took).count();
  for (std::size_t i = 0; i < kBounds.size(); ++i) buckets[i] += value <= kBounds[i] ? 1 : 0;
  ++count;
  seconds += value;
}

void Metrics::count_request(std::string_view method, Result result, Duration took) {
  const std::lock_guard lock(mutex_);
  ++requests_[{std::string(method), result}];
  methods_[std::string(method)].add(took);
}

void Metrics::count_tool(std::string_view tool, bool is_error, Duration took) {
  const std::lock_guard lock(mutex_);
  ++tools_[{std::string(tool), is_error}];
  tool_times_[std::string(tool)].add(took);
}

void Metrics::count_busy() {
  const std::lock_guard lock(mutex_);
  ++busy_;
}

void Metrics::count_refusal(std::string_view why) {
  const std::lock_guard lock(mutex_);
  ++refusals_[std::string(why)];
}

void Metrics::begin_request() {
  const std::lock_guard lock(mutex_);
  ++in_flight_;
}

void Metrics::end_request() {
  const std::lock_guard lock(mutex_);
  --in_flight_;
}

void Metrics::set_connections(std::int64_t open) {
  const std::lock_guard lock(mutex_);
  connections_ = open;
}

void Metrics::set_sessions(std::int64_t open) {
  const std::lock_guard lock(mutex_);
  sessions_ = open;
}

void Metrics::add_gauges(std::function<std::vector<Gauge>()> read) {
  const std::lock_guard lock(mutex_);
  gauges_.push_back(std::move(read));
}

std::string Metrics::to_prometheus() const {
  std::vector<std::function<std::vector<Gauge>()>> gauges;
  std::string out;
  const auto histograms = [&out](std::string_view name, std::string_view help,
                                 std::string_view label,
                                 const std::map<std::string, Histogram>& all) {
    head(out, name, help, "histogram");
    for (const auto& [key, histogram] : all) {
      for (std::size_t i = 0; i < kBounds.size(); ++i) {
        out += fmt::format("{}_bucket{{{}=\"{}\",le=\"{}\"}} {}\n", name, label, key, kBounds[i],
                           histogram.buckets[i]);
      }
      out += fmt::format(
          "{0}_bucket{{{1}=\"{2}\",le=\"+Inf\"}} {3}\n{0}_sum{{{1}=\"{2}\"}} {4}\n"
          "{0}_count{{{1}=\"{2}\"}} {3}\n",
          name, label, key, histogram.count, histogram.seconds);
    }
  };
  {
    const std::lock_guard lock(mutex_);
    head(out, "helve_requests_total", "Requests answered, by method and result", "counter");
    for (const auto& [key, count] : requests_) {
      out += fmt::format("helve_requests_total{{method=\"{}\",result=\"{}\"}} {}\n", key.first,
                         name_of(key.second), count);
    }
    histograms("helve_request_seconds", "Time to answer, by method", "method", methods_);
    head(out, "helve_tool_calls_total", "Calls of tools, by tool and result", "counter");
    for (const auto& [key, count] : tools_) {
      out += fmt::format("helve_tool_calls_total{{tool=\"{}\",result=\"{}\"}} {}\n", key.first,
                         key.second ? "error" : "ok", count);
    }
    histograms("helve_tool_seconds", "Time of a call, by tool", "tool", tool_times_);
    head(out, "helve_refusals_total", "HTTP requests refused, by reason", "counter");
    for (const auto& [why, count] : refusals_) {
      out += fmt::format("helve_refusals_total{{reason=\"{}\"}} {}\n", why, count);
    }
    plain(out, "helve_busy_total", "Requests refused because too many were waiting", "counter",
          static_cast<double>(busy_));
    plain(out, "helve_requests_in_flight", "Requests under way", "gauge",
          static_cast<double>(in_flight_));
    plain(out, "helve_connections", "Open connections", "gauge", static_cast<double>(connections_));
    plain(out, "helve_http_sessions", "Sessions of HTTP clients that began with initialize",
          "gauge", static_cast<double>(sessions_));
    gauges = gauges_;
  }
  // They may take their time, and locks of their own.
  for (const auto& read : gauges) {
    for (const Gauge& gauge : read()) plain(out, gauge.name, gauge.help, "gauge", gauge.value);
  }
  return out;
}

}  // namespace helve::mcp
