// WireOptions: sizes and times of the connections of an HTTP server. wire.h keeps them.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/clock.h"
#include "base/limits.h"

namespace helve::http {

struct WireOptions {
  std::size_t header_bytes_max = 16 * kKiB;
  std::size_t body_bytes_max = kMiB;
  std::size_t stream_buffer_max = 4 * kMiB;  // unsent bytes of a client that does not read
  Duration header_timeout = std::chrono::seconds(10);
  Duration body_timeout = std::chrono::seconds(30);
  Duration idle_timeout = std::chrono::seconds(60);         // between requests
  Duration write_timeout = std::chrono::seconds(30);        // without a byte going out
  Duration keep_alive_interval = std::chrono::seconds(15);  // between comments in quiet streams
  std::size_t connections_max = 1'024;
};

}  // namespace helve::http
