#include "surfaces/mcp/sources/served_sources.h"

#include <fmt/format.h>

#include <algorithm>

#include "surfaces/opening/open_endpoint.h"
#include "surfaces/opening/source_uri.h"

namespace helve::mcp {

namespace {

constexpr std::size_t kLoadersMax = 4;  // each of them uses the executor too

// The text with the name of the source for every mention of its path.
std::string without_path(std::string_view text, std::string_view path, std::string_view name) {
  if (path.find('/') == std::string_view::npos) return std::string(text);  // also: no path
  std::string out;
  while (true) {
    const std::size_t at = text.find(path);
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    out += name;
    text.remove_prefix(at + path.size());
  }
}

}  // namespace

Result<std::unique_ptr<ServedSources>> ServedSources::make(std::vector<SourceConfig> sources,
                                                           toolkit::Toolkit& toolkit, Env& env,
                                                           ServedSourcesOptions options) {
  std::unique_ptr<ServedSources> served(new ServedSources(toolkit, env, std::move(options)));
  for (SourceConfig& source : sources) HELVE_TRY(served->add(std::move(source)));
  return served;
}

Result<void> ServedSources::add(SourceConfig source) {
  const auto of_source = [&source](Error error) {
    error.message = fmt::format("source {}: {}", source.name, error.message);
    return error;
  };
  SourceInfo info;
  info.name = source.name;
  info.uri = source.uri;
  info.description = source.description;
  if (source.is_database) {
    if (auto added = add_database(source, std::move(info)); !added) {
      return of_source(std::move(added).error());
    }
    return {};
  }
  if (source.is_endpoint) {
    const opening::EndpointInput input{source.name,
                                       source.place,
                                       source.description,
                                       options_.engine,
                                       options_.read_variable,
                                       source.endpoint,
                                       source.folder,
                                       opening::endpoint_folders(options_.read_variable).profiles};
    auto endpoint = opening::open_endpoint(input, env_);
    if (!endpoint) return of_source(std::move(endpoint).error());
    return toolkit_.add_source(std::move(endpoint->graph), source.policy);
  }
  if (auto found = check_place(source.place, env_); !found) {
    return of_source(std::move(found).error());
  }
  info.engine = options_.engine;
  HELVE_TRY(toolkit_.declare_source(std::move(info), source.policy));
  sources_.emplace_back().config = std::move(source);
  return {};
}

Result<void> ServedSources::add_database(const SourceConfig& source, SourceInfo info) {
  opening::TablesInput input;
  input.name = source.name;
  input.uri = source.place;
  input.folder = source.folder;
  input.worker_command = options_.worker_command;
  input.read_variable = options_.read_variable;
  input.is_writable = source.is_writable;
  HELVE_ASSIGN(auto tables, opening::open_tables(input, env_));
  info.kind = SourceKind::Tables;
  HELVE_TRY(toolkit_.declare_source(std::move(info), source.policy));
  HELVE_TRY(toolkit_.replace_source(std::move(tables)));
  auto found = opening::check_tables(input, env_);
  if (!found) {
    Error error = std::move(found).error();
    warn(fmt::format("source {} cannot be asked: {}", source.name, error.to_string()));
    HELVE_ASSIGN(const sql::DatabaseAddress address,
                 opening::read_address(input.uri, input.folder));
    error.message = without_path(error.message, address.path, source.name);
    error.detail = without_path(error.detail, address.path, source.name);
    error.hint.clear();
    HELVE_TRY(toolkit_.fail_source(source.name, std::move(error)));
  }
  return {};
}

ServedSources::ServedSources(toolkit::Toolkit& toolkit, Env& env, ServedSourcesOptions options)
    : toolkit_(toolkit), env_(env), options_(std::move(options)) {}

ServedSources::~ServedSources() { stop(); }

void ServedSources::start() {
  if (sources_.empty()) return;
  for (std::size_t i = 0; i < std::min(sources_.size(), kLoadersMax); ++i) {
    loaders_.emplace_back([this] { load_in_background(); });
  }
  watcher_ = std::thread([this] { watch(); });
}

void ServedSources::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopping_) return;
    is_stopping_ = true;
  }
  options_.op.cancel.cancel();
  stopping_.notify_all();
  if (watcher_.joinable()) watcher_.join();
  for (const Watched& source : sources_) {
    const auto& data = source.graph.data;
    if (data != nullptr && data->failure()) source.graph.finish(true, options_.op);
  }
}

void ServedSources::load_all() {
  for (Watched& source : sources_) load_first(source);
}

void ServedSources::poll() {
  for (Watched& source : sources_) look_at(source);
}

void ServedSources::load_in_background() {
  for (std::size_t at = next_++; at < sources_.size(); at = next_++) {
    if (options_.op.cancel.is_cancelled()) return;
    load_first(sources_[at]);
  }
}

void ServedSources::watch() {
  for (std::thread& loader : loaders_) loader.join();
  std::unique_lock lock(mutex_);
  while (!stopping_.wait_for(lock, options_.poll_interval, [this] { return is_stopping_; })) {
    lock.unlock();
    poll();
    lock.lock();
  }
}

