#include "surfaces/serve/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/ascii.h"
#include "base/iri.h"
#include "base/percent.h"
#include "base/redaction.h"
#include "surfaces/http/header_text.h"

namespace helve::serve {

namespace {

constexpr std::string_view kFormType = "application/x-www-form-urlencoded";
constexpr std::string_view kQueryType = "application/sparql-query";
constexpr std::string_view kUpdateType = "application/sparql-update";
constexpr std::string_view kMethods = "GET, HEAD, POST, OPTIONS";
constexpr double kTimeoutSecondsMax = 86'400;

Refusal refuse(int status, std::string message, std::string_view hint) {
  return {status, fmt::format("{}\nhint: {}\n", message, hint)};
}

Refusal refuse_update() {
  return refuse(403, "updates are refused: this endpoint is read-only",
                "send SELECT, ASK, CONSTRUCT or DESCRIBE as the parameter query");
}

struct ContentType {
  std::string media_type;  // in lower case
  std::string charset;     // the same; empty: none is named
};

ContentType read_content_type(std::string_view text) {
  ContentType type{ascii_lower(http::take(text, ';')), {}};
  while (!text.empty()) {
    const std::string parameter = ascii_lower(http::take(text, ';'));
    if (!parameter.starts_with("charset=")) continue;
    type.charset = parameter.substr(8);
    std::erase(type.charset, '"');
  }
  return type;
}

std::optional<std::string> decode(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return percent_decoded(spaced);
}

// Gathers the parameters of a request from its target and its body.
class Parameters {
 public:
  // What is wrong with them, if anything.
  std::optional<Refusal> add(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('&');
      const std::string_view pair = text.substr(0, end);
      text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
      if (pair.empty()) continue;
      has_any_ = true;
      const std::size_t equals = pair.find('=');
      const auto name = decode(pair.substr(0, equals));
      auto value =
          decode(equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1));
      if (!name || !value) {
        return refuse(400, "a parameter has a '%' without two hexadecimal digits behind it",
                      "encode the whole value: % itself is %25");
      }
      if (auto refusal = take(*name, *std::move(value))) return refusal;
    }
    return std::nullopt;
  }

  std::optional<Refusal> set_query(std::string text) {
    if (has_query_) {
      return refuse(400, "the request has more than one query",
                    "send one query in a request, once: in the address or in the body");
    }
    has_query_ = true;
    call_.text = std::move(text);
    return std::nullopt;
  }

  bool has_any() const { return has_any_; }
  bool has_query() const { return has_query_; }
  bool has_update() const { return has_update_; }
  QueryCall take_call() { return std::move(call_); }

 private:
  std::optional<Refusal> take(std::string_view name, std::string value) {
    if (name == "query") return set_query(std::move(value));
    if (name == "update" || name.starts_with("using-")) has_update_ = true;
    if (name == "timeout") return set_timeout(value);
    const bool is_named = name == "named-graph-uri";
    if (is_named || name == "default-graph-uri") return add_graph(std::move(value), is_named);
    return std::nullopt;  // what other endpoints know, as format, is no mistake
  }

  std::optional<Refusal> set_timeout(std::string_view value) {
    call_.timeout = read_timeout(value);
    if (call_.timeout) return std::nullopt;
    return refuse(400, "the parameter timeout is no time",
                  "write 500ms, 2s or 2, which is seconds");
  }

  std::optional<Refusal> add_graph(std::string iri, bool is_named) {
    if (!has_iri_scheme(iri) || find_bad_iri_character(iri)) {
      return refuse(400,
                    fmt::format("the parameter {} is no absolute IRI",
                                is_named ? "named-graph-uri" : "default-graph-uri"),
                    "write it whole, as http://example.org/graph, percent-encoded");
    }
    call_.dataset.push_back({std::move(iri), is_named, {}});
    return std::nullopt;
  }

  QueryCall call_;
  bool has_any_ = false;
  bool has_query_ = false;
  bool has_update_ = false;
};

Refusal wrong_type(std::string_view met) {
  return refuse(415,
                met.empty() ? "the request has a body without a Content-Type"
                            : fmt::format("a body of the type {} is no query", met),
                fmt::format("send {} with the query as the body, or {} with query=...", kQueryType,
                            kFormType));
}

// The body of a POST.
std::optional<Refusal> read_body(const WebCall& call, Parameters& parameters) {
  const ContentType type = read_content_type(call.content_type.value_or(""));
  if (type.media_type != kFormType && type.media_type != kQueryType &&
      type.media_type != kUpdateType) {
    return wrong_type(type.media_type);
  }
  if (!type.charset.empty() && type.charset != "utf-8" && type.charset != "us-ascii") {
    return refuse(415, fmt::format("a body in {} is not read", type.charset), "send it as UTF-8");
  }
  if (type.media_type == kUpdateType) return refuse_update();
  if (type.media_type == kQueryType) return parameters.set_query(std::string(call.body));
  return parameters.add(call.body);
}

}  // namespace

std::string text_of(const Error& error) {
  std::string text;
  if (error.position) {
    text = fmt::format("{}:{}:{}: ", error.document, error.position->line, error.position->column);
  }
  text += error.message;
  text += '\n';
  if (!error.hint.empty()) text += fmt::format("hint: {}\n", error.hint);
  return redact(text);
}

std::optional<Duration> read_timeout(std::string_view text) {
  double unit_seconds = 1;
  if (text.ends_with("ms")) {
    unit_seconds = 0.001;
    text.remove_suffix(2);
  } else if (text.ends_with('s')) {
    text.remove_suffix(1);
  }
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || !std::isfinite(number) || number <= 0) return std::nullopt;
  const double seconds = std::min(number * unit_seconds, kTimeoutSecondsMax);
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

ProtocolCall read_call(const WebCall& call) {
  const bool is_post = call.method == "POST";
  if (!is_post && call.method != "GET" && call.method != "HEAD") {
    Refusal refusal = refuse(405, fmt::format("the method {} does nothing here", call.method),
                             "ask queries with GET or POST");
    refusal.headers.emplace_back("Allow", kMethods);
    return refusal;
  }
  Parameters parameters;
  if (auto refusal = parameters.add(call.query)) return *std::move(refusal);
  if (is_post) {
    if (auto refusal = read_body(call, parameters)) return *std::move(refusal);
  }
  if (parameters.has_update()) return refuse_update();
  if (parameters.has_query()) return parameters.take_call();
  if (!is_post && !parameters.has_any()) return DescriptionCall{};
  return refuse(400, "the request has no query", "send it as the parameter query");
}

}  // namespace helve::serve
