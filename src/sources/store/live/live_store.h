// LiveStore: a store that changes. An immutable base (snapshot_file.h), the changes since it was
// written in memory (delta.h) and in a log on disk (change_log.h), one writer at a time, and for
// every reader the state of one moment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/document.h"
#include "sources/sparql/algebra/update.h"
#include "sources/sparql/engine/dataset.h"
#include "sources/sparql/engine/service.h"
#include "sources/store/snapshot.h"

namespace helve::store {

class LiveSnapshot;
class Transaction;

// Opens what LOAD names, or says why not.
using DocumentLoader =
    std::function<Result<rdf::Document>(const std::string& iri, const OpContext& context)>;

// How an update is run.
struct UpdateOptions {
  // What WHERE sees as the default graph where there is no USING: that of the store, or all graphs.
  bool is_union_default = false;
  // The protocol's using-graph-uri and using-named-graph-uri. InvalidInput where the update has
  // USING or WITH of its own.
  std::vector<sparql::DatasetGraph> using_graphs;
  sparql::ServiceResolver* services = nullptr;  // null: SERVICE is refused
  DocumentLoader load;                          // empty: LOAD is refused
};

// What a transaction came to.
struct CommitReport {
  std::uint64_t added = 0;    // statements that were not there before
  std::uint64_t removed = 0;  // statements that are not there any more
  std::uint64_t version = 0;  // of the state it made, or of the one it left as it was
  std::string fingerprint;    // of that state
};

struct LiveOptions {
  std::string program = "helve";  // what new base files say made them
  // What is held in memory: changes, terms that came with them, and their text. Transactions that
  // lead beyond are refused.
  std::uint64_t changes_max = 2'000'000;
  std::uint64_t terms_max = 8'000'000;
  std::uint64_t term_bytes_max = 2'048 * kMiB;
  // Has a thread compact when the changes are `compact_from` and a fifth of the base, when they are
  // `compact_at`, when a quarter of what can be held is, or when the log is longer than that,
  // though its changes may cancel each other. Where half of what can be held is, writers wait for
  // it.
  std::uint64_t compact_from = 100'000;
  std::uint64_t compact_at = 500'000;  // everybody who opens the store reads them
  std::uint64_t log_bytes_max = 512 * kMiB;
  bool compacts_itself = true;

  // Holds as much as so many bytes of memory are enough for, and not less than by default.
  void hold_within(std::uint64_t memory_bytes);
};

// Thread-safe. Readers never wait for writers.
class LiveStore {
 public:
  // Takes the folder's lock for as long as it lives. Recovers what was acknowledged before a crash.
  // Errors: those of open_snapshot(); Unavailable where another process writes, or where the log is
  // damaged; Denied where the folder cannot be written.
  static Result<std::shared_ptr<LiveStore>> open(const std::filesystem::path& folder,
                                                 const LiveOptions& options,
                                                 const OpContext& context, Env& env = real_env());
  // Keeps its changes in memory alone.
  static Result<std::shared_ptr<LiveStore>> in_memory(const std::shared_ptr<const Snapshot>& base,
                                                      const LiveOptions& options = {},
                                                      Env& env = real_env());
  ~LiveStore();
  LiveStore(const LiveStore&) = delete;
  LiveStore& operator=(const LiveStore&) = delete;

  // The newest state that is durable. It stays as it is, whatever is written later.
  std::shared_ptr<const LiveSnapshot> snapshot() const;

  // Runs all operations as one transaction: durable and visible when it returns, or, after an
  // error, without any effect. Operations see what those before them did.
  Result<CommitReport> update(const sparql::Update& update, const UpdateOptions& options,
                              const OpContext& context);

  // The Graph Store Protocol. An empty IRI is the default graph.
  enum class GraphWrite : std::uint8_t { Replace, Merge };
  struct GraphReport {
    CommitReport commit;
    bool was_there = false;  // before
  };
  Result<GraphReport> write_graph(const std::string& graph, GraphWrite how, rdf::Document& document,
                                  const std::string& base_iri, const OpContext& context);
  // NotFound where there is no such graph. The default graph is always there, and emptied.
  Result<GraphReport> drop_graph(const std::string& graph, const OpContext& context);

  // Any other transaction: what `work` did is kept where it returns no error.
  Result<CommitReport> write(const std::function<Result<void>(Transaction&)>& work,
                             const OpContext& context);

  // Writes a new base with all that is committed and starts a new log. Readers and writers go on
  // meanwhile.
  Result<void> compact(const OpContext& context);
  // Whether it is worth it; see LiveOptions.
  bool is_worth_compacting() const;

 private:
  class State;
  explicit LiveStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The log of a folder: all of it, and what is of a transaction that was not written whole, which is
// nobody's. Both are zero where there is no log.
struct LogSize {
  std::uint64_t bytes = 0;
  std::uint64_t torn_bytes = 0;
};
Result<LogSize> measure_log(const std::filesystem::path& folder, const Snapshot& base,
                            Env& env = real_env());

// The state of a folder for readers: base and log. It does not wait for a writer, sees of what one
// does only what is on disk, and changes nothing.
Result<std::shared_ptr<const LiveSnapshot>> open_live_snapshot(const std::filesystem::path& folder,
                                                               const OpContext& context,
                                                               Env& env = real_env());

}  // namespace helve::store
