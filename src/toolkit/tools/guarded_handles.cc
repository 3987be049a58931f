#include "toolkit/tools/guarded_handles.h"

#include <fmt/format.h>

namespace helve::toolkit {

GuardedHandles::GuardedHandles(HandleStore& store, const SourceTable& sources,
                               const Policy& of_caller, const std::set<std::string>& met)
    : store_(store), sources_(sources), of_caller_(of_caller), met_(met), read_(met) {}

std::set<std::string> GuardedHandles::unmet() const {
  const std::lock_guard lock(mutex_);
  return unmet_;
}

HandleOrigin GuardedHandles::with_sources(HandleOrigin origin) const {
  const std::lock_guard lock(mutex_);
  origin.sources.assign(read_.begin(), read_.end());
  return origin;
}

Result<Ref> GuardedHandles::put(RowTablePtr rows, HandleOrigin origin, const OpContext& context) {
  return store_.put(std::move(rows), with_sources(std::move(origin)), context);
}

Result<Ref> GuardedHandles::put(std::shared_ptr<const GraphSource> graph, HandleType type,
                                HandleOrigin origin, const OpContext& context) {
  return store_.put(std::move(graph), type, with_sources(std::move(origin)), context);
}

Result<Ref> GuardedHandles::put(std::string text, HandleType type, HandleOrigin origin,
                                const OpContext& context) {
  return store_.put(std::move(text), type, with_sources(std::move(origin)), context);
}

Result<Handle> GuardedHandles::get(std::string_view key, const OpContext& context) {
  HELVE_ASSIGN(Handle handle, store_.get(key, context));
  const std::lock_guard lock(mutex_);
  bool is_met = true;
  for (const std::string& source : handle.origin.sources) {
    if (!allows_source(of_caller_, source)) {
      return Error{ErrorCode::NotFound, fmt::format("there is no handle {}", key),
                   "make it anew by the call it came from"};
    }
    if (met_.contains(source) || !sources_.has_policy(source)) continue;
    unmet_.insert(source);
    is_met = false;
  }
  if (!is_met) {
    return Error{ErrorCode::Denied,
                 fmt::format("{} is read within the policies of its sources", key)};
  }
  read_.insert(handle.origin.sources.begin(), handle.origin.sources.end());
  return handle;
}

std::optional<Ref> GuardedHandles::find_same(const HandleOrigin& origin) {
  return store_.find_same(origin);
}
bool GuardedHandles::is_live(std::string_view key) const { return store_.is_live(key); }
std::vector<Ref> GuardedHandles::list(std::size_t most) const { return store_.list(most); }
std::size_t GuardedHandles::count() const { return store_.count(); }
Result<void> GuardedHandles::remove(std::string_view key) { return store_.remove(key); }
std::vector<std::string> GuardedHandles::problems() const { return store_.problems(); }
std::size_t GuardedHandles::memory_bytes() const { return store_.memory_bytes(); }
std::uint64_t GuardedHandles::disk_bytes() const { return store_.disk_bytes(); }

}  // namespace helve::toolkit
