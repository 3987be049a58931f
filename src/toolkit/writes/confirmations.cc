#include "toolkit/writes/confirmations.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.h"
#include "base/json.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kTokenBytes = 16;
constexpr std::size_t kFileBytesMax = 4 * kKiB;
constexpr std::string_view kFolder = "confirmations";
constexpr std::string_view kTaken = ".taken";

// What lies on the disk does not tell the token.
std::string name_of_token(std::string_view token) {
  return digest_hex(DigestKind::Sha256, fmt::format("confirmation {}", token));
}

// In milliseconds: what the clock can hold in nanoseconds.
constexpr std::int64_t kTimeMax = 9'000'000'000'000;

std::int64_t milliseconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

std::string encode(const PendingChange& change, WallTime expires) {
  JsonValue::Object object;
  object.push_back({"subject", JsonValue(change.subject)});
  object.push_back({"expires", JsonValue(milliseconds(expires))});
  if (change.rows) object.push_back({"rows", JsonValue(*change.rows)});
  object.push_back({"exact", JsonValue(change.is_exact)});
  object.push_back({"keys", JsonValue(change.keys)});
  return to_json(JsonValue(std::move(object)));
}

Error refused() {
  return {ErrorCode::Denied,
          "the token does not confirm this change: it is unknown, was used, has expired, or was "
          "given for another call",
          "make the call without confirm: the reply has a new question and a new token"};
}

void add_list(std::vector<std::string>& out, const std::optional<std::vector<std::string>>& list) {
  out.emplace_back(list ? fmt::format("{} names", list->size()) : "all");
  if (!list) return;
  std::vector<std::string> sorted = *list;
  std::sort(sorted.begin(), sorted.end());
  out.insert(out.end(), sorted.begin(), sorted.end());
}

}  // namespace

Confirmations::Confirmations(std::filesystem::path folder, Env& env)
    : folder_(folder.empty() ? std::move(folder) : folder / kFolder), env_(env) {}

std::filesystem::path Confirmations::path_of(const std::string& name) const {
  return folder_ / name;
}

void Confirmations::drop_old_entries() {
  const WallTime now = env_.clock().wall();
  std::erase_if(waiting_, [&](const auto& entry) { return entry.second.expires <= now; });
  while (waiting_.size() >= kPendingMax) {
    waiting_.erase(
        std::min_element(waiting_.begin(), waiting_.end(), [](const auto& left, const auto& right) {
          return left.second.expires < right.second.expires;
        }));
  }
}

void Confirmations::drop_old_files() {
  Files& files = env_.files();
  const auto names = files.list(folder_);
  if (!names) return;
  std::vector<std::pair<WallTime, std::filesystem::path>> kept;
  const WallTime now = env_.clock().wall();
  for (const auto& name : *names) {
    const auto status = files.status(folder_ / name);
    if (!status) continue;
    if (status->modified + kLife <= now) {
      (void)files.remove(folder_ / name);
    } else {
      kept.emplace_back(status->modified, folder_ / name);
    }
  }
  std::sort(kept.begin(), kept.end());
  for (std::size_t i = 0; i + kPendingMax <= kept.size(); ++i) (void)files.remove(kept[i].second);
}

Result<Confirmations::Asked> Confirmations::ask(const PendingChange& change) {
  Asked asked{env_.random().hex(kTokenBytes), env_.clock().wall() + kLife};
  const std::string name = name_of_token(asked.token);
  const std::lock_guard lock(mutex_);
  if (folder_.empty()) {
    drop_old_entries();
    waiting_[name] = {change, asked.expires};
    return asked;
  }
  HELVE_TRY(env_.files().make_directories(folder_));
  drop_old_files();
  // What is appended to is its owner's alone.
  HELVE_ASSIGN(const auto file, env_.files().open_write(path_of(name), WriteMode::Append));
  HELVE_TRY(file->write(encode(change, asked.expires)));
  HELVE_TRY(file->close());
  return asked;
}

