// SourceTable: the sources of a toolkit by name, those that are still being loaded too, each as the
// caller's policy and its own let it be seen. toolkit.cc asks it.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "sources/graph_source.h"
#include "sources/table_source.h"
#include "toolkit/policy/policy.h"
#include "toolkit/tools/toolkit.h"
#include "toolkit/tools/watched_tables.h"

namespace helve::toolkit {

// InvalidInput unless it is letters, digits, '-', '_' and '.', at most 64 of them.
Result<void> check_source_name(std::string_view name);

// What a call is asked of.
struct SourceChoice {
  std::string name;                      // empty: there is none
  std::shared_ptr<const Policy> policy;  // the stricter of the caller's and the source's
  std::string warning;                   // where it could have been another
  std::string staleness;                 // a warning, where what is served is not what there is
};

// As the policy lets it be seen; one of them.
struct OpenSource {
  std::shared_ptr<const GraphSource> graph;  // at one moment
  std::shared_ptr<const TableSource> tables;
  std::string staleness = {};  // a warning, where that moment is not now
};

// Thread-safe.
class SourceTable {
 public:
  // InvalidInput as Toolkit::add_source.
  Result<void> declare(SourceInfo info, std::shared_ptr<const Policy> policy);
  // NotFound for names that were not declared.
  Result<void> set(std::shared_ptr<const GraphSource> source, WallTime at);
  Result<void> set(std::shared_ptr<const TableSource> source, WallTime at, Env& env);
  Result<void> fail(const std::string& name, Error error, WallTime at);
  Result<void> confirm(const std::string& name);

  std::vector<KnownSource> list() const;
  std::vector<KnownSource> list(const Policy& policy) const;

  // The source of that name, or the first of the kind that the policy allows. NotFound for a name
  // that is not there or not allowed, in the same words; InvalidInput for one of another kind.
  Result<SourceChoice> choose(const std::optional<std::string>& name,
                              std::optional<SourceKind> kind,
                              const std::shared_ptr<const Policy>& policy);
  // What a call may do that reads of all these sources: the stricter of the caller's policy and
  // theirs. A name that is not there adds nothing.
  std::shared_ptr<const Policy> meet(const std::shared_ptr<const Policy>& policy,
                                     const std::set<std::string>& names);
  bool has_policy(std::string_view name) const;  // of its own
  // Waits while it is loaded: LimitExceeded or Cancelled by the context. Unavailable where loading
  // failed. All that a call asks of a graph is asked of one state, the newest that can be read
  // within the context.
  Result<OpenSource> open(const SourceChoice& choice, const OpContext& op);
  // The same without waiting for it to be loaded; nothing where it is not there.
  OpenSource open_if_ready(const SourceChoice& choice, const OpContext& op);

 private:
  struct Entry {
    SourceInfo info;
    std::shared_ptr<const Policy> policy;      // null: none of its own
    std::shared_ptr<const GraphSource> graph;  // or:
    std::shared_ptr<const TableSource> tables;
    std::shared_ptr<TablesWatch> watch = nullptr;  // of tables
    std::optional<Error> failure;
    std::optional<WallTime> loaded_at = std::nullopt;
    std::optional<WallTime> failed_at = std::nullopt;  // first, since it was loaded

    bool is_ready() const { return graph != nullptr || tables != nullptr; }
    bool is_stale() const { return is_ready() && failed_at.has_value(); }
  };
  using PolicyPtr = std::shared_ptr<const Policy>;

  // Policies that are to be met: the caller's, those of sources, and whether files are closed.
  using Meeting = std::tuple<PolicyPtr, std::vector<PolicyPtr>, bool>;

  // Without the lock: folders are compared on the disk, and graphs may be read on.
  PolicyPtr met(const Meeting& meeting);
  OpenSource opened(OpenSource whole, const SourceChoice& choice, const OpContext& op);

  // All under the lock.
  Entry* find(std::string_view name);
  const Entry* find(std::string_view name) const;
  Meeting meeting_of(const PolicyPtr& policy, const std::vector<const Entry*>& asked) const;
  Result<Entry*> begin_setting(const SourceInfo& info, WallTime at);
  std::shared_ptr<const GraphSource> restricted_graph(
      const std::shared_ptr<const GraphSource>& graph, const PolicyPtr& policy);
  std::vector<std::string_view> names(const Policy& policy,
                                      std::optional<SourceKind> kind = std::nullopt) const;
  static Error of_another_kind(const Entry& entry, const std::vector<std::string_view>& others);
  static std::string staleness_of(const Entry& entry);
  static std::string staleness_of(const std::string& name, const Staleness& staleness);
  static KnownSource known(const Entry& entry);
  Error unknown(const std::string& name, const Policy& policy) const;
  Error failed(const Entry& entry, const Policy& policy) const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Entry> entries_;
  // What is made of policies is kept: the schema of a restricted source takes queries.
  std::map<Meeting, PolicyPtr> met_;
  std::map<std::pair<std::shared_ptr<const GraphSource>, PolicyPtr>,
           std::shared_ptr<const GraphSource>>
      restricted_;
};

}  // namespace helve::toolkit
