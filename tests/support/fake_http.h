// FakeHttp: a server that says what it was told to, and remembers what it was asked.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "base/http.h"

namespace helve {

// Thread-safe. A request takes the next scripted reply; when none is left, the handler; without
// one, Unavailable. Deadline and cancellation are honoured as the real one does.
class FakeHttp final : public Http {
 public:
  using Handler = std::function<Result<HttpResponse>(const HttpRequest& request)>;

  HttpOpened exchange(const HttpRequest& request, const OpContext& context) override;

  void reply(HttpResponse response);
  void reply(int status, std::string body, std::string content_type = "application/json");
  void fail(Error error, HttpFault fault = HttpFault::Connect);
  void set_handler(Handler handler);

  std::vector<HttpRequest> requests() const;
  std::size_t replies_left() const;

 private:
  mutable std::mutex mutex_;
  std::deque<tl::expected<HttpResponse, HttpFailure>> replies_;
  Handler handler_;
  std::vector<HttpRequest> requests_;
};

}  // namespace helve
