// Http over libcurl. Transfers run in slices, so that deadlines and cancellation are honoured even
// while the other side is silent, and only while somebody reads: what is not read stays on the
// wire.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>

#include "base/ascii.h"
#include "base/check.h"
#include "base/compression.h"
#include "base/http.h"
#include "base/http_curl_library.h"
#include "base/log.h"
#include "base/network_address.h"
#include "base/real_env.h"

namespace helve {

namespace {

// `detail` names it: behind a redirect it is the choice of a server.
Error private_address(std::string detail) {
  return Error(ErrorCode::Denied, "an address of this machine or its network is not asked",
               "allow private addresses for this endpoint if that is meant")
      .with_detail(std::move(detail));
}

constexpr int kCurlSliceMs = 20;
constexpr std::size_t kHeaderBytesMax = 256 * kKiB;
constexpr std::size_t kIdleConnectionsMax = 8;
constexpr long kReceiveBytes = 256L * 1024;
constexpr std::size_t kBufferedBytesMax = 512 * kKiB;

// REQUIRES: curl_library() has succeeded.
const CurlLibrary& curl() { return **curl_library(); }

// An easy handle and the multi handle that drives it; connections live in the latter and are used
// again by the next request that takes the pair.
struct Connection {
  struct EasyCleanup {
    void operator()(CURL* handle) const { curl().easy_cleanup(handle); }
  };
  struct MultiCleanup {
    void operator()(CURLM* handle) const { curl().multi_cleanup(handle); }
  };
  std::unique_ptr<CURLM, MultiCleanup> multi{curl().multi_init()};
  std::unique_ptr<CURL, EasyCleanup> easy{curl().easy_init()};
  std::string origin;           // that it was last used for
  bool allows_private = false;  // its connections were made under this
};

// Those that nobody uses.
class IdleConnections {
 public:
  Connection take(const std::string& origin, bool allows_private) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(idle_.rbegin(), idle_.rend(), [&](const Connection& one) {
      return one.origin == origin && one.allows_private == allows_private;
    });
    Connection connection;
    if (found != idle_.rend()) {
      connection = std::move(*found);
      idle_.erase(std::next(found).base());
    }
    connection.origin = origin;
    connection.allows_private = allows_private;
    return connection;
  }
  void give_back(Connection connection) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() >= kIdleConnectionsMax) idle_.erase(idle_.begin());
    idle_.push_back(std::move(connection));
  }

 private:
  std::mutex mutex_;
  std::vector<Connection> idle_;  // longest unused first
};

IdleConnections& idle_connections() {
  static IdleConnections idle;
  return idle;
}

struct SlistCleanup {
  void operator()(curl_slist* list) const { curl().slist_free_all(list); }
};
using Slist = std::unique_ptr<curl_slist, SlistCleanup>;

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// Header injection ends here: names are tokens, values stay on their line (RFC 9110 section 5).
Result<void> validate_request(const HttpRequest& request) {
  if (!is_token(request.method)) {
    return Error{ErrorCode::InvalidInput, "the HTTP method is not a word", "use GET or POST"};
  }
  constexpr std::string_view kLineEnds("\r\n\0", 3);
  for (const HttpHeaders* headers : {&request.headers, &request.credentials}) {
    for (const auto& [name, value] : *headers) {
      if (!is_token(name) || value.find_first_of(kLineEnds) != std::string::npos) {
        return Error{ErrorCode::InvalidInput, "an HTTP header has a bad name or a line break in it",
                     "header names are words, values stay on one line"};
      }
    }
  }
  return {};
}

Slist header_list(const HttpRequest& request) {
  // No "Expect: 100-continue": many servers let the client wait for an answer that never comes.
  Slist list(curl().slist_append(nullptr, "Expect:"));
  const auto add = [&list](const std::string& line) {
    curl_slist* const grown = curl().slist_append(list.get(), line.c_str());
    HELVE_CHECK(grown != nullptr);
    (void)list.release();
    list.reset(grown);
  };
  // Decompressed here and not by curl, which would have to keep what nobody reads yet.
  add("Accept-Encoding: gzip");
  for (const HttpHeaders* headers : {&request.headers, &request.credentials}) {
    for (const auto& [name, value] : *headers) {
      // curl drops "name:" and sends an empty value for "name;".
      add(value.empty() ? name + ";" : fmt::format("{}: {}", name, value));
    }
  }
  return list;
}

