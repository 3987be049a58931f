// Scripted HTTP.
#include "tests/support/fake_http.h"

#include <fmt/core.h>

namespace helve {

namespace {

class OwnedText final : public ByteSource {
 public:
  OwnedText(std::string text, OpContext context)
      : text_(std::move(text)), source_(text_), context_(std::move(context)) {}
  Result<std::size_t> read(std::span<char> into) override {
    HELVE_TRY(context_.check());
    return source_.read(into);
  }

 private:
  std::string text_;
  StringSource source_;
  OpContext context_;
};

}  // namespace

HttpOpened FakeHttp::exchange(const HttpRequest& request, const OpContext& context) {
  using Reply = tl::expected<HttpResponse, HttpFailure>;
  const auto fail = [](HttpFault fault, Error error) {
    return tl::unexpected(HttpFailure{fault, std::move(error)});
  };
  if (auto goes_on = context.check(); !goes_on) return fail(HttpFault::Stopped, goes_on.error());
  Handler handler;
  Reply reply = fail(HttpFault::Connect,
                     {ErrorCode::Unavailable,
                      fmt::format("FakeHttp has no reply for {} {}", request.method, request.url)});
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    if (!replies_.empty()) {
      reply = std::move(replies_.front());
      replies_.pop_front();
    } else {
      handler = handler_;
    }
  }
  if (handler) {
    auto handled = handler(request);
    reply = handled ? Reply(*std::move(handled)) : fail(HttpFault::Connect, handled.error());
  }
  // The handler may have let time pass.
  if (auto goes_on = context.check(); !goes_on) return fail(HttpFault::Stopped, goes_on.error());
  if (!reply) return tl::unexpected(std::move(reply).error());
  return HttpStream{{reply->status, std::move(reply->headers), request.url},
                    std::make_unique<OwnedText>(std::move(reply->body), context)};
}

void FakeHttp::reply(HttpResponse response) {
  const std::lock_guard lock(mutex_);
  replies_.emplace_back(std::move(response));
}

void FakeHttp::reply(int status, std::string body, std::string content_type) {
  reply(HttpResponse{status, {{"content-type", std::move(content_type)}}, std::move(body)});
}

void FakeHttp::fail(Error error, HttpFault fault) {
  const std::lock_guard lock(mutex_);
  replies_.emplace_back(tl::unexpected(HttpFailure{fault, std::move(error)}));
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
