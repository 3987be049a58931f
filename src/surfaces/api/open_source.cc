#include "surfaces/api/open_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/ascii.h"
#include "base/iri.h"
#include "base/text.h"
#include "helve/version.h"
#include "sources/rdf/document.h"
#include "sources/store/live/live_graph.h"
#include "sources/store/live/live_store.h"
#include "sources/store/loader.h"
#include "sources/store/local_graph.h"
#include "sources/store/snapshot_file.h"
#include "surfaces/opening/open_endpoint.h"
#include "surfaces/opening/source_uri.h"
#include "surfaces/sample/sample.h"

namespace helve::api {

namespace {

constexpr std::size_t kNameMax = 64;
using opening::kSample;
using opening::place_of;

bool is_folder(const std::string& place, Env& env) {
  const auto status = env.files().status(place);
  return status && status->kind == FileKind::Directory;
}

helve::Result<std::shared_ptr<const store::Snapshot>> read_files(
    const std::vector<std::string>& places, bool is_lenient, Env& env, const OpContext& context) {
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

helve::Result<std::shared_ptr<const store::Snapshot>> read_places(
    const std::vector<std::string>& places, bool is_lenient, Env& env, const OpContext& context) {
  for (const std::string& place : places) {
    if (place == kSample || !is_folder(place, env)) continue;
    HELVE_TRY(store::check_snapshot_folder(place, env));
    return helve::Error{
        helve::ErrorCode::InvalidInput,
        fmt::format("the index {} cannot be read together with anything else", place),
        "connect to each on its own and give the tools both, or make one index of all the "
        "files: helve load FILE... -o DIR"};
  }
  return read_files(places, is_lenient, env, context);
}

bool is_name_character(char c) { return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.'; }

}  // namespace

std::string name_of_uri(std::string_view uri) {
  if (opening::is_sample(uri)) return "sample";
  while (uri.size() > 1 && uri.ends_with('/')) uri.remove_suffix(1);
  if (const std::size_t slash = uri.rfind('/'); slash != std::string_view::npos) {
    uri.remove_prefix(slash + 1);
  }
  std::string name;
  for (const char c : uri.substr(0, uri.find('.', 1))) name += is_name_character(c) ? c : '-';
  if (name.size() > kNameMax) name.resize(kNameMax);
  return name.empty() ? "graph" : name;
}

helve::Result<std::shared_ptr<const GraphSource>> open_source(const OpenRequest& request, Env& env,
                                                              const OpContext& context) {
  if (request.uris.empty()) {
    return helve::Error{helve::ErrorCode::InvalidInput, "no file was named", "name at least one"};
  }
  std::vector<std::string> places;
  for (const std::string& uri : request.uris) {
    HELVE_ASSIGN(auto place, place_of(uri));
    places.push_back(std::move(place));
  }
  SourceInfo info;
  info.name = request.name.empty() ? name_of_uri(request.uris.front()) : request.name;
  info.uri = fmt::format("{}", fmt::join(request.uris, " "));
  info.engine = fmt::format("helve {}", version());
  // The names that were kept with an index need not be made anew.
  store::LocalFolder folder;
  const std::string& first = places.front();
  if (first != kSample && is_folder(first, env)) folder = {first, &env};
  // A library takes no settings from the home of who runs it.
  opening::ServiceInput services{
      info.engine, [](const char* name) { return std::getenv(name); }, {}};
  if (places.size() == 1 && !folder.path.empty()) {
    HELVE_TRY(store::check_snapshot_folder(first, env));
    HELVE_ASSIGN(auto live, store::open_live_snapshot(first, context, env));
    HELVE_ASSIGN(auto states, store::follow_folder(first, std::move(live), env));
    return store::make_live_graph(std::move(states), std::move(info), std::move(folder),
                                  opening::shared_services(std::move(services), env));
  }
  HELVE_ASSIGN(auto snapshot, read_places(places, request.is_lenient, env, context));
  return store::make_local_graph(std::move(snapshot), std::move(info), std::move(folder),
                                 opening::shared_services(std::move(services), env));
}

}  // namespace helve::api
