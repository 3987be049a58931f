#include "sources/remote/endpoint_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.h"
#include "base/json.h"
#include "base/percent.h"
#include "sources/remote/endpoint_knowledge.h"

namespace helve::remote {

namespace {

constexpr std::string_view kAcceptSolutions =
    "application/sparql-results+json, application/sparql-results+xml;q=0.8, "
    "text/tab-separated-values;q=0.5, text/csv;q=0.3";
constexpr std::string_view kAcceptStatements =
    "application/n-triples, text/turtle;q=0.9, application/rdf+xml;q=0.6";
constexpr std::size_t kGetUrlMax = 8'000;
constexpr std::size_t kLookedAt = 4'096;  // of a body, to see what it is
constexpr std::size_t kEnoughToSee = 256;
constexpr std::size_t kErrorBytes = 64 * kKiB;  // of an error page
constexpr Duration kFirstBackOff = std::chrono::milliseconds(500);
constexpr Duration kStaysWarm = std::chrono::minutes(10);

// A body whose beginning was looked at.
class LookedAt final : public ByteSource {
 public:
  LookedAt(std::string head, std::unique_ptr<ByteSource> rest)
      : head_(std::move(head)), rest_(std::move(rest)) {}
  Result<std::size_t> read(std::span<char> into) override {
    if (taken_ == head_.size()) return rest_->read(into);
    const std::size_t count = head_.copy(into.data(), into.size(), taken_);
    taken_ += count;
    return count;
  }

