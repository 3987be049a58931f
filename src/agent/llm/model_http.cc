#include "agent/llm/model_http.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "agent/llm/answer_body.h"
#include "agent/llm/answer_parts.h"
#include "agent/llm/model_failure.h"
#include "agent/llm/prices.h"
#include "agent/llm/stream_clock.h"
#include "base/ascii.h"
#include "base/redaction.h"
#include "base/text.h"

namespace helve::llm {

namespace {

constexpr std::size_t kReadBytes = 64 * kKiB;
constexpr std::size_t kErrorBytesMax = 64 * kKiB;  // of a body that tells of an error
constexpr std::size_t kBytesOfToken = 512;
constexpr std::size_t kBytesBesides = 512 * kKiB;  // whatever else a stream carries
constexpr Duration kSleepSlice = std::chrono::milliseconds(5);
// A connection whose end comes at once can be used again.
constexpr Duration kEndWait = std::chrono::milliseconds(50);
constexpr Duration kErrorWait = std::chrono::seconds(2);  // for its words: the status is there

using Attempted = tl::expected<Answer, ModelFailure>;

tl::unexpected<ModelFailure> failed(ModelFailure failure) {
  return tl::unexpected(std::move(failure));
}

std::string host_of(const HttpAddress& address) {
  const bool is_usual = address.port == (address.scheme == "https" ? 443 : 80);
  return is_usual ? address.host : fmt::format("{}:{}", address.host, address.port);
}

// One request and what comes of it.
class Attempt {
 public:
  Attempt(const ProviderSettings& settings, const std::string& host, Env& env,
          const OpContext& context, AnswerLimit limit)
      : settings_(settings),
        limit_(std::move(limit)),
        host_(host),
        env_(env),
        context_(context),
        whole_(env.clock(), settings.answer_timeout),
        clock_(env.clock(), whole_, context.deadline) {}

  Attempted run(const HttpRequest& request, AnswerReader& reader, bool is_streamed) {
    OpContext bounded = context_;
    bounded.deadline = clock_.deadline(settings_.silence_timeout);
    auto opened = env_.http().exchange(request, bounded);
    if (!opened) return failed(stopped(failure_of_exchange(opened.error(), host_)));
    const int status = opened->head.status;
    if (status < 200 || status > 299) {
      const std::string said = beginning_of(*opened->body);
      if (auto goes_on = context_.check(); !goes_on) return failed({goes_on.error(), false, {}});
      return failed(failure_of_status(opened->head, said, host_, env_.clock().wall()));
    }
    if (is_streamed) clock_.sign();
    return receive(*opened->body, reader);
  }

 private:
  Attempted receive(ByteSource& source, AnswerReader& reader) {
    AnswerBody body(reader, limit_);
    MemoryCharge charge(*context_.memory, "the answer of a model");
    std::string piece(kReadBytes, '\0');
    while (true) {
      const auto count = source.read(piece);
      if (!count) {
        if (reader.is_complete()) break;
        return failed(stopped(cut(count.error(), body.bytes())));
      }
      if (*count == 0) break;
      clock_.sign_again();
      if (auto charged = charge.add(*count); !charged) {
        return failed({charged.error(), false, std::nullopt});
      }
      const auto is_over = body.add(std::string_view(piece).substr(0, *count));
      if (!is_over) return failed(failure_of_answer(is_over.error(), host_));
      if (*is_over) {
        read_end(source, piece);
        break;
      }
    }
    if (auto finished = body.finish(); !finished) {
      ModelFailure failure = failure_of_answer(finished.error(), host_);
      failure.may_retry = failure.may_retry && !body.is_something_else();
      return failed(std::move(failure));
    }
    return reader.take();
  }

  // The answer is there: what is left is the end of the connection's turn.
  void read_end(ByteSource& source, std::string& piece) {
    wait_for(kEndWait);
    for (int reads = 0; reads < 4; ++reads) {
      const auto count = source.read(piece);
      if (!count || *count == 0) return;
    }
  }

  // From now on.
  void wait_for(Duration time) {
    clock_.sign_ago(settings_.silence_timeout - std::min(time, settings_.silence_timeout));
  }

  std::string beginning_of(ByteSource& source) {
    wait_for(kErrorWait);
    std::string said;
    std::string piece(kErrorBytesMax, '\0');
    while (said.size() < kErrorBytesMax) {
      const auto count = source.read(piece);
      if (!count || *count == 0) break;
      said.append(piece, 0, std::min(*count, kErrorBytesMax - said.size()));
    }
    return said;
  }

  static ModelFailure as_it_is(Error error) { return {std::move(error), false, std::nullopt}; }

