#include "toolkit/writes/confirmations.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/digest.h"
#include "base/json.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kTokenBytes = Confirmations::kTokenChars / 2;
constexpr std::size_t kFileBytesMax = 16 * kKiB;
constexpr std::size_t kNameBytesMax = 512;  // of each name in a file
constexpr std::string_view kFolder = "confirmations";
constexpr std::string_view kTaken = ".taken";
constexpr std::string_view kExpired = "nobody answered in time";
constexpr std::string_view kTooMany = "others were asked since";

// What lies on the disk does not tell the token.
std::string name_of_token(std::string_view token) {
  return digest_hex(DigestKind::Sha256, fmt::format("confirmation {}", token));
}

// In milliseconds: what the clock can hold in nanoseconds.
constexpr std::int64_t kTimeMax = 9'000'000'000'000;

std::int64_t milliseconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

using OriginMember = std::pair<std::string_view, std::string*>;

// The texts of an origin by the names that files have for them.
std::vector<OriginMember> members_of(QuestionOrigin& origin) {
  return {{"identity", &origin.asker.identity},
          {"session", &origin.asker.session},
          {"tool", &origin.tool},
          {"source", &origin.source},
          {"query_hash", &origin.query_hash},
          {"call_id", &origin.call_id},
          {"transaction", &origin.transaction}};
}

std::string encode(const PendingChange& change, WallTime expires) {
  JsonValue::Object object;
  object.push_back({"subject", JsonValue(change.subject)});
  object.push_back({"expires", JsonValue(milliseconds(expires))});
  if (change.rows) object.push_back({"rows", JsonValue(*change.rows)});
  object.push_back({"exact", JsonValue(change.is_exact)});
  object.push_back({"keys", JsonValue(change.keys)});
  QuestionOrigin origin = change.origin;
  for (const auto& [name, text] : members_of(origin)) {
    object.push_back({std::string(name), JsonValue(text->substr(0, kNameBytesMax))});
  }
  object.push_back({"recorded", JsonValue(origin.is_recorded)});
  return to_json(JsonValue(std::move(object)));
}

// Of files that an earlier version wrote there is none.
QuestionOrigin origin_of(const JsonValue& json) {
  QuestionOrigin origin;
  for (const auto& [name, text] : members_of(origin)) {
    const JsonValue* const value = json.find(name);
    if (value != nullptr && value->if_string() != nullptr) *text = *value->if_string();
  }
  const JsonValue* const recorded = json.find("recorded");
  origin.is_recorded =
      recorded != nullptr && recorded->if_bool() != nullptr && *recorded->if_bool();
  return origin;
}

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

// Marks each stretch of as many hexadecimal digits as a token has for which `is_token` holds.
template <typename IsToken>
std::string marked(std::string_view text, const IsToken& is_token) {
  std::string out;
  std::size_t copied = 0;
  std::size_t run = 0;  // digits before `i`
  const std::string lower = ascii_lower(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    run = is_hex(lower[i]) ? run + 1 : 0;
    if (run < Confirmations::kTokenChars) continue;
    const std::size_t begin = i + 1 - Confirmations::kTokenChars;
    if (!is_token(std::string_view(lower).substr(begin, Confirmations::kTokenChars))) continue;
    out += text.substr(copied, begin - copied);
    out += kTokenMark;
    copied = i + 1;
    run = 0;
  }
  out += text.substr(copied);
  return out;
}

Error refused() {
  return {ErrorCode::Denied,
          "the token does not confirm this change: it is unknown, was used, has expired, or was "
          "given for another call",
          "make the call without confirm: the reply has a new question and a new token"};
}

}  // namespace

Confirmations::Confirmations(std::filesystem::path folder, Env& env, ConfirmationHooks hooks)
    : folder_(folder.empty() ? std::move(folder) : folder / kFolder),
      env_(env),
      hooks_(std::move(hooks)) {}

Confirmations::~Confirmations() {
  std::vector<Gone> gone;
  for (auto& [name, waiting] : waiting_) {
    gone.push_back({std::move(waiting.change), "its session was closed"});
  }
  tell(gone);
}

void Confirmations::tell(const std::vector<Gone>& gone) const {
  if (!hooks_.unanswered) return;
  for (const auto& [change, why] : gone) hooks_.unanswered(change, why);
}

std::filesystem::path Confirmations::path_of(const std::string& name) const {
  return folder_ / name;
}

void Confirmations::drop_old_entries(std::vector<Gone>& gone) {
  const WallTime now = env_.clock().wall();
  std::erase_if(waiting_, [&](auto& entry) {
    if (entry.second.expires > now) return false;
    gone.push_back({std::move(entry.second.change), kExpired});
    return true;
  });
}

// The questions of one session take no room from those of another.
void Confirmations::make_room_for(const WriteSession& asker, std::vector<Gone>& gone) {
  while (true) {
    std::size_t count = 0;
    auto oldest = waiting_.end();
    for (auto at = waiting_.begin(); at != waiting_.end(); ++at) {
      if (at->second.change.origin.asker != asker) continue;
      ++count;
      if (oldest == waiting_.end() || at->second.expires < oldest->second.expires) oldest = at;
    }
    if (count < kPendingMax) return;
    gone.push_back({std::move(oldest->second.change), kTooMany});
    waiting_.erase(oldest);
  }
}