// The body must outlive the transfer.
void set_method(CURL* easy, const std::string& method, const std::string& body) {
  if (method == "HEAD") {
    curl().easy_setopt(easy, CURLOPT_NOBODY, 1L);
    return;
  }
  if (method == "GET" && body.empty()) {
    curl().easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    return;
  }
  curl().easy_setopt(easy, CURLOPT_POST, 1L);
  curl().easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  curl().easy_setopt(easy, CURLOPT_POSTFIELDS, body.c_str());
  if (method != "POST") {
    curl().easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
  }
}

// One request on its way and the answer as it comes. What callbacks refuse leaves its reason in
// `trouble_`. Lives at one place: curl knows its address.
class Transfer final : public ByteSource {
 public:
  Transfer(const HttpRequest& request, const OpContext& context, Connection connection)
      : context_(context),
        started_(real_clock().now()),
        method_(request.method),
        url_(request.url),
        shown_(fmt::format("{} {}", request.method, public_part_of_url(request.url))),
        body_(request.body),
        headers_(header_list(request)),
        connection_(std::move(connection)) {
    HELVE_CHECK(easy() != nullptr && multi() != nullptr);
    prepare(request);
    HELVE_CHECK(curl().multi_add_handle(multi(), easy()) == CURLM_OK);
  }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer() override {
    detach();
    if (is_logged(LogLevel::Debug)) tell();
  }

  // Until the head is there.
  tl::expected<HttpHead, HttpFailure> head(const Deadline& deadline) {
    while (!has_head_ && !outcome_) {
      if (auto moved = step(); !moved) {
        return tl::unexpected(HttpFailure{HttpFault::Stopped, std::move(moved).error()});
      }
      if (!has_head_ && !outcome_ && deadline.has_passed()) {
        return tl::unexpected(HttpFailure{
            HttpFault::HeadTime,
            Error{ErrorCode::LimitExceeded, fmt::format("{}: no answer has begun in time", shown_),
                  "ask for less, or give it more time"}});
      }
    }
    // What came before a connection broke is for who reads the body.
    if (!has_head_) {
      if (auto failure = failed()) return tl::unexpected(*std::move(failure));
    }
    curl().easy_getinfo(easy(), CURLINFO_RESPONSE_CODE, &status_);
    return HttpHead{static_cast<int>(status_), std::move(response_headers_), url_};
  }

  Result<std::size_t> read(std::span<char> into) override {
    if (into.empty()) return std::size_t{0};
    if (taken_ < buffer_.size()) {
      const std::size_t count = buffer_.copy(into.data(), into.size(), taken_);
      taken_ += count;
      received_ += count;
      return count;
    }
    buffer_.clear();
    taken_ = 0;
    into_ = into;
    auto moved = receive();
    const std::size_t count = into.size() - into_.size();
    into_ = {};
    received_ += count;
    HELVE_TRY(std::move(moved));
    if (count > 0) return count;
    if (auto failure = failed()) return std::move(failure->error);
    give_back();
    return std::size_t{0};
  }

 private:
  // Whom it was, how it went and how much came, never what.
  void tell() const {
    const auto address = read_http_address(url_);
    const std::chrono::duration<double, std::milli> took = real_clock().now() - started_;
    log_debug("HTTP request", {{"method", method_},
                               {"host", address ? address->host : ""},
                               {"status", status_},
                               {"ms", took.count()},
                               {"bytes_sent", body_.size()},
                               {"bytes_read", received_}});
  }

  CURL* easy() const { return connection_.easy.get(); }
  CURLM* multi() const { return connection_.multi.get(); }