Result<opening::OpenedSource> ServedSources::open(const Watched& source) {
  SourceInfo info;
  info.name = source.config.name;
  info.uri = source.config.uri;
  info.description = source.config.description;
  info.engine = options_.engine;
  return opening::open_source(
      source.config.place, std::move(info), options_.uses_cache,
      {env_, options_.op, options_.cache, {}, options_.engine, options_.read_variable});
}

void ServedSources::load_first(Watched& source) {
  const auto stamp = stamp_of(source.config.place, env_, options_.identify);
  if (stamp) source.seen = *stamp;
  auto opened = open(source);
  if (opened) {
    // A file that was written to in the meantime differs at the next look, and is read again.
    put(source, *std::move(opened), source.seen.value_or(SourceStamp()));
    return;
  }
  if (options_.op.cancel.is_cancelled()) return;
  source.failed = source.seen;
  warn(fmt::format("source {} could not be loaded: {}", source.config.name,
                   opened.error().to_string()));
  tell_failure(source, std::move(opened).error());
}

void ServedSources::put(Watched& source, opening::OpenedSource opened, SourceStamp stamp) {
  source.loaded = std::move(stamp);
  source.failed.reset();
  source.is_missing = false;
  source.is_stale = false;
  source.served = opened.source;
  source.is_behind = false;
  static_cast<void>(toolkit_.replace_source(std::move(opened.source)));
  source.graph = std::move(opened.graph);
  source.fingerprint = source.is_followed() ? source.graph.data->fingerprint() : "";
  tell_changed(source.config.name);
  source.graph.finish(false, options_.op);
}

// A file is read again once it has been the same at two looks: who writes it has probably ended. It
// is not taken where it changed while it was read.
void ServedSources::look_at(Watched& source) {
  if (source.config.place == opening::kSample) return;
  const auto& data = source.graph.data;
  if (data != nullptr && data->failure()) {
    source.graph.finish(true, options_.op);
    source.loaded.reset();
  }
  const auto now = stamp_of(source.config.place, env_, options_.identify);
  if (!now) {
    source.seen.reset();
    if (!source.is_missing && source.loaded) {
      warn(fmt::format("source {}: {}; its last state goes on being served", source.config.name,
                       now.error().to_string()));
      tell_failure(source, now.error());
    }
    source.is_missing = true;
    return;
  }
  source.is_missing = false;
  const bool is_settled = source.seen == *now;
  source.seen = *now;
  if (source.loaded == *now && source.is_stale) {
    source.is_stale = false;
    source.failed.reset();
    static_cast<void>(toolkit_.confirm_source(source.config.name));
    tell_changed(source.config.name);
  }
  if (source.loaded == *now) return follow(source);
  if (source.failed == *now || !is_settled) return;
  reload(source, *now);
}

// Calls that come later find read what is read here, however long that takes.
void ServedSources::follow(Watched& source) {
  if (!source.is_followed()) return;
  const GraphSource::Moment moment = source.served->at_this_moment(options_.op);
  if (options_.op.cancel.is_cancelled()) return;
  const bool is_behind = moment.staleness.has_value();
  std::string fingerprint = moment.graph->fingerprint();
  if (fingerprint == source.fingerprint && is_behind == source.is_behind) return;
  if (is_behind && !source.is_behind) {
    warn(fmt::format(
        "source {}: its changes cannot be read: {}; its last state goes on being served",
        source.config.name, moment.staleness->reason.to_string()));
  }
  source.fingerprint = std::move(fingerprint);
  source.is_behind = is_behind;
  tell_changed(source.config.name);
}

void ServedSources::reload(Watched& source, const SourceStamp& now) {
  auto opened = open(source);
  if (options_.op.cancel.is_cancelled()) return;
  const auto after = stamp_of(source.config.place, env_, options_.identify);
  if (!after || *after != now) {
    source.seen.reset();
    return;
  }
  if (opened) {
    put(source, *std::move(opened), now);
    note(fmt::format("source {} has changed and was loaded again", source.config.name));
    return;
  }
  source.failed = now;
  warn(fmt::format("source {} has changed and could not be loaded: {}{}", source.config.name,
                   opened.error().to_string(),
                   source.loaded ? "; its last state goes on being served" : ""));
  tell_failure(source, std::move(opened).error());
}

// To callers, who need not know where the files of the server are.
void ServedSources::tell_failure(Watched& source, Error error) {
  for (const std::string& path : {source.config.place, source.config.uri}) {
    error.message = without_path(error.message, path, source.config.name);
    error.detail = without_path(error.detail, path, source.config.name);
    error.document = without_path(error.document, path, source.config.name);
  }
  error.hint.clear();
  source.is_stale = source.loaded.has_value();
  static_cast<void>(toolkit_.fail_source(source.config.name, std::move(error)));
  tell_changed(source.config.name);
}

void ServedSources::tell_changed(const std::string& name) {
  const std::lock_guard lock(telling_);
  if (options_.changed) options_.changed(name);
}

void ServedSources::warn(std::string_view text) {
  const std::lock_guard lock(telling_);
  if (options_.warn) options_.warn(text);
}

void ServedSources::note(std::string_view text) {
  const std::lock_guard lock(telling_);
  if (options_.note) options_.note(text);
}

}  // namespace helve::mcp
