#include "toolkit/tools/source_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/near_names.h"
#include "base/utc.h"
#include "toolkit/policy/restricted_source.h"
#include "toolkit/policy/restricted_tables.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kKept = 256;  // policies and restricted sources
// How often who waits looks whether it was cancelled.
constexpr auto kLook = std::chrono::milliseconds(10);

}  // namespace

std::string_view name_of(SourceState state) {
  switch (state) {
    case SourceState::Loading:
      return "loading";
    case SourceState::Ready:
      return "ready";
    case SourceState::Stale:
      return "stale";
    case SourceState::Failed:
      return "failed";
    case SourceState::Unasked:
      return "unasked";
  }
  return "";
}

Result<void> check_source_name(std::string_view name) {
  const bool is_name =
      !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
        return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
      });
  if (is_name) return {};
  return Error{ErrorCode::InvalidInput, fmt::format("\"{}\" is no name for a source", name),
               "use letters, digits, '-', '_' and '.', at most 64 of them"};
}

Result<void> SourceTable::declare(SourceInfo info, std::shared_ptr<const Policy> policy) {
  HELVE_TRY(check_source_name(info.name));
  const std::lock_guard lock(mutex_);
  if (find(info.name) != nullptr) {
    return Error{ErrorCode::InvalidInput, fmt::format("there are two sources named {}", info.name),
                 "give each a name of its own: NAME=URI"};
  }
  Entry& entry = entries_.emplace_back();
  entry.info = std::move(info);
  entry.policy = std::move(policy);
  return {};
}

Result<SourceTable::Entry*> SourceTable::begin_setting(const SourceInfo& info, WallTime at) {
  Entry* const entry = find(info.name);
  if (entry == nullptr) {
    return Error{ErrorCode::NotFound, fmt::format("there is no source named {}", info.name)};
  }
  // What is said of it in a configuration stays.
  std::string description = std::move(entry->info.description);
  entry->info = info;
  if (entry->info.description.empty()) entry->info.description = std::move(description);
  entry->failure.reset();
  entry->loaded_at = at;
  entry->failed_at.reset();
  changed_.notify_all();
  return entry;
}

Result<void> SourceTable::set(std::shared_ptr<const GraphSource> source, WallTime at) {
  decltype(restricted_) old;  // ends behind the lock
  Entry replaced;
  const std::lock_guard lock(mutex_);
  HELVE_ASSIGN(Entry* const entry, begin_setting(source->info(), at));
  replaced = *entry;
  entry->tables.reset();
  entry->graph = std::move(source);
  entry->info.kind = SourceKind::Graph;
  old.swap(restricted_);
  return {};
}

Result<void> SourceTable::set(std::shared_ptr<const TableSource> source, WallTime at, Env& env) {
  Entry replaced;
  const std::lock_guard lock(mutex_);
  HELVE_ASSIGN(Entry* const entry, begin_setting(source->info(), at));
  replaced = *entry;
  entry->graph.reset();
  entry->watch = std::make_shared<TablesWatch>();
  entry->tables = watch_tables(std::move(source), entry->watch, env);
  entry->info.kind = SourceKind::Tables;
  return {};
}

Result<void> SourceTable::fail(const std::string& name, Error error, WallTime at) {
  const std::lock_guard lock(mutex_);
  Entry* const entry = find(name);
  if (entry == nullptr) {
    return Error{ErrorCode::NotFound, fmt::format("there is no source named {}", name)};
  }
  if (entry->tables != nullptr) {
    entry->watch->failed(std::move(error), at);
    return {};
  }
  entry->failure = std::move(error);
  if (!entry->failed_at) entry->failed_at = at;
  changed_.notify_all();
  return {};
}

Result<void> SourceTable::confirm(const std::string& name) {
  const std::lock_guard lock(mutex_);
  Entry* const entry = find(name);
  if (entry == nullptr) {
    return Error{ErrorCode::NotFound, fmt::format("there is no source named {}", name)};
  }
  if (!entry->is_stale()) return {};
  entry->failure.reset();
  entry->failed_at.reset();
  return {};
}

std::vector<KnownSource> SourceTable::list() const { return list(Policy()); }

std::vector<KnownSource> SourceTable::list(const Policy& policy) const {
  const std::lock_guard lock(mutex_);
  std::vector<KnownSource> listed;
  for (const Entry& entry : entries_) {
    if (allows_source(policy, entry.info.name)) listed.push_back(known(entry));
  }
  return listed;
}

