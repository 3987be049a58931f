#include "surfaces/api/open_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/iri.h"
#include "base/text.h"
#include "helve/version.h"
#include "sources/rdf/document.h"
#include "sources/store/loader.h"
#include "sources/store/local_graph.h"
#include "sources/store/snapshot_file.h"
#include "surfaces/sample/sample.h"

namespace helve::api {

namespace {

using helve::Error;
using helve::ErrorCode;
using helve::Result;

constexpr std::size_t kNameMax = 64;
constexpr std::string_view kSample = "sample:";

enum class Scheme { Path, File, Sample, Http, Unknown };

Scheme scheme_of(std::string_view uri) {
  const auto scheme = split_iri(uri).scheme;
  if (!scheme) return Scheme::Path;
  std::string name(*scheme);
  for (char& letter : name) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  if (name == "file") return Scheme::File;
  if (name == "sample") return Scheme::Sample;
  if (name == "http" || name == "https") return Scheme::Http;
  // A colon is a good character of a file name.
  return uri.substr(scheme->size()).starts_with("://") ? Scheme::Unknown : Scheme::Path;
}

int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

// nullopt: broken, or a NUL, which no path has.
std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    const int high = hex_value(text[at + 1]);
    const int low = hex_value(text[at + 2]);
    if (high < 0 || low < 0 || high + low == 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    at += 2;
  }
  return out;
}

// A path, or "sample:" as it is.
Result<std::string> place_of(const std::string& uri) {
  switch (scheme_of(uri)) {
    case Scheme::Path:
      break;
    case Scheme::File:
      return path_of_file_uri(uri);
    case Scheme::Sample:
      return std::string(kSample);
    case Scheme::Http:
      return Error{ErrorCode::Unavailable,
                   fmt::format("SPARQL endpoints cannot be asked yet: {}", uri),
                   "download the data and connect to the file, or to an index of it: helve load "
                   "FILE -o DIR"};
    case Scheme::Unknown:
      return Error{ErrorCode::InvalidInput, fmt::format("no such kind of source: {}", uri),
                   "use a path, file:///..., or sample: for the bundled sample"};
  }
  if (uri.empty() || uri == "-" || uri.find('\0') != std::string::npos) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("\"{}\" names no file", escape_for_terminal(uri)),
                 "give the path of an RDF document or of an index folder"};
  }
  return uri;
}

bool is_folder(const std::string& place, Env& env) {
  const auto status = env.files().status(place);
  return status && status->kind == FileKind::Directory;
}

Result<std::shared_ptr<const store::Snapshot>> read_files(const std::vector<std::string>& places,
                                                          bool is_lenient, Env& env,
                                                          const OpContext& context) {
  std::vector<rdf::Document> documents;
  for (const std::string& place : places) {
    if (place == kSample) {
      documents.push_back(
          rdf::Document::from_text("solar-system.trig", sample_trig(), rdf::Format::TriG));
      continue;
    }
    HELVE_ASSIGN(auto document, rdf::open_document(env, place, {}, context));
    documents.push_back(std::move(document));
  }
  store::LoadOptions options;
  options.lenient = is_lenient;
  HELVE_ASSIGN(auto loaded, store::load_documents(std::move(documents), options, context));
  return std::move(loaded.snapshot);
}

Result<std::shared_ptr<const store::Snapshot>> read_places(const std::vector<std::string>& places,
                                                           bool is_lenient, Env& env,
                                                           const OpContext& context) {
  for (const std::string& place : places) {
    if (place == kSample || !is_folder(place, env)) continue;
    HELVE_TRY(store::check_snapshot_folder(place, env));
    if (places.size() == 1) return store::open_snapshot(place, context, env);
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the index {} cannot be read together with anything else", place),
                 "connect to each on its own and give the tools both, or make one index of all the "
                 "files: helve load FILE... -o DIR"};
  }
  return read_files(places, is_lenient, env, context);
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

}  // namespace

Result<std::string> path_of_file_uri(std::string_view uri) {
  const IriParts parts = split_iri(uri);
  const bool is_here =
      !parts.authority || parts.authority->empty() || *parts.authority == "localhost";
  if (!is_here || parts.query || parts.fragment) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} is no file of this machine", uri),
                 "write file:///path, with %3F for '?' and %23 for '#'"};
  }
  auto path = percent_decoded(parts.path);
  if (!path || path->empty()) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} has no path that can be read", uri),
                 "write file:///path, with two hexadecimal digits behind each '%'"};
  }
  return *std::move(path);
}

std::string name_of_uri(std::string_view uri) {
  if (scheme_of(uri) == Scheme::Sample) return "sample";
  while (uri.size() > 1 && uri.ends_with('/')) uri.remove_suffix(1);
  if (const std::size_t slash = uri.rfind('/'); slash != std::string_view::npos) {
    uri.remove_prefix(slash + 1);
  }
  std::string name;
  for (const char c : uri.substr(0, uri.find('.', 1))) name += is_name_character(c) ? c : '-';
  if (name.size() > kNameMax) name.resize(kNameMax);
  return name.empty() ? "graph" : name;
}

Result<std::shared_ptr<const GraphSource>> open_source(const OpenRequest& request, Env& env,
                                                       const OpContext& context) {
  if (request.uris.empty()) {
    return Error{ErrorCode::InvalidInput, "no file was named", "name at least one"};
  }
  std::vector<std::string> places;
  for (const std::string& uri : request.uris) {
    HELVE_ASSIGN(auto place, place_of(uri));
    places.push_back(std::move(place));
  }
  HELVE_ASSIGN(auto snapshot, read_places(places, request.is_lenient, env, context));
  SourceInfo info;
  info.name = request.name.empty() ? name_of_uri(request.uris.front()) : request.name;
  info.uri = fmt::format("{}", fmt::join(request.uris, " "));
  info.engine = fmt::format("helve {}", version());
  // The names that were kept with an index need not be made anew.
  store::LocalFolder folder;
  const std::string& first = places.front();
  if (first != kSample && is_folder(first, env)) folder = {first, &env};
  return store::make_local_graph(std::move(snapshot), std::move(info), std::move(folder));
}

}  // namespace helve::api