  void prepare(const HttpRequest& request) {
    const auto set = [this](CURLoption option, auto value) {
      curl().easy_setopt(easy(), option, value);
    };
    const HttpReach& reach = request.reach;
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_HTTPHEADER, headers_.get());
    set(CURLOPT_USERAGENT, "helve");
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_QUICK_EXIT, 1L);  // do not wait for a resolver that hangs
    set(CURLOPT_CONNECTTIMEOUT_MS,
        static_cast<long>(
            std::chrono::duration_cast<std::chrono::milliseconds>(reach.connect_timeout).count()));
    set(CURLOPT_BUFFERSIZE, kReceiveBytes);
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));  // where a server has it
    set(CURLOPT_PROXY, reach.proxy.c_str());
    set(CURLOPT_NOPROXY, "");
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);  // what a proxy says of its tunnel is no answer
    if (!reach.ca_file.empty()) set(CURLOPT_CAINFO, reach.ca_file.c_str());
    is_checking_ = !reach.allows_private && reach.proxy.empty();
    set(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
    set(CURLOPT_ERRORBUFFER, error_text_.data());
    set(CURLOPT_WRITEFUNCTION, on_body);
    set(CURLOPT_WRITEDATA, static_cast<void*>(this));
    set(CURLOPT_HEADERFUNCTION, on_header);
    set(CURLOPT_HEADERDATA, static_cast<void*>(this));
    set_method(easy(), request.method, body_);
  }

  // The address that was resolved is the one that is connected to.
  static curl_socket_t open_socket(void* user, curlsocktype /*purpose*/, curl_sockaddr* address) {
    auto& transfer = *static_cast<Transfer*>(user);
    if (transfer.is_checking_ && !is_public_address(address->addr)) {
      transfer.refuse(HttpFault::Private,
                      private_address(fmt::format("{} resolves to {}", transfer.shown_,
                                                  to_string(address->addr))));
      return CURL_SOCKET_BAD;
    }
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  }

  static std::size_t on_body(const char* data, std::size_t size, std::size_t count, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    const std::size_t bytes = size * count;
    transfer.has_head_ = true;
    if (transfer.buffer_.size() - transfer.taken_ >= kBufferedBytesMax) {
      transfer.is_paused_ = true;
      return CURL_WRITEFUNC_PAUSE;
    }
    // To who waits for it, as far as it fits; what does not is kept.
    const std::size_t direct = std::min(bytes, transfer.into_.size());
    if (direct > 0) std::memcpy(transfer.into_.data(), data, direct);
    transfer.into_ = transfer.into_.subspan(direct);
    transfer.buffer_.append(data + direct, bytes - direct);
    return bytes;
  }

  static std::size_t on_header(const char* data, std::size_t size, std::size_t count, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    const std::string_view line(data, size * count);
    transfer.header_bytes_ += line.size();
    if (transfer.header_bytes_ > kHeaderBytesMax) {
      transfer.refuse(
          HttpFault::Cut,
          {ErrorCode::LimitExceeded,
           fmt::format("the HTTP response has more than {} bytes of headers", kHeaderBytesMax),
           "check the address: no server of what is asked for sends so many"});
      return 0;
    }
    if (line.starts_with("HTTP/")) {  // a new answer: after "100 Continue" and the like
      transfer.response_headers_.clear();
      const std::size_t space = line.find(' ');
      transfer.is_interim_ =
          space != std::string_view::npos && line.substr(space + 1).starts_with('1');
    } else if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
      transfer.response_headers_.emplace_back(ascii_lower(trimmed(line.substr(0, colon))),
                                              trimmed(line.substr(colon + 1)));
    } else if (trimmed(line).empty() && !transfer.is_interim_) {
      transfer.has_head_ = true;
    }
    return line.size();
  }

  void refuse(HttpFault fault, Error error) {
    if (!trouble_) trouble_ = HttpFailure{fault, std::move(error)};
  }

  // Until some bytes of the body are there, or it has ended.
  Result<void> receive() {
    const std::size_t room = into_.size();
    while (into_.size() == room && !outcome_) {
      if (is_paused_) {
        is_paused_ = false;
        curl().easy_pause(easy(), CURLPAUSE_CONT);
      } else {
        HELVE_TRY(step());
      }
    }
    return {};
  }

  // Moves bytes, or waits for some, for a slice of time.
  Result<void> step() {
    HELVE_TRY(context_.check());
    int running = 0;
    const bool had_head = has_head_;
    const std::size_t room = into_.size();
    CURLMcode code = curl().multi_perform(multi(), &running);
    const bool has_news = has_head_ != had_head || into_.size() != room || taken_ < buffer_.size();
    if (code == CURLM_OK && running > 0 && !has_news) {
      code = curl().multi_poll(multi(), nullptr, 0, kCurlSliceMs, nullptr);
    }
    if (code != CURLM_OK) {
      return Error{ErrorCode::Internal, fmt::format("libcurl: {}", curl().multi_strerror(code))};
    }
    int left = 0;
    while (const CURLMsg* message = curl().multi_info_read(multi(), &left)) {
      if (message->msg == CURLMSG_DONE) outcome_ = message->data.result;
    }
    return {};
  }

  std::optional<HttpFailure> failed() const {
    if (trouble_) return trouble_;
    if (!outcome_ || *outcome_ == CURLE_OK) return std::nullopt;
    const std::string reason =
        error_text_[0] != '\0' ? error_text_.data() : curl().easy_strerror(*outcome_);
    const std::string message = fmt::format("{} failed: {}", shown_, reason);
    switch (*outcome_) {
      case CURLE_URL_MALFORMAT:
      case CURLE_UNSUPPORTED_PROTOCOL:
        return HttpFailure{HttpFault::Request,
                           {ErrorCode::InvalidInput, message, "check the address"}};
      case CURLE_COULDNT_RESOLVE_HOST:
      case CURLE_COULDNT_RESOLVE_PROXY:
        return HttpFailure{HttpFault::Resolve,
                           {ErrorCode::Unavailable, message, "check the address and the network"}};
      case CURLE_COULDNT_CONNECT:
      case CURLE_OPERATION_TIMEDOUT:
        return HttpFailure{
            HttpFault::Connect,
            {ErrorCode::Unavailable, message, "check the address and that the server runs"}};
      case CURLE_SSL_CACERT_BADFILE:
        return HttpFailure{
            HttpFault::Tls,
            {ErrorCode::Unavailable, message, "check the file of certificates (ca_file)"}};
      case CURLE_SSL_CONNECT_ERROR:
      case CURLE_PEER_FAILED_VERIFICATION:
        return HttpFailure{
            HttpFault::Tls,
            {ErrorCode::Unavailable, message, "the server's certificate is not trusted here"}};
      default:
        return HttpFailure{HttpFault::Cut, {ErrorCode::Unavailable, message, "try again later"}};
    }
  }

  void detach() {
    if (easy() == nullptr) return;
    curl().multi_remove_handle(multi(), easy());
    curl().easy_reset(easy());
  }
  void give_back() {
    if (easy() == nullptr) return;
    detach();
    idle_connections().give_back(std::move(connection_));
  }

  OpContext context_;
  const MonotonicTime started_;
  const std::string method_;
  std::string url_;
  std::string shown_;
  std::string body_;
  Slist headers_;
  Connection connection_;
  bool is_checking_ = true;

  HttpHeaders response_headers_;
  std::size_t header_bytes_ = 0;
  bool is_interim_ = false;
  bool has_head_ = false;
  std::span<char> into_;  // the rest of where a reader waits for the body
  std::string buffer_;    // what came while nobody did
  std::size_t taken_ = 0;
  bool is_paused_ = false;
  long status_ = 0;  // 0: no answer has begun
  std::uint64_t received_ = 0;
  std::optional<CURLcode> outcome_;
  std::optional<HttpFailure> trouble_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
};