void Confirmations::drop_old_files(std::size_t kept_max, std::vector<Gone>& gone) {
  Files& files = env_.files();
  is_folder_known_ = true;
  files_ = 0;
  const auto names = files.list(folder_);
  if (!names) return;
  std::vector<std::pair<WallTime, std::string>> kept;
  const WallTime now = env_.clock().wall();
  const auto drop = [&](const std::string& name, std::string_view why) {
    if (name.ends_with(kTaken)) {
      (void)files.remove(path_of(name));
    } else if (auto waiting = take_file(name)) {  // of several processes, one tells
      gone.push_back({std::move(waiting->change), why});
    }
  };
  for (const auto& name : *names) {
    const auto status = files.status(folder_ / name);
    if (!status) continue;
    if (status->modified + kLife <= now) {
      drop(name.native(), kExpired);
    } else {
      kept.emplace_back(status->modified, name.native());
    }
  }
  std::sort(kept.begin(), kept.end());
  const std::size_t surplus = kept.size() > kept_max ? kept.size() - kept_max : 0;
  for (std::size_t i = 0; i < surplus; ++i) drop(kept[i].second, kTooMany);
  files_ = kept.size() - surplus;
}

Result<Confirmations::Asked> Confirmations::ask(const PendingChange& change) {
  Asked asked{env_.random().hex(kTokenBytes), env_.clock().wall() + kLife};
  const std::string name = name_of_token(asked.token);
  std::vector<Gone> gone;
  const auto add = [&]() -> Result<void> {
    const std::lock_guard lock(mutex_);
    if (folder_.empty()) {
      drop_old_entries(gone);
      make_room_for(change.origin.asker, gone);
      waiting_[name] = {change, asked.expires};
      return {};
    }
    HELVE_TRY(hooks_.make_folder ? hooks_.make_folder(folder_)
                                 : env_.files().make_directories(folder_));
    drop_old_files(kPendingMax - 1, gone);
    // What is appended to is its owner's alone.
    HELVE_ASSIGN(const auto file, env_.files().open_write(path_of(name), WriteMode::Append));
    HELVE_TRY(file->write(encode(change, asked.expires)));
    HELVE_TRY(file->close());
    ++files_;
    return {};
  };
  const Result<void> added = add();
  tell(gone);
  HELVE_TRY(added);
  return asked;
}

void Confirmations::sweep() {
  std::vector<Gone> gone;
  {
    const std::lock_guard lock(mutex_);
    if (folder_.empty()) {
      drop_old_entries(gone);
    } else if (files_ > 0 || !is_folder_known_) {
      drop_old_files(kPendingMax, gone);
    }
  }
  tell(gone);
}

void Confirmations::end(const WriteSession& asker, std::string_view why) {
  std::vector<Gone> gone;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(waiting_, [&](auto& entry) {
      if (entry.second.change.origin.asker != asker) return false;
      gone.push_back({std::move(entry.second.change), why});
      return true;
    });
  }
  tell(gone);
}

std::size_t Confirmations::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size() + files_;
}

std::vector<std::string> Confirmations::names() const {
  std::vector<std::string> found;
  const std::lock_guard lock(mutex_);
  if (folder_.empty()) {
    for (const auto& [name, waiting] : waiting_) found.push_back(name);
  } else if (const auto listed = env_.files().list(folder_)) {
    for (const auto& name : *listed) found.push_back(name.native());
  }
  return found;
}

std::string Confirmations::without_tokens(std::string_view text) const {
  if (text.size() < kTokenChars) return std::string(text);
  const std::vector<std::string> live = names();
  if (live.empty()) return std::string(text);
  return marked(text, [&live](std::string_view digits) {
    return std::find(live.begin(), live.end(), name_of_token(digits)) != live.end();
  });
}

std::string without_token_forms(std::string_view text) {
  return marked(text, [](std::string_view) { return true; });
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
  waiting.change.origin = origin_of(*json);
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
  if (token.size() != kTokenChars) return refused();
  std::optional<Waiting> waiting = take(name_of_token(token));
  if (!waiting || !is_equal_secret(waiting->change.subject, subject)) return refused();
  const WallTime now = env_.clock().wall();
  // A clock that was put back makes nothing live longer.
  if (waiting->expires <= now || waiting->expires > now + kLife) return refused();
  return std::move(waiting->change);
}

void Confirmations::drop(std::string_view token) {
  if (token.size() == kTokenChars) (void)take(name_of_token(token));
}

std::string subject_of(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += fmt::format("{}:{};", text.size(), text);
  return digest_hex(DigestKind::Sha256, joined);
}

std::string fingerprint_of(const Policy& policy) {
  return subject_of({to_json(policy_to_json(policy))});
}

}  // namespace helve::toolkit
