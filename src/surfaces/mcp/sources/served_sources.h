// ServedSources: the sources of a server: opened in the background, so that the server answers at
// once, and opened again when their files change. What is written to the log of an index is
// followed by its graph, and only told of here. Databases are there at once, and connected to when
// they are asked. Toolkit has what was opened.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "sources/store/snapshot_cache.h"
#include "surfaces/mcp/config/mcp_config.h"
#include "surfaces/mcp/sources/source_stamp.h"
#include "surfaces/opening/open_graph.h"
#include "surfaces/opening/open_tables.h"
#include "toolkit/tools/toolkit.h"

namespace helve::mcp {

struct ServedSourcesOptions {
  Result<store::CacheOptions> cache = Error{ErrorCode::NotFound, "there is no cache"};
  bool uses_cache = true;
  std::string engine;  // SourceInfo::engine
  OpContext op;        // memory, limits and executor of loading; its cancellation ends it
  std::vector<std::string> worker_command;  // of SQLite
  sql::ReadVariable read_variable;          // of the environment, for passwords of databases
  Duration poll_interval = std::chrono::seconds(2);
  Identify identify = identify_file;

  // From background threads, one at a time.
  std::function<void(const std::string& name)> changed;  // there, replaced or failed
  std::function<void(std::string_view text)> warn;       // what somebody should mend
  std::function<void(std::string_view text)> note;       // what went well
};

// Thread-safe. Toolkit and Env outlive it.
class ServedSources {
 public:
  // Declares them to the toolkit. Mistakes that can be seen without reading are errors: those of
  // check_place() and of Toolkit::declare_source(). None that has to be waited for is looked for.
  static Result<std::unique_ptr<ServedSources>> make(std::vector<SourceConfig> sources,
                                                     toolkit::Toolkit& toolkit, Env& env,
                                                     ServedSourcesOptions options);
  ~ServedSources();
  ServedSources(const ServedSources&) = delete;
  ServedSources& operator=(const ServedSources&) = delete;

  // Loads all and then watches them, on threads of its own, until stop().
  void start();
  void stop();

  // What start() does, on the calling thread: all once, in order; one look at each of them.
  // REQUIRES (of both): start() was not called.
  void load_all();
  void poll();

 private:
  struct Watched {
    SourceConfig config;
    std::optional<SourceStamp> loaded;  // the state that is served
    std::optional<SourceStamp> seen;    // at the last look
    std::optional<SourceStamp> failed;  // that could not be read; told of
    opening::OpenedGraph graph;         // what is served, for its cache
    std::shared_ptr<const GraphSource> served;
    std::string fingerprint;  // of the state that was told of, where `served` follows its folder
    bool is_behind = false;   // told that it cannot follow
    bool is_missing = false;  // told of
    bool is_stale = false;    // what is served is not what there is; the toolkit knows

    // An index, whose log may grow: `served` sees that without being opened anew.
    bool is_followed() const { return graph.origin == opening::GraphOrigin::Index; }
  };

  ServedSources(toolkit::Toolkit& toolkit, Env& env, ServedSourcesOptions options);
  Result<void> add(SourceConfig source);
  Result<void> add_database(const SourceConfig& source, SourceInfo info);
  void load_first(Watched& source);
  void look_at(Watched& source);
  void follow(Watched& source);
  void reload(Watched& source, const SourceStamp& now);
  Result<opening::OpenedSource> open(const Watched& source);
  void put(Watched& source, opening::OpenedSource opened, SourceStamp stamp);
  void load_in_background();
  void watch();
  void tell_failure(Watched& source, Error error);
  void tell_changed(const std::string& name);
  void warn(std::string_view text);
  void note(std::string_view text);

  toolkit::Toolkit& toolkit_;
  Env& env_;
  ServedSourcesOptions options_;
  std::vector<Watched> sources_;
  std::atomic<std::size_t> next_{0};  // to be loaded

  std::mutex telling_;
  std::mutex mutex_;
  std::condition_variable stopping_;
  bool is_stopping_ = false;
  std::vector<std::thread> loaders_;
  std::thread watcher_;
};

}  // namespace helve::mcp