std::optional<Confirmations::Waiting> Confirmations::take_file(const std::string& name) {
  Files& files = env_.files();
  // Of several who rename it, one finds it.
  const std::filesystem::path taken = path_of(name + std::string(kTaken));
  if (!files.rename(path_of(name), taken)) return std::nullopt;
  std::optional<JsonValue> json;
  if (const auto file = files.map(taken); file && (*file)->bytes().size() <= kFileBytesMax) {
    if (auto read = parse_json((*file)->text())) json = *std::move(read);
  }
  (void)files.remove(taken);
  if (!json) return std::nullopt;
  const JsonValue* subject = json->find("subject");
  const JsonValue* expires = json->find("expires");
  const JsonValue* exact = json->find("exact");
  const JsonValue* rows = json->find("rows");
  const JsonValue* keys = json->find("keys");
  if (subject == nullptr || subject->if_string() == nullptr || expires == nullptr ||
      !expires->to_int64() || exact == nullptr || exact->if_bool() == nullptr || keys == nullptr ||
      keys->if_string() == nullptr) {
    return std::nullopt;
  }
  Waiting waiting;
  waiting.change.subject = *subject->if_string();
  waiting.change.is_exact = *exact->if_bool();
  waiting.change.keys = *keys->if_string();
  if (rows != nullptr) waiting.change.rows = rows->to_uint64();
  const std::int64_t at = *expires->to_int64();
  if (at < 0 || at > kTimeMax) return std::nullopt;
  waiting.expires = WallTime(std::chrono::milliseconds(at));
  return waiting;
}

std::optional<Confirmations::Waiting> Confirmations::take(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (!folder_.empty()) return take_file(name);
  const auto found = waiting_.find(name);
  if (found == waiting_.end()) return std::nullopt;
  Waiting waiting = std::move(found->second);
  waiting_.erase(found);
  return waiting;
}

Result<PendingChange> Confirmations::claim(std::string_view token, std::string_view subject) {
  if (token.size() != 2 * kTokenBytes) return refused();
  std::optional<Waiting> waiting = take(name_of_token(token));
  if (!waiting || !is_equal_secret(waiting->change.subject, subject)) return refused();
  const WallTime now = env_.clock().wall();
  // A clock that was put back makes nothing live longer.
  if (waiting->expires <= now || waiting->expires > now + kLife) return refused();
  return std::move(waiting->change);
}

std::string subject_of(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += fmt::format("{}:{};", text.size(), text);
  return digest_hex(DigestKind::Sha256, joined);
}

std::string fingerprint_of(const Policy& policy) {
  // By its parts, so that a new key cannot be forgotten here.
  const auto& [read_only, allow_ddl, confirmation, affected, snapshot_rows, audit, max_rows,
               rows_stored, bytes_stored, max_chars, timeout, memory, allowed_graphs, denied_graphs,
               allowed_tables, denied_tables, denied_columns, allowed_columns, allowed_endpoints,
               denied_endpoints, leaves_endpoints, allowed_tools, allowed_paths, allowed_sources] =
      policy;
  std::vector<std::string> texts = {
      fmt::format("{} {} {} {} {} {}", read_only, allow_ddl, name_of(confirmation), affected,
                  snapshot_rows, audit ? name_of(*audit) : "unset"),
      fmt::format("{} {} {} {} {} {} {}", max_rows, rows_stored, bytes_stored, max_chars,
                  timeout.count(), memory, leaves_endpoints)};
  for (const auto& list :
       {allowed_graphs, allowed_tables, allowed_columns, allowed_paths, allowed_sources}) {
    add_list(texts, list);
  }
  for (const auto& list :
       {denied_graphs, denied_tables, denied_columns, allowed_endpoints, denied_endpoints}) {
    add_list(texts, list);
  }
  add_list(texts, allowed_tools ? std::optional(std::vector<std::string>(allowed_tools->begin(),
                                                                         allowed_tools->end()))
                                : std::nullopt);
  return subject_of(texts);
}

}  // namespace helve::toolkit
