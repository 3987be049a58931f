#include "toolkit/tools/fetch_description.h"

#include <fmt/format.h>

#include <utility>

#include "base/ascii.h"
#include "base/file_uri.h"
#include "base/http.h"
#include "sources/rdf/reader.h"
#include "toolkit/policy/graph_access.h"
#include "toolkit/tools/loaded_file.h"

namespace helve::toolkit {

namespace {

constexpr std::uint64_t kBytesMax = 64 * kMiB;

Result<FetchedDescription> read_file(const std::string& path, ToolCall& call) {
  HELVE_ASSIGN(const auto allowed, readable_path(call.policy, path));
  OpContext within = call.op;
  within.limits.document_bytes_max = kBytesMax;
  FetchedDescription fetched{name_of_path(path), nullptr};
  HELVE_ASSIGN(fetched.graph, call.graphs.open(allowed.string(), fetched.name, within));
  return fetched;
}

Result<HttpResponse> get(const std::string& url, const ToolCall& call) {
  HELVE_ASSIGN(const HttpAddress address, read_http_address(url));
  HttpRequest request;
  request.url = url;
  request.headers = {
      {"Accept", "text/turtle, application/n-triples;q=0.9, application/rdf+xml;q=0.8"}};
  // The policy names it: an address that is written as one inside is meant.
  request.reach.allows_private = is_private_host(address.host);
  request.reach.stays_at_origin = true;
  OpContext within = call.op;
  within.limits.http_body_bytes_max = kBytesMax;
  HELVE_ASSIGN(HttpResponse response, call.env.http().send(std::move(request), within));
  if (response.status == 200) return response;
  return Error{
      ErrorCode::Unavailable,
      fmt::format("{} gives no description (HTTP {})", public_part_of_url(url), response.status),
      "give the address of the endpoint itself, or of its VoID: often /.well-known/void"};
}

Result<FetchedDescription> ask_endpoint(const std::string& url, ToolCall& call) {
  HELVE_TRY(check_endpoint(call.policy, url));
  HELVE_ASSIGN(const HttpResponse response, get(url, call));
  const auto format = rdf::detect_format(response.body, std::nullopt);
  if (!format) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("what {} gives is no RDF but {}", public_part_of_url(url),
                             rdf::describe_content(response.body)),
                 "give the address of its service description or VoID"};
  }
  rdf::ReadOptions options;
  options.base_iri = url;
  options.document_name = public_part_of_url(url);
  HELVE_ASSIGN(const auto builder, call.graphs.build(call.op));
  HELVE_TRY(rdf::read_document(*format, response.body, options, call.op, builder->sink()));
  FetchedDescription fetched{options.document_name, nullptr};
  HELVE_ASSIGN(fetched.graph, builder->finish(fetched.name, call.op));
  return fetched;
}

}  // namespace

Result<DescriptionPlace> place_of_description(const std::string& url) {
  const std::string scheme = ascii_lower(url.substr(0, url.find(':')));
  const bool has_slashes = url.substr(scheme.size()).starts_with("://");
  if (scheme == "file" && scheme.size() < url.size()) {
    HELVE_ASSIGN(std::string path, path_of_file_uri(url));
    return DescriptionPlace{false, std::move(path)};
  }
  if (!has_slashes) return DescriptionPlace{false, url};
  if (scheme == "http" || scheme == "https") return DescriptionPlace{true, url};
  return Error{ErrorCode::InvalidInput, "an address that is neither of a file nor http(s)",
               "give a path, file:///... or https://..."};
}

Result<FetchedDescription> fetch_description(const std::string& url, ToolCall& call) {
  HELVE_ASSIGN(const DescriptionPlace at, place_of_description(url));
  return at.is_endpoint ? ask_endpoint(at.place, call) : read_file(at.place, call);
}

}  // namespace helve::toolkit
