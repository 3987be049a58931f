#include "helve/source.h"

#include "surfaces/api/open_source.h"
#include "surfaces/api/state.h"

namespace helve::api {

Source::Source(std::shared_ptr<const State> state) : state_(std::move(state)) {}

const std::string& Source::name() const { return state_->graph->info().name; }
const std::string& Source::uri() const { return state_->graph->info().uri; }
bool Source::is_remote() const { return state_->graph->info().is_remote; }
std::string Source::fingerprint() const { return state_->graph->fingerprint(); }

Result<Source> connect(std::string_view uri, const SourceOptions& options) {
  return connect_files({std::string(uri)}, options);
}

Result<Source> connect_files(const std::vector<std::string>& uris, const SourceOptions& options) {
  const auto executor = shared_executor();
  const OpContext context = context_of(options.timeout, options.cancel, executor.get());
  auto graph = without_throwing([&] {
    return open_source({uris, options.name, options.is_lenient}, real_env(), context);
  });
  if (!graph) return to_public(graph.error());
  return Source(std::make_shared<const Source::State>(Source::State{*std::move(graph)}));
}

}  // namespace helve::api
