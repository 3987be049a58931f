// helve_http_probe: requests over the seam Http, for transport_test.py, which has the servers.
//   helve_http_probe [--ca FILE] [--proxy URL] [--private yes|no] URL ...
// Options are of the addresses behind them. One line of JSON for each: status, body, or the fault.
#include <cstdio>
#include <string>
#include <string_view>

#include "base/env.h"
#include "base/http.h"
#include "base/json_writer.h"

namespace helve {
namespace {

constexpr std::size_t kShownBytes = 500;

const char* name_of(HttpFault fault) {
  switch (fault) {
    case HttpFault::Tls:
      return "tls";
    case HttpFault::Connect:
      return "connect";
    case HttpFault::Resolve:
      return "resolve";
    case HttpFault::Private:
      return "private";
    default:
      return "other";
  }
}

void tell_error(JsonWriter& json, const Error& error) {
  json.member("error", error.message);
  json.member("hint", error.hint);
}

void tell_body(JsonWriter& json, ByteSource& body) {
  std::string piece(64 * kKiB, '\0');
  std::string shown;
  std::uint64_t bytes = 0;
  while (true) {
    const auto count = body.read(piece);
    if (!count) tell_error(json, count.error());
    if (!count || *count == 0) break;
    bytes += *count;
    if (shown.size() < kShownBytes) shown.append(piece, 0, *count);
  }
  json.member("bytes", bytes);
  json.member("body", shown.substr(0, kShownBytes));
}

void ask(const std::string& url, const HttpReach& reach) {
  HttpRequest request;
  request.url = url;
  request.reach = reach;
  std::string line;
  JsonWriter json(line);
  json.begin_object();
  auto opened = real_env().http().open(std::move(request), {});
  if (opened) {
    json.member("status", opened->head.status);
    tell_body(json, *opened->body);
  } else {
    json.member("fault", name_of(opened.error().fault));
    tell_error(json, opened.error().error);
  }
  json.end_object();
  std::puts(line.c_str());
}

}  // namespace
}  // namespace helve

int main(int count, char** words) {
  helve::HttpReach reach;
  reach.allows_private = true;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (!word.starts_with("--")) {
      helve::ask(words[i], reach);
      continue;
    }
    const std::string value = i + 1 < count ? words[++i] : "";
    if (word == "--ca") {
      reach.ca_file = value;
    } else if (word == "--proxy") {
      reach.proxy = value;
    } else if (word == "--private") {
      reach.allows_private = value == "yes";
    } else {
      return 2;
    }
  }
  return 0;
}
