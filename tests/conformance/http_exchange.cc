#include "tests/conformance/http_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/ascii.h"
#include "sources/rdf/vocabulary.h"

namespace helve::conformance {

namespace {

constexpr std::string_view kStatusCodes = "http://www.w3.org/2011/http-statusCodes#";
constexpr std::string_view kContent = "http://www.w3.org/2011/content#";

struct StatusName {
  std::string_view name;
  int first;
  int last;
};
constexpr StatusName kStatusNames[] = {{"StatusCode2xx", 200, 299}, {"StatusCode3xx", 300, 399},
                                       {"StatusCode4xx", 400, 499}, {"OK", 200, 200},
                                       {"Created", 201, 201},       {"NoContent", 204, 204},
                                       {"BadRequest", 400, 400},    {"NotFound", 404, 404}};

std::string ht(std::string_view name) { return std::string(kHttp).append(name); }
std::string manifest_term(std::string_view name) { return std::string(kManifest).append(name); }

// UTF-8, or UTF-16 with its mark; what is tested in another one is ASCII.
std::string encoded(const std::string& text, std::string_view encoding) {
  if (encoding != "UTF-16") return text;
  std::string out = "\xFE\xFF";
  for (const char c : text) {
    out += '\0';
    out += c;
  }
  return out;
}

class ExchangeReader {
 public:
  explicit ExchangeReader(const Manifest& manifest) : manifest_(manifest) {}

  Result<HttpExchange> read(const rdf::Term& request, const std::string& host) const {
    HttpExchange exchange;
    exchange.host = host;
    exchange.method = text(request, ht("methodName"));
    exchange.target = text(request, ht("absolutePath"));
    exchange.headers = headers(request);
    exchange.body = body(request).value_or("");
    const auto response = manifest_.object_of(request.view(), ht("resp"));
    if (exchange.method.empty() || exchange.target.empty() || !response) {
      return Error{ErrorCode::InvalidInput, "a request has no method, path or response"};
    }
    HELVE_TRY(read_response(*response, exchange));
    return exchange;
  }

 private:
  std::string text(const rdf::Term& node, const std::string& predicate) const {
    return manifest_.object_of(node.view(), predicate).value_or(rdf::Term()).value;
  }

  std::vector<std::pair<std::string, std::string>> headers(const rdf::Term& node) const {
    std::vector<std::pair<std::string, std::string>> read;
    for (const rdf::Term& header :
         manifest_.list(manifest_.object_of(node.view(), ht("headers")))) {
      read.emplace_back(text(header, ht("fieldName")), text(header, ht("fieldValue")));
    }
    return read;
  }

  std::optional<std::string> body(const rdf::Term& node) const {
    const auto found = manifest_.object_of(node.view(), ht("body"));
    if (!found) return std::nullopt;
    return encoded(text(*found, std::string(kContent) + "chars"),
                   text(*found, std::string(kContent) + "characterEncoding"));
  }

  Result<void> read_response(const rdf::Term& response, HttpExchange& exchange) const {
    std::vector<StatusName> expected;
    for (const rdf::Term& status :
         manifest_.objects_of(response.view(), manifest_term("expectedStatus"))) {
      const auto* const known = std::find_if(
          std::begin(kStatusNames), std::end(kStatusNames), [&](const StatusName& name) {
            return status.value == std::string(kStatusCodes).append(name.name);
          });
      if (known == std::end(kStatusNames)) {
        return Error{ErrorCode::InvalidInput, fmt::format("unknown status <{}>", status.value)};
      }
      expected.push_back(*known);
    }
    if (expected.empty()) return Error{ErrorCode::InvalidInput, "no status is expected"};
    exchange.is_expected = [expected](int status) {
      return std::any_of(expected.begin(), expected.end(), [&](const StatusName& name) {
        return name.first <= status && status <= name.last;
      });
    };
    exchange.expected_format = text(response, manifest_term("expectedFormat"));
    exchange.location_name = text(response, manifest_term("expectedLocation"));
    const std::string boolean = text(response, manifest_term("expectedBoolean"));
    if (!boolean.empty()) exchange.expected_boolean = boolean == "true";
    for (const auto& [name, value] : headers(response)) {
      if (ascii_lower(name) == "content-type") exchange.expected_type = value;
    }
    exchange.expected_body = body(response);
    return {};
  }