KnownSource SourceTable::known(const Entry& entry) {
  if (entry.tables != nullptr) {
    TablesState found = entry.watch->state();
    SourceState state = found.answered_at ? SourceState::Ready : SourceState::Unasked;
    if (found.failure) state = SourceState::Failed;
    return {entry.info, state, std::move(found.failure), found.answered_at, found.failed_at};
  }
  if (entry.graph != nullptr && !entry.is_stale()) {
    if (auto found = entry.graph->staleness()) {
      return {entry.info, SourceState::Stale, std::move(found->reason), found->read_at,
              found->since};
    }
  }
  SourceState state = entry.failure ? SourceState::Failed : SourceState::Loading;
  if (entry.is_ready()) state = entry.is_stale() ? SourceState::Stale : SourceState::Ready;
  return {entry.info, state, entry.failure, entry.loaded_at, entry.failed_at};
}

Result<SourceChoice> SourceTable::choose(const std::optional<std::string>& name,
                                         std::optional<SourceKind> kind,
                                         const std::shared_ptr<const Policy>& policy) {
  SourceChoice choice;
  Meeting meeting;
  {
    const std::lock_guard lock(mutex_);
    const auto allowed = names(*policy, kind);
    if (name && std::find(allowed.begin(), allowed.end(), *name) == allowed.end()) {
      const Entry* const other = allows_source(*policy, *name) ? find(*name) : nullptr;
      if (other != nullptr) return of_another_kind(*other, allowed);
      return unknown(*name, *policy);
    }
    std::vector<const Entry*> asked;
    if (name || !allowed.empty()) {
      asked.push_back(find(name ? std::string_view(*name) : allowed.front()));
      choice.name = asked.front()->info.name;
      choice.staleness = staleness_of(*asked.front());
    }
    meeting = meeting_of(policy, asked);
    if (!name && allowed.size() > 1) {
      choice.warning =
          fmt::format("asked of {}, the first of {} sources; source=NAME asks another: {}",
                      choice.name, allowed.size(), fmt::join(allowed, ", "));
    }
  }
  choice.policy = met(meeting);
  return choice;
}

SourceTable::PolicyPtr SourceTable::meet(const PolicyPtr& policy,
                                         const std::set<std::string>& names) {
  Meeting meeting;
  {
    const std::lock_guard lock(mutex_);
    std::vector<const Entry*> asked;
    for (const std::string& name : names) {
      if (const Entry* const entry = find(name)) asked.push_back(entry);
    }
    meeting = meeting_of(policy, asked);
  }
  return met(meeting);
}

bool SourceTable::has_policy(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const Entry* const entry = find(name);
  return entry != nullptr && entry->policy != nullptr;
}

Result<OpenSource> SourceTable::open(const SourceChoice& choice, const OpContext& op) {
  std::unique_lock lock(mutex_);
  while (true) {
    const Entry* const entry = find(choice.name);
    if (entry == nullptr) return unknown(choice.name, *choice.policy);
    if (entry->is_ready()) {
      OpenSource whole{entry->graph, entry->tables};
      lock.unlock();
      return opened(std::move(whole), choice, op);
    }
    if (entry->failure) return failed(*entry, *choice.policy);
    if (op.cancel.is_cancelled()) return op.check().error();
    if (op.deadline.has_passed()) {
      return Error{ErrorCode::Unavailable,
                   fmt::format("the source {} is still being loaded", choice.name),
                   "call again in a while"};
    }
    changed_.wait_for(lock, std::min<Duration>(kLook, op.deadline.remaining()));
  }
}

OpenSource SourceTable::open_if_ready(const SourceChoice& choice, const OpContext& op) {
  OpenSource whole;
  {
    const std::lock_guard lock(mutex_);
    const Entry* const entry = find(choice.name);
    if (entry == nullptr || !entry->is_ready()) return {};
    whole = {entry->graph, entry->tables};
  }
  whole = opened(std::move(whole), choice, op);
  whole.staleness.clear();  // nothing is asked of it
  return whole;
}

OpenSource SourceTable::opened(OpenSource whole, const SourceChoice& choice, const OpContext& op) {
  if (whole.tables != nullptr) return {nullptr, restrict_tables(whole.tables, *choice.policy)};
  GraphSource::Moment moment = whole.graph->at_this_moment(op);
  if (moment.graph != nullptr) whole.graph = std::move(moment.graph);
  // What is said of the source as a whole is enough.
  if (moment.staleness && choice.staleness.empty()) {
    whole.staleness = staleness_of(choice.name, *moment.staleness);
  }
  const std::lock_guard lock(mutex_);
  whole.graph = restricted_graph(whole.graph, choice.policy);
  return whole;
}

SourceTable::Entry* SourceTable::find(std::string_view name) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.info.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

