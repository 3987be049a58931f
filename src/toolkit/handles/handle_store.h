// HandleStore: the things of one session that are too large for a prompt. Bounded memory, the rest
// in the session's folder; what was not used for long goes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "toolkit/handles/ref.h"
#include "toolkit/handles/row_table.h"
#include "toolkit/handles/shown_prefixes.h"

namespace helve::toolkit {

// Where a stored thing came from. Kept with it, over restarts too.
struct HandleOrigin {
  std::string tool;       // "sparql_query"
  std::string source;     // name of the source
  std::string query;      // the text that was run, or the path that was read
  std::string snapshot;   // Source::fingerprint() at that time
  std::string call_hash;  // of all that decides the content: equal calls find the handle
  double execution_time_ms = 0;
  std::string incomplete;  // why there is not all: "the deadline passed after ..."; empty: complete
  // Of the query it came from.
  std::optional<std::uint64_t> total_available;
  std::string total_is;    // exact, at_least, estimate
  ShownPrefixes prefixes;  // with which its IRIs are shown; those of the source
  // Names of all the sources that anything in it came from: their policies hold for it.
  std::vector<std::string> sources;
};

struct Handle {
  Ref ref;
  HandleOrigin origin;
  // One of them, by ref.dtype.
  RowTablePtr rows;
  std::shared_ptr<const GraphSource> graph;
  std::shared_ptr<const std::string> text;
};

struct HandleStoreOptions {
  std::filesystem::path folder;    // of the session; empty: memory only, nothing spills
  bool keeps_all_on_disk = false;  // every handle is on disk when put() returns
  std::size_t memory_bytes_max = std::size_t{512} << 20;
  std::uint64_t disk_bytes_max = std::uint64_t{4} << 30;
  std::size_t handles_max = 10'000;
  Duration time_to_live = std::chrono::hours(24);  // since the last use
  bool has_secret_keys = false;                    // keys of 128 random bits instead of numbers
  // Without a folder: gives the first of kNumbersReserved numbers that no other store gets, so that
  // a key never comes to mean other rows in another process. Empty: numbers begin at 0.
  std::function<std::uint64_t()> reserve_numbers;
  static constexpr std::uint64_t kNumbersReserved = 1'000;
};

// Thread-safe. With a folder, one process at a time holds it (a lock file).
class HandleStore {
 public:
  // Opens the folder and what is there. A damaged entry is set aside and told of in problems().
  // Unavailable when another process holds the folder beyond the deadline of the context.
  static Result<std::unique_ptr<HandleStore>> open(HandleStoreOptions options, Env& env,
                                                   GraphFactory* graphs, const OpContext& context);
  virtual ~HandleStore() = default;

  virtual Result<Ref> put(RowTablePtr rows, HandleOrigin origin, const OpContext& context) = 0;
  virtual Result<Ref> put(std::shared_ptr<const GraphSource> graph, HandleType type,
                          HandleOrigin origin, const OpContext& context) = 0;
  virtual Result<Ref> put(std::string text, HandleType type, HandleOrigin origin,
                          const OpContext& context) = 0;

  // Counts as a use. NotFound says whether the key is unknown or expired, and lists up to five that
  // live.
  virtual Result<Handle> get(std::string_view key, const OpContext& context) = 0;
  // The handle of an equal call on unchanged data, if it still lives. Partial ones are not given.
  virtual std::optional<Ref> find_same(const HandleOrigin& origin) = 0;
  // No use of it.
  virtual bool is_live(std::string_view key) const = 0;
  // The most recently used first, so many at most.
  virtual std::vector<Ref> list(std::size_t most = SIZE_MAX) const = 0;
  virtual std::size_t count() const = 0;
  virtual Result<void> remove(std::string_view key) = 0;

  virtual std::vector<std::string> problems() const = 0;
  virtual std::size_t memory_bytes() const = 0;
  virtual std::uint64_t disk_bytes() const = 0;
};

}  // namespace helve::toolkit