  const Manifest& manifest_;
};

// The indented lines below a heading.
std::string block_below(std::string_view text, std::string_view heading) {
  std::string block;
  const std::size_t at = text.find(heading);
  if (at == std::string_view::npos) return block;
  text.remove_prefix(at + heading.size());
  text = text.substr(0, text.find("####"));
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("    ")) line.remove_prefix(4);
    if (!block.empty() || !line.empty()) block.append(line).append("\r\n");
  }
  return block;
}

std::string take_line(std::string& text) {
  const std::size_t end = text.find("\r\n");
  std::string line = text.substr(0, end);
  text.erase(0, end == std::string::npos ? text.size() : end + 2);
  return line;
}

std::vector<std::pair<std::string, std::string>> take_headers(std::string& text) {
  std::vector<std::pair<std::string, std::string>> headers;
  for (;;) {
    const std::string line = take_line(text);
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) return headers;
    headers.emplace_back(ascii_lower(line.substr(0, colon)), line.substr(colon + 2));
  }
}

}  // namespace

std::string replace_all(std::string text, std::string_view old, std::string_view by) {
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at)) {
    text.replace(at, old.size(), by);
    at += by.size();
  }
  return text;
}

std::string with_path(std::string_view target, std::string_view written, std::string_view served) {
  if (!target.starts_with(written)) return std::string(target);
  return std::string(served).append(target.substr(written.size()));
}

Result<std::vector<HttpExchange>> read_exchanges(const Manifest& manifest, const TestCase& test) {
  std::vector<HttpExchange> exchanges;
  const auto host = manifest.object_of(test.action.view(), ht("connectionAuthority"));
  const ExchangeReader reader(manifest);
  for (const rdf::Term& request :
       manifest.list(manifest.object_of(test.action.view(), ht("requests")))) {
    HELVE_ASSIGN(HttpExchange exchange, reader.read(request, host ? host->value : "localhost"));
    exchanges.push_back(std::move(exchange));
  }
  if (exchanges.empty()) return Error{ErrorCode::InvalidInput, "the test has no requests"};
  return exchanges;
}

Result<HttpExchange> read_exchange_text(const Manifest& manifest, const TestCase& test,
                                        const std::string& host, const std::string& place) {
  std::string text;
  for (const rdf::Term& comment :
       manifest.objects_of(rdf::TermView::iri(test.iri), std::string(rdf::kRdfs) + "comment")) {
    if (comment.value.find("#### Request") != std::string::npos) text = comment.value;
  }
  text = replace_all(std::move(text), "/$GRAPHSTORE$", place);
  text = replace_all(std::move(text), "$GRAPHSTORE$", place);
  text = replace_all(std::move(text), "$HOST$", host);
  std::string request = block_below(text, "#### Request");
  std::string response = block_below(text, "#### Response");
  HttpExchange exchange;
  exchange.host = host;
  const std::string line = take_line(request);
  const std::size_t space = line.find(' ');
  const std::size_t end = line.rfind(" HTTP/1.1");
  if (space == std::string::npos || end == std::string::npos || response.empty()) {
    return Error{ErrorCode::InvalidInput, "the comment of the test is no request and response"};
  }
  exchange.method = line.substr(0, space);
  exchange.target = line.substr(space + 1, end - space - 1);
  for (auto& header : take_headers(request)) {
    if (header.first != "host") exchange.headers.push_back(std::move(header));
  }
  exchange.body = std::move(request);
  const int status = std::atoi(take_line(response).c_str());
  const bool is_success = status / 100 == 2;
  exchange.is_expected = [status, is_success](int met) {
    return is_success ? met == 200 || met == 201 || met == 204 : met == status;
  };
  for (const auto& [name, value] : take_headers(response)) {
    if (name == "content-type") exchange.expected_type = value;
    if (name == "location") exchange.location_name = value;
  }
  if (response.find_first_not_of("\r\n ") != std::string::npos) exchange.expected_body = response;
  return exchange;
}

}  // namespace helve::conformance
