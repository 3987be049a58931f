// Http over libcurl. Transfers run in slices, so that deadlines and cancellation are honoured even
// while the other side is silent.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <mutex>
#include <optional>

#include "base/check.h"
#include "base/http_curl_library.h"
#include "base/real_env.h"

namespace helve {

namespace {

constexpr int kPollSliceMs = 20;
constexpr long kConnectTimeoutMs = 30'000;
constexpr std::size_t kHeaderBytesMax = 256 * kKiB;
constexpr std::size_t kIdleConnectionsMax = 8;

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
};

struct SlistCleanup {
  void operator()(curl_slist* list) const { curl().slist_free_all(list); }
};
using Slist = std::unique_ptr<curl_slist, SlistCleanup>;

// What the callbacks fill. A callback that refuses bytes leaves the reason in `failure`.
struct Transfer {
  const OpContext& context;
  HttpResponse response;
  MemoryCharge charge;
  std::size_t header_bytes = 0;
  std::optional<Error> failure;
  std::array<char, CURL_ERROR_SIZE> error_text{};

  explicit Transfer(const OpContext& op) : context(op), charge(*op.memory, "an HTTP response") {}
};

std::size_t on_body(const char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::size_t bytes = size * count;
  const std::size_t bytes_max = transfer.context.limits.http_body_bytes_max;
  if (bytes > bytes_max - transfer.response.body.size()) {
    transfer.failure =
        Error{ErrorCode::LimitExceeded,
              fmt::format("the HTTP response is longer than the limit of {} bytes", bytes_max),
              "ask for less or raise http_body_bytes_max"};
    return 0;
  }
  if (auto charged = transfer.charge.add(bytes); !charged) {
    transfer.failure = std::move(charged).error();
    return 0;
  }
  transfer.response.body.append(data, bytes);
  return bytes;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::size_t on_header(const char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::string_view line(data, size * count);
  transfer.header_bytes += line.size();
  if (transfer.header_bytes > kHeaderBytesMax) {
    transfer.failure =
        Error{ErrorCode::LimitExceeded,
              fmt::format("the HTTP response has more than {} bytes of headers", kHeaderBytesMax)};
    return 0;
  }
  if (line.starts_with("HTTP/")) {  // a new answer: after a redirect, "100 Continue" and the like
    transfer.response.headers.clear();
  } else if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
    transfer.response.headers.emplace_back(lower_case(trimmed(line.substr(0, colon))),
                                           trimmed(line.substr(colon + 1)));
  }
  return line.size();
}

// For messages: without user name, password and query, which may hold secrets.
std::string public_part(std::string_view url) {
  std::string shown(url.substr(0, url.find_first_of("?#")));
  const std::size_t host = shown.find("://");
  if (host == std::string::npos) return shown;
  const std::size_t host_end = std::min(shown.find('/', host + 3), shown.size());
  const std::size_t at = shown.rfind('@', host_end);
  if (at != std::string::npos && at > host) shown.erase(host + 3, at - host - 2);
  return shown;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// Header injection ends here: names are tokens, values stay on their line (RFC 9110 section 5).
Result<void> validate(const HttpRequest& request) {
  if (!is_token(request.method)) {
    return Error{ErrorCode::InvalidInput, "the HTTP method is not a word", "use GET or POST"};
  }
  const std::string scheme = lower_case(request.url.substr(0, request.url.find("://")));
  if (scheme != "http" && scheme != "https") {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("'{}' is no http or https URL", public_part(request.url)),
                 "give an address that begins with http:// or https://"};
  }
  constexpr std::string_view kLineEnds("\r\n\0", 3);
  for (const auto& [name, value] : request.headers) {
    if (!is_token(name) || value.find_first_of(kLineEnds) != std::string::npos) {
      return Error{ErrorCode::InvalidInput, "an HTTP header has a bad name or a line break in it",
                   "header names are words, values stay on one line"};
    }
  }
  return {};
}

Slist header_list(const HttpRequest& request) {
  // No "Expect: 100-continue": many servers let the client wait for an answer that never comes.
  Slist list(curl().slist_append(nullptr, "Expect:"));
  for (const auto& [name, value] : request.headers) {
    // curl drops "name:" and sends an empty value for "name;".
    const std::string line = value.empty() ? name + ";" : fmt::format("{}: {}", name, value);
    curl_slist* grown = curl().slist_append(list.get(), line.c_str());
    HELVE_CHECK(grown != nullptr);
    (void)list.release();
    list.reset(grown);
  }
  return list;
}

void set_method(CURL* easy, const HttpRequest& request) {
  if (request.method == "HEAD") {
    curl().easy_setopt(easy, CURLOPT_NOBODY, 1L);
    return;
  }
  if (request.method == "GET" && request.body.empty()) {
    curl().easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    return;
  }
  curl().easy_setopt(easy, CURLOPT_POST, 1L);
  curl().easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
  curl().easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.c_str());
  // A custom name would survive redirects that must turn a POST into a GET.
  if (request.method != "POST") {
    curl().easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
}

void prepare(CURL* easy, const HttpRequest& request, curl_slist* headers, Transfer& transfer) {
  const Limits& limits = transfer.context.limits;
  curl().easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl().easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl().easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl().easy_setopt(easy, CURLOPT_FOLLOWLOCATION, limits.http_redirects_max > 0 ? 1L : 0L);
  curl().easy_setopt(easy, CURLOPT_MAXREDIRS, static_cast<long>(limits.http_redirects_max));
  curl().easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  curl().easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
  curl().easy_setopt(easy, CURLOPT_USERAGENT, "helve");
  curl().easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl().easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);  // do not wait for a resolver that hangs
  curl().easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeoutMs);
  curl().easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer.error_text.data());
  curl().easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl().easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
  curl().easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  curl().easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
  set_method(easy, request);
}