const SourceTable::Entry* SourceTable::find(std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.info.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

// Files are a way around what a policy says of sources: who may see only some of them, or only some
// of their graphs, reads no file unless its folder is named.
SourceTable::Meeting SourceTable::meeting_of(const PolicyPtr& policy,
                                             const std::vector<const Entry*>& asked) const {
  const bool hides = policy->allowed_sources.has_value() ||
                     std::any_of(entries_.begin(), entries_.end(), [](const Entry& one) {
                       return one.policy != nullptr && hides_graphs(*one.policy);
                     });
  Meeting meeting{policy, {}, hides && !policy->allowed_paths};
  for (const Entry* entry : asked) {
    if (entry->policy != nullptr) std::get<1>(meeting).push_back(entry->policy);
  }
  return meeting;
}

SourceTable::PolicyPtr SourceTable::met(const Meeting& meeting) {
  const auto& [policy, own, closes_files] = meeting;
  if (own.empty() && !closes_files) return policy;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = met_.find(meeting); found != met_.end()) return found->second;
  }
  Policy all = *policy;
  for (const PolicyPtr& one : own) all = intersect(all, *one);
  if (closes_files) all.allowed_paths = std::vector<std::string>();
  auto made = std::make_shared<const Policy>(std::move(all));
  const std::lock_guard lock(mutex_);
  if (met_.size() >= kKept) met_.clear();
  return met_.emplace(meeting, std::move(made)).first->second;
}

std::shared_ptr<const GraphSource> SourceTable::restricted_graph(
    const std::shared_ptr<const GraphSource>& graph, const PolicyPtr& policy) {
  if (!hides_graphs(*policy)) return restrict_source(graph, policy);
  const auto key = std::make_pair(graph, policy);
  if (const auto found = restricted_.find(key); found != restricted_.end()) return found->second;
  // Nobody asks for moments that have passed.
  std::erase_if(restricted_, [&](const auto& one) {
    return one.first.first != graph && one.first.first->info().name == graph->info().name;
  });
  if (restricted_.size() >= kKept) restricted_.clear();
  return restricted_.emplace(key, restrict_source(graph, policy)).first->second;
}

std::vector<std::string_view> SourceTable::names(const Policy& policy,
                                                 std::optional<SourceKind> kind) const {
  std::vector<std::string_view> allowed;
  for (const Entry& entry : entries_) {
    if (kind && entry.info.kind != *kind) continue;
    if (allows_source(policy, entry.info.name)) allowed.emplace_back(entry.info.name);
  }
  return allowed;
}

// In words of ours alone: why it failed may quote the file.
std::string SourceTable::staleness_of(const Entry& entry) {
  if (!entry.is_stale()) return {};
  return fmt::format(
      "stale: this is {} as it was read at {}; since {} what it was read from is changed or gone "
      "and cannot be read",
      entry.info.name, to_utc(*entry.loaded_at), to_utc(*entry.failed_at));
}

std::string SourceTable::staleness_of(const std::string& name, const Staleness& staleness) {
  const bool has_time = staleness.reason.code != ErrorCode::LimitExceeded;
  return fmt::format(
      "stale: this is {} as it was at {}; what was written since could not be read{}", name,
      to_utc(staleness.read_at), has_time ? "" : " in time");
}

Error SourceTable::unknown(const std::string& name, const Policy& policy) const {
  const auto allowed = names(policy);
  const auto near = near_names(name, allowed);
  std::string hint = "there is none: --source NAME=FILE adds one";
  if (!near.empty()) {
    hint = fmt::format("did you mean {}?", near.front());
  } else if (!allowed.empty()) {
    hint = fmt::format("sources: {}", fmt::join(allowed, ", "));
  }
  return {ErrorCode::NotFound, fmt::format("there is no source named {}", name), std::move(hint)};
}

Error SourceTable::of_another_kind(const Entry& entry,
                                   const std::vector<std::string_view>& others) {
  const bool is_graph = entry.info.kind == SourceKind::Graph;
  const std::string hint =
      others.empty() ? "" : fmt::format("; source=NAME asks another: {}", fmt::join(others, ", "));
  return {ErrorCode::InvalidInput,
          fmt::format("{} is a {}", entry.info.name, is_graph ? "graph" : "SQL database"),
          (is_graph ? "ask it with sparql_query, sparql_schema and sparql_find"
                    : "ask it with schema_inspect and query_execute") +
              hint};
}

Error SourceTable::failed(const Entry& entry, const Policy& policy) const {
  auto others = names(policy);
  std::erase(others, entry.info.name);
  std::string hint =
      "it has to be mended there, and is then read again; retrying alone does not help";
  if (!others.empty()) {
    hint = fmt::format("source=NAME asks another: {}", fmt::join(others, ", "));
  }
  Error plain = *entry.failure;
  plain.hint.clear();
  return Error(ErrorCode::Unavailable,
               fmt::format("the source {} could not be loaded", entry.info.name), std::move(hint))
      .with_detail(plain.to_string());
}

}  // namespace helve::toolkit