 private:
  std::string head_;
  std::size_t taken_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

// Reads until `enough` bytes are there, at most `bytes_max`, or to the end. What is there when
// reading fails is good; an error where there is nothing.
Result<void> read_some(ByteSource& source, std::size_t bytes_max, std::size_t enough,
                       std::string& into) {
  while (into.size() < enough) {
    const std::size_t size = into.size();
    into.resize(bytes_max);
    const auto count = source.read(std::span(into).subspan(size));
    into.resize(size + (count ? *count : 0));
    if (!count && into.empty()) return count.error();
    if (!count || *count == 0) break;
  }
  return {};
}

std::string_view behind_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

bool is_html(std::string_view text) {
  const std::string begin = ascii_lower(behind_blanks(text).substr(0, 15));
  return begin.starts_with("<!doctype html") || begin.starts_with("<html");
}

// "application/json" of "Application/JSON; charset=utf-8".
std::string media_type_of(const HttpHead& head) {
  const std::string_view type = head.header("content-type");
  std::string name = ascii_lower(type.substr(0, type.find(';')));
  while (name.ends_with(' ')) name.pop_back();
  return name;
}

// What the content shows wins over what the server calls it.
std::optional<sparql::ResultFormat> solutions_format(std::string_view text, const HttpHead& head) {
  using sparql::ResultFormat;
  const std::string_view begin = behind_blanks(text);
  if (is_html(begin)) return std::nullopt;
  if (begin.starts_with('{')) return ResultFormat::Json;
  if (begin.starts_with("<?xml") || begin.starts_with("<sparql")) return ResultFormat::Xml;
  const auto named = sparql::result_format_by_media_type(media_type_of(head));
  if (named == ResultFormat::Csv || named == ResultFormat::Tsv) return named;
  return std::nullopt;
}

std::optional<rdf::Format> statements_format(std::string_view text, const HttpHead& head) {
  const auto named = rdf::parse_format(media_type_of(head));
  if (is_html(text)) return std::nullopt;
  const auto by_name = named ? std::optional(*named) : std::nullopt;
  if (behind_blanks(text).empty()) return by_name;
  return rdf::detect_format(text, by_name);
}

using AnswerFormat = std::variant<sparql::ResultFormat, rdf::Format>;

std::optional<AnswerFormat> format_of(AnswerKind kind, std::string_view text,
                                      const HttpHead& head) {
  if (kind == AnswerKind::Solutions) {
    const auto format = solutions_format(text, head);
    return format ? std::optional<AnswerFormat>(*format) : std::nullopt;
  }
  const auto format = statements_format(text, head);
  return format ? std::optional<AnswerFormat>(*format) : std::nullopt;
}

// A JSON object whose first key is none of a result: an error with the status of an answer.
bool is_json_error(std::string_view text) {
  std::string_view begin = behind_blanks(text);
  if (!begin.starts_with('{')) return false;
  begin = behind_blanks(begin.substr(1));
  if (!begin.starts_with('"')) return false;
  const std::string_view key = begin.substr(1, begin.find('"', 1) - 1);
  constexpr std::array kErrorKeys = {"exception", "error",  "errors",       "message", "status",
                                     "code",      "detail", "errorMessage", "query"};
  return std::find(kErrorKeys.begin(), kErrorKeys.end(), key) != kErrorKeys.end();
}

std::string json_message(const std::string& text) {
  const auto json = parse_json(text);
  if (!json) return text;
  for (const char* key : {"exception", "message", "errorMessage", "detail", "error"}) {
    const JsonValue* value = json->find(key);
    if (value != nullptr && value->find("message") != nullptr) value = value->find("message");
    const std::string* const words = value != nullptr ? value->if_string() : nullptr;
    if (words != nullptr && !words->empty()) return *words;
  }
  return text;
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || text.empty()) return std::nullopt;
  return value;
}

// What Virtuoso, and Helve itself, tell beside the rows.
void note_headers(EndpointAnswer& answer) {
  const std::string_view state = answer.head.header("x-sql-state");
  // The server's text stays out: this becomes a warning, which has only our own words.
  if (!state.empty()) {
    answer.incomplete = state == "S1TAT" ? "the server stopped early: its time was over"
                                         : "the server stopped early";
  }
  for (const std::string_view name : {"x-sparql-maxrows", "helve-max-rows"}) {
    if (const auto rows = number_of(answer.head.header(name))) answer.rows_capped = rows;
  }
}

}  // namespace

EndpointClient::EndpointClient(EndpointOptions options, std::string host, Env& env,
                               std::shared_ptr<HostGates> gates,
                               std::shared_ptr<EndpointKnowledge> knowledge)
    : options_(std::move(options)),
      host_(std::move(host)),
      env_(env),
      gates_(std::move(gates)),
      knowledge_(std::move(knowledge)),
      is_get_(options_.method == QueryMethod::Get ||
              (options_.method == QueryMethod::Any && knowledge_ != nullptr &&
               knowledge_->profile().takes_only_get)) {}

Result<std::unique_ptr<EndpointClient>> EndpointClient::make(
    EndpointOptions options, Env& env, std::shared_ptr<HostGates> gates,
    std::shared_ptr<EndpointKnowledge> knowledge) {
  HELVE_ASSIGN(const HttpAddress address, read_http_address(options.url));
  if (options.name.empty()) options.name = address.host;
  return std::unique_ptr<EndpointClient>(new EndpointClient(
      std::move(options), address.origin(), env, std::move(gates), std::move(knowledge)));
}

void EndpointClient::note(const EndpointAnswer& answer) const {
  if (knowledge_ == nullptr) return;
  knowledge_->note_headers(answer.head.headers);
  if (answer.rows_capped) knowledge_->note_rows_max(*answer.rows_capped);
}

EndpointState EndpointClient::state() const {
  const std::int64_t last = last_answer_.load();
  const MonotonicTime at{MonotonicTime::duration(last)};
  return {options_.name, last != 0 && env_.clock().now() - at < kStaysWarm, env_.clock().wall()};
}

EndpointClient::Opened EndpointClient::ask(const std::string& query, AnswerKind kind,
                                           const OpContext& context) {
  for (int tried = 0;; ++tried) {
    Opened opened = ask_once(query, kind, context);
    if (opened || !waits_to_retry(opened.error(), tried, context)) return opened;
  }
}

// Queries change nothing, so what failed before its answer may be asked again.
bool EndpointClient::waits_to_retry(const EndpointFailure& failure, int tried,
                                    const OpContext& context) {
  if (failure.retry_after) gates_->close_for(host_, *failure.retry_after);
  if (!failure.may_retry || tried >= options_.retries_max || !context.check()) {
    return false;
  }
  const Duration jitter(static_cast<std::int64_t>(env_.random().next_u64() % 100'000'000));
  const Duration wait = failure.retry_after.value_or(kFirstBackOff * (1 << tried) + jitter);
  if (wait >= context.deadline.remaining() / 10 * 9) return false;
  const Deadline until(env_.clock(), wait);
  while (!until.has_passed()) {
    if (!context.check()) return false;
    env_.clock().sleep_for(std::min<Duration>(until.remaining(), std::chrono::milliseconds(20)));
  }
  return true;
}

HttpRequest EndpointClient::request_of(const std::string& query, AnswerKind kind,
                                       bool is_get) const {
  HttpRequest request;
  request.url = options_.url;
  request.credentials = options_.credentials;
  request.reach = options_.reach;
  request.headers = {
      {"Accept", std::string(kind == AnswerKind::Solutions ? kAcceptSolutions : kAcceptStatements)},
      {"User-Agent", options_.user_agent}};
  const std::string encoded = "query=" + percent_encoded(query);
  if (is_get) {
    request.url += (request.url.find('?') == std::string::npos ? "?" : "&") + encoded;
  } else {
    request.method = "POST";
    request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
    request.body = encoded;
  }
  if (options_.first_byte_timeout > Duration::zero()) {
    request.head_deadline = Deadline(env_.clock(), options_.first_byte_timeout);
  }
  return request;
}

EndpointClient::Opened EndpointClient::ask_once(const std::string& query, AnswerKind kind,
                                                const OpContext& context) {
  const auto fail = [](EndpointFailure failure) { return tl::unexpected(std::move(failure)); };
  auto permit = gates_->enter(host_, options_.host, context);
  if (!permit) {
    if (permit.error().code == ErrorCode::Unavailable) {
      return fail({EndpointCause::Busy, permit.error(), false, std::nullopt});
    }
    return fail(failure_of(HttpFailure{HttpFault::Stopped, permit.error()}, state()));
  }
  const bool is_get = is_get_;
  HttpRequest request = request_of(query, kind, is_get);
  if (is_get && request.url.size() > kGetUrlMax) {
    return fail({EndpointCause::Refused,
                 {ErrorCode::LimitExceeded,
                  fmt::format("the query is too long for {}, which takes it in its address alone",
                              options_.name),
                  "shorten it: fewer VALUES, fewer patterns"},
                 false,
                 std::nullopt});
  }
  HttpOpened opened = env_.http().open(std::move(request), context);
  if (!opened) return fail(failure_of(opened.error(), state()));
  const bool takes_no_post = opened->head.status == 405 || opened->head.status == 501;
  if (takes_no_post && !is_get && options_.method == QueryMethod::Any) {
    if (!is_get_.exchange(true) && knowledge_ != nullptr) {
      knowledge_->change([](EndpointProfile& profile) { profile.takes_only_get = true; });
    }
    opened->body.reset();
    *permit = HostGates::Permit();
    return ask_once(query, kind, context);
  }
  std::string begin;
  if (opened->head.status != 200) {
    (void)read_some(*opened->body, kErrorBytes, kErrorBytes, begin);
    return fail(
        failure_of({opened->head.status, opened->head.headers, json_message(begin)}, state()));
  }
  if (auto some = read_some(*opened->body, kLookedAt, kEnoughToSee, begin); !some) {
    const HttpFault fault = context.check() ? HttpFault::Cut : HttpFault::Stopped;
    return fail(failure_of(HttpFailure{fault, std::move(some).error()}, state()));
  }
  const auto format = is_json_error(begin) ? std::nullopt : format_of(kind, begin, opened->head);
  if (!format) {
    (void)read_some(*opened->body, kErrorBytes, kErrorBytes, begin);
    return fail(failure_of({200, opened->head.headers, json_message(begin)}, state()));
  }
  EndpointAnswer answer;
  answer.head = std::move(opened->head);
  answer.body = std::make_unique<LookedAt>(std::move(begin), std::move(opened->body));
  answer.format = *format;
  answer.permit = *std::move(permit);
  note_headers(answer);
  note(answer);
  return answer;
}

tl::expected<HttpStream, EndpointFailure> EndpointClient::get(const std::string& url,
                                                              std::string_view accept,
                                                              const OpContext& context) {
  const auto permit = gates_->enter(host_, options_.host, context);
  if (!permit) {
    return tl::unexpected(
        EndpointFailure{EndpointCause::Busy, permit.error(), false, std::nullopt});
  }
  HttpRequest request;
  request.url = url;
  request.reach = options_.reach;
  request.headers = {{"Accept", std::string(accept)}, {"User-Agent", options_.user_agent}};
  const auto address = read_http_address(url);
  if (address && address->origin() == host_) request.credentials = options_.credentials;
  auto opened = env_.http().open(std::move(request), context);
  if (!opened) return tl::unexpected(failure_of(opened.error(), state()));
  if (opened->head.status == 200) return *std::move(opened);
  std::string text;
  (void)read_some(*opened->body, kErrorBytes, kErrorBytes, text);
  return tl::unexpected(
      failure_of({opened->head.status, opened->head.headers, json_message(text)}, state()));
}

}  // namespace helve::remote
