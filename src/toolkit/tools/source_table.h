// SourceTable: the sources of a toolkit by name, those that are still being loaded too, each as the
// caller's policy and its own let it be seen. toolkit.cc asks it.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/op_context.h"
#include "sources/graph_source.h"
#include "toolkit/policy/policy.h"
#include "toolkit/tools/toolkit.h"

namespace helve::toolkit {

// InvalidInput unless it is letters, digits, '-', '_' and '.', at most 64 of them.
Result<void> check_source_name(std::string_view name);

// What a call is asked of.
struct SourceChoice {
  std::string name;                      // empty: there is none
  std::shared_ptr<const Policy> policy;  // the stricter of the caller's and the source's
  std::string warning;                   // where it could have been another
};

// Thread-safe.
class SourceTable {
 public:
  // InvalidInput as Toolkit::add_source.
  Result<void> declare(SourceInfo info, std::shared_ptr<const Policy> policy);
  // NotFound for names that were not declared.
  Result<void> set(std::shared_ptr<const GraphSource> source);
  Result<void> fail(const std::string& name, Error error);

  std::vector<KnownSource> list() const;
  std::vector<KnownSource> list(const Policy& policy) const;

  // The source of that name, or the first that the policy allows. NotFound for a name that is not
  // there or not allowed, in the same words.
  Result<SourceChoice> choose(const std::optional<std::string>& name,
                              const std::shared_ptr<const Policy>& policy);
  // For calls that are asked of none.
  SourceChoice choose_none(const std::shared_ptr<const Policy>& policy);
  // Waits while it is loaded: LimitExceeded or Cancelled by the context. Unavailable where loading
  // failed.
  Result<std::shared_ptr<const GraphSource>> open(const SourceChoice& choice, const OpContext& op);
  // The same without waiting; null where it is not there.
  std::shared_ptr<const GraphSource> open_if_ready(const SourceChoice& choice);

 private:
  struct Entry {
    SourceInfo info;
    std::shared_ptr<const Policy> policy;  // null: none of its own
    std::shared_ptr<const GraphSource> graph;
    std::optional<Error> failure;
  };
  using PolicyPtr = std::shared_ptr<const Policy>;

  // All under the lock.
  Entry* find(std::string_view name);
  PolicyPtr effective(const PolicyPtr& policy, const Entry* entry);
  std::shared_ptr<const GraphSource> restricted(const Entry& entry, const PolicyPtr& policy);
  std::vector<std::string_view> names(const Policy& policy) const;
  Error unknown(const std::string& name, const Policy& policy) const;
  Error failed(const Entry& entry, const Policy& policy) const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Entry> entries_;
  // What is made of policies is kept: the schema of a restricted source takes queries.
  std::map<std::pair<PolicyPtr, std::string>, PolicyPtr> effective_;
  std::map<std::pair<std::shared_ptr<const GraphSource>, PolicyPtr>,
           std::shared_ptr<const GraphSource>>
      restricted_;
};

}  // namespace helve::toolkit
