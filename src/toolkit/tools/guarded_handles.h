// GuardedHandles: the handles of a session as one call may use them. Each is read within the
// policies of the sources it was made of, and what is stored is known to come from all that the
// call has read. toolkit.cc puts it around the store.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "toolkit/handles/handle_store.h"
#include "toolkit/policy/policy.h"
#include "toolkit/tools/source_table.h"

namespace helve::toolkit {

// Thread-safe.
class GuardedHandles final : public HandleStore {
 public:
  // All must outlive it. The call runs within the policies of the sources `met`, and may read them.
  GuardedHandles(HandleStore& store, const SourceTable& sources, const Policy& of_caller,
                 const std::set<std::string>& met);

  // Sources of handles that were asked for and not given, as the call does not run within their
  // policies: it has to be run again within them.
  std::set<std::string> unmet() const;

  Result<Ref> put(RowTablePtr rows, HandleOrigin origin, const OpContext& context) override;
  Result<Ref> put(std::shared_ptr<const GraphSource> graph, HandleType type, HandleOrigin origin,
                  const OpContext& context) override;
  Result<Ref> put(std::string text, HandleType type, HandleOrigin origin,
                  const OpContext& context) override;
  // NotFound also where a source is not for the caller's eyes.
  Result<Handle> get(std::string_view key, const OpContext& context) override;
  std::optional<Ref> find_same(const HandleOrigin& origin) override;
  bool is_live(std::string_view key) const override;
  std::vector<Ref> list(std::size_t most) const override;
  std::size_t count() const override;
  Result<void> remove(std::string_view key) override;
  std::vector<std::string> problems() const override;
  std::size_t memory_bytes() const override;
  std::uint64_t disk_bytes() const override;

 private:
  HandleOrigin with_sources(HandleOrigin origin) const;

  HandleStore& store_;
  const SourceTable& sources_;
  const Policy& of_caller_;
  const std::set<std::string>& met_;
  mutable std::mutex mutex_;
  std::set<std::string> read_;
  std::set<std::string> unmet_;
};

}  // namespace helve::toolkit