Error transfer_error(CURLcode code, const HttpRequest& request, const Transfer& transfer) {
  const std::string reason =
      transfer.error_text[0] != '\0' ? transfer.error_text.data() : curl().easy_strerror(code);
  const std::string message =
      fmt::format("{} {} failed: {}", request.method, public_part(request.url), reason);
  switch (code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return {ErrorCode::InvalidInput, message, "check the address"};
    case CURLE_TOO_MANY_REDIRECTS:
      return {ErrorCode::LimitExceeded, message, "use the final address"};
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
      return {ErrorCode::Unavailable, message, "check the address and that the server runs"};
    case CURLE_PEER_FAILED_VERIFICATION:
      return {ErrorCode::Unavailable, message, "the server's certificate is not trusted here"};
    default:
      return {ErrorCode::Unavailable, message, "try again later"};
  }
}

// Drives the transfer to its end; the caller takes the easy handle out again in any case.
Result<CURLcode> drive(CURLM* multi, const OpContext& context) {
  for (;;) {
    HELVE_TRY(context.check());
    int running = 0;
    CURLMcode outcome = curl().multi_perform(multi, &running);
    if (outcome == CURLM_OK && running > 0) {
      outcome = curl().multi_poll(multi, nullptr, 0, kPollSliceMs, nullptr);
    }
    if (outcome != CURLM_OK) {
      return Error{ErrorCode::Internal, fmt::format("libcurl: {}", curl().multi_strerror(outcome))};
    }
    int left = 0;
    while (const CURLMsg* message = curl().multi_info_read(multi, &left)) {
      if (message->msg == CURLMSG_DONE) return message->data.result;
    }
  }
}

class CurlHttp final : public Http {
 public:
  Result<HttpResponse> send(const HttpRequest& request, const OpContext& context) override {
    HELVE_TRY(validate(request));
    HELVE_TRY(context.check());
    HELVE_TRY(curl_library());
    Connection connection = take();
    CURL* easy = connection.easy.get();
    CURLM* multi = connection.multi.get();
    HELVE_CHECK(easy != nullptr && multi != nullptr);
    Transfer transfer(context);
    const Slist headers = header_list(request);
    prepare(easy, request, headers.get(), transfer);
    HELVE_CHECK(curl().multi_add_handle(multi, easy) == CURLM_OK);
    const auto driven = drive(multi, context);
    long status = 0;
    curl().easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl().multi_remove_handle(multi, easy);
    curl().easy_reset(easy);
    if (!driven) return driven.error();
    give_back(std::move(connection));
    if (transfer.failure) return *std::move(transfer.failure);
    if (*driven != CURLE_OK) return transfer_error(*driven, request, transfer);
    transfer.response.status = static_cast<int>(status);
    return std::move(transfer.response);
  }

 private:
  Connection take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return Connection{};
    Connection connection = std::move(idle_.back());
    idle_.pop_back();
    return connection;
  }
  void give_back(Connection connection) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kIdleConnectionsMax) idle_.push_back(std::move(connection));
  }

  std::mutex mutex_;
  std::vector<Connection> idle_;
};

}  // namespace

Http& real_http() {
  static CurlHttp http;
  return http;
}

}  // namespace helve