// What the head says of the encoding of the body.
Result<Compression> encoding_of(const HttpHead& head) {
  const std::string name = ascii_lower(head.header("content-encoding"));
  if (name.empty() || name == "identity") return Compression::None;
  if (name == "gzip" || name == "x-gzip") return Compression::Gzip;
  return Error{ErrorCode::Unavailable,
               fmt::format("{} answers in the encoding '{}', which it was not asked for",
                           public_part_of_url(head.url), name.substr(0, 40)),
               "tell its operator"};
}

class CurlHttp final : public Http {
 public:
  HttpOpened exchange(const HttpRequest& request, const OpContext& context) override {
    const auto fail = [](HttpFault fault, Error error) {
      return tl::unexpected(HttpFailure{fault, std::move(error)});
    };
    if (auto valid = validate_request(request); !valid)
      return fail(HttpFault::Request, valid.error());
    const auto address = read_http_address(request.url);
    if (!address) return fail(HttpFault::Request, address.error());
    // Where a proxy resolves names, only what is written can be looked at.
    if (!request.reach.allows_private && is_private_host(address->host)) {
      return fail(HttpFault::Private, private_address(public_part_of_url(request.url)));
    }
    if (auto goes_on = context.check(); !goes_on) return fail(HttpFault::Stopped, goes_on.error());
    if (const auto library = curl_library(); !library) {
      return fail(HttpFault::Library, library.error());
    }
    auto transfer = std::make_unique<Transfer>(
        request, context, idle_connections().take(address->origin(), request.reach.allows_private));
    auto head = transfer->head(request.head_deadline);
    if (!head) return tl::unexpected(std::move(head).error());
    const auto encoding = encoding_of(*head);
    if (!encoding) return fail(HttpFault::Cut, encoding.error());
    const bool has_body = request.method != "HEAD";
    return HttpStream{*std::move(head),
                      *encoding == Compression::None || !has_body
                          ? std::unique_ptr<ByteSource>(std::move(transfer))
                          : open_decompressor(*encoding, std::move(transfer), context.limits)};
  }
};

}  // namespace

Http& real_http() {
  static CurlHttp http;
  return http;
}

}  // namespace helve