  ModelFailure cut(const Error& error, std::uint64_t bytes) const {
    if (error.code == ErrorCode::Cancelled || error.code == ErrorCode::LimitExceeded) {
      return as_it_is(error);
    }
    return {Error(ErrorCode::Unavailable,
                  fmt::format("{}: the answer was cut off in the middle, after {}", host_,
                              format_bytes(bytes)),
                  "try again")
                .with_detail(server_words(error.full_message())),
            true, std::nullopt};
  }

  // Whose limit it was, where it was one of time.
  ModelFailure stopped(ModelFailure failure) const {
    if (failure.error.code != ErrorCode::LimitExceeded) return failure;
    if (auto goes_on = context_.check(); !goes_on) return as_it_is(goes_on.error());
    if (whole_.has_passed()) {
      return as_it_is({ErrorCode::LimitExceeded,
                       fmt::format("{}: no whole answer within {}", host_,
                                   format_duration(settings_.answer_timeout)),
                       "ask for less, or raise answer_timeout"});
    }
    if (clock_.now() < MonotonicTime(settings_.silence_timeout)) return failure;
    return as_it_is({ErrorCode::LimitExceeded,
                     fmt::format("{}: silent for {} in the middle of the answer", host_,
                                 format_duration(settings_.silence_timeout)),
                     "try again, or raise silence_timeout"});
  }

  const ProviderSettings& settings_;
  const AnswerLimit limit_;
  const std::string& host_;
  Env& env_;
  const OpContext& context_;
  Deadline whole_;
  StreamClock clock_;
};

class HttpModel final : public Provider {
 public:
  HttpModel(const Wire& wire, ProviderSettings settings, HttpRequest request, std::string host,
            std::string key, Env& env)
      : wire_(wire),
        settings_(std::move(settings)),
        request_(std::move(request)),
        host_(std::move(host)),
        key_(std::move(key)),
        env_(env) {
    if (!key_.empty()) secrets_.push_back(key_);
    for (const auto& [name, value] : settings_.headers) secrets_.push_back(value);
    const auto own = read_http_address(wire.service_url());
    const auto address = read_http_address(request_.url);
    is_own_service_ = own && address && own->host == address->host;
  }

  bool tells_cost() const override { return settings_.prices.has_value(); }
  std::optional<double> cost_of(const Usage& usage) const override {
    if (!settings_.prices) return std::nullopt;
    return llm::cost_of(usage, *settings_.prices);
  }
  std::string name() const override { return std::string(wire_.name()); }
  std::string model() const override { return settings_.model; }

  Result<Answer> complete(const Request& request, const OpContext& context,
                          const StreamSink* sink) override {
    HELVE_TRY(context.check());
    const bool is_streamed = sink != nullptr;
    HttpRequest http = request_;
    http.headers.emplace_back("accept", is_streamed ? "text/event-stream" : "application/json");
    http.body = wire_.body(request, {settings_.model, is_own_service_, is_streamed});
    for (unsigned tried = 0;; ++tried) {
      Pieces pieces(sink, secrets_);
      const auto reader = wire_.reader(pieces);
      auto answer = Attempt(settings_, host_, env_, context, limit_of(request))
                        .run(http, *reader, is_streamed);
      if (answer) return finished(*std::move(answer), *reader, request, pieces, tried);
      const ModelFailure& failure = answer.error();
      const bool gives_up =
          !failure.may_retry || pieces.has_any() || tried >= settings_.retries_max;
      if (gives_up) return told(failure.error, tried, pieces);
      const Duration wait = failure.retry_after.value_or(back_off(tried, env_.random().next_u64()));
      if (wait > kRetryWaitMax || wait >= context.deadline.remaining()) {
        return told(waits_too_long(failure), tried, pieces);
      }
      HELVE_TRY(sleep(wait, context));
    }
  }

 private:
  // A server that does not know when to stop is not listened to for ever: a token takes some
  // hundred bytes of a stream.
  AnswerLimit limit_of(const Request& request) const {
    const std::size_t tokens = std::min(request.output_tokens_max, settings_.answer_bytes_max);
    const std::size_t bytes = kBytesBesides + kBytesOfToken * tokens;
    if (settings_.answer_bytes_max <= bytes) {
      return {settings_.answer_bytes_max, "ask for less, or raise answer_bytes_max"};
    }
    return {bytes, fmt::format("{} tokens were asked for, and none takes more than {} of them: use "
                               "another model or server",
                               format_count(tokens), format_bytes(kBytesOfToken))};
  }

