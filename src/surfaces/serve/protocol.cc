#include "surfaces/serve/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/iri.h"
#include "base/percent.h"
#include "base/redaction.h"
#include "surfaces/serve/content_type.h"

namespace helve::serve {

namespace {

constexpr std::string_view kFormType = "application/x-www-form-urlencoded";
constexpr std::string_view kQueryType = "application/sparql-query";
constexpr std::string_view kUpdateType = "application/sparql-update";
constexpr std::string_view kProtocolMethods = "GET, HEAD, POST, OPTIONS";
constexpr double kTimeoutSecondsMax = 86'400;

Refusal refuse_update() {
  return refuse(403, "updates are refused: this endpoint is read-only",
                "send SELECT, ASK, CONSTRUCT or DESCRIBE as the parameter query");
}

Refusal bad_percent() {
  return refuse(400, "a parameter has a '%' without two hexadecimal digits behind it",
                "encode the whole value: % itself is %25");
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
      const auto name = decode_parameter(pair.substr(0, equals));
      auto value = decode_parameter(equals == std::string_view::npos ? std::string_view{}
                                                                     : pair.substr(equals + 1));
      if (!name || !value) return bad_percent();
      if (auto refusal = take(*name, *std::move(value))) return refusal;
    }
    return std::nullopt;
  }

  std::optional<Refusal> set_query(std::string text) {
    return set(query_, std::move(text), "query");
  }
  std::optional<Refusal> set_update(std::string text) {
    return set(update_, std::move(text), "update");
  }

  bool has_any() const { return has_any_; }
  bool has_query() const { return query_.has_value(); }
  bool has_update() const { return update_.has_value(); }
  bool has_dataset() const { return !dataset_.empty(); }
  bool has_using() const { return !using_graphs_.empty(); }
  QueryCall take_query() { return {*std::move(query_), std::move(dataset_), timeout_}; }
  UpdateCall take_update() { return {*std::move(update_), std::move(using_graphs_), timeout_}; }

 private:
  static std::optional<Refusal> set(std::optional<std::string>& place, std::string text,
                                    std::string_view noun) {
    if (place) {
      return refuse(400, fmt::format("the request has more than one {}", noun),
                    fmt::format("send one {} in a request, once", noun));
    }
    place = std::move(text);
    return std::nullopt;
  }

  std::optional<Refusal> take(std::string_view name, std::string value) {
    if (name == "query") return set_query(std::move(value));
    if (name == "update") return set_update(std::move(value));
    if (name == "timeout") return set_timeout(value);
    const bool is_named = name.ends_with("named-graph-uri");
    if (name == "named-graph-uri" || name == "default-graph-uri") {
      return add_graph(dataset_, name, std::move(value), is_named);
    }
    if (name == "using-named-graph-uri" || name == "using-graph-uri") {
      return add_graph(using_graphs_, name, std::move(value), is_named);
    }
    return std::nullopt;  // what other endpoints know, as format, is no mistake
  }

  std::optional<Refusal> set_timeout(std::string_view value) {
    timeout_ = read_timeout(value);
    if (timeout_) return std::nullopt;
    return refuse(400, "the parameter timeout is no time",
                  "write 500ms, 2s or 2, which is seconds");
  }

  static std::optional<Refusal> add_graph(std::vector<sparql::DatasetGraph>& graphs,
                                          std::string_view name, std::string iri, bool is_named) {
    if (!is_absolute_iri(iri)) {
      return refuse(400, fmt::format("the parameter {} is no absolute IRI", name),
                    "write it whole, as http://example.org/graph, percent-encoded");
    }
    graphs.push_back({std::move(iri), is_named, {}});
    return std::nullopt;
  }

  std::optional<std::string> query_;
  std::optional<std::string> update_;
  std::vector<sparql::DatasetGraph> dataset_;
  std::vector<sparql::DatasetGraph> using_graphs_;
  std::optional<Duration> timeout_;
  bool has_any_ = false;
};

Refusal wrong_type(std::string_view met, bool is_writable) {
  const std::string updates =
      is_writable ? fmt::format("; updates as {} or with update=...", kUpdateType) : "";
  return refuse(415,
                met.empty() ? "the request has a body without a Content-Type"
                            : fmt::format("a body of the type {} is no {}query", met,
                                          is_writable ? "update and no " : ""),
                fmt::format("send {} with the query as the body, or {} with query=...{}",
                            kQueryType, kFormType, updates));
}

// The body of a POST.
std::optional<Refusal> read_body(const WebCall& call, Parameters& parameters) {
  const ContentType type = read_content_type(call.content_type.value_or(""));
  if (type.media_type != kFormType && type.media_type != kQueryType &&
      type.media_type != kUpdateType) {
    return wrong_type(type.media_type, call.is_writable);
  }
  if (!type.is_utf8()) {
    return refuse(415, fmt::format("a body in {} is not read", type.charset), "send it as UTF-8");
  }
  if (type.media_type == kUpdateType) return parameters.set_update(std::string(call.body));
  if (type.media_type == kQueryType) return parameters.set_query(std::string(call.body));
  return parameters.add(call.body);
}

// Of an endpoint that takes updates.
std::optional<Refusal> check_update(const Parameters& parameters, bool is_post) {
  if (parameters.has_query()) {
    return refuse(400, "the request has a query and an update", "send one of them");
  }
  if (!is_post) {
    return refuse(400, "updates are not taken from an address",
                  "send them with POST: update=... in a form, or application/sparql-update");
  }
  if (!parameters.has_dataset()) return std::nullopt;
  return refuse(400, "default-graph-uri and named-graph-uri are of queries",
                "updates take using-graph-uri and using-named-graph-uri");
}

}  // namespace

Refusal refuse(int status, std::string_view message, std::string_view hint) {
  return {status, fmt::format("{}\nhint: {}\n", message, hint)};
}

std::optional<std::string> decode_parameter(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return percent_decoded(spaced);
}

bool is_absolute_iri(std::string_view text) {
  return has_iri_scheme(text) && !find_bad_iri_character(text);
}

std::string text_of(const Error& error) {
  std::string text;
  if (error.position) {
    text = fmt::format("{}:{}:{}: ", error.document, error.position->line, error.position->column);
  }
  text += error.full_message();
  text += '\n';
  if (const std::string hint = error.full_hint(); !hint.empty()) {
    text += fmt::format("hint: {}\n", hint);
  }
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
    refusal.headers.emplace_back("Allow", kProtocolMethods);
    return refusal;
  }
  Parameters parameters;
  if (auto refusal = parameters.add(call.query)) return *std::move(refusal);
  if (is_post) {
    if (auto refusal = read_body(call, parameters)) return *std::move(refusal);
  }
  const bool is_update = parameters.has_update() || parameters.has_using();
  if (is_update && !call.is_writable) return refuse_update();
  if (parameters.has_update()) {
    if (auto refusal = check_update(parameters, is_post)) return *std::move(refusal);
    return parameters.take_update();
  }
  if (parameters.has_using()) {
    return refuse(400, "using-graph-uri and using-named-graph-uri are of updates",
                  "queries take default-graph-uri and named-graph-uri");
  }
  if (parameters.has_query()) return parameters.take_query();
  if (!is_post && !parameters.has_any()) return DescriptionCall{};
  return refuse(400, "the request has no query",
                call.is_writable ? "send it as the parameter query, or an update as update"
                                 : "send it as the parameter query");
}

}  // namespace helve::serve
