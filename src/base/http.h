// Http: the seam to servers on the network, and what is built on it: redirects and whole answers.
// Bodies are read as they come, so that a reader may stop early. http_curl.cc is the real one,
// tests/support/fake_http.h the fake.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/op_context.h"
#include "base/result.h"

namespace helve {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// How the other side is reached.
struct HttpReach {
  // Loopback, private networks and the like, of the host that is named; redirects never lead there.
  // False: an address that a name leads to is looked at before it is connected to, so that no name
  // leads inside.
  bool allows_private = false;
  // A redirect to another scheme, host or port is refused, except to https of the same host.
  bool stays_at_origin = false;
  std::string proxy;    // an address; empty: none, whatever the environment says
  std::string ca_file;  // of certificates to trust; empty: those of the system
  Duration connect_timeout = std::chrono::seconds(10);
};

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  HttpHeaders headers = {};
  std::string body = {};
  HttpHeaders credentials = {};  // headers too, sent to nobody but the server of `url`
  HttpReach reach = {};
  Deadline head_deadline = {};  // until the answer begins
};

struct HttpHead {
  int status = 0;
  HttpHeaders headers;  // names in lower case
  std::string url;      // that answered

  // The first of the name; empty where there is none.
  std::string_view header(std::string_view lower_case_name) const;
};

// An answer whose body, decompressed, is read as it comes. Dropping it before its end closes the
// connection.
struct HttpStream {
  HttpHead head;
  std::unique_ptr<ByteSource> body;
};

// What kept an answer from beginning.
enum class HttpFault : std::uint8_t {
  Request,    // it cannot be sent as it is
  Private,    // an address that is not allowed
  Resolve,    // the name is not known
  Connect,    // nobody listens
  Tls,        // certificates, protocols
  Cut,        // the connection ended, or what came is no HTTP
  Redirects,  // too many, or to where none may lead
  HeadTime,   // `head_deadline`
  Stopped,    // the deadline, cancellation or memory of the context
  Library,    // there is no libcurl
};

struct HttpFailure {
  HttpFault fault = HttpFault::Cut;
  Error error;
};
using HttpOpened = tl::expected<HttpStream, HttpFailure>;

struct HttpResponse {
  int status = 0;
  HttpHeaders headers;  // names in lower case
  std::string body;     // at most Limits::http_body_bytes_max
};

// Thread-safe.
class Http {
 public:
  virtual ~Http() = default;
  // One request, one answer of any status; redirects are answers. Returns when the head is there.
  // The memory and executor of the context must outlive the body.
  virtual HttpOpened exchange(const HttpRequest& request, const OpContext& context) = 0;

  // Follows redirects, at most Limits::http_redirects_max: the request is repeated as it is, but
  // for 303, which turns it into a GET. Never from https to http.
  HttpOpened open(HttpRequest request, const OpContext& context);
  // The whole of it.
  Result<HttpResponse> send(HttpRequest request, const OpContext& context);
};

// For messages: without user name, password and query, which may hold secrets.
std::string public_part_of_url(std::string_view url);

// "https", "example.org", 443, and the path with what follows. Names in lower case, IPv6 addresses
// without brackets.
struct HttpAddress {
  std::string scheme;
  std::string host;
  std::uint16_t port = 0;

  std::string origin() const;  // "https://example.org:443"
  friend bool operator==(const HttpAddress&, const HttpAddress&) = default;
};
// InvalidInput for what is no http or https URL, and for one with a user or a password in it.
Result<HttpAddress> read_http_address(std::string_view url);

// Whether the host is written as a number, or a name, that never leads out of this machine or its
// network: "localhost", "10.0.0.1". A name that leads there shows when it is resolved.
bool is_private_host(std::string_view host);

}  // namespace helve