  Answer finished(Answer answer, const AnswerReader& reader, const Request& request, Pieces& pieces,
                  unsigned tried) const {
    redact_answer(answer);
    name_calls(answer.calls, request);
    if (!reader.has_usage()) {
      const auto told = answer.usage.cost;
      answer.usage = estimated_usage(request, answer);
      answer.usage.cost = told;
    }
    // Prices of the caller's go before what a server says.
    if (settings_.prices) answer.usage.cost = cost_of(answer.usage);
    if (answer.model.empty()) answer.model = settings_.model;
    answer.retries = tried;
    pieces.finish();
    // Who asked for a stream and got it all at once.
    if (!pieces.has_reasoning()) pieces.reasoning(answer.reasoning);
    if (!pieces.has_text()) pieces.text(answer.text);
    pieces.finish();
    return answer;
  }

  Error told(Error error, unsigned tried, const Pieces& pieces) const {
    if (tried > 0) error.message += fmt::format(" (tried {} times)", tried + 1);
    if (pieces.has_any() && error.code == ErrorCode::Unavailable) {
      error.message += " (not tried again: a part of the answer was passed on)";
    }
    if (error.code == ErrorCode::Denied && secrets_.empty()) {
      error.hint = "no key was sent: give the one of this server, as env:NAME or file:PATH";
    }
    // Whatever its form: redact() leaves ordinary words alone.
    for (std::string* text : {&error.message, &error.detail, &error.hint}) {
      if (key_.size() < kSecretInDataMin) break;
      for (std::size_t at = text->find(key_); at != std::string::npos;
           at = text->find(key_, at + kRedacted.size())) {
        text->replace(at, key_.size(), kRedacted);
      }
    }
    return error;
  }

  static Error waits_too_long(const ModelFailure& failure) {
    Error error = failure.error;
    if (!failure.retry_after) return error;
    error.message += fmt::format("; it says to wait {}", format_duration(*failure.retry_after));
    error.hint = "wait that long, or use another model";
    return error;
  }

  Result<void> sleep(Duration wait, const OpContext& context) const {
    const Deadline until(env_.clock(), wait);
    while (!until.has_passed()) {
      HELVE_TRY(context.check());
      env_.clock().sleep_for(std::min(until.remaining(), kSleepSlice));
    }
    return context.check();
  }

  const Wire& wire_;
  ProviderSettings settings_;
  HttpRequest request_;  // without body
  std::string host_;
  std::string key_;
  std::vector<std::string> secrets_;  // that streams are looked through for
  Env& env_;
  bool is_own_service_ = false;
};

// Headers that carry what this client decides.
bool is_ours(std::string_view name) {
  constexpr std::array kOurs = {"host",       "content-length", "content-type", "transfer-encoding",
                                "connection", "accept-encoding"};
  return std::any_of(kOurs.begin(), kOurs.end(),
                     [name](const char* ours) { return is_same_in_any_case(name, ours); });
}

Result<void> add_headers(const HttpHeaders& given, HttpRequest& request) {
  for (const auto& [name, value] : given) {
    const std::string_view own = name;
    if (is_ours(own)) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("the header '{}' cannot be set", server_words(own)), "leave it out"};
    }
    // One of ours gives way.
    const auto is_same = [own](const auto& header) {
      return is_same_in_any_case(header.first, own);
    };
    std::erase_if(request.headers, is_same);
    std::erase_if(request.credentials, is_same);
    request.credentials.emplace_back(name, value);
  }
  return {};
}

}  // namespace

Result<std::string> model_url(std::string_view base, const Wire& wire) {
  if (base.empty()) base = wire.service_url();
  HELVE_TRY(read_http_address(base));
  const std::size_t question = base.find_first_of("?#");
  const std::string_view query =
      question != std::string_view::npos ? base.substr(question) : std::string_view();
  std::string url(base.substr(0, question));
  while (url.ends_with('/')) url.pop_back();
  const bool has_path = url.find('/', url.find("://") + 3) != std::string::npos;
  if (!has_path) url += "/v1";
  if (!url.ends_with(wire.path())) url += wire.path();
  if (query.starts_with('?')) url += query.substr(0, query.find('#'));
  return url;
}

Result<std::shared_ptr<Provider>> open_model(const Wire& wire, const ProviderSettings& settings,
                                             std::string key, Env& env) {
  HttpRequest request;
  request.method = "POST";
  HELVE_ASSIGN(request.url, model_url(settings.url, wire));
  HELVE_ASSIGN(const HttpAddress address, read_http_address(request.url));
  request.headers = wire.headers();
  request.headers.emplace_back("content-type", "application/json");
  if (!key.empty()) request.credentials.push_back(wire.credential(key));
  HELVE_TRY(add_headers(settings.headers, request));
  request.reach.allows_private = settings.allows_private;
  request.reach.connect_timeout = settings.connect_timeout;
  return std::make_shared<HttpModel>(wire, settings, std::move(request), host_of(address),
                                     std::move(key), env);
}

}  // namespace helve::llm
