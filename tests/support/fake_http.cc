// Scripted HTTP.
#include "tests/support/fake_http.h"

#include <fmt/core.h>

namespace helve {

Result<HttpResponse> FakeHttp::send(const HttpRequest& request, const OpContext& context) {
  HELVE_TRY(context.check());
  Handler handler;
  Result<HttpResponse> response =
      Error{ErrorCode::Unavailable,
            fmt::format("FakeHttp has no reply for {} {}", request.method, request.url)};
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    if (!replies_.empty()) {
      response = std::move(replies_.front());
      replies_.pop_front();
    } else {
      handler = handler_;
    }
  }
  if (handler) response = handler(request);
  HELVE_TRY(context.check());  // the handler may have let time pass
  if (response && response->body.size() > context.limits.http_body_bytes_max) {
    return Error{ErrorCode::LimitExceeded, "the HTTP response is longer than the limit"};
  }
  return response;
}

void FakeHttp::reply(HttpResponse response) {
  const std::lock_guard lock(mutex_);
  replies_.emplace_back(std::move(response));
}

void FakeHttp::reply(int status, std::string body, std::string content_type) {
  reply(HttpResponse{status, {{"content-type", std::move(content_type)}}, std::move(body)});
}

void FakeHttp::fail(Error error) {
  const std::lock_guard lock(mutex_);
  replies_.emplace_back(std::move(error));
}

void FakeHttp::set_handler(Handler handler) {
  const std::lock_guard lock(mutex_);
  handler_ = std::move(handler);
}

std::vector<HttpRequest> FakeHttp::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::size_t FakeHttp::replies_left() const {
  const std::lock_guard lock(mutex_);
  return replies_.size();
}

}  // namespace helve
